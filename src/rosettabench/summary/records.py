"""The summary of a run as frozen plain data, computed once. Every form of the report is made from a RunSummary.

Durations are in seconds, memory is in bytes, rates are in samples per second.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from statistics import median
from typing import TYPE_CHECKING, Any

from rosettabench.data.origin import Origin
from rosettabench.plan.setting import without_defaults
from rosettabench.statistics.busy import Busy
from rosettabench.statistics.spread import Spread
from rosettabench.statistics.verdict import Verdict
from rosettabench.store.machine import kinds_of_machines, same_kind
from rosettabench.store.record import Phase
from rosettabench.summary.estimate import Estimate

if TYPE_CHECKING:
    from rosettabench.lab.fairness import PartlyCompiled, SettingDifference
    from rosettabench.plan.request import TrainingRequest
    from rosettabench.reasons.parts import Explanation, Pair
    from rosettabench.reasons.shortfall import Shortfall
    from rosettabench.shipped.record import FinishedTraining, Installed, UsedSet
    from rosettabench.statistics.doubt import Doubt
    from rosettabench.statistics.oddities import Oddity
    from rosettabench.store.record import Dropped, JudgedForecasts, SeriesForecast, Stopped, Watched
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
    phase: Phase
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
    """Mean training loss over one block, and the number of samples seen at its end."""

    samples: int
    loss: float


@dataclass(frozen=True)
class Accuracy:
    """One evaluation: `correct` of `samples`, after `epoch` epochs (None if the training stopped elsewhere)."""

    epoch: int | None
    value: float
    samples: int | None


@dataclass(frozen=True)
class MeanAucSummary:
    """One evaluation by the area under the ROC curve: the mean over `labels` of the `of` labels; else as Accuracy.

    The other labels have samples of one kind only, so that they have no area.
    """

    epoch: int | None
    value: float
    samples: int | None
    labels: int
    of: int


@dataclass(frozen=True)
class MeanLikelihood:
    """One evaluation of forecasts: the mean of -log density of the true values in the horizon; else as Accuracy."""

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
    """The separate costs of a contender. CPU is in cores busy during timed blocks: 2.0 means two cores throughout."""

    import_s: MeasuredFigure | None
    build_s: MeasuredFigure | None
    load_s: MeasuredFigure | None
    first_step_s: MeasuredFigure | None
    evaluate_per_1000_s: MeasuredFigure | None
    peak_memory_bytes: MeasuredFigure | None
    cpu_cores: float | None


@dataclass(frozen=True)
class AmountNote:
    """Details of an amount: idle power in watts, seconds between two updates of the counter, number of samples."""

    idle_w: float | None = None
    resolution_s: float | None = None
    samples: int | None = None


@dataclass(frozen=True)
class Resources:
    """The resources that a contender used: `amounts` by the names of docs/reference/resources.md, with `notes` on some.

    `unreadable` is {name: why it could not be read}. Memory is the median over processes; other amounts are sums over
    all blocks, which lasted `seconds`.
    """

    amounts: dict[str, float]
    notes: dict[str, AmountNote]
    unreadable: dict[str, str]
    seconds: float


@dataclass(frozen=True)
class CheckSummary:
    """One comparison of a proof: the deviation of a tensor from the reference, and its tolerance."""

    quantity: str
    step: int | None
    tensor: str | None
    deviation: float
    tolerance: float
    passed: bool

    @property
    def share(self) -> float:
        """The deviation over its tolerance; infinite for a deviation with a tolerance of zero."""
        if self.tolerance:
            return self.deviation / self.tolerance
        return float("inf") if self.deviation else 0.0


class ProofState(StrEnum):
    """The possible states of a proof."""

    PROVEN = "proven"
    NOT_PROVEN = "not proven"
    FAILED = "failed"
    DAMAGED = "damaged"


@dataclass(frozen=True)
class ProofSummary:
    """Whether an entry may be ranked. `session` is a process without a certificate, while others have one."""

    state: ProofState
    session: int | None = None
    key: str | None = None
    at: str | None = None
    steps: int | None = None
    guided: int = 0
    excused: int = 0
    """The gradients that are further off than the noise explains, where units turn."""
    other_passes: int = 0
    """The updates that only another pass over the same batch explains."""
    checks: int = 0
    tightest: tuple[CheckSummary, ...] = ()
    divergence: CheckSummary | None = None
    cause: str | None = None
    hashes: tuple[tuple[str, str], ...] = ()
    equal_to: tuple[str, ...] = ()
    """The file of the original, or the files of the references that must agree; empty in an older certificate."""

    @property
    def holds(self) -> bool:
        """Whether equal work was proven."""
        return self.state is ProofState.PROVEN


@dataclass(frozen=True)
class Fault:
    """A failure: where, what, and what to do. `contest` and `label` are empty for a failure of the whole run."""

    contest: str
    label: str
    stage: str
    kind: str
    what: str
    hint: str


@dataclass(frozen=True)
class PeakSummary:
    """The ceiling of the machine and the operations of a step, both in floating-point operations of products.

    `per_sample` is computed from the workload; None if it does not state its operations. `ceiling` is the highest rate,
    per second, that `library` reached on this machine in the precision of the `setting`, with its threads and device;
    None if it was not measured.
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

    `rank` is None for a contender that is not ranked. `relative` is its time over that of the first of the ranking;
    None without a rank, and if the two share too few rounds. `rounds` are {round: seconds per step} for the counted
    rounds; all verdicts follow from them. `rate` are the operations per second that it reached, `share` is that rate
    over the ceiling (PeakSummary).
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
    """{process: seconds of its very first step}."""
    areas: tuple[MeanAucSummary, ...] = ()
    """Evaluations of a workload whose samples have several labels, in their order; it has no `accuracies`."""
    likelihoods: tuple[MeanLikelihood, ...] = ()
    metrics: tuple[MetricValue, ...] = ()
    """Evaluations of a folder by its own metric, in their order."""
    forecasts: JudgedForecasts | None = None
    """For a workload that forecasts time series: the quality of its sample paths after the training."""
    exchange: Estimate | Busy | None = None
    """On several devices: the share of a step that their exchange takes, as far as it is not hidden; the load of the
    machine if there is no share because of it."""


@dataclass(frozen=True)
class Control:
    """The A/A control: one contender entered twice. Any difference that the method finds between the two is false."""

    first: str
    second: str
    verdict: Verdict
    false_difference: bool


@dataclass(frozen=True)
class DataNote:
    """The data of a contest. Everything made with a stand-in says so."""

    name: str
    origin: str
    note: str
    digest: str
    train: int | None
    test: int | None

    @property
    def stand_in(self) -> bool:
        """Whether a stand-in replaced missing originals."""
        return self.origin == Origin.STAND_IN

    @property
    def synthetic(self) -> bool:
        """Whether a stand-in was asked for."""
        return self.origin == Origin.SYNTHETIC

    @property
    def incomplete(self) -> bool:
        """Whether only a part of the original data was available; `note` says how much."""
        return self.origin == Origin.INCOMPLETE

    @property
    def real(self) -> bool:
        """Whether the data are as asked for: no stand-in for missing originals, and no missing part."""
        return not (self.stand_in or self.incomplete)


@dataclass(frozen=True)
class SettingRow:
    """One setting, as each contender's framework reported it. `differs` if contenders that should agree do not."""

    name: str
    values: dict[str, str]
    differs: bool


@dataclass(frozen=True)
class Agreement:
    """The agreement of the loss curves: the largest relative difference in any block that all contenders took."""

    deviation: float
    samples: int
    blocks: int


@dataclass(frozen=True)
class ExaminedPair:
    """A pair of an examination: the parts of its difference, the verdict on it, or the doubts that prevent one."""

    pair: Pair
    verdict: Verdict
    doubts: tuple[Doubt, ...]


@dataclass(frozen=True)
class Reasons:
    """The findings of an examination: every pair, contenders far below the ceiling, and the numbers behind them."""

    pairs: tuple[ExaminedPair, ...]
    shortfalls: tuple[Shortfall, ...]
    explanation: Explanation


@dataclass(frozen=True)
class ContestSummary:
    """One workload in one setting: the contenders, the verdicts on them, and what is missing.

    `entries` are the ranked contenders from fastest to slowest, then those measured without a rank, then those without
    measurements; the control's copy comes last. Each of the `verdicts` has its outlook, None if it needs none.
    `spreads` are those of each ranked contender's time over the first one's. `dropped` rounds do not count. `oddities`
    are events that should not happen in a contest. `processes` is the number of processes of each contender. `waits` if
    there was no time to start it. An examination has `reasons`. Any other contest has in `why` the command that would
    find them for the first two of the ranking; it is empty if there are not two.
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
    """The watched blocks of each process."""
    agreement: Agreement | None
    settings: tuple[SettingRow, ...]
    differences: tuple[SettingDifference | PartlyCompiled, ...]
    faults: tuple[Fault, ...]
    reasons: Reasons | None
    why: tuple[str, ...]
    peak: PeakSummary
    inference: bool = False
    """Whether the workload is one of inference; a step is then one batch."""
    shown: tuple[SeriesForecast, ...] = ()
    """The time series of which forecasts are drawn."""
    tokens: int | None = None
    """The tokens of a sample, where a language model is trained."""
    machine: dict[str, Any] = field(default_factory=dict)
    """The facts of the machine on which it was measured."""

    @property
    def on_real_data(self) -> bool:
        """Whether no stand-in replaced the originals or a part of them."""
        return self.data is None or self.data.real

    @property
    def busy(self) -> Busy | None:
        """The load by others, if there was too much for a verdict."""
        return next((one for one in self.oddities if isinstance(one, Busy)), None)

    @property
    def stated(self) -> dict[str, Any]:
        """The setting without the later axes that are at their defaults."""
        return without_defaults(self.setting)

    @property
    def ranked(self) -> tuple[EntrySummary, ...]:
        """The entries that have a rank, fastest first."""
        return tuple(entry for entry in self.entries if entry.rank is not None)

    @property
    def unranked(self) -> tuple[EntrySummary, ...]:
        """The entries without a rank, except the control's copy."""
        return tuple(entry for entry in self.entries if entry.rank is None and entry.control_of is None)

    @property
    def timed(self) -> tuple[EntrySummary, ...]:
        """The entries with at least one timed block, except the control's copy."""
        return tuple(entry for entry in self.entries if entry.step is not None and entry.control_of is None)


@dataclass(frozen=True)
class TrainedEntry:
    """One library on one set. `trainings` are the counted ones, by seed, all with the same number of epochs.

    `relative` is its training time over the fastest library's, compared by seed; None for the fastest, and without a
    common seed. `absences` are the reasons for missing trainings, each once.
    """

    label: str
    trainings: tuple[FinishedTraining, ...]
    relative: MeasuredFigure | None
    fastest: bool
    absences: tuple[str, ...]

    def over_seeds(self, name: str) -> MeasuredFigure | None:
        """Return the median and the extremes of a field of the trainings; None if no training has it."""
        found = [value for one in self.trainings if (value := getattr(one, name)) is not None]
        return MeasuredFigure(median(found), min(found), max(found), len(found)) if found else None


@dataclass(frozen=True)
class TrainedSet:
    """One set of series, and the libraries that trained on it."""

    used: UsedSet
    epochs: int
    seeds: tuple[int, ...]
    entries: tuple[TrainedEntry, ...]

    @property
    def warning(self) -> str:
        """A warning if the data are not the complete originals; "" if they are."""
        return "" if self.used.is_whole else self.used.note


@dataclass(frozen=True)
class LibraryDifference:
    """One property of the libraries' code: {library: value}, and where it was read."""

    what: str
    values: dict[str, str]
    where: dict[str, str]

    @property
    def same(self) -> bool:
        """Whether all libraries have the same value."""
        return len(set(self.values.values())) == 1


@dataclass(frozen=True)
class TrainingsSummary:
    """Library against library: complete trainings by estimators as they are shipped."""

    request: TrainingRequest
    sets: tuple[TrainedSet, ...]
    installed: tuple[Installed, ...]
    differences: tuple[LibraryDifference, ...]
    faults: tuple[Fault, ...]


@dataclass(frozen=True)
class Factor:
    """One factor between two libraries, with its interval if it has one."""

    name: str
    value: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class Account:
    """The explanation of the factor between two libraries as shipped on one set, or over sets: summary/account.py.

    `series` is None for the sum over sets. `trained` is the number of trainings of each library; for the sum, the
    number of sets. `factors` begin with the total, which is the product of the others. `seconds` are {library: {part:
    seconds}} of a training. `dispatch` is how much longer the slow library's framework would take at equal work without
    its graphs. `missing` is why some or all factors are missing.
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


class RunState(StrEnum):
    """Whether a run has come to its end."""

    FINISHED = "finished"
    INTERRUPTED = "interrupted"
    """The user stopped it, and `rosetta resume` continues it."""
    NOT_FINISHED = "not finished"
    """It is going on, or was killed."""


@dataclass(frozen=True)
class RunSummary:
    """A run. `labels` are all contenders in the order of their first appearance, which determines their colours.

    `load` are the shares of the processors' time that other programs and the hypervisor used during its rounds; None if
    unknown.
    """

    id: str
    at: str
    version: str
    state: RunState
    command: tuple[str, ...]
    machine: dict[str, Any]
    load: tuple[float, float] | None
    labels: tuple[str, ...]
    contests: tuple[ContestSummary, ...]
    faults: tuple[Fault, ...]
    study: StudySummary | None = None
    trainings: TrainingsSummary | None = None
    """Complete trainings by libraries as shipped; None for a run without them."""

    accounts: tuple[Account, ...] = ()
    """The explanations of the factor between two of them."""

    @property
    def only_trains(self) -> bool:
        """Whether the run consists of trainings by libraries as shipped, without contests."""
        return self.trainings is not None and not self.contests

    @property
    def compared(self) -> tuple[ContestSummary | TrainedSet, ...]:
        """Everything that has a headline: the contests, then the sets that libraries trained on as shipped."""
        return (*self.contests, *(self.trainings.sets if self.trainings else ()))

    @property
    def by_machine(self) -> tuple[tuple[Mapping[str, Any], tuple[ContestSummary, ...]], ...]:
        """The timed contests of each kind of machine, with the facts of one such machine. No ratio mixes kinds."""
        timed = [contest for contest in self.contests if contest.timed]
        kinds = kinds_of_machines(contest.machine for contest in timed)
        return tuple((kind, tuple(contest for contest in timed if same_kind(contest.machine, kind))) for kind in kinds)

    @property
    def measured_on(self) -> tuple[Mapping[str, Any], ...]:
        """The kinds of machines that measured something, with the facts of one machine of each."""
        contests = [contest.machine for contest in self.contests if contest.timed]
        return tuple(kinds_of_machines([*contests, *([self.machine] if self.trainings else [])]))

    def on(self, machine: Mapping[str, Any]) -> RunSummary:
        """Return what machines of the same kind as `machine` measured of this run."""
        contests = tuple(contest for contest in self.contests if same_kind(contest.machine, machine))
        return replace(self, contests=contests, trainings=self.trainings if same_kind(self.machine, machine) else None)

    @property
    def stand_ins(self) -> tuple[ContestSummary, ...]:
        """The contests without complete original data."""
        return tuple(contest for contest in self.contests if not contest.on_real_data)
