"""What the store keeps of the machine's load, as payloads of events of a contest: one a round."""

from __future__ import annotations

from typing import ClassVar

from rosettabench.store.record import Record


class RoundLoad(Record):
    """What others used during a round: shares of the time of `processors` processors over `seconds` of wall time.

    `others` is that of programs outside the contest, `stolen` what the hypervisor took.
    """

    KIND: ClassVar[str] = "load"

    round: int
    seconds: float
    processors: int
    others: float
    stolen: float
