"""What a contender used of the machine: its amounts, over all sessions together."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from statistics import mean, median
from typing import TYPE_CHECKING, Any

from rosettabench.resources.counters import COUNTERS
from rosettabench.resources.memory import MEMORY
from rosettabench.store.record import FigureName
from rosettabench.summary import figures
from rosettabench.summary.records import Resources

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
"""How the values of several sessions become one, by the names of the figures."""


def summarise_resources(entry: Entry, unreadable: dict[str, str]) -> Resources:
    """Return what an entry used. `unreadable`: of each figure that some session could not read, why."""
    values: dict[str, list[float]] = defaultdict(list)
    notes: dict[str, str] = {}
    seconds: dict[int, float] = {}
    for figure in entry.figures:
        if figure.name in TOGETHER:
            values[figure.name].append(figure.value)
            notes[figure.name] = circumstances(figure.detail)
        if figure.name in COUNTERS:
            seconds[figure.session] = float(figure.detail.get("seconds", 0.0))
    whole = {name: found for name, found in values.items() if name in MEMORY or name not in unreadable}
    amounts = {name: float(TOGETHER[name](found)) for name, found in whole.items()}
    absent = {name: why for name, why in unreadable.items() if name not in amounts}
    return Resources(amounts, {name: notes[name] for name in amounts if notes[name]}, absent, sum(seconds.values()))


def circumstances(detail: Mapping[str, Any]) -> str:
    """Return what a reader must know of an amount: the idle power that was taken off, how often the counter moves."""
    words = []
    if "idle_w" in detail:
        words.append(f"idle {figures.significant(detail['idle_w'])} W")
        resolution = detail.get("resolution_s")
        words.append("counter at rest when idle" if resolution is None else f"every {figures.seconds(resolution)}")
    if "samples" in detail:
        words.append(f"{detail['samples']} samples")
    return ", ".join(words)
