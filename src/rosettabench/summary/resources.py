"""The resources that a contender used, over all its processes."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from statistics import mean, median
from typing import TYPE_CHECKING

from rosettabench.resources.counters import COUNTERS
from rosettabench.resources.memory import MEMORY
from rosettabench.store.record import FigureName
from rosettabench.summary.entry import figures_named
from rosettabench.summary.records import AmountNote, Resources, Sample

if TYPE_CHECKING:
    from rosettabench.store.schema import Entry

TOGETHER: dict[str, Callable[[Sequence[float]], float]] = {
    FigureName.CPU_USER: sum,
    FigureName.CPU_SYSTEM: sum,
    FigureName.RESIDENT: median,
    FigureName.PSS: median,
    FigureName.PEAK_MEMORY: median,
    FigureName.MINOR_FAULTS: sum,
    FigureName.MAJOR_FAULTS: sum,
    FigureName.READ: sum,
    FigureName.WRITTEN: sum,
    FigureName.VOLUNTARY_SWITCHES: sum,
    FigureName.INVOLUNTARY_SWITCHES: sum,
    FigureName.GPU_MEMORY: max,
    FigureName.GPU_UTILISATION: mean,
    FigureName.GPU_ENERGY: sum,
    FigureName.CPU_ENERGY: sum,
}
"""{name of a figure: how the values of several processes become one}."""


def summarise_resources(entry: Entry, unreadable: dict[str, str]) -> Resources:
    """Return the resources that an entry used. `unreadable` is {figure: why some process could not read it}."""
    values: dict[str, list[float]] = defaultdict(list)
    notes: dict[str, AmountNote] = {}
    seconds: dict[int, float] = {}
    for figure in entry.figures:
        if figure.name in TOGETHER:
            values[figure.name].append(figure.value)
            notes[figure.name] = AmountNote(
                *(figure.detail.get(name) for name in ("idle_w", "resolution_s", "samples"))
            )
        if figure.name in COUNTERS:
            seconds[figure.session] = float(figure.detail.get("seconds", 0.0))
    whole = {name: found for name, found in values.items() if name in MEMORY or name not in unreadable}
    amounts = {name: float(TOGETHER[name](found)) for name, found in whole.items()}
    absent = {name: why for name, why in unreadable.items() if name not in amounts}
    known = {name: notes[name] for name in amounts if notes[name] != AmountNote()}
    return Resources(amounts, known, absent, sum(seconds.values()))


def pages_per_step(entry: Entry, turns: Sequence[Sample]) -> dict[int, float]:
    """Return {process: minor faults of a step} over the counted blocks `turns`, as far as they were read."""
    steps: Counter[int] = Counter()
    for block in turns:
        steps[block.session] += block.steps
    faults = figures_named(entry, FigureName.MINOR_FAULTS)
    return {one.session: one.value / steps[one.session] for one in faults if steps[one.session]}
