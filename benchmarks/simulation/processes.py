"""Fresh processes: what the interval over the rounds of one pair of them covers, and the one over several pairs."""

import numpy as np

from rosettabench.statistics.interval import ratio_interval
from rosettabench.statistics.spread import interval_over_processes

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
