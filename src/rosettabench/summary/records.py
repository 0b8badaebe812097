"""What a run found, worked out once and ready to be shown: every form of the report is made from a RunSummary.

All of it is plain, frozen data. Durations are in seconds, memory is in bytes, rates are samples per second.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from statistics import median
from typing import TYPE_CHECKING, Any

from rosettabench.plan.setting import without_defaults
from rosettabench.statistics.spread import Spread
from rosettabench.statistics.verdict import Verdict
from rosettabench.summary.estimate import Estimate

if TYPE_CHECKING:
    from rosettabench.lab.fairness import PartlyCompiled, SettingDifference
    from rosettabench.plan.trainings import TrainingRequest
    from rosettabench.reasons.parts import Explanation, Pair
    from rosettabench.reasons.shortfall import Shortfall
    from rosettabench.shipped.record import FinishedTraining, Installed, UsedSet
    from rosettabench.statistics.doubt import Doubt
    from rosettabench.statistics.oddities import Oddity
    from rosettabench.store.record import Dropped, JudgedForecasts, Shown, Stopped, Watched
    from rosettabench.summary.answer import ContestAnswer
    from rosettabench.summary.note import Note
    from rosettabench.summary.outlook import Outlook
    from rosettabench.summary.study import StudySummary


@dataclass(frozen=True)
class MeasuredFigure:
    """A figure that was measured `times` times: the median and the extremes."""

    value: float
    low: float
    high: float
    times: int


@dataclass(frozen=True)
class Sample:
    """One block as it was measured: a row of the raw data."""

    session: int
    phase: str
    round: int
    position: int
    first: int
    steps: int
    samples: int
    elapsed_s: float
    cpu_s: float
    loss: float | None
    learning_rate: float | None
    at: str


@dataclass(frozen=True)
class CurvePoint:
    """Mean training loss over one block, at the number of samples seen when it ended."""

    samples: int
    loss: float


@dataclass(frozen=True)
class Accuracy:
    """One evaluation: `correct` of `samples`, after `epoch` epochs (None where the training stopped elsewhere)."""

    epoch: int | None
    value: float
    samples: int | None


@dataclass(frozen=True)
class MeanAucSummary:
    """One evaluation by the area under the ROC curve: the mean over `labels` of all, which are `of`; else as Accuracy.

    The others have samples of one kind only, so that there is no area.
    """

    epoch: int | None
    value: float
    samples: int | None
    labels: int
    of: int


@dataclass(frozen=True)
class MeanLikelihood:
    """One evaluation of forecasts: -log of the density of a value of the horizon, the mean; else as Accuracy."""

    epoch: int | None
    value: float
    samples: int | None


@dataclass(frozen=True)
class MetricValue:
    """One evaluation of a folder by its own metric; else as Accuracy."""

    metric: str
    epoch: int | None
    value: float
    samples: int | None


@dataclass(frozen=True)
class Costs:
    """What a contender costs, apart. CPU is in cores kept busy during timed blocks: 2.0 is two cores throughout."""

    import_s: MeasuredFigure | None
    build_s: MeasuredFigure | None
    load_s: MeasuredFigure | None
    first_step_s: MeasuredFigure | None
    evaluate_per_1000_s: MeasuredFigure | None
    peak_memory_bytes: MeasuredFigure | None
    cpu_cores: float | None


@dataclass(frozen=True)
class AmountNote:
    """What belongs to an amount: idle power in watts, seconds between two moves of the counter, number of samples."""

    idle_w: float | None = None
    resolution_s: float | None = None
    samples: int | None = None


@dataclass(frozen=True)
class Resources:
    """What a contender used: `amounts` by the names of docs/reference/resources.md, with `notes` on some of them.

    `unreadable` says why others are not there.
    Memory is the median over sessions, everything else the sum over all turns: `seconds` of them.
    """

    amounts: dict[str, float]
    notes: dict[str, AmountNote]
    unreadable: dict[str, str]
    seconds: float


@dataclass(frozen=True)
class CheckSummary:
    """One comparison of a proof: how far a tensor was from the reference, and how far it might be."""

    quantity: str
    step: int | None
    tensor: str | None
    deviation: float
    tolerance: float
    passed: bool

    @property
    def share(self) -> float:
        """The deviation as a share of its tolerance; infinite for a deviation where none is allowed."""
        if self.tolerance:
            return self.deviation / self.tolerance
        return float("inf") if self.deviation else 0.0


class ProofState(StrEnum):
    """What a proof can come to."""

    PROVEN = "proven"
    NOT_PROVEN = "not proven"
    FAILED = "failed"
    DAMAGED = "damaged"


@dataclass(frozen=True)
class ProofSummary:
    """Whether an entry may be ranked. `session` is one that has no certificate, where others have."""

    state: ProofState
    session: int | None = None
    key: str | None = None
    at: str | None = None
    steps: int | None = None
    guided: int = 0
    excused: int = 0
    checks: int = 0
    tightest: tuple[CheckSummary, ...] = ()
    divergence: CheckSummary | None = None
    cause: str | None = None
    hashes: tuple[tuple[str, str], ...] = ()
    equal_to: tuple[str, ...] = ()
    """The file of the original, or those of references that must agree; empty in an older certificate."""

    @property
    def holds(self) -> bool:
        """Whether equal work was proven."""
        return self.state is ProofState.PROVEN


@dataclass(frozen=True)
class Fault:
    """A failure: where, what, and what to do. `contest` and `label` are empty for what struck the whole run."""

    contest: str
    label: str
    stage: str
    kind: str
    what: str
    hint: str


@dataclass(frozen=True)
class PeakSummary:
    """What the machine can do and what a training step asks of it, both in floating-point operations of products.

    `per_sample` is counted from the workload; None where its statement has no count. `ceiling` is the highest rate, per
    second, that `library` reached on this machine in the precision of the `setting`, with its threads and device; None
    where nobody has measured it.
    """

    workload: str
    setting: dict[str, Any]
    inference: bool
    per_sample: int | None
    ceiling: float | None = None
    library: str = ""


@dataclass(frozen=True)
class EntrySummary:
    """One contender in one contest.

    `rank` is None for whoever is not ranked. `relative` is the time over that of the first of the ranking; None without
    a rank, and where the two share too few rounds. `rounds` are its seconds per step in every round that counts: all
    verdicts follow from them. `rate` are the operations per second that it reached, `share` that
    over the machine's ceiling (Peak).
    """

    label: str
    framework: str
    mode: str
    environment: str
    interpreter: str
    packages: dict[str, str]
    settings: dict[str, Any]
    control_of: str | None
    proof: ProofSummary
    rank: int | None
    relative: Estimate | None
    step: Estimate | None
    throughput: Estimate | None
    curve: tuple[CurvePoint, ...]
    accuracies: tuple[Accuracy, ...]
    costs: Costs
    resources: Resources
    faults: tuple[Fault, ...]
    rounds: dict[int, float]
    samples: tuple[Sample, ...]
    rate: Estimate | None
    share: Estimate | None
    first_steps: dict[int, float] = field(default_factory=dict)
    """Process to seconds of its very first step."""
    areas: tuple[MeanAucSummary, ...] = ()
    """Evaluations of a workload whose samples have several labels, in their order; it has no `accuracies`."""
    likelihoods: tuple[MeanLikelihood, ...] = ()
    metrics: tuple[MetricValue, ...] = ()
    """The same of a workload that forecasts time series."""
    forecasts: JudgedForecasts | None = None
    """Of such a workload, what its sample paths were worth after the training."""


@dataclass(frozen=True)
class Control:
    """The A/A control: one contender entered twice. A false difference is one that the method should not have found."""

    first: str
    second: str
    verdict: Verdict
    false_difference: bool


@dataclass(frozen=True)
class DataNote:
    """Which data the contest used. A stand-in is not the real thing, and everything made with it says so."""

    name: str
    origin: str
    note: str
    digest: str
    train: int | None
    test: int | None

    @property
    def stand_in(self) -> bool:
        """Whether made-up data took the real data's place."""
        return self.origin == "stand-in"

    @property
    def synthetic(self) -> bool:
        """Whether data that are made up were asked for."""
        return self.origin == "synthetic"

    @property
    def incomplete(self) -> bool:
        """Whether only a part of the real data was at hand; `note` says how much."""
        return self.origin == "incomplete"

    @property
    def real(self) -> bool:
        """Whether it is not a stand-in, and no part is missing; data that were to be made up are what was asked for."""
        return not (self.stand_in or self.incomplete)


@dataclass(frozen=True)
class SettingRow:
    """One setting, as each contender's framework reported it. `differs`: contenders that should agree on it do not."""

    name: str
    values: dict[str, str]
    differs: bool


@dataclass(frozen=True)
class Agreement:
    """How well the loss curves coincide: the largest relative difference in any block that all took."""

    deviation: float
    samples: int
    blocks: int


@dataclass(frozen=True)
class ExaminedPair:
    """A pair of an examination: of which parts its difference is made up, the verdict on it, or why there is none."""

    pair: Pair
    verdict: Verdict
    doubts: tuple[Doubt, ...]


@dataclass(frozen=True)
class Reasons:
    """Where the differences lie, as an examination found: every pair, contenders far below the machine, and numbers."""

    pairs: tuple[ExaminedPair, ...]
    shortfalls: tuple[Shortfall, ...]
    explanation: Explanation


@dataclass(frozen=True)
class ContestSummary:
    """One workload with one setting: who did how well, how surely, and who is missing.

    `entries` are the ranked ones from fastest to slowest, then those measured without a rank, then those with nothing;
    the control's second copy comes last. Each of the `verdicts` has its outlook, None where it needs none. `spreads`
    are those of each ranked contender's time over the first one's; `oddities` are what must not happen in a contest and
    did, and rounds that were dropped do not count. `processes` is in how many it was measured. It waits if there was no
    time to begin. `reasons` are there where it was an examination; elsewhere `why` is the command that would find them
    for the first two of the ranking, empty where there are no two.
    """

    name: str
    workload: str
    setting: dict[str, Any]
    stopping: dict[str, Any]
    answer: ContestAnswer
    entries: tuple[EntrySummary, ...]
    verdicts: tuple[Verdict, ...]
    outlooks: tuple[Outlook | None, ...]
    spreads: tuple[tuple[str, Spread], ...]
    dropped: tuple[Dropped, ...]
    oddities: tuple[Oddity, ...]
    processes: int
    control: Control | None
    data: DataNote | None
    end: Stopped | None
    waits: bool
    watched: tuple[Watched, ...]
    """What was seen of each process while everybody was timed."""
    agreement: Agreement | None
    settings: tuple[SettingRow, ...]
    differences: tuple[SettingDifference | PartlyCompiled, ...]
    faults: tuple[Fault, ...]
    reasons: Reasons | None
    why: tuple[str, ...]
    peak: PeakSummary
    inference: bool = False
    """Whether nothing is trained: what is called a step is then a batch."""
    shown: tuple[Shown, ...] = ()
    """The time series of which forecasts are drawn."""
    tokens: int | None = None
    """The tokens of a sample, where a language model is trained."""

    @property
    def on_real_data(self) -> bool:
        """Whether nothing took the place of the real data, or of a part of them."""
        return self.data is None or self.data.real

    @property
    def stated(self) -> dict[str, Any]:
        """The setting without the axes that came later and are as they always were."""
        return without_defaults(self.setting)

    @property
    def ranked(self) -> tuple[EntrySummary, ...]:
        """The entries that have a rank, fastest first."""
        return tuple(entry for entry in self.entries if entry.rank is not None)

    @property
    def unranked(self) -> tuple[EntrySummary, ...]:
        """The entries without a rank, the control's copy left out."""
        return tuple(entry for entry in self.entries if entry.rank is None and entry.control_of is None)

    @property
    def timed(self) -> tuple[EntrySummary, ...]:
        """The entries with at least one timed block, the control's copy left out."""
        return tuple(entry for entry in self.entries if entry.step is not None and entry.control_of is None)


@dataclass(frozen=True)
class TrainedEntry:
    """One library on one set. `trainings` are those that count, by seed: all of the same number of epochs.

    `relative` is its training time over the fastest one's, seed by seed; None for the fastest, and where the two share
    no seed. `absences` say why trainings are missing, each reason once.
    """

    label: str
    trainings: tuple[FinishedTraining, ...]
    relative: MeasuredFigure | None
    fastest: bool
    absences: tuple[str, ...]

    def over_seeds(self, name: str) -> MeasuredFigure | None:
        """Return the median and the extremes of a field of the trainings; None where no training has it."""
        found = [value for one in self.trainings if (value := getattr(one, name)) is not None]
        return MeasuredFigure(median(found), min(found), max(found), len(found)) if found else None


@dataclass(frozen=True)
class TrainedSet:
    """One set of series and everybody who trained on it."""

    used: UsedSet
    epochs: int
    seeds: tuple[int, ...]
    entries: tuple[TrainedEntry, ...]

    @property
    def warning(self) -> str:
        """What its origin says about it; empty where all of the real set was used."""
        return "" if self.used.is_whole else self.used.note


@dataclass(frozen=True)
class LibraryDifference:
    """What was read from the libraries' code about one thing: by library the value, and where it was read."""

    what: str
    values: dict[str, str]
    where: dict[str, str]

    @property
    def same(self) -> bool:
        """Whether all say the same."""
        return len(set(self.values.values())) == 1


@dataclass(frozen=True)
class TrainingsSummary:
    """Library against library: whole trainings by estimators as they are shipped."""

    request: TrainingRequest
    sets: tuple[TrainedSet, ...]
    installed: tuple[Installed, ...]
    differences: tuple[LibraryDifference, ...]
    faults: tuple[Fault, ...]


@dataclass(frozen=True)
class Factor:
    """One factor between two libraries, with its interval where it has one."""

    name: str
    value: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class Account:
    """Where the factor between two libraries as shipped comes from on one set, or over sets: summary/account.py.

    `series` is None for the sum over sets. `trained` is of how many trainings by each it is; of the sum, of how many
    sets. `factors` begin with the whole one, which the others multiply to; `seconds` are those of a training by library
    and part. `dispatch` is what the slow one's framework would take longer at equal work without its graphs. `missing`
    is why factors are missing, or all of them.
    """

    series: str | None
    fast: str
    slow: str
    epochs: int | None = None
    trained: int = 0
    seconds: dict[str, dict[str, float]] = field(default_factory=dict)
    factors: tuple[Factor, ...] = ()
    dispatch: Estimate | None = None
    missing: Note | None = None


@dataclass(frozen=True)
class RunSummary:
    """A run. `labels` are all contenders in the order in which they first appear: it fixes their colours.

    `load` are the shares of the processors' time that others and the hypervisor used during its rounds, None where that
    is not known.
    """

    id: str
    at: str
    version: str
    state: str
    command: tuple[str, ...]
    machine: dict[str, Any]
    load: tuple[float, float] | None
    labels: tuple[str, ...]
    contests: tuple[ContestSummary, ...]
    faults: tuple[Fault, ...]
    study: StudySummary | None = None
    trainings: TrainingsSummary | None = None
    """Whole trainings by libraries as shipped; None for a run without them."""

    accounts: tuple[Account, ...] = ()
    """Where the factor between two of them comes from."""

    @property
    def only_trains(self) -> bool:
        """Whether it is a run of trainings by libraries as shipped, with no contests beside them."""
        return self.trainings is not None and not self.contests

    @property
    def compared(self) -> tuple[ContestSummary | TrainedSet, ...]:
        """Everything that has a headline: the contests, then the sets that libraries trained on as shipped."""
        return (*self.contests, *(self.trainings.sets if self.trainings else ()))

    @property
    def stand_ins(self) -> tuple[ContestSummary, ...]:
        """The contests that did not run on the whole real data."""
        return tuple(contest for contest in self.contests if not contest.on_real_data)
