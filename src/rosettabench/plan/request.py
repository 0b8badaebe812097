"""What a user asks for: one class for each command, in a form that the store keeps and a resumed run reads again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from rosettabench.catalogue.suite import Stopping
from rosettabench.errors import StoreError
from rosettabench.plan.interpreters import read_interpreters
from rosettabench.plan.setting import read_axes, with_defaults
from rosettabench.plan.trainings import TrainingRequest
from rosettabench.store.kind import RunKind, kind_of


class LeftOut(BaseModel):
    """A contest that a request would have and that is not run: workload, setting, and why, in a sentence.

    `asked` is how many claims of the study need it; None where nobody counted them.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    workload: str
    setting: dict[str, int | str]
    why: str
    asked: int | None = None


@dataclass(frozen=True)
class AdmissionRules:
    """Who may take part in a contest.

    `insist` admits contenders without a proof, `strict` ends a contest whose contenders differ in settings that must be
    equal, and `prove_again` proves even what is proven already.
    """

    insist: bool = False
    strict: bool = False
    prove_again: bool = False


class Terms(BaseModel):
    """Under which terms contests are made: what every command says that makes some.

    `python` is the interpreter whose frameworks are measured in place of managed ones, `pythons` those of single
    frameworks, `axes` the values on each axis, `data_dir` the folder with original data sets, and `timeout` the seconds
    after which a silent worker is given up.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    python: Path | None = None
    pythons: dict[str, Path] = {}
    axes: dict[str, list[int | str]] = {}
    data_dir: Path | None = None
    offline: bool = False
    timeout: float = 900.0

    @classmethod
    def read(
        cls,
        axes: Iterable[str] | None,
        data_dir: Path | None,
        offline: bool,
        timeout: float,
        python: Iterable[str] | None = None,
    ) -> Terms:
        """Return what a command line says. Raises UsageError for an unknown axis or value."""
        here, pythons = read_interpreters(python or ())
        data = data_dir.absolute() if data_dir else None
        stated = read_axes(axes or ())
        return cls(python=here, pythons=pythons, axes=stated, data_dir=data, offline=offline, timeout=timeout)

    def interpreter(self, contender: str) -> Path | None:
        """Return the interpreter of a contender that names none; None: that of its managed environment."""
        framework = contender.partition(":")[0].partition("@")[0].strip()
        return self.pythons.get(framework) or self.pythons.get(framework.partition("[")[0]) or self.python


class ContestRequest(Terms):
    """A request for contests.

    `confidence` is that of all verdicts of a contest together, `margin` the difference that matters to nobody.
    """

    workloads: tuple[str, ...] = ()
    contenders: tuple[str, ...] = ()
    stopping: Stopping = Stopping()
    confidence: float = 0.95
    margin: float = 0.02

    @property
    def admission(self) -> AdmissionRules:
        """Who may take part."""
        return AdmissionRules()

    @property
    def copies(self) -> tuple[float, ...]:
        """The extra work of each further copy of the first contender, as a share; 0 is the A/A control."""
        return ()

    @property
    def times(self) -> int:
        """How often each contest is made."""
        return 1

    @property
    def trains_fully(self) -> bool:
        """Whether the stated epochs are trained, instead of stopping when the times are known well enough."""
        return False

    @property
    def wants_ratios(self) -> bool:
        """Whether it is asked how much faster somebody is, and not only who is faster."""
        return False

    @property
    def intervals(self) -> int:
        """How many intervals are asked to hold together, beyond those of a contest's own pairs."""
        return 1

    @property
    def time_limit(self) -> float | None:
        """Seconds after which nothing more is begun; None where there is no limit."""
        return None

    def axes_of(self, workload: str) -> dict[str, list[int | str]]:
        """Return the values on each axis that a workload is run with."""
        return self.axes

    def means(self, workload: str, label: str) -> bool:
        """Whether the cell of a workload and a contender is asked for."""
        return True

    def leaves_out(self, workload: str, setting: Mapping[str, int | str]) -> bool:
        """Whether a contest is left out."""
        return False


class RunRequest(ContestRequest):
    """What ``rosetta run`` asks for.

    `full` trains the epochs that the workload states and evaluates after each. `budget` is the time for everything in
    seconds; `stopping` shares it out among the contests as far as their starts can be foreseen.

    `study` is the published comparison that is run again; `tests` how many intervals its claims ask to hold together,
    which takes more rounds; `lacking` what of it the catalogue does not have, in a sentence each; `own_axes` the values
    that each workload has on the axes beside those of `axes`, which go before; `left_out` what there was no time or
    memory for; `shipped` the trainings by libraries as shipped that follow the contests.
    """

    kind: Literal[RunKind.RUN] = RunKind.RUN
    control: bool = True
    full: bool = False
    budget: float | None = None
    insist: bool = False
    strict: bool = False
    prove_again: bool = False
    study: str = ""
    tests: int = 1
    lacking: tuple[str, ...] = ()
    own_axes: dict[str, dict[str, list[int | str]]] = {}
    left_out: tuple[LeftOut, ...] = ()
    shipped: TrainingRequest | None = None

    @property
    def admission(self) -> AdmissionRules:
        """Who may take part, as the user says."""
        return AdmissionRules(self.insist, self.strict, self.prove_again)

    @property
    def copies(self) -> tuple[float, ...]:
        """The control, if it is wanted."""
        return (0.0,) if self.control else ()

    @property
    def trains_fully(self) -> bool:
        """Whether the stated epochs are trained."""
        return self.full

    @property
    def wants_ratios(self) -> bool:
        """A study's claims are about ratios."""
        return bool(self.study)

    @property
    def intervals(self) -> int:
        """How many intervals the claims of its study ask to hold together."""
        return self.tests

    @property
    def time_limit(self) -> float | None:
        """Its budget."""
        return self.budget

    def axes_of(self, workload: str) -> dict[str, list[int | str]]:
        """Return the values on each axis: the user's go before those of the suite."""
        return self.own_axes.get(workload, {}) | self.axes

    def leaves_out(self, workload: str, setting: Mapping[str, int | str]) -> bool:
        """Whether there was no time or memory for a contest."""
        return any(one.workload == workload and with_defaults(one.setting) == setting for one in self.left_out)


class ProveRequest(ContestRequest):
    """What ``rosetta prove`` asks for: proofs, `jobs` at a time, and no measurement.

    `only` names the cells that are meant, (workload, contender), where not all of them are. `budget` is the time in
    seconds after which no further proof is begun.
    """

    kind: Literal[RunKind.PROVE] = RunKind.PROVE
    jobs: int = Field(ge=1)
    only: tuple[tuple[str, str], ...] = ()
    prove_again: bool = False
    budget: float | None = None

    @property
    def admission(self) -> AdmissionRules:
        """Everybody may: whether a proof holds is what is asked."""
        return AdmissionRules(insist=True, prove_again=self.prove_again)

    @property
    def time_limit(self) -> float | None:
        """Its budget."""
        return self.budget

    def means(self, workload: str, label: str) -> bool:
        """Whether the cell is among those that are named; every cell where none is."""
        return not self.only or (workload, label) in self.only


class ExplainRequest(ContestRequest):
    """What ``rosetta explain`` asks for: the parts of a step are measured in place of its whole.

    `seconds` of turns, fresh `starts` of each contender, and whether to `profile`.
    """

    kind: Literal[RunKind.EXPLAIN] = RunKind.EXPLAIN
    seconds: float = 60.0
    starts: int = 5
    profile: bool = False


class CalibrateRequest(ContestRequest):
    """What ``rosetta calibrate`` asks for: so many `contests` of one contender, its control, and a `planted` third.

    `planted` is the extra work of the third, as a share.
    """

    kind: Literal[RunKind.CALIBRATE] = RunKind.CALIBRATE
    contests: int
    planted: float

    @property
    def copies(self) -> tuple[float, ...]:
        """The control, and the third."""
        return (0.0, self.planted)

    @property
    def times(self) -> int:
        """How often the contest is made."""
        return self.contests

    @property
    def question(self) -> tuple[object, ...]:
        """What is asked, however often: contests that ask the same are counted together."""
        return self.workloads, self.contenders, self.axes, self.stopping, self.planted


class VerifyRequest(ContestRequest):
    """What ``rosetta verify`` asks for: an installation beside the managed release."""

    kind: Literal[RunKind.VERIFY] = RunKind.VERIFY

    @property
    def copies(self) -> tuple[float, ...]:
        """The control."""
        return (0.0,)


class PeakRequest(BaseModel):
    """What ``rosetta peak`` asks for: what the machine can do with so many `threads` on a `device`."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    kind: Literal[RunKind.PEAK] = RunKind.PEAK
    threads: int = 1
    device: str = "cpu"


Request = RunRequest | ProveRequest | ExplainRequest | CalibrateRequest | VerifyRequest | TrainingRequest | PeakRequest

CLASSES: dict[RunKind, type[Request]] = {one.model_fields["kind"].default: one for one in get_args(Request)}


def read_request(stored: Mapping[str, Any]) -> Request:
    """Return the request of a run, as the store has it. Raises StoreError for one that this version cannot read."""
    kind = kind_of(stored)
    try:
        body = stored if "kind" in stored else of_version_0_1(kind, stored)
        return CLASSES[kind].model_validate(body)
    except (KeyError, TypeError, ValidationError) as error:
        raise StoreError(
            "the store has a run whose request this version does not understand",
            "Name another run, or use the release of Rosettabench that wrote it: rosetta list runs",
        ) from error


def of_version_0_1(kind: RunKind, stored: Mapping[str, Any]) -> dict[str, Any]:
    """Return a request of version 0.1 in today's form: one class served five commands then, and two had a key."""
    if kind in (RunKind.PEAK, RunKind.SHIPPED):
        return dict(stored[kind.value])
    renamed = {"jobs": stored.get("proving"), "contests": stored.get("repeats")}
    body = {**stored, **(stored.get("examining") or {}), **renamed}
    return {name: body[name] for name in CLASSES[kind].model_fields if name in body}


def trainings_asked(stored: Mapping[str, Any]) -> TrainingRequest | None:
    """Return the trainings that the request of a run asks for, as the store has it; None where it asks for none."""
    asked = read_request(stored)
    if isinstance(asked, TrainingRequest):
        return asked
    return asked.shipped if isinstance(asked, RunRequest) else None
