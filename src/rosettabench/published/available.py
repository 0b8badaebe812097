"""Find what can be tested here. The catalogue decides, so a claim becomes testable when the catalogue supports it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache

from rosettabench.errors import UsageError
from rosettabench.plan.series import SERIES
from rosettabench.plan.setting import Value
from rosettabench.published.claim import Arm, ClaimPart, Quantity
from rosettabench.summary.note import Note, NoteKind

MEASURED = frozenset(
    {
        Quantity.TIME,
        Quantity.THROUGHPUT,
        Quantity.CPU,
        Quantity.ACCURACY,
        Quantity.LOSS,
        Quantity.ORDER,
        Quantity.SPREAD,
        Quantity.FIRST_EPOCH,
    }
)
"""Quantities that the judge can compute from the rows of a run."""


@dataclass(frozen=True)
class Available:
    """What is available here.

    `frameworks` maps each framework to its modes, the default first; `written` each workload to the frameworks that
    implement it; `axes` each axis to the reader of its values, which raises UsageError for an invalid one. `gpus` is
    the number of GPUs; `loaders` are the frameworks that have a loader, None if not known.
    """

    frameworks: Mapping[str, tuple[str, ...]]
    written: Mapping[str, frozenset[str]]
    axes: Mapping[str, Callable[[str], Value]]
    gpus: int = 0
    quantities: frozenset[Quantity] = field(default=MEASURED)
    loaders: frozenset[str] | None = None

    def candidates(self, names: tuple[str, ...], workload: str) -> list[str]:
        """Return those of `names` that implement the workload, in their order."""
        return [name for name in names if name in self.written.get(workload, ())]

    def mode(self, framework: str, mode: str | None) -> str:
        """Return the mode, or the framework's default if None."""
        return mode or self.frameworks[framework][0]


@cache
def catalogue(gpus: int = 0) -> Available:
    """Return what the catalogue offers on a machine with `gpus` GPUs.

    It is kept: to see whether each framework implements each workload, thousands of files are looked for.
    """
    from rosettabench.catalogue.framework import competing_frameworks
    from rosettabench.catalogue.workload import all_workloads
    from rosettabench.plan.setting import AXES

    entries = competing_frameworks()
    return Available(
        frameworks={
            name: (entry.mode, *(mode for mode in entry.modes if mode != entry.mode)) for name, entry in entries.items()
        },
        written={
            name: frozenset(one for one, entry in entries.items() if entry.does(workload))
            for name, workload in all_workloads().items()
        },
        axes=AXES,
        gpus=gpus,
        loaders=frozenset(name for name, entry in entries.items() if entry.loader.is_file()),
    )


def lacking(part: ClaimPart, here: Available) -> list[Note]:
    """Return what it would take to test a part here; nothing where it can be tested.

    Libraries that train as shipped are not in the catalogue, and lack nothing: their environments are made on demand.
    """
    if part.shipped:
        return []
    needs = [] if part.workload in here.written else [Note(NoteKind.WORKLOAD, part.workload)]
    if part.quantity not in here.quantities:
        needs.append(Note(NoteKind.QUANTITY, part.quantity))
    if part.gpus > here.gpus:
        needs.append(Note(NoteKind.GPU) if part.gpus == 1 else Note(NoteKind.GPUS, part.gpus))
    asked = asked_values(part)
    if part.every_series:
        del asked[SERIES]  # any sets will do
    for axis, values in asked.items():
        needs += lacking_values(axis, values, here)
    for arm in filter(None, (part.a, part.b)):
        needs += lacking_arm(arm, part.workload, here)
        needs += lacking_loader(arm, {**part.where, **arm.set}, here)
    known = [names for names in part.among if here.candidates(names, part.workload)]
    if part.among and len(known) < 2:
        missing = tuple(names[0] for names in part.among if names not in known)
        needs.append(Note(NoteKind.ONE_OF if known else NoteKind.TWO_OF, missing))
    return list(dict.fromkeys(needs))


def asked_values(part: ClaimPart) -> dict[str, list[Value]]:
    """Return every value that a part asks for on each axis."""
    asked: dict[str, list[Value]] = {axis: list(values) for axis, values in part.best.items()}
    for settings in (part.where, *(arm.set for arm in (part.a, part.b) if arm)):
        for axis, value in settings.items():
            asked.setdefault(axis, []).append(value)
    return asked


def lacking_values(axis: str, values: list[Value], here: Available) -> list[Note]:
    """Return the axis, or the values on it, that are not available here."""
    if axis not in here.axes:
        return [Note(NoteKind.AXIS, axis, tuple(dict.fromkeys(map(str, values))))]
    return [
        Note(NoteKind.VALUE, axis, value) for value in dict.fromkeys(values) if not is_accepted(here.axes[axis], value)
    ]


def is_accepted(reader: Callable[[str], Value], value: Value) -> bool:
    """Return whether an axis accepts a value."""
    try:
        reader(str(value))
    except UsageError:
        return False
    return True


def lacking_arm(arm: Arm, workload: str, here: Available) -> list[Note]:
    """Return the framework, implementation or mode that an arm needs and that is missing."""
    known = [name for name in arm.frameworks if name in here.frameworks]
    if not known:
        return [Note(NoteKind.FRAMEWORK, arm.frameworks)]
    if workload in here.written and not here.candidates(arm.frameworks, workload):
        return [Note(NoteKind.IMPLEMENTATION, workload, tuple(known))]
    modes = {mode for name in known for mode in here.frameworks[name]}
    lacks = arm.mode is not None and arm.mode not in modes
    return [Note(NoteKind.MODE, arm.mode, known[0])] if lacks else []


def lacking_loader(arm: Arm, setting: Mapping[str, Value], here: Available) -> list[Note]:
    """Return the loader that an arm's setting asks for, if none of its frameworks has one."""
    if setting.get("input") != "loader" or here.loaders is None or here.loaders.intersection(arm.frameworks):
        return []
    return [Note(NoteKind.LOADER, arm.frameworks)]
