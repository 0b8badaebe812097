"""Requests of the user: one class for each command, which the store keeps and a resumed run reads again."""

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
from rosettabench.plan.trainings import EPOCHS, SAMPLES, SEEDS, STUDY
from rosettabench.store.kind import RunKind, kind_of


class LeftOut(BaseModel):
    """A contest of a request that is not run: workload, setting and reason.

    `asked` is the number of the study's claims that need it; None if they were not counted.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    workload: str
    setting: dict[str, int | str]
    why: str
    asked: int | None = None


@dataclass(frozen=True)
class AdmissionRules:
    """Rules of admission to a contest.

    `insist` admits contenders without a valid proof. `strict` ends a contest whose contenders differ in settings that
    must be equal. `prove_again` repeats proofs that have a certificate.
    """

    insist: bool = False
    strict: bool = False
    prove_again: bool = False


class BaseRequest(BaseModel):
    """What a command is asked to do, as its run stores it. Each class has a `kind`, by which it is read back."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Terms(BaseRequest):
    """Terms that all commands with contests have in common.

    `python` is the user's interpreter, used instead of managed environments; `pythons` are {framework: its own
    interpreter}. `axes` are the values on each axis, `data_dir` the folder with original data sets, `timeout` the
    seconds after which a silent worker is stopped.
    """

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
        """Return the terms of a command line. Raises UsageError for an unknown axis or value."""
        here, pythons = read_interpreters(python or ())
        data = data_dir.absolute() if data_dir else None
        stated = read_axes(axes or ())
        return cls(python=here, pythons=pythons, axes=stated, data_dir=data, offline=offline, timeout=timeout)

    def interpreter(self, contender: str) -> Path | None:
        """Return the interpreter of a contender that names none; None for its managed environment."""
        framework = contender.partition(":")[0].partition("@")[0].strip()
        return self.pythons.get(framework) or self.pythons.get(framework.partition("[")[0]) or self.python


class ContestRequest(Terms):
    """A request for contests.

    `confidence` holds for all verdicts of a contest together. `margin` is the margin of equivalence, as a share.
    """

    workloads: tuple[str, ...] = ()
    contenders: tuple[str, ...] = ()
    stopping: Stopping = Stopping()
    confidence: float = 0.95
    margin: float = 0.02

    @property
    def admission(self) -> AdmissionRules:
        """The rules of admission."""
        return AdmissionRules()

    @property
    def copies(self) -> tuple[float, ...]:
        """The extra work of each further copy of the first contender, as a share; 0 for the A/A control."""
        return ()

    @property
    def times(self) -> int:
        """The number of times that each contest is run."""
        return 1

    @property
    def trains_fully(self) -> bool:
        """Whether the stated epochs are trained, instead of stopping when the times are known well enough."""
        return False

    @property
    def wants_ratios(self) -> bool:
        """Whether the request needs ratios between contenders, not only their order."""
        return False

    @property
    def intervals(self) -> int:
        """The number of intervals per pair that must hold together; 1 for the ranking of a contest alone."""
        return 1

    @property
    def time_limit(self) -> float | None:
        """Seconds after which nothing new is started; None without a limit."""
        return None

    def axes_of(self, workload: str) -> dict[str, list[int | str]]:
        """Return the values on each axis for a workload."""
        return self.axes

    def means(self, workload: str, label: str) -> bool:
        """Return whether the request includes the cell of a workload and a contender."""
        return True

    def leaves_out(self, workload: str, setting: Mapping[str, int | str]) -> bool:
        """Return whether a contest is left out."""
        return False


class TrainingRequest(BaseRequest):
    """The request of ``rosetta shipped``, and of a suite of ``rosetta run`` in addition to its contests."""

    kind: Literal[RunKind.SHIPPED] = RunKind.SHIPPED
    study: str = STUDY
    sets: tuple[str, ...]
    """Sets of the Monash archive by the study's names."""
    libraries: tuple[str, ...]
    seeds: tuple[int, ...] = SEEDS
    epochs: int = Field(default=EPOCHS, ge=1)
    samples: int = Field(default=SAMPLES, ge=1)
    threads: int = Field(default=1, ge=1)
    budget: float | None = None
    """Seconds for everything; epochs and seeds are reduced until they fit."""
    long: bool = False
    """Whether to include trainings for which a library builds its graph for minutes, or without end."""
    timeout: float = 7200.0
    """Seconds after which a silent worker is stopped."""
    data_dir: str | None = None
    data: str = "found"
    """``found``, ``real`` or ``synthetic``: data/choice.py."""
    offline: bool = False


class RunRequest(ContestRequest):
    """The request of ``rosetta run``.

    `full` trains the epochs that the workload states, with an evaluation after each. `budget` is the time for
    everything in seconds; `stopping` distributes it among the contests as far as their starts can be predicted.

    `study` is the published comparison that is run again. `tests` is the number of intervals of its claims that must
    hold together, which takes more rounds. `lacking` are sentences on the parts of it that the catalogue lacks.
    `own_axes` are the values on the axes for each workload; the user's `axes` replace them. `left_out` are contests
    without enough time or memory. `shipped` are the trainings by libraries as shipped that follow the contests.
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
        """The rules of admission from the command line."""
        return AdmissionRules(self.insist, self.strict, self.prove_again)

    @property
    def copies(self) -> tuple[float, ...]:
        """The A/A control, unless it is switched off."""
        return (0.0,) if self.control else ()

    @property
    def trains_fully(self) -> bool:
        """Whether the stated epochs are trained."""
        return self.full

    @property
    def wants_ratios(self) -> bool:
        """True for a study, whose claims are about ratios."""
        return bool(self.study)

    @property
    def intervals(self) -> int:
        """The number of intervals of the study's claims that must hold together."""
        return self.tests

    @property
    def time_limit(self) -> float | None:
        """The budget in seconds; None without one."""
        return self.budget

    def axes_of(self, workload: str) -> dict[str, list[int | str]]:
        """Return the values on each axis for a workload: the user's replace those of the suite."""
        return self.own_axes.get(workload, {}) | self.axes

    def leaves_out(self, workload: str, setting: Mapping[str, int | str]) -> bool:
        """Return whether a contest had not enough time or memory."""
        return any(one.workload == workload and with_defaults(one.setting) == setting for one in self.left_out)


class ProveRequest(ContestRequest):
    """The request of ``rosetta prove``: proofs, `jobs` at a time, without measurements.

    `only` names single cells, (workload, contender); empty means all. `budget` is the time in seconds after which no
    further proof is started. `cores` are the processors of each proof, which its devices share, if no threads are set.
    """

    kind: Literal[RunKind.PROVE] = RunKind.PROVE
    jobs: int = Field(ge=1)
    only: tuple[tuple[str, str], ...] = ()
    prove_again: bool = False
    budget: float | None = None
    cores: int | None = None

    @property
    def admission(self) -> AdmissionRules:
        """Every contender is admitted, since the question is whether its proof holds."""
        return AdmissionRules(insist=True, prove_again=self.prove_again)

    @property
    def time_limit(self) -> float | None:
        """The budget in seconds; None without one."""
        return self.budget

    def means(self, workload: str, label: str) -> bool:
        """Return whether a cell is among those of `only`; True if that is empty."""
        return not self.only or (workload, label) in self.only


class ExplainRequest(ContestRequest):
    """The request of ``rosetta explain``: the parts of a step are measured instead of the whole.

    `seconds` is the measuring time, `starts` the number of fresh processes of each contender. `profile` adds a profile.
    """

    kind: Literal[RunKind.EXPLAIN] = RunKind.EXPLAIN
    seconds: float = 60.0
    starts: int = 5
    profile: bool = False


class CalibrateRequest(ContestRequest):
    """The request of ``rosetta calibrate``: `contests` of one contender, its A/A control, and a third copy.

    `planted` is the extra work of the third copy, as a share.
    """

    kind: Literal[RunKind.CALIBRATE] = RunKind.CALIBRATE
    contests: int
    planted: float

    @property
    def copies(self) -> tuple[float, ...]:
        """The A/A control, and the copy with planted work."""
        return (0.0, self.planted)

    @property
    def times(self) -> int:
        """The number of contests."""
        return self.contests

    @property
    def question(self) -> tuple[object, ...]:
        """The key of the question: contests with the same key are counted together."""
        return self.workloads, self.contenders, self.axes, self.stopping, self.planted


class VerifyRequest(ContestRequest):
    """The request of ``rosetta verify``: the user's installation beside the managed release."""

    kind: Literal[RunKind.VERIFY] = RunKind.VERIFY

    @property
    def copies(self) -> tuple[float, ...]:
        """The A/A control."""
        return (0.0,)


class PeakRequest(BaseRequest):
    """The request of ``rosetta peak``: measure what the machine can do with `threads` on a `device`."""

    kind: Literal[RunKind.PEAK] = RunKind.PEAK
    threads: int = 1
    device: str = "cpu"


Request = RunRequest | ProveRequest | ExplainRequest | CalibrateRequest | VerifyRequest | TrainingRequest | PeakRequest

CLASSES: dict[RunKind, type[Request]] = {one.model_fields["kind"].default: one for one in get_args(Request)}


def read_request(stored: Mapping[str, Any]) -> Request:
    """Return the request of a stored run. Raises StoreError if this version cannot read it."""
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
    """Return a request of version 0.1 in the present form. Then one class served five commands; two had a key."""
    if kind in (RunKind.PEAK, RunKind.SHIPPED):
        return dict(stored[kind.value])
    renamed = {"jobs": stored.get("proving"), "contests": stored.get("repeats")}
    body = {**stored, **(stored.get("examining") or {}), **renamed}
    return {name: body[name] for name in CLASSES[kind].model_fields if name in body}


def trainings_asked(stored: Mapping[str, Any]) -> TrainingRequest | None:
    """Return the trainings by libraries as shipped in a stored request; None if there are none."""
    asked = read_request(stored)
    if isinstance(asked, TrainingRequest):
        return asked
    return asked.shipped if isinstance(asked, RunRequest) else None
