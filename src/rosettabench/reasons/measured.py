"""The measurements of an examination, as the store keeps them: the raw rounds, from which all sentences follow."""

from __future__ import annotations

from typing import ClassVar, Literal

from rosettabench.catalogue.strict import Strict
from rosettabench.store.record import Record

What = Literal["train", "reuse", "feed", "backpropagate", "update"]
"""The requests of docs/reference/protocol.md that are timed in turns."""


class MeasuredCell(Strict):
    """One request at one batch size, measured once a round: seconds per step, one for each round."""

    what: What
    size: int
    steps: int
    seconds: tuple[float, ...]


class Operation(Strict):
    """One operation in a profile: its name, its number of calls, and its own seconds of wall time.

    `within` lists the operations inside a fused one, if the framework reports them.
    """

    name: str
    calls: int
    seconds: float
    within: tuple[str, ...] = ()


class Profile(Strict):
    """One profiled block of `steps` steps. The seconds of its operations add up to at most its wall time."""

    steps: int
    elapsed_s: float
    operations: tuple[Operation, ...]


class Subject(Strict):
    """The measurements of one contender.

    `unsupported` maps each request that its framework does not support to the reason. `starts` maps import_s, build_s,
    first_step_s and peak_memory_bytes to one value for each new process.
    """

    label: str
    framework: str
    cells: tuple[MeasuredCell, ...]
    unsupported: dict[str, str]
    starts: dict[str, tuple[float, ...]]
    profile: Profile | None = None

    def cell(self, what: What, size: int) -> MeasuredCell | None:
        """Return one of its cells; None if it was not measured."""
        return next((one for one in self.cells if (one.what, one.size) == (what, size)), None)


class MeasuredRounds(Record):
    """All measurements of one examination: the contenders of one workload, in the same rounds.

    `batch_size` is the one that is explained, `sizes` are those of the line. `line` is the request that measured the
    line: ``reuse``, or ``train`` if one of the frameworks cannot work without its input pipeline.
    """

    KIND: ClassVar[str] = "explained"

    workload: str
    batch_size: int
    sizes: tuple[int, ...]
    line: Literal["reuse", "train"]
    confidence: float
    subjects: tuple[Subject, ...]
