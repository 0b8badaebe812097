"""The evidence against a supposed ratio: a bet on signs that nobody can win, unless the supposition is wrong.

Suppose that the true log ratio is m. Who goes first in a round is drawn by lot, and had the lot fallen the other way,
the same weather would have met the other contender: the deviation x - m of the round's log ratio would have had the
same size and the other sign. So, given all sizes, the signs are tosses of a fair coin, whatever the tails of the noise
and however its variance changes. Whoever starts with 1 and stakes the share h of what he has on each sign,

    E_n(m) = Π (1 + h_i),    h_i = tanh(c·ψ(u_i)),    u_i = (x_i - m) / s_i,

holds a martingale of mean 1 as long as h_i is an odd function of x_i - m. By Ville's inequality (1939) the probability
that E_n(m) *ever* reaches 1/α is at most α, so one may look after every round and stop when one likes. It is the
martingale for symmetric distributions of de la Peña (1999, Annals of Probability 27, 537), as exp(z)/cosh(z) is
1 + tanh(z); Ramdas, Ruf, Larsson & Koolen (2020, arXiv:2009.03167) show that nothing of another form does better.

What is staked is a choice of power, not of validity:

- tanh(c·u) is the best stake for normal noise and an effect proportional to c. `STAKES` mixes four c, each for both
  signs: most weight lies where differences of one standard deviation a round are found within twenty rounds, the rest
  makes intervals go on narrowing over hundreds of rounds.
- s_i, the scale, is the power mean of |x_j - m| with exponent 1/2 over the rounds up to i: a burst moves it little. It
  makes all this independent of the unit. The sizes of the first FEWEST_ROUNDS rounds are shared by all of these, which
  is allowed because signs are fair given all sizes, and because nobody looks before that round.
- ψ(u) = u / (1 + (u/4)²) lets a round four times off the scale count most, and one farther off less and less: as with
  Student's t, a round that was hit by something tells little about its neighbours.
"""

from __future__ import annotations

from math import log

import numpy as np
from numpy.typing import NDArray

FEWEST_ROUNDS = 8
"""Nobody looks at the evidence before this round. At 95%, no stake of ours could convince of anything before it."""

STAKES = ((0.9, 0.72), (0.45, 0.14), (0.2, 0.09), (0.1, 0.05))
"""(c, weight): how boldly is bet, and with which share of the starting sum. benchmarks/simulation shows the power."""

BEND = 4.0
"""Deviation, in scales, that counts most."""

SPEAKABLE = (-700.0, 600.0)
"""Logarithms that double precision can take back; evidence beyond e^600 convinces as well."""

ROOT = 0.5
"""Exponent of the power mean that is the scale."""


def log_evidence(deviations: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return log E_n(m) after every round, (…, rounds), from deviations x - m of log ratios, (…, rounds).

    Before round FEWEST_ROUNDS it is 0: E is 1, as if nothing had been seen.
    """
    shape, rounds = deviations.shape, deviations.shape[-1]
    if rounds < FEWEST_ROUNDS:
        return np.zeros(shape)
    scale = scales(deviations)
    moved = np.divide(deviations, scale, out=np.zeros(shape), where=scale > 0)
    moved /= 1 + (moved / BEND) ** 2
    sums, total = np.cumsum(moved, axis=-1), np.zeros(shape)
    counts = log(2) * np.arange(1, rounds + 1)
    for boldness, weight in STAKES:
        # 1 + tanh z = 2 / (1 + exp(-2z)), so the bets on the two signs differ by 2z in each logarithm
        won = counts - np.cumsum(np.log1p(np.exp(-2 * boldness * moved)), axis=-1)
        for gain in (won, won - 2 * boldness * sums):
            total += weight / 2 * np.exp(np.clip(gain, *SPEAKABLE))
    total[..., : FEWEST_ROUNDS - 1] = 1
    evidence: NDArray[np.float64] = np.log(total)
    return evidence


def scales(deviations: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the scale of every round, (…, rounds): of the deviations up to it, and of the first ones for the first."""
    sums = np.cumsum(np.abs(deviations) ** ROOT, axis=-1)
    means = sums / np.arange(1, deviations.shape[-1] + 1)
    means[..., : FEWEST_ROUNDS - 1] = means[..., FEWEST_ROUNDS - 1, None]
    scale: NDArray[np.float64] = means ** (1 / ROOT)
    return scale


def threshold(confidence: float, tests: int = 1) -> float:
    """Return the logarithm of the evidence that refutes a ratio, where `tests` statements are to hold together."""
    return log(tests / (1 - confidence))
