"""The events of trainings in the store, each written when it happens."""

from __future__ import annotations

from typing import Any, ClassVar

from rosettabench.catalogue.strict import Strict
from rosettabench.data.origin import Origin
from rosettabench.errors import FailureKind
from rosettabench.store.record import FailureStage, ForecastQuantiles, Record, SeriesForecast


class Fact(Strict):
    """A fact read from the code of a library: its subject and value in words, and the object it was read from."""

    what: str
    value: str
    where: str


class Installed(Record):
    """A library as installed here."""

    KIND: ClassVar[str] = "library"

    library: str
    interpreter: str
    packages: dict[str, str]
    settings: dict[str, Any]
    facts: tuple[Fact, ...]


class UsedSet(Record):
    """A set of series used for training. `origin`, `note` and `digest` are those of the prepared data."""

    KIND: ClassVar[str] = "set"

    series: str
    origin: str
    note: str
    digest: str
    count: int
    context: int
    horizon: int
    frequency: str
    shown: tuple[SeriesForecast, ...]

    @property
    def is_stand_in(self) -> bool:
        """Whether synthetic series replaced the real ones."""
        return self.origin == Origin.STAND_IN

    @property
    def is_whole(self) -> bool:
        """Whether it is the complete real set."""
        return self.origin in (Origin.ORIGINAL, Origin.DOWNLOAD)


class TrainingPace(Record):
    """What a budget allows for a set: the number of epochs, and of seeds, counted from the first."""

    KIND: ClassVar[str] = "pace"

    series: str
    epochs: int
    seeds: int


class FinishedTraining(Record):
    """One training and the accuracy of its forecasts.

    Durations are separate wall times in seconds: `import_s` comes first, `score_s` is in the controller. CPU time is
    that of the worker with its children. The measures are those of statistics/forecast_accuracy.py; None if they are
    defined for no series.
    """

    KIND: ClassVar[str] = "training"

    series: str
    library: str
    seed: int
    epochs: int
    import_s: float
    parse_s: float
    train_s: float
    predict_s: float
    score_s: float
    setup_s: float | None = None
    first_s: float | None = None
    input_s: float | None = None
    checkpoints_s: float | None = None
    steps_s: float | None = None
    """These five are the parts of `train_s` (docs/results/deepar-as-shipped.md); None if not reported by the worker."""
    whole_s: float
    """From the start of the worker to its end, including the score."""
    train_cpu_s: float
    predict_cpu_s: float
    parsed: str
    """``tsf``: the file, read by the library's own reader; ``arrays``: the prepared arrays."""
    mase: float | None
    smape: float | None
    mean_weighted_quantile_loss: float | None
    forecasts: tuple[ForecastQuantiles, ...]


class Absence(Record):
    """An absent training, and why. `stage` and `kind` are those of failures; `seed` is None for all seeds."""

    KIND: ClassVar[str] = "absence"

    series: str
    library: str
    seed: int | None
    stage: FailureStage
    kind: FailureKind
    what: str
    hint: str = ""
    details: str = ""

    @property
    def is_failure(self) -> bool:
        """Whether something went wrong; else the training was left out on purpose."""
        return self.kind not in (FailureKind.TOO_LONG, FailureKind.OUT_OF_TIME)
