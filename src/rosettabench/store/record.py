"""What events hold: one class for each kind, so that whoever reads one knows what whoever wrote it meant.

Kinds that only one room above knows are beside what they hold: an examination in reasons/measured.py, what a machine
can do in ceilings/series.py, trainings in shipped/record.py. Numbers that are not finite are kept as the texts of
JSON's dialects, "Infinity" and "NaN", which are read back.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import TYPE_CHECKING, Any, ClassVar, Self

from pydantic import ConfigDict, Field

from rosettabench.catalogue.strict import Strict

if TYPE_CHECKING:
    from rosettabench.store.schema import Event

LEVELS = (0.05, 0.25, 0.5, 0.75, 0.95)
"""Quantiles of the forecasts that are kept: the median, and the ends of the bands of 50% and 90%."""


class FigureName(StrEnum):
    """The names of figures: measured numbers that are no blocks. Those of docs/reference/resources.md stand last."""

    IMPORT = "import_s"
    BUILD = "build_s"
    LOAD = "load_s"
    FIRST_STEP = "first_step_s"
    EVALUATE = "evaluate_s"
    ACCURACY = "accuracy"
    MEAN_NLL = "mean_nll"
    MEAN_AUC = "mean_auc"
    CPU_USER = "cpu_user_s"
    CPU_SYSTEM = "cpu_system_s"
    RESIDENT = "resident_bytes"
    PSS = "pss_bytes"
    PEAK_MEMORY = "peak_memory_bytes"
    MINOR_FAULTS = "minor_faults"
    MAJOR_FAULTS = "major_faults"
    READ = "read_bytes"
    WRITTEN = "written_bytes"
    VOLUNTARY_SWITCHES = "voluntary_switches"
    INVOLUNTARY_SWITCHES = "involuntary_switches"
    GPU_MEMORY = "gpu_memory_bytes"
    GPU_UTILISATION = "gpu_utilisation"
    GPU_ENERGY = "gpu_energy_j"
    CPU_ENERGY = "cpu_energy_j"


class Record(Strict):
    """The payload of an event of the kind `KIND`."""

    model_config = ConfigDict(ser_json_inf_nan="strings")

    KIND: ClassVar[str]

    def payload(self) -> dict[str, Any]:
        """Return it as any JSON can hold it."""
        payload: dict[str, Any] = json.loads(self.model_dump_json())
        return payload

    @classmethod
    def all_of(cls, events: Iterable[Event]) -> list[Self]:
        """Return the records of this kind among events, in their order."""
        return [cls.model_validate(event.payload) for event in events if event.kind == cls.KIND]

    @classmethod
    def last_of(cls, events: Iterable[Event]) -> Self | None:
        """Return the last record of this kind among events; None where there is none."""
        found = [event.payload for event in events if event.kind == cls.KIND]
        return cls.model_validate(found[-1]) if found else None


class LenientRecord(Record):
    """A record that an earlier version may have written with other fields, which are passed over."""

    model_config = ConfigDict(extra="ignore")


class Words(Record):
    """A payload whose names are not known beforehand."""

    model_config = ConfigDict(extra="allow")

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> Self:
        """Return the record that holds `values`."""
        return cls.model_validate(dict(values))

    @property
    def values(self) -> dict[str, Any]:
        """What it holds, by name."""
        return dict(self.__pydantic_extra__ or {})


# -- the way of a run --------------------------------------------------------------------------------------------------


class Resumed(Record):
    """Somebody went on with a run."""

    KIND: ClassVar[str] = "resumed"


class Interrupted(Record):
    """The user stopped a run."""

    KIND: ClassVar[str] = "interrupted"


class Finished(Record):
    """A run came to its end: nothing of what it was asked for is left to try."""

    KIND: ClassVar[str] = "finished"


ENDS = (Resumed, Interrupted, Finished)
"""What says, by the last of them, whether a run has ended."""


class Unbegun(LenientRecord):
    """A contest was not begun, because the `budget`, in seconds, had been spent before."""

    KIND: ClassVar[str] = "unbegun"

    budget: float | None = None


# -- a contest ---------------------------------------------------------------------------------------------------------


class UsedData(LenientRecord):
    """The data of a contest: where they came from (data/on_shelf.py), and the samples of either part."""

    KIND: ClassVar[str] = "data"

    name: str = ""
    origin: str = ""
    note: str = ""
    digest: str = ""
    train: int | None = None
    test: int | None = None


class Dropped(LenientRecord):
    """A round does not count, and why."""

    KIND: ClassVar[str] = "dropped"

    round: int
    why: str


class RoundLoad(Record):
    """The machine's load in a round: shares of the time of `processors` processors over `seconds` of wall time.

    `others` is that of programs outside the contest, `stolen` what the hypervisor took.
    """

    KIND: ClassVar[str] = "load"

    round: int
    seconds: float
    processors: int
    others: float
    stolen: float


class Stopped(LenientRecord):
    """A contest has ended: why, and after how many rounds. `out` are the labels of those who had left before.

    `turns_s` are the seconds that its turns took together, `controller_cpu_s` those that the controller computed;
    neither is known where nobody took a turn.
    """

    KIND: ClassVar[str] = "stopped"

    why: str = "no reason given"
    rounds: int | None = None
    open_pairs: int | None = None
    out: tuple[str, ...] = ()
    controller_cpu_s: float | None = None
    turns_s: float | None = None


# -- an entry ----------------------------------------------------------------------------------------------------------


class UsedEnvironment(LenientRecord):
    """What a worker was started in: managed or external, the version of its Python, and of its packages."""

    KIND: ClassVar[str] = "environment"

    kind: str = ""
    interpreter: str = ""
    packages: dict[str, str] = Field(default_factory=dict)


class ReadBack(Words):
    """The settings that were in force in a worker, by name."""

    KIND: ClassVar[str] = "settings"


class Unreadable(Words):
    """Of each figure that could not be read, why."""

    KIND: ClassVar[str] = "unreadable"


class ProofTime(Record):
    """How long a proof took, its worker's start included."""

    KIND: ClassVar[str] = "proof time"

    seconds: float


# -- forecasts ---------------------------------------------------------------------------------------------------------


class Shown(Strict):
    """A series that forecasts are drawn of: its last observations before the horizon, and those that were forecast.

    None where a value is missing.
    """

    place: int
    name: str
    history: tuple[float | None, ...]
    truth: tuple[float | None, ...]


class Drawn(Strict):
    """The forecast of one series: a row for each of LEVELS, (levels, horizon)."""

    place: int
    quantiles: tuple[tuple[float, ...], ...]


class ShownSeries(Record):
    """The series of a contest whose forecasts are kept."""

    KIND: ClassVar[str] = "shown"

    shown: tuple[Shown, ...]


class JudgedForecasts(Record):
    """What a contender's sample paths of `series` series are worth, after its training.

    Durations are in seconds, wall time: `predict_s` and `predict_cpu_s` in the worker, `score_s` in the laboratory. The
    measures are those of statistics/forecast_accuracy.py; None where no series has one.
    """

    KIND: ClassVar[str] = "forecasts"

    series: int
    samples: int
    """Paths of each series."""
    seed: int
    predict_s: float
    predict_cpu_s: float
    score_s: float
    mase: float | None
    smape: float | None
    mean_weighted_quantile_loss: float | None
    forecasts: tuple[Drawn, ...]


# -- what is watched ---------------------------------------------------------------------------------------------------


class WatchedMove(Strict):
    """How the parameters of contenders have moved over some steps: the two that are furthest apart.

    `distance` is relative to the longer of two moves, `ratio` that of their lengths, both of the middle tensor.
    """

    when: str
    distance: float
    ratio: float
    reference: bool


class Watched(Record):
    """What was seen of the processes of a contest while they were timed; who did other work has a Failure of its own.

    `outputs` is how far outputs were at most from those that another framework computes from the same weights;
    `seconds` what looking has taken; `unchecked` are sentences about what could not be checked.
    """

    model_config = ConfigDict(ser_json_inf_nan="strings", frozen=False)

    KIND: ClassVar[str] = "watched"

    process: int
    seconds: float = 0.0
    outputs: float = 0.0
    moves: list[WatchedMove] = Field(default_factory=list)
    unchecked: list[str] = Field(default_factory=list)
