"""The numbers of an examination, as tables."""

from __future__ import annotations

from rosettabench.reasons.measured import Subject
from rosettabench.reasons.parts import PARTS, Explanation, PartEstimate, StartEstimate, Step
from rosettabench.reasons.vocabulary import WORDS, spent, word
from rosettabench.report.tables.table import CONTENDER, NOTHING, Column, Table, TableCell
from rosettabench.report.words import figures
from rosettabench.store.record import FigureName
from rosettabench.summary.reasons import is_bent

STARTS = {
    FigureName.IMPORT: "import",
    FigureName.BUILD: "build",
    FigureName.FIRST_STEP: "compile and first step",
    FigureName.PEAK_MEMORY: "peak memory",
}
"""{figure of a fresh start: its name in tables}."""


def reason_tables(explanation: Explanation) -> list[Table]:
    """Return all tables of an examination."""
    profiled = [one for one in explanation.measured.subjects if one.profile is not None]
    found = [parts_table(explanation), line_table(explanation), starts_table(explanation)]
    return [*found, words_table(profiled), operations_table(profiled)] if profiled else found


def parts_table(explanation: Explanation) -> Table:
    """Return the parts of every contender's step, and of every pair's difference."""
    columns = (
        CONTENDER,
        Column("step", numeric=True),
        *(Column(heading, numeric=True) for heading in HEADINGS.values()),
    )
    rows = [(TableCell(step.label), duration_cell(step.total), *cells(step.parts)) for step in explanation.steps]
    rows += [
        (
            TableCell(f"{pair.slower} − {pair.faster}"),
            duration_cell(pair.more, signed=True),
            *cells(pair.parts, signed=True),
        )
        for pair in explanation.pairs
    ]
    caption = (
        f"A step of {explanation.measured.batch_size} samples and its parts, which add up to it; "
        f"{explanation.rounds} rounds; below each its {figures.percent(explanation.measured.confidence)} interval, "
        "those of differences paired within rounds. Marked: zero lies within the interval."
    )
    return Table(caption, columns, tuple(rows))


HEADINGS = {
    "arithmetic": "arithmetic",
    "launch": "launch, interpreter",
    "optimiser": "optimiser",
    "input": "input",
    "bend": "left over",
}
"""{part of a step: its heading}."""


def cells(parts: dict[str, PartEstimate], signed: bool = False) -> list[TableCell]:
    """Return one cell for each part; a dash for a part that cannot be measured separately."""
    return [duration_cell(parts[name], signed) if name in parts else NOTHING for name in PARTS]


def duration_cell(estimate: PartEstimate | None, signed: bool = False) -> TableCell:
    """Return a duration with its interval. A difference is marked if its interval contains zero."""
    if estimate is None:
        return NOTHING
    interval = figures.seconds_span(estimate.value, estimate.low, estimate.high)
    return TableCell(figures.seconds(estimate.value), interval, marked=signed and not estimate.excludes(0))


def line_table(explanation: Explanation) -> Table:
    """Return the line over batch sizes for every contender, and the deviation of each size from it."""
    sizes = explanation.measured.sizes
    columns = (
        CONTENDER,
        Column("a, per step", numeric=True),
        Column("b, per sample", numeric=True),
        *(Column(f"batch {size}", numeric=True, spare=1) for size in sizes),
        Column("input alone", numeric=True),
        Column("optimiser measured"),
    )
    rows = tuple(
        (
            TableCell(step.label),
            duration_cell(step.per_step),
            duration_cell(step.per_sample),
            *(size_cell(step, size) for size in sizes),
            duration_cell(step.feed),
            TableCell({"update": "by itself", "backpropagate": "by leaving it out", None: "not apart"}[step.how]),
        )
        for step in explanation.steps
    )
    off = "the input pipeline switched off" if explanation.measured.line == "reuse" else "the input pipeline included"
    return Table(f"t = a + b·n over batch sizes, {off}; below each size its deviation from the line.", columns, rows)


def size_cell(step: Step, size: int) -> TableCell:
    """Return the time of a step at one batch size, and its deviation from the line."""
    bend = step.bends[size]
    return TableCell(figures.seconds(step.times[size].value), f"{bend.value:+.1%}", marked=is_bent(bend))


def starts_table(explanation: Explanation) -> Table:
    """Return the figures of every contender's fresh starts, and the ratios of every pair."""
    columns = (CONTENDER, *(Column(heading, numeric=True) for heading in STARTS.values()))
    rows = [
        (TableCell(label), *(start_cell(starts[name], name) if name in starts else NOTHING for name in STARTS))
        for label, starts in explanation.starts.items()
    ]
    for pair in explanation.pairs:
        ratios = [pair.starts.get(name) for name in STARTS]
        shown = [
            NOTHING if one is None else TableCell(figures.ratio(one.ratio), figures.span(one.low, one.high))
            for one in ratios
        ]
        rows.append((TableCell(f"{pair.slower} / {pair.faster}"), *shown))
    times = max((len(values) for one in explanation.measured.subjects for values in one.starts.values()), default=0)
    caption = f"Fresh processes, {times} of each: trimmed geometric means. 1 MB is 1,000,000 bytes."
    return Table(caption, columns, tuple(rows))


def start_cell(found: StartEstimate, name: str) -> TableCell:
    """Return one figure of fresh starts with its interval; with too few starts, the median and the extremes."""
    written, span = (
        (figures.memory, figures.memory_span) if name.endswith("_bytes") else (figures.seconds, figures.seconds_span)
    )
    interval = span(found.value, found.low, found.high)
    return TableCell(written(found.value), interval if found.certain else f"{interval}, no interval")


def words_table(profiled: list[Subject]) -> Table:
    """Return the shares of the vocabulary's words in each profiled contender's step."""
    columns = (CONTENDER, Column("step", numeric=True), *(Column(word, numeric=True) for word in WORDS))
    rows = []
    for one in profiled:
        assert one.profile is not None
        seconds = spent(one.framework, one.profile)
        step = one.profile.elapsed_s / one.profile.steps
        shares = [
            TableCell(figures.seconds(took), f"{took / step:.1%}") if took else NOTHING for took in seconds.values()
        ]
        rows.append((TableCell(one.label), TableCell(figures.seconds(step), "under the profiler"), *shares))
    caption = (
        "One block under the framework's own profiler, which slows it down: shares, not speeds. "
        "Idle is what no operation took: interpreter, dispatch, waiting."
    )
    return Table(caption, columns, tuple(rows))


LONGEST = 5
"""The number of longest operations that are shown for each contender."""


def operations_table(profiled: list[Subject]) -> Table:
    """Return the longest operations of each profiled contender, by their own names."""
    columns = (
        CONTENDER,
        Column("operation"),
        Column("word"),
        Column("calls per step", numeric=True, spare=1),
        Column("per step", numeric=True),
    )
    rows = []
    for one in profiled:
        assert one.profile is not None
        longest = sorted(one.profile.operations, key=lambda operation: -operation.seconds)[:LONGEST]
        for operation in longest:
            calls, seconds = operation.calls / one.profile.steps, operation.seconds / one.profile.steps
            name = TableCell(operation.name, ", ".join(operation.within))
            told = TableCell(figures.significant(calls)), TableCell(figures.seconds(seconds))
            rows.append((TableCell(one.label), name, TableCell(word(one.framework, operation)), *told))
    return Table(f"The {LONGEST} longest operations of each, as the framework calls them.", columns, tuple(rows))
