"""The evidence against a hypothetical ratio: the gain of a bet on signs, which is fair if the hypothesis is true.

Suppose that the true log ratio is m. The order of the contenders in a round is random. In the opposite order each would
have met the machine state of the other, and the deviation x - m of the round's log ratio would have had the same size
and the opposite sign. So, given all sizes, the signs are tosses of a fair coin, whatever the tails of the noise and
however its variance changes. A gambler starts with 1 and stakes a share h of the capital on each sign. The capital

    E_n(m) = Π (1 + h_i),    h_i = tanh(c·ψ(u_i)),    u_i = (x_i - m) / s_i,

is a martingale with mean 1 as long as h_i is an odd function of x_i - m. By Ville's inequality (1939) the probability
that E_n(m) *ever* reaches 1/α is at most α, so a contest may look after every round and stop at any time. It is the
martingale for symmetric distributions of de la Peña (1999, Annals of Probability 27, 537), because exp(z)/cosh(z) is
1 + tanh(z). Ramdas, Ruf, Larsson & Koolen (2020, arXiv:2009.03167) show that no other form is better.

The choice of the stake affects the power, not the validity:

- tanh(c·u) is the best stake for normal noise and an effect proportional to c. `STAKES` mixes four c, each for both
  signs. Most weight is on the c that finds a difference of one standard deviation per round within twenty rounds; the
  others let intervals go on narrowing over hundreds of rounds.
- The scale s_i is the power mean of |x_j - m| with exponent 1/2 over the rounds up to i: a burst changes it little. It
  makes the bet independent of the unit. The first FEWEST_ROUNDS rounds share one scale, from the sizes of all of them.
  This is valid because the signs are fair given all sizes, and because no look comes before that round.
- ψ(u) = u / (1 + (u/4)²) gives most weight to a round four scales away, and less and less to rounds beyond: as with
  Student's t, a disturbed round says little about its neighbours.
"""

from __future__ import annotations

from math import log

import numpy as np
from numpy.typing import NDArray

Logs = NDArray[np.float64]

FEWEST_ROUNDS = 8
"""The first round after which the evidence is used. At 95%, no stake here could refute anything earlier."""

STAKES = ((0.9, 0.72), (0.45, 0.14), (0.2, 0.09), (0.1, 0.05))
"""(c, weight): the boldness of a bet, and its share of the initial capital. benchmarks/simulation shows the power."""

BOLDNESS, WEIGHTS = np.transpose(STAKES)

BEND = 4.0
"""The deviation, in scales, that has the most weight."""

SPEAKABLE = (-700.0, 600.0)
"""Range of logarithms whose exponential fits double precision; evidence beyond e^600 makes no difference."""

ROOT = 0.5
"""Exponent of the power mean for the scale."""


def log_evidence(deviations: Logs) -> Logs:
    """Return log E_n(m) after every round, (…, rounds), from deviations x - m of log ratios, (…, rounds).

    Before round FEWEST_ROUNDS it is 0: E is 1, no evidence.
    """
    rounds = deviations.shape[-1]
    if rounds < FEWEST_ROUNDS:
        return np.zeros(deviations.shape)
    moved = bent(deviations)
    evidence = mixture(np.arange(1, rounds + 1), np.cumsum(moved, axis=-1), np.cumsum(prices(moved), axis=-1))
    evidence[..., : FEWEST_ROUNDS - 1] = 0
    return evidence


def final_evidence(deviations: Logs) -> Logs:
    """Return log E_n(m) after the last round, (…), from deviations x - m of log ratios, (…, rounds).

    It is the last value of log_evidence, without the sums after each round.
    """
    rounds = deviations.shape[-1]
    if rounds < FEWEST_ROUNDS:
        return np.zeros(deviations.shape[:-1])
    moved = bent(deviations)
    return mixture(np.array(rounds), moved.sum(axis=-1), prices(moved).sum(axis=-1))


def bent(deviations: Logs) -> Logs:
    """Return ψ(u) of every round, (…, rounds). It is at most BEND / 2, on both sides of 0."""
    scale = scales(deviations)
    moved = np.divide(deviations, scale, out=np.zeros(deviations.shape), where=scale > 0)
    moved /= 1 + np.square(moved / BEND)
    return moved


def prices(moved: Logs) -> Logs:
    """Return log(2 / (1 + h)) of every stake in every round, (stakes, …, rounds).

    The stake is h = tanh(c·ψ), and 1 + tanh z = 2 / (1 + exp(-2z)).
    """
    paid: Logs = np.log(1 + np.exp(-2 * np.multiply.outer(BOLDNESS, moved)))
    return paid


def mixture(rounds: NDArray[np.int64], sums: Logs, paid: Logs) -> Logs:
    """Return the logarithm of the whole capital after so many `rounds`, from the sums of ψ and of each stake's prices.

    Half of a stake's capital bets on each sign. The logarithms of the two halves differ by 2z in every round.
    """
    won = log(2) * rounds - paid
    lost = won - 2 * np.multiply.outer(BOLDNESS, sums)
    capitals = [np.exp(np.minimum(np.maximum(gain, SPEAKABLE[0]), SPEAKABLE[1])) for gain in (won, lost)]
    return np.log(np.tensordot(WEIGHTS / 2, capitals[0] + capitals[1], 1))


def scales(deviations: Logs) -> Logs:
    """Return the scale of every round, (…, rounds), from the deviations up to it; the first rounds share theirs."""
    sums = np.cumsum(np.abs(deviations) ** ROOT, axis=-1)
    means = sums / np.arange(1, deviations.shape[-1] + 1)
    means[..., : FEWEST_ROUNDS - 1] = means[..., FEWEST_ROUNDS - 1, None]
    scale: NDArray[np.float64] = means ** (1 / ROOT)
    return scale


def threshold(confidence: float, tests: int = 1) -> float:
    """Return the log evidence that refutes a ratio, if `tests` statements are to hold together."""
    return log(tests / (1 - confidence))
