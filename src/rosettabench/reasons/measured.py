"""What an examination measures, as the store keeps it: the raw rounds, from which every sentence is computed anew."""

from __future__ import annotations

from typing import ClassVar, Literal

from rosettabench.catalogue.strict import Strict
from rosettabench.store.record import Record

What = Literal["train", "reuse", "feed", "backpropagate", "update"]
"""The requests of docs/reference/protocol.md whose blocks are timed in turns."""


class MeasuredCell(Strict):
    """One request at one batch size, measured once a round: seconds per step, one for each round."""

    what: What
    size: int
    steps: int
    seconds: tuple[float, ...]


class Operation(Strict):
    """What a profiler says of one operation: its name, how often it ran, and the seconds of wall time that are its own.

    `within` are the operations that a fused one is made of, where the framework tells.
    """

    name: str
    calls: int
    seconds: float
    within: tuple[str, ...] = ()


class Profile(Strict):
    """One profiled block of so many steps. The operations' seconds add up to no more than its wall time."""

    steps: int
    elapsed_s: float
    operations: tuple[Operation, ...]


class Subject(Strict):
    """What was measured of one contender.

    `unsupported` says of each request that its framework does not offer why not. `starts` maps import_s, build_s,
    first_step_s and peak_memory_bytes to one value for each fresh process.
    """

    label: str
    framework: str
    cells: tuple[MeasuredCell, ...]
    unsupported: dict[str, str]
    starts: dict[str, tuple[float, ...]]
    profile: Profile | None = None

    def cell(self, what: What, size: int) -> MeasuredCell | None:
        """Return one of its cells; None where it was not measured."""
        return next((one for one in self.cells if (one.what, one.size) == (what, size)), None)


class MeasuredRounds(Record):
    """Everything that one examination measured: all contenders of one workload, in the same rounds.

    `batch_size` is the one that is explained, `sizes` those of the line. `line` is the request that the line was
    measured with: ``reuse``, or ``train`` where one of the frameworks cannot do without its input pipeline.
    """

    KIND: ClassVar[str] = "explained"

    workload: str
    batch_size: int
    sizes: tuple[int, ...]
    line: Literal["reuse", "train"]
    confidence: float
    subjects: tuple[Subject, ...]
