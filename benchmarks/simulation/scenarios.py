"""What a machine can do to a contest: noise of every turn in the order of time, and what one contender alone meets."""

import numpy as np
from traces import replay

ROUNDS, PROCESSES = 40, 10
EACH, TURNS = 4, 8
"""In a round each of the two contenders takes four turns: A B B A or B A A B, as the lot falls, and this again."""

TRUE = np.log(1.05)
"""The planted difference."""


def normal(g, n):
    """Independent normal noise of 5% a turn: the worst case for pairing, as the contenders share nothing."""
    return g.normal(0, 0.05, (n, ROUNDS * TURNS))


def recorded(g, n):
    """Turns of real contests on a shared machine."""
    return replay(g, n, ROUNDS * TURNS)


def drift(g, n):
    """A machine whose speed wanders by 3% from turn to turn: some twofold within a contest; and 3% of noise."""
    shape = (n, ROUNDS * TURNS)
    return np.cumsum(g.normal(0, 0.03, shape), axis=1) + g.normal(0, 0.03, shape)


def bursts(g, n):
    """One turn in twenty takes up to several times as long; 3% of noise."""
    shape = (n, ROUNDS * TURNS)
    return g.normal(0, 0.03, shape) + (g.random(shape) < 0.05) * g.exponential(1.0, shape)


def tails(g, n):
    """Student's t with two degrees of freedom, which has no variance; scale 3%."""
    return 0.03 * g.standard_t(2, (n, ROUNDS * TURNS))


def swelling(g, n):
    """Noise whose own size wanders, about tenfold within a contest."""
    shape = (n, ROUNDS * TURNS)
    return 0.03 * g.normal(0, 1, shape) * np.exp(np.cumsum(g.normal(0, 0.1, shape), axis=1))


def phases(g, n):
    """A machine that is 40% slower for ten turns at a time, one time in four; 3% of noise."""
    slow, out = g.random(n) < 0.25, np.empty((n, ROUNDS * TURNS))
    for turn in range(ROUNDS * TURNS):
        change = g.random(n)
        slow = np.where(slow, change >= 1 / 10, change < 1 / 30)
        out[:, turn] = 0.34 * slow
    return out + g.normal(0, 0.03, out.shape)


def nothing(g, n):
    """Nothing befalls one contender alone."""
    return np.zeros((n, ROUNDS))


def late_phase(g, n):
    """One contender alone is 1.5 times slower for one to ten rounds, some time after the eighth."""
    start, length = g.integers(8, ROUNDS, (n, 1)), g.integers(1, 11, (n, 1))
    number = np.arange(ROUNDS)
    return np.log(1.5) * ((number >= start) & (number < start + length)) * g.choice([-1, 1], (n, 1))


def early_phase(g, n):
    """One contender alone is 1.5 times slower for one to ten rounds that begin within the first eight."""
    start, length = g.integers(0, 8, (n, 1)), g.integers(1, 11, (n, 1))
    number = np.arange(ROUNDS)
    return np.log(1.5) * ((number >= start) & (number < start + length)) * g.choice([-1, 1], (n, 1))


def stalls(g, n):
    """One contender alone takes 21 times as long in one turn of a hundred: on average 20% more."""
    return np.log1p(20 * g.binomial(TURNS // 2, 0.01, (n, ROUNDS)) / (TURNS // 2))


def quiet(g, n):
    """Independent normal noise of 1% a turn: equals are soon shown to be equal."""
    return g.normal(0, 0.01, (n, ROUNDS * TURNS))


def processes(deviation):
    """Every process is faster or slower than others of its contender, for life."""

    def born(g, n):
        return np.repeat(g.normal(0, deviation * np.sqrt(2), (n, PROCESSES)), ROUNDS // PROCESSES, axis=1)

    return born


SCENARIOS = {
    "independent normal noise, 5% a turn": (normal, nothing),
    "recorded on a shared machine": (recorded, nothing),
    "drift of the machine": (drift, nothing),
    "bursts": (bursts, nothing),
    "heavy tails": (tails, nothing),
    "noise that swells": (swelling, nothing),
    "slow phases of the machine": (phases, nothing),
    "one contender in a slow phase, late": (normal, late_phase),
    "one contender in a slow phase, early": (normal, early_phase),
    "one contender stalls": (quiet, stalls),
    "processes differ by 1%": (normal, processes(0.01)),
    "processes differ by 2%": (normal, processes(0.02)),
    "processes differ by 5%": (normal, processes(0.05)),
}
"""Name to the noise of all turns, (contests, rounds × turns), and the log ratio that one contender adds, per round."""


def log_ratios(generator, turns, alone):
    """Return the log ratios within rounds, (contests, rounds): who takes the outer turns is drawn, for each half."""
    slots = np.exp(turns.reshape(len(turns), ROUNDS, 2, EACH))
    outer, inner = slots[..., 0] + slots[..., 3], slots[..., 1] + slots[..., 2]
    lot = generator.random(outer.shape) < 0.5
    a, b = np.where(lot, outer, inner).sum(axis=2), np.where(lot, inner, outer).sum(axis=2)
    return np.log(b / a) + alone


def one_life(alone, name):
    """Return what one contender alone meets where it has the process that it began with to the end."""
    return np.repeat(alone[:, :1], ROUNDS, axis=1) if name.startswith("processes differ") else alone
