"""Fresh processes: what the interval over the rounds of one pair of them covers, and the one over several pairs."""

from itertools import combinations

import numpy as np

from rosettabench.statistics.between import reach_over_processes
from rosettabench.statistics.interval import ratio_interval
from rosettabench.statistics.ranking import LOOKS, pairs
from rosettabench.statistics.spread import interval_over_processes, spread_of

ROUNDS, NOISE = 10, 0.02
SESSIONS = (2, 3, 5, 10)


def coverage(deviation, contests):
    """Return hits of one process' interval over rounds, and for SESSIONS processes (hits, median precision)."""
    generator = np.random.default_rng([7, round(1000 * deviation)])
    single, several = [], {sessions: ([], []) for sessions in SESSIONS}
    for _ in range(contests):
        a, b = replicates(generator, deviation, max(SESSIONS))
        interval = ratio_interval([b[1][number] / a[1][number] for number in a[1]])
        single.append(interval.low <= 1 <= interval.high)
        for sessions, (hits, widths) in several.items():
            some = {session: b[session] for session in range(1, sessions + 1)}
            interval = interval_over_processes(a, some)
            hits.append(interval.low <= 1 <= interval.high)
            widths.append(interval.precision)
    return np.array(single), [(np.array(hits), float(np.median(widths))) for hits, widths in several.values()]


def replicates(generator, deviation, sessions):
    """Return two equal contenders: {session: {round: seconds}}, each process faster or slower by `deviation`."""
    born = np.exp(generator.normal(0, deviation, (2, sessions, 1)))
    seconds = born * np.exp(generator.normal(0, NOISE, (2, sessions, ROUNDS)))
    return [{session + 1: dict(enumerate(map(float, one[session]))) for session in range(sessions)} for one in seconds]


def many_contenders(deviations, processes, contests):
    """Simulate contests of equal contenders whose processes' log times have these standard deviations.

    Return for each contest whether all intervals hold 1, and the median half-widths of the intervals in logarithms: by
    our rule, and by the measured spread alone.
    """
    generator = np.random.default_rng([8, len(deviations), processes])
    tests = LOOKS * pairs(len(deviations))
    held, ours, alone = [], [], []
    for _ in range(contests):
        times = generator.normal(0, deviations, (processes, len(deviations)))
        reaches, middles = [], []
        for one, other in combinations(times.T, 2):
            measured = spread_of(other - one)
            reaches.append(reach_over_processes(measured, processes, 0.95, tests).length)
            middles.append(abs(np.mean(other - one)))
            alone.append(measured.reach(processes, 0.95, tests))
        held.append(np.all(np.array(middles) <= reaches))
        ours += reaches
    return np.array(held), float(np.median(ours)), float(np.median(alone))
