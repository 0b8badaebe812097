"""The worker's clock, held against the controller's own around the same requests."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

LOST = 0.2
"""Share of the controller's time that a worker may not account for in the middle block.

It takes in the request, cuts out which samples are asked for, and sends the reply: a few milliseconds of the 50 that
the shortest block has (docs/results/overheads.md has what was measured). Who reports half of the time loses 0.5."""

LOST_S = 0.02
"""Seconds that a worker may always spend so: a busy machine may leave a process waiting before it reads a request."""

AHEAD = 0.01
"""Share by which a worker's time may be longer than the controller's: two clocks of one machine, read apart."""


def clock_fault(elapsed: Sequence[float], wall: Sequence[float]) -> str | None:
    """Return what is wrong with a worker's clock, in words; None where nothing is.

    `elapsed` are the seconds that it reports of its blocks, `wall` those that passed here between request and reply.
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
