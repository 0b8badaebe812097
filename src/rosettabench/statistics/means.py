"""The ratio of mean times: the throughput over a whole contest, in which every stall counts with its full length.

The trimmed ratio describes a typical round. A contender that alone stalls now and then is as fast as others in a
typical round but slower over a day: two questions with two answers.
"""

from __future__ import annotations

from math import exp, log, sqrt

import numpy as np

from rosettabench.statistics.between import SpreadBetween, reach_over_processes
from rosettabench.statistics.interval import Interval
from rosettabench.statistics.rounds import Processes, Rounds, possible


def mean_ratio(a: Rounds, b: Rounds, processes: Processes, confidence: float = 0.95, tests: int = 1) -> Interval | None:
    """Return the interval of the sum of b's times over that of a's, for the common rounds; None below two units.

    It is the ratio estimator (Cochran, "Sampling Techniques", section 6.4), with Student's t on its logarithm. Its
    units are the processes, or the rounds if there is one process. Processes that are too few are pooled with a prior
    (between.py). It is not a confidence sequence, and is too narrow for times with long tails, so no verdict depends on
    it alone.
    """
    common = [one for one in sorted(a.keys() & b.keys()) if possible(a[one]) and possible(b[one])]
    units = [processes.get(one, 0) for one in common]
    several = len(set(units)) > 1
    units = units if several else common
    names = sorted(set(units))
    if len(names) < 2:
        return None
    place = [names.index(unit) for unit in units]
    sums = [np.bincount(place, weights=[rounds[one] for one in common]) for rounds in (a, b)]
    ratio = float(sums[1].sum() / sums[0].sum())
    errors = (sums[1] - ratio * sums[0]) / sums[1].mean()
    count = len(names)
    measured = SpreadBetween(sqrt(float(np.sum(errors**2)) / (count - 1)), count - 1)
    if several:
        reach = reach_over_processes(measured, count, confidence, tests).length
    else:
        reach = measured.reach(count, confidence, tests)
    return Interval(ratio, exp(log(ratio) - reach), exp(log(ratio) + reach), confidence, len(common))
