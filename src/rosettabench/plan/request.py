"""What a user asks for, in a form that the store keeps and a resumed run reads again."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

from rosettabench.catalogue.suite import Stopping
from rosettabench.plan.trainings import TrainingRequest


class Examining(BaseModel):
    """How an examination is done: `seconds` of turns, fresh `starts` of each contender, and whether to `profile`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    seconds: float = 60.0
    starts: int = 5
    profile: bool = False


class LeftOut(BaseModel):
    """A contest that a request would have and that is not run: workload, setting, and why, in a sentence.

    `asked` is how many claims of the study need it; None where nobody counted them.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    workload: str
    setting: dict[str, int | str]
    why: str
    asked: int | None = None


class Request(BaseModel):
    """A request for a run; everything that the command line can say about what to measure.

    `confidence` is that of all verdicts of a contest together, `margin` the difference that matters to nobody.
    `full` trains the epochs that the workload states and evaluates after each, instead of stopping when the times
    are known well enough. `strict` ends a contest whose contenders do not work under the same settings. Each contest is
    made `repeats` times. `planted` adds to each the first contender with so much extra work, as a share: rosetta
    calibrate asks for these two. With `examining`, the parts of a step are measured in place of its whole: rosetta
    explain asks for that. With `proving`, nothing is measured: proofs alone are made, so many at a time.

    `only` names the cells that are meant, (workload, contender), where not all of them are.

    `budget` is the time for everything in seconds, which `stopping` shares out among the contests as far as their
    starts can be foreseen. Of proofs alone, none is begun when it is over.

    `study` is the published comparison that is run again; `tests` how many intervals its claims ask to hold together,
    which takes more rounds; `lacking` what of it the catalogue does not have, in a sentence each; `own_axes` the values
    that each workload has on the axes beside those of `axes`, which go before; `left_out` what there was no time or
    memory for; `shipped` the trainings by libraries as shipped that follow the contests.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    workloads: tuple[str, ...]
    contenders: tuple[str, ...]
    only: tuple[tuple[str, str], ...] = ()
    python: str | None = None
    axes: dict[str, list[int | str]] = {}
    control: bool = True
    full: bool = False
    stopping: Stopping = Stopping()
    budget: float | None = None
    confidence: float = 0.95
    margin: float = 0.02
    data_dir: str | None = None
    offline: bool = False
    insist: bool = False
    strict: bool = False
    repeats: int = 1
    planted: float = 0.0
    examining: Examining | None = None
    prove_again: bool = False
    proving: int = 0
    timeout: float = 900.0
    study: str = ""
    tests: int = 1
    lacking: tuple[str, ...] = ()
    own_axes: dict[str, dict[str, list[int | str]]] = {}
    left_out: tuple[LeftOut, ...] = ()
    shipped: TrainingRequest | None = None
