"""Compare a worker's clock with the controller's around the same requests."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

LOST = 0.1
"""Share of the controller's time that may be missing from the worker's, in the median block.

Reading the request, selecting its samples and replying take 1 ms of a block of 0.3 s, and at most 3% of it in any
honest worker (docs/results/overheads.md). A worker that reports half of the time has a share of 0.5."""

LOST_S = 0.02
"""Seconds that may always be missing: on a busy machine a process may wait before it reads a request."""

AHEAD = 0.01
"""Share by which a worker's time may exceed the controller's: the two clocks are not read at the same moment."""


def clock_fault(elapsed: Sequence[float], wall: Sequence[float]) -> str | None:
    """Return what is wrong with a worker's clock, in words; None if nothing is.

    `elapsed` are the seconds that it reports for its blocks, `wall` the controller's from request to reply.
    """
    if not elapsed:
        return None
    lost = median(there - here for here, there in zip(elapsed, wall, strict=True))
    share = median((there - here) / there for here, there in zip(elapsed, wall, strict=True))
    if lost > LOST_S and share > LOST:
        return f"it reports {1 - share:.0%} of the time that its blocks take"
    if share < -AHEAD:
        return f"it reports {1 - share:.0%} of the time that passes between request and reply"
    return None
