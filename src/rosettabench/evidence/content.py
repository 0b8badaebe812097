"""The content of a bundle: one class for each part. Reading a bundle is validating these classes.

Contests and their entries are numbered from 1, in the order of the run.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, FiniteFloat

from rosettabench.catalogue.strict import Strict
from rosettabench.plan.request import RunRequest
from rosettabench.statistics.verdict import Finding
from rosettabench.store.record import FigureName, Phase

MOST = 10**12
"""The largest count that a bundle may state."""


def check_moment(text: str) -> str:
    """Return a time as it is. Raises ValueError if it is not ISO 8601 with a time zone."""
    if datetime.fromisoformat(text).tzinfo is None:
        raise ValueError("a time without a time zone")
    return text


Moment = Annotated[str, AfterValidator(check_moment)]
Count = Annotated[int, Field(ge=0, le=MOST)]
Number = Annotated[int, Field(ge=1, le=MOST)]
Seconds = Annotated[FiniteFloat, Field(ge=0)]
Ratio = Annotated[FiniteFloat, Field(gt=0)]
Name = Annotated[str, Field(min_length=1, max_length=300)]
Digest = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
Value = int | str


class MachineFacts(Strict):
    """The machine of a run. There is no host name in it."""

    processor: str = ""
    cores: Count = 0
    cores_in_machine: Count | None = None
    memory_bytes: Count = 0
    system: str = ""
    python: str = ""
    gpus: tuple[Any, ...] = ()


class StatedRun(Strict):
    """The run: when, with which Rosettabench, and what was asked for. `command` is for reading only.

    `left_out` are sentences on parts of the run that are not in the bundle.
    """

    id: Name
    at: Moment
    rosettabench: Name
    command: tuple[str, ...]
    request: RunRequest
    machine: MachineFacts
    left_out: tuple[str, ...] = ()


class StatedCertification(Strict):
    """The certificate with which a process of an entry was measured. `certificate` is the digest of its content."""

    session: Number
    certificate: Digest


class StatedEntry(Strict):
    """One contender in one contest. `exporter` is the lock of the framework that exported its model, if one did."""

    label: Name
    framework: Name
    mode: Name
    lock: Name | None
    exporter: Name | None
    python: Name | None
    control_of: Name | None
    certifications: tuple[StatedCertification, ...]


class StatedStopping(BaseModel):
    """The rules of a contest that its verdicts depend on, with the rest of its rules."""

    model_config = ConfigDict(extra="allow", frozen=True)

    confidence: Annotated[FiniteFloat, Field(gt=0, lt=1)]
    margin: Annotated[FiniteFloat, Field(ge=0, le=1)]


class StatedSetting(BaseModel):
    """The setting of a contest: the axes that every contest has, and the others."""

    model_config = ConfigDict(extra="allow", frozen=True)
    __pydantic_extra__: dict[str, Value]

    batch_size: Number
    device: Name
    precision: Name
    seed: Count
    threads: Number


class StatedContest(Strict):
    """One workload in one setting, with its contenders."""

    workload: Name
    setting: StatedSetting
    stopping: StatedStopping
    entries: tuple[StatedEntry, ...]


class StatedBlock(Strict):
    """One timed block: a row of blocks.csv. A training that diverged has a loss that is not finite."""

    contest: Number
    entry: Number
    at: Moment
    session: Number
    phase: Phase
    round: Count
    position: Count
    first: Count
    steps: Count
    samples: Count
    elapsed_s: Seconds
    cpu_s: Seconds
    loss: float | None
    learning_rate: float | None


class StatedFigure(Strict):
    """One measured number that is not a block."""

    contest: Number
    entry: Number
    at: Moment
    session: Number
    name: FigureName
    value: float | Literal["Infinity", "-Infinity", "NaN"]
    detail: dict[str, Any]


class StatedEvent(Strict):
    """Something that happened in a run, a contest or an entry. Its kind has a class in store/record.py."""

    contest: Number | None
    entry: Number | None
    at: Moment
    kind: Name
    payload: dict[str, Any]


class StatedFailure(Strict):
    """A failure and its cause, without the output of the program that failed."""

    contest: Number | None
    entry: Number | None
    at: Moment
    stage: Name
    kind: Name
    what: str
    hint: str


class StatedCertificate(Strict):
    """The evidence of equal work. `digest` is that of `body`.

    `redacted` says that the body lacks private words of the original, so that `key` cannot be computed from it.
    """

    key: Digest
    at: Moment
    passed: bool
    redacted: bool
    digest: Digest
    body: dict[str, Any]


class StatedInterval(Strict):
    """A ratio of times with its confidence interval."""

    ratio: Ratio
    low: Ratio
    high: Ratio
    confidence: FiniteFloat
    rounds: Count
    steady: bool


class StatedVerdict(Strict):
    """The verdict on a pair, as it was computed. `doubts` are the kinds of doubts that prevent one."""

    finding: Finding
    faster: Name
    slower: Name
    margin: FiniteFloat
    interval: StatedInterval | None
    mean: StatedInterval | None
    doubts: tuple[str, ...]


class StatedPlace(Strict):
    """A contender's place in the ranking."""

    label: Name
    rank: Number


class Judgement(Strict):
    """What the blocks of one contest say: the ranking, the verdict on every pair, and the A/A control."""

    contest: Number
    workload: Name
    ranking: tuple[StatedPlace, ...]
    verdicts: tuple[StatedVerdict, ...]
    control: StatedVerdict | None


class Bundle(Strict):
    """A run as a bundle holds it. `locks` are {name: text of the lock's file}."""

    run: StatedRun
    contests: tuple[StatedContest, ...]
    blocks: tuple[StatedBlock, ...]
    figures: tuple[StatedFigure, ...]
    events: tuple[StatedEvent, ...]
    failures: tuple[StatedFailure, ...]
    certificates: tuple[StatedCertificate, ...]
    judgements: tuple[Judgement, ...]
    locks: dict[str, str]
