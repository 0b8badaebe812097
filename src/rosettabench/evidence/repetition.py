"""A bundle's run, asked for again here. Only validated names and values are used, never the words of its command.

What a bundle names that is code (folders of workloads, interpreters), the reader must name anew.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rosettabench.catalogue.contender import GRAMMAR
from rosettabench.catalogue.workload import is_path
from rosettabench.data.prepare import prepare_data
from rosettabench.environments.environment import check_interpreter
from rosettabench.environments.lock import HEADER, load_lock
from rosettabench.errors import DataError, EnvironmentFault, UsageError
from rosettabench.evidence.content import Bundle, StatedContest, StatedSetting
from rosettabench.lab.jobs import data_key
from rosettabench.plan.plan import PlannedContest, make_plan
from rosettabench.plan.request import RunRequest
from rosettabench.plan.setting import AXES, read_axes, with_defaults
from rosettabench.published.study import all_studies
from rosettabench.resources.gpu import gpu_names
from rosettabench.resources.processors import usable_cores
from rosettabench.store.record import UsedData

if TYPE_CHECKING:
    from rosettabench.data.progress import DataProgress
    from rosettabench.store.schema import Run

MOST_SETTINGS = 10_000
"""The most combinations of values on the axes of one workload."""

PINNED = tuple(StatedSetting.model_fields)
"""The axes whose defaults depend on the machine or the catalogue: a repetition states them."""

Shape = tuple[str, dict[str, Any], list[tuple[str, str, str | None, bool]]]
"""A contest without its numbers: workload, setting, and (framework, mode, lock, whether a control) of each entry."""


@dataclass(frozen=True)
class ReadersParts:
    """The parts that a bundle cannot hold.

    `folders` are {name of a workload: the reader's folder}. `pythons` are {framework, or interpreter as the bundle
    names it: the reader's interpreter}; "" stands for all. `threads` replace those of the bundle.
    """

    folders: Mapping[str, Path] = field(default_factory=dict)
    pythons: Mapping[str, Path] = field(default_factory=dict)
    data_dir: Path | None = None
    offline: bool = False
    timeout: float = 900.0
    threads: int | None = None


def read_parts(option: str, words: Iterable[str]) -> dict[str, Path]:
    """Return {name: path} of the words name=path of an option; a path alone has the name "". Raises UsageError."""
    found: dict[str, Path] = {}
    for word in words:
        name, equals, path = word.partition("=")
        key, value = (name.strip(), path) if equals else ("", word)
        if not value.strip():
            raise UsageError(f"{option} {word!r} names no path", f"Write {option} name=path.")
        if key in found:
            raise UsageError(f"{option} names {key or 'a path for all'} twice", "Leave one of the two out.")
        found[key] = Path(value).absolute()
    return found


def request_here(bundle: Bundle, parts: ReadersParts) -> RunRequest:
    """Return the request of a bundle for this machine.

    Raises DataError for a request that no command makes, UsageError for what the reader must name.
    """
    stated = bundle.run.request
    if stated.study and stated.study not in all_studies():
        raise UsageError(f"this Rosettabench knows no study {stated.study!a}", version_hint(bundle))
    check_stopping(stated)
    for axes in (stated.axes, *stated.own_axes.values()):
        check_axes(axes)
    request = stated.model_copy(
        update={
            "workloads": tuple(workload_here(name, parts) for name in stated.workloads),
            "contenders": tuple(contender_here(text, stated, parts) for text in stated.contenders),
            "python": None,
            "pythons": {},
            "data_dir": parts.data_dir,
            "offline": parts.offline,
            "timeout": parts.timeout,
            "lacking": (),
            "shipped": None,
        }
    )
    return pin_settings(request, bundle.contests, parts.threads)


def check_stopping(request: RunRequest) -> None:
    """Raise DataError for a rule that the command line would refuse."""
    rule = request.stopping
    sound = 1 <= rule.rounds[0] <= rule.rounds[1] <= 10**6 and 1 <= rule.processes <= 1000
    sound = sound and rule.turns % 2 == 0 and 2 <= rule.turns <= 100
    sound = sound and 0 < rule.precision <= 1 and rule.seconds > 0 and rule.round_seconds > 0
    if not (sound and 0.5 <= request.confidence <= 0.9999 and 0 <= request.margin <= 1 and request.tests >= 1):
        raise DataError("the bundle's request has stopping rules that no run has", "It cannot be repeated.")


def check_axes(axes: Mapping[str, Sequence[int | str]]) -> None:
    """Raise DataError or UsageError for values that the command line would refuse."""
    if prod(len(values) for values in axes.values()) > MOST_SETTINGS:
        raise DataError(f"the bundle's request has more than {MOST_SETTINGS} settings", "It cannot be repeated.")
    for axis, values in axes.items():
        if read_axes([f"{axis}={','.join(map(str, values))}"]) != {axis: list(values)}:
            raise DataError(f"the bundle's request has values on the axis {axis!a} that no command has")


def workload_here(name: str, parts: ReadersParts) -> str:
    """Return the name of a workload, or the reader's folder in place of the author's."""
    if not is_path(name):
        return name
    own = name.rpartition("/")[2]
    if own not in parts.folders:
        raise UsageError(
            f"the workload {own!a} is a folder of the run's author: a bundle holds no code, only its SHA-256",
            f"Get the folder from the author, read it, and add --workload {own}=FOLDER",
        )
    return str(parts.folders[own])


def contender_here(text: str, stated: RunRequest, parts: ReadersParts) -> str:
    """Return a contender, with the reader's interpreter in place of the author's."""
    match = GRAMMAR.fullmatch(text.strip())
    if match is None:
        raise DataError(f"the bundle's request names an invalid contender: {text!a}", "It cannot be repeated.")
    release = match["release"]
    author = release if release and "/" in release else None
    if release is None:
        python = stated.interpreter(text)
        author = str(python) if python else None
    if author is None:
        return text
    framework = match["framework"]
    names = (author, framework, framework.partition("[")[0], "")
    python = next((parts.pythons[name] for name in names if name in parts.pythons), None)
    if python is None:
        raise UsageError(
            f"{framework!a} ran in an interpreter of the run's author, {author!a}, which no bundle holds",
            f"Name one with the same packages (events.json lists them): --python {framework}=PATH",
        )
    check_interpreter(python)
    mode = match["mode"]
    return f"{framework}@{python}" + (f":{mode}" if mode else "")


def pin_settings(request: RunRequest, contests: Sequence[StatedContest], threads: int | None) -> RunRequest:
    """Return a request that states what the original left to its machine: the threads, for example.

    Raises UsageError if this machine has too few processors, or no GPU.
    """
    for contest in contests:
        setting = contest.setting
        if (threads or setting.threads) > usable_cores():
            raise UsageError(
                f"the run used {threads or setting.threads} threads; this machine has {usable_cores()} processors",
                f"A run with fewer is another measurement; to make it: --threads {usable_cores()}",
            )
        if setting.device != "cpu" and not gpu_names():
            raise UsageError("the run used a GPU, and this machine has none that answers", "rosetta doctor")
    own: dict[str, dict[str, list[int | str]]] = {}
    for contest in contests:
        varied = request.axes_of(contest.workload)
        values = contest.setting.model_dump(include=set(PINNED))
        pinned = {axis: [AXES[axis](str(value))] for axis, value in values.items() if axis not in varied}
        own[contest.workload] = {**pinned, **request.own_axes.get(contest.workload, {})}
    axes = request.axes if threads is None else {**request.axes, "threads": [threads]}
    return request.model_copy(update={"own_axes": own, "axes": axes})


def plan_here(bundle: Bundle, request: RunRequest, threads: int | None) -> list[PlannedContest]:
    """Return the plan of a repetition. Raises UsageError if it has other contests than the bundle."""
    plan = make_plan(request)
    missing = [why for planned in plan for why in planned.missing.values()]
    check_shapes(bundle, [shape_of_plan(planned) for planned in plan], threads, missing)
    return plan


def check_shapes(bundle: Bundle, here: Sequence[Shape], threads: int | None, missing: Sequence[str] = ()) -> None:
    """Raise UsageError with the first contest that is another here than in the bundle. `missing` are reasons."""
    stated = [shape_of_bundle(contest, threads) for contest in bundle.contests]
    if len(stated) != len(here):
        raise UsageError(f"the bundle has {len(stated)} contests, and here there are {len(here)}", version_hint(bundle))
    for number, (one, other) in enumerate(zip(stated, here, strict=True), start=1):
        for what, there, found in zip(("workload", "setting", "contenders"), one, other, strict=True):
            if there != found:
                why = f" ({missing[0]})" if missing and what == "contenders" else ""
                raise UsageError(
                    f"contest {number}, {one[0]!a}, has other {what} here{why}: "
                    f"{there!a} in the bundle, {found!a} here",
                    version_hint(bundle),
                )


def shape_of_bundle(contest: StatedContest, threads: int | None) -> Shape:
    """Return the shape of a contest in a bundle, with other threads if some are given."""
    setting = with_defaults(contest.setting.model_dump()) | ({"threads": threads} if threads else {})
    entries = [(one.framework, one.mode, one.lock, one.control_of is not None) for one in contest.entries]
    return contest.workload, setting, entries


def shape_of_plan(planned: PlannedContest) -> Shape:
    """Return the shape of a planned contest."""
    entries = [(one.framework, one.mode, one.lock, one.copy > 1) for one in planned.contenders]
    return planned.workload.name, planned.setting.as_json(), entries


def shapes_of_run(run: Run) -> list[Shape]:
    """Return the shapes of the contests of a stored run."""
    return [
        (
            contest.workload,
            with_defaults(contest.setting),
            [(one.framework, one.mode, one.lock, one.control_of is not None) for one in contest.entries],
        )
        for contest in run.contests
    ]


def check_locks(bundle: Bundle) -> None:
    """Raise EnvironmentFault if a lock of the bundle is not one of this Rosettabench.

    A lock of a stranger is never installed: installing packages runs their code.
    """
    for name, text in bundle.locks.items():
        try:
            own = load_lock(name).path.read_text(encoding="utf-8")
        except UsageError as error:
            raise EnvironmentFault(f"this Rosettabench has no lock {name!a}", version_hint(bundle)) from error
        if pins_of(own) != pins_of(text):
            raise EnvironmentFault(
                f"the lock {name} of the bundle has other packages than the one of this Rosettabench",
                version_hint(bundle),
            )


def pins_of(text: str) -> list[str]:
    """Return the lines of a lock that decide what is installed: Python, packages and stubs."""
    lines = [line.strip() for line in text.splitlines()]
    headers = [found for found in map(HEADER.fullmatch, lines) if found and found["key"] in ("python", "stubs")]
    stated = [f"{found['key']}: {found['value']}" for found in headers]
    return sorted(stated) + sorted(line for line in lines if line and not line.startswith("#"))


def check_data(
    bundle: Bundle, plan: Sequence[PlannedContest], request: RunRequest, cache: Path, progress: DataProgress
) -> None:
    """Prepare the data of every contest. Raises DataError if they are not those of the bundle."""
    seen = set()
    for number, planned in enumerate(plan, start=1):
        there = [event for event in bundle.events if event.contest == number and event.kind == UsedData.KIND]
        if not there or data_key(planned) in seen:
            continue
        seen.add(data_key(planned))
        stated = UsedData.model_validate(there[-1].payload)
        here = prepare_data(
            planned.workload,
            data_dir=request.data_dir,
            cache=cache,
            offline=request.offline,
            asked=planned.setting.data,
            progress=progress,
            pictures=planned.setting.input == "files",
        )
        if here.digest != stated.digest:
            raise DataError(
                f"the data of {planned.workload.name} here ({here.name}, {here.origin}) are not those of the bundle "
                f"({stated.name!a}, {stated.origin!a}): their SHA-256 differ",
                "Name the folder with the originals: --data-dir FOLDER",
            )


def version_hint(bundle: Bundle) -> str:
    """Return the advice to use the version that made the run."""
    return f"Repeat it with the release that made it: Rosettabench {ascii(bundle.run.rosettabench)[1:-1]}."
