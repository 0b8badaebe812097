"""What the store keeps of trainings: an event for each thing that happened, the moment it happened."""

from __future__ import annotations

from typing import Any, ClassVar

from rosettabench.catalogue.strict import Strict
from rosettabench.store.record import Drawn, Record, Shown


class Fact(Strict):
    """One thing read from the code of a library: what about it, in words, and the object that it was read from."""

    what: str
    value: str
    where: str


class Installed(Record):
    """A library as it is installed here."""

    KIND: ClassVar[str] = "library"

    library: str
    interpreter: str
    packages: dict[str, str]
    settings: dict[str, Any]
    facts: tuple[Fact, ...]


class UsedSet(Record):
    """A set of series as it was trained on. `origin`, `note` and `digest` are those of prepared data."""

    KIND: ClassVar[str] = "set"

    series: str
    origin: str
    note: str
    digest: str
    count: int
    context: int
    horizon: int
    frequency: str
    shown: tuple[Shown, ...]

    @property
    def is_stand_in(self) -> bool:
        """Whether made-up series took the place of the real ones."""
        return self.origin == "stand-in"

    @property
    def is_whole(self) -> bool:
        """Whether it is all of the real set."""
        return self.origin in ("original", "download")


class TrainingPace(Record):
    """What a budget allows for a set: so many epochs, for the first so many of the seeds."""

    KIND: ClassVar[str] = "pace"

    series: str
    epochs: int
    seeds: int


class FinishedTraining(Record):
    """One training and what its forecasts are worth.

    Durations are in seconds, wall time, each apart: `import_s` before anything, `score_s` in the laboratory. CPU time
    is that of the worker with its children. The measures are those of statistics/forecast_accuracy.py; None where no
    series has one.
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
    """These five are the parts of `train_s` (docs/results/deepar-as-shipped.md); None where a worker does not tell
    them."""
    whole_s: float
    """From the start of the worker to its end, the score included."""
    train_cpu_s: float
    predict_cpu_s: float
    parsed: str
    """``tsf``, the file, read by the library's own reader; or ``arrays``, the laboratory's."""
    mase: float | None
    smape: float | None
    mean_weighted_quantile_loss: float | None
    forecasts: tuple[Drawn, ...]


class Absence(Record):
    """A training that there is not, and why. `stage` and `kind` are those of failures; `seed` is None for all seeds.

    Beside the kinds of failures, ``too long``: a graph that takes minutes to build; and ``budget``: no time was left.
    """

    KIND: ClassVar[str] = "absence"

    series: str
    library: str
    seed: int | None
    stage: str
    kind: str
    what: str
    hint: str = ""
    details: str = ""

    @property
    def is_failure(self) -> bool:
        """Whether something went wrong, and was not just left out."""
        return self.kind not in (TOO_LONG, OUT_OF_TIME)


TOO_LONG = "too long"
OUT_OF_TIME = "budget"
