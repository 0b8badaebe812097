"""The share of a step that the exchange between devices takes, from the blocks of all processes."""

from __future__ import annotations

from collections.abc import Sequence

from rosettabench.statistics.busy import Busy, busy
from rosettabench.statistics.ranking import relative_time
from rosettabench.store.record import Exchanged
from rosettabench.summary.estimate import Estimate


def share_of_exchange(measured: Sequence[Exchanged], confidence: float) -> Estimate | Busy | None:
    """Return the share with its interval; the load if others used the machine meanwhile; None without enough blocks.

    The rules are those of two contenders: devices apart are one, and the group is the other. A group that takes `r`
    times as long spends 1 - 1/r of its step on the exchange.
    """
    disturbed = busy(one.load for one in measured if one.load is not None)
    if disturbed is not None:
        return disturbed
    pairs = [(one.process, *seconds) for one in measured for seconds in zip(one.together, one.apart, strict=True)]
    processes = {number: process for number, (process, _, _) in enumerate(pairs, start=1)}
    together = {number: seconds for number, (_, seconds, _) in enumerate(pairs, start=1)}
    apart = {number: seconds for number, (_, _, seconds) in enumerate(pairs, start=1)}
    longer = relative_time(apart, together, processes, confidence)
    if longer is None:
        return None
    value, low, high = (1 - 1 / ratio for ratio in (longer.ratio, longer.low, longer.high))
    return Estimate(value, low, high, longer.rounds)
