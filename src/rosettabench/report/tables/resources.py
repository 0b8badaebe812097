"""The table of the resources that contenders used."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rosettabench.report.tables.table import CONTENDER, NOTHING, Column, Table, TableCell, with_warning
from rosettabench.report.words import figures
from rosettabench.store.record import FigureName
from rosettabench.summary.records import AmountNote, ContestSummary, EntrySummary


@dataclass(frozen=True)
class Kind:
    """A kind of amount: the heading of its column, and how it is written."""

    title: str
    written: Callable[[float], str]
    spare: int = 0


def joules(value: float) -> str:
    """Return an energy in words."""
    return f"{figures.significant(value)} J"


def count_words(value: float) -> str:
    """Return a number of events in words."""
    return figures.count(round(value))


KINDS: dict[str, Kind] = {
    FigureName.CPU_USER: Kind("CPU user", figures.seconds),
    FigureName.CPU_SYSTEM: Kind("CPU system", figures.seconds),
    FigureName.RESIDENT: Kind("resident", figures.memory),
    FigureName.PSS: Kind("proportional", figures.memory, 4),
    FigureName.PEAK_MEMORY: Kind("peak", figures.memory),
    FigureName.MINOR_FAULTS: Kind("minor faults", count_words, spare=5),
    FigureName.MAJOR_FAULTS: Kind("major faults", count_words, spare=3),
    FigureName.READ: Kind("read", figures.memory, spare=2),
    FigureName.WRITTEN: Kind("written", figures.memory, spare=8),
    FigureName.VOLUNTARY_SWITCHES: Kind("waits", count_words, spare=7),
    FigureName.INVOLUNTARY_SWITCHES: Kind("interruptions", count_words, spare=6),
    FigureName.GPU_MEMORY: Kind("GPU memory", figures.memory),
    FigureName.GPU_UTILISATION: Kind("GPU use", figures.percent),
    FigureName.GPU_ENERGY: Kind("GPU energy", joules),
    FigureName.CPU_ENERGY: Kind("CPU energy", joules),
}
"""{figure: its kind}, in the order of the table."""

CAPTION = (
    "Resources of the whole process tree, over all blocks together; memory after them, shared pages counted once. "
    "Proportional: a page counts 1/n where n processes of the machine map it."
)

ENERGY = "Energy: of the device, minus idle energy; below it, the idle power, and how often the counter is updated."


def resources_table(contest: ContestSummary) -> Table:
    """Return the resources of each contender. Empty columns are left out, and the caption gives the reasons."""
    shown = [entry for entry in [*contest.ranked, *contest.unranked] if entry.resources.amounts]
    names = [name for name in KINDS if any(name in entry.resources.amounts for entry in shown)]
    columns = (CONTENDER, *(Column(KINDS[name].title, numeric=True, spare=KINDS[name].spare) for name in names))
    rows = tuple((TableCell(entry.label), *(amount_cell(entry, name) for name in names)) for entry in shown)
    energy = [ENERGY] if any(name.endswith("_j") for name in names) else []
    return Table(with_warning(contest, " ".join([CAPTION, *energy, *missing(shown)])), columns, rows)


def amount_cell(entry: EntrySummary, name: str) -> TableCell:
    """Return one amount; for a missing one with a known reason, that it could not be read."""
    if name in entry.resources.amounts:
        return TableCell(
            KINDS[name].written(entry.resources.amounts[name]), amount_note(entry.resources.notes.get(name))
        )
    return TableCell(figures.MISSING, "not readable") if name in entry.resources.unreadable else NOTHING


def amount_note(note: AmountNote | None) -> str:
    """Return the note on an amount: the subtracted idle power, or how often the counter is updated."""
    if note is None:
        return ""
    words = []
    if note.idle_w is not None:
        moves = (
            "counter stands still when idle"
            if note.resolution_s is None
            else f"every {figures.seconds(note.resolution_s)}"
        )
        words += [f"idle {figures.significant(note.idle_w)} W", moves]
    if note.samples is not None:
        words.append(f"{note.samples} samples")
    return ", ".join(words)


def missing(entries: Sequence[EntrySummary]) -> list[str]:
    """Return a sentence for each reason why amounts could not be read: which amounts, and of whom if not of all."""
    found: dict[tuple[str, tuple[str, ...]], list[str]] = defaultdict(list)
    names = dict.fromkeys(name for entry in entries for name in entry.resources.unreadable)
    for name in names:
        holders: dict[str, list[str]] = defaultdict(list)
        for entry in entries:
            if name in entry.resources.unreadable:
                holders[entry.resources.unreadable[name]].append(entry.label)
        for why, labels in holders.items():
            found[why, tuple(labels)].append(KINDS[name].title if name in KINDS else name.replace("_", " "))
    return [
        f"{', '.join(what)}: not available{'' if len(labels) == len(entries) else ' for ' + ', '.join(labels)} ({why})."
        for (why, labels), what in found.items()
    ]
