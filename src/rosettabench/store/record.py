"""The payloads of events: one class for each kind, shared by writers and readers.

Kinds that belong to one room are defined there: examinations in reasons/measured.py, ceilings in ceilings/series.py,
trainings in shipped/record.py. Numbers that are not finite are stored as the strings "Infinity" and "NaN", and read
back as numbers.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import TYPE_CHECKING, Any, ClassVar, Self

from pydantic import ConfigDict, Field

from rosettabench.catalogue.strict import Strict
from rosettabench.resources.resource import Resource

if TYPE_CHECKING:
    from rosettabench.store.schema import Event

LEVELS = (0.05, 0.25, 0.5, 0.75, 0.95)
"""The quantiles kept of a forecast: the median, and the ends of the 50% and 90% bands."""


class FigureName(StrEnum):
    """The names of figures: measured numbers that are not blocks. Those of docs/reference/resources.md come last."""

    IMPORT = "import_s"
    BUILD = "build_s"
    LOAD = "load_s"
    FIRST_STEP = "first_step_s"
    EVALUATE = "evaluate_s"
    ACCURACY = "accuracy"
    MEAN_NLL = "mean_nll"
    MEAN_AUC = "mean_auc"
    METRIC = "metric"
    CPU_USER = Resource.CPU_USER
    CPU_SYSTEM = Resource.CPU_SYSTEM
    RESIDENT = Resource.RESIDENT
    PSS = Resource.PSS
    PEAK_MEMORY = Resource.PEAK_MEMORY
    MINOR_FAULTS = Resource.MINOR_FAULTS
    MAJOR_FAULTS = Resource.MAJOR_FAULTS
    READ = Resource.READ
    WRITTEN = Resource.WRITTEN
    VOLUNTARY_SWITCHES = Resource.VOLUNTARY_SWITCHES
    INVOLUNTARY_SWITCHES = Resource.INVOLUNTARY_SWITCHES
    GPU_MEMORY = Resource.GPU_MEMORY
    GPU_UTILISATION = Resource.GPU_UTILISATION
    GPU_ENERGY = Resource.GPU_ENERGY
    CPU_ENERGY = Resource.CPU_ENERGY


class Phase(StrEnum):
    """What a block belongs to. Only blocks of turns count."""

    WARM_UP = "warm-up"
    TURN = "turn"


class FailureStage(StrEnum):
    """What was done when a contender failed, or a whole run."""

    PLAN = "plan"
    ENVIRONMENT = "environment"
    START = "start"
    BUILD = "build"
    SETTINGS = "settings"
    PROOF = "proof"
    WARM_UP = "warm-up"
    WATCH = "watch"
    TURN = "turn"
    EVALUATE = "evaluate"
    FORECAST = "forecast"
    EXCHANGE = "exchange"
    PROFILE = "profile"
    PEAK = "peak"
    OPEN = "open"
    """The first of a training as shipped; the others are `parse` to `score`."""
    PARSE = "parse"
    TRAIN = "train"
    PREDICT = "predict"
    SCORE = "score"


class Record(Strict):
    """The payload of an event of the kind `KIND`."""

    KIND: ClassVar[str]

    def payload(self) -> dict[str, Any]:
        """Return the payload as plain JSON values."""
        payload: dict[str, Any] = json.loads(self.model_dump_json())
        return payload

    @classmethod
    def all_of(cls, events: Iterable[Event]) -> list[Self]:
        """Return the records of this kind among events, in their order."""
        return [cls.model_validate(event.payload) for event in events if event.kind == cls.KIND]

    @classmethod
    def last_of(cls, events: Iterable[Event]) -> Self | None:
        """Return the last record of this kind among events; None if there is none."""
        found = [event.payload for event in events if event.kind == cls.KIND]
        return cls.model_validate(found[-1]) if found else None


class LenientRecord(Record):
    """A record that ignores fields it does not know, which earlier versions may have written."""

    model_config = ConfigDict(extra="ignore")


class Words(Record):
    """A payload whose names are not known in advance."""

    model_config = ConfigDict(extra="allow")

    @classmethod
    def of(cls, values: Mapping[Any, Any]) -> Self:
        """Return the record that holds `values`, by their names."""
        return cls.model_validate({str(name): value for name, value in values.items()})

    @property
    def values(self) -> dict[str, Any]:
        """Its values, by name."""
        return dict(self.__pydantic_extra__ or {})


# -- a run -------------------------------------------------------------------------------------------------------------


class Resumed(Record):
    """A run was resumed."""

    KIND: ClassVar[str] = "resumed"


class Interrupted(Record):
    """The user stopped a run."""

    KIND: ClassVar[str] = "interrupted"


class Finished(Record):
    """A run ended: nothing that it was asked for is left to try."""

    KIND: ClassVar[str] = "finished"


class Unbegun(LenientRecord):
    """A contest was not begun because not enough was left of the `budget`, in seconds."""

    KIND: ClassVar[str] = "unbegun"

    budget: float | None = None


# -- a contest ---------------------------------------------------------------------------------------------------------


class MeasuredOn(LenientRecord):
    """The machine on which a contest is measured from here on; without this event, it is that of the run.

    `node` is its name in the cluster, empty for the machine of the command. `machine` are its facts as
    client/machine.py describes them.
    """

    KIND: ClassVar[str] = "measured on"

    node: str = ""
    machine: dict[str, Any] = Field(default_factory=dict)


class UsedData(LenientRecord):
    """The data of a contest: their origin (data/on_shelf.py), and the number of samples of each part."""

    KIND: ClassVar[str] = "data"

    name: str = ""
    origin: str = ""
    note: str = ""
    digest: str = ""
    train: int | None = None
    test: int | None = None


class Dropped(LenientRecord):
    """A round that does not count, and why."""

    KIND: ClassVar[str] = "dropped"

    round: int
    why: str


class MachineLoad(Strict):
    """The machine's load: shares of the time of `processors` processors over `seconds` of wall time.

    `others` is the share of programs outside the contest, `stolen` that of the hypervisor.
    """

    seconds: float
    processors: int
    others: float
    stolen: float


class RoundLoad(Record, MachineLoad):
    """The machine's load in a round."""

    KIND: ClassVar[str] = "load"

    round: int


ALL_DECIDED = "all pairs decided"
"""Why a contest stops if its rounds tell of every pair who is faster, or that both are equally fast."""


class Stopped(LenientRecord):
    """The end of a contest: why, and after how many rounds. `out` are the labels of the contenders that left.

    `turns_s` is the time of all blocks together, `controller_cpu_s` the CPU time of the controller, both in seconds;
    None if no block was timed.
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
    """The environment of a worker: managed or external, the version of its Python, and of its packages."""

    KIND: ClassVar[str] = "environment"

    kind: str = ""
    interpreter: str = ""
    packages: dict[str, str] = Field(default_factory=dict)


class ReadBack(Words):
    """The settings that were in force in a worker, by name."""

    KIND: ClassVar[str] = "settings"


class Unreadable(Words):
    """Why figures could not be read, by name."""

    KIND: ClassVar[str] = "unreadable"


class ProofTime(Record):
    """The seconds that a proof took, including the start of its worker."""

    KIND: ClassVar[str] = "proof time"

    seconds: float


# -- forecasts ---------------------------------------------------------------------------------------------------------


class SeriesForecast(Strict):
    """A series shown with its forecasts: the last observations before the horizon, and those within it (`truth`).

    Missing values are None.
    """

    place: int
    name: str
    history: tuple[float | None, ...]
    truth: tuple[float | None, ...]


class ForecastQuantiles(Strict):
    """The forecast of one series: a row for each of LEVELS, (levels, horizon)."""

    place: int
    quantiles: tuple[tuple[float, ...], ...]


class ShownSeries(Record):
    """The series of a contest whose forecasts are kept."""

    KIND: ClassVar[str] = "shown"

    shown: tuple[SeriesForecast, ...]


class JudgedForecasts(Record):
    """The accuracy of a trained contender's sample paths for `series` series.

    Durations are in seconds: `predict_s` (wall time) and `predict_cpu_s` in the worker, `score_s` (wall time) in the
    controller. The measures are those of statistics/forecast_accuracy.py; None if they are defined for no series.
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
    forecasts: tuple[ForecastQuantiles, ...]


# -- what is watched ---------------------------------------------------------------------------------------------------


class WatchedMove(Strict):
    """How the parameters of contenders moved over some steps: the largest difference of a pair that agrees.

    `distance` is relative to the longer of two moves, `ratio` that of their lengths, both in the median tensor.
    """

    when: str
    distance: float
    ratio: float
    reference: bool


class Watched(Record):
    """The findings of the watch over one process of each contender. A contender that did other work has a Failure too.

    `outputs` is the largest distance of outputs from those that another framework computes from the same weights,
    `seconds` the time that watching took; `unchecked` has sentences about what could not be checked.
    """

    model_config = ConfigDict(frozen=False)

    KIND: ClassVar[str] = "watched"
    ALONE: ClassVar[str] = "Losses and later moves were compared with nobody: only one framework takes part."

    process: int
    seconds: float = 0.0
    outputs: float = 0.0
    moves: list[WatchedMove] = Field(default_factory=list)
    unchecked: list[str] = Field(default_factory=list)


# -- several devices ---------------------------------------------------------------------------------------------------


class Exchanged(Record):
    """The same blocks with and without the exchange between devices, in one process of a contender.

    Both are seconds per step, in pairs: `together` by the group, `apart` by devices of which each trains alone on its
    part of every batch. `load` is that of the machine meanwhile; None if it is not known.
    """

    KIND: ClassVar[str] = "exchanged"

    process: int
    together: tuple[float, ...]
    apart: tuple[float, ...]
    load: MachineLoad | None = None
