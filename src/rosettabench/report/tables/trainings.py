"""The tables of complete trainings by libraries as shipped, and their rows as CSV."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from rosettabench.report.formats import samples
from rosettabench.report.formats.samples import as_csv, render_csv
from rosettabench.report.tables.forecasts import MEASURES
from rosettabench.report.tables.table import CONTENDER, NOTHING, Column, Table, TableCell
from rosettabench.report.words import figures
from rosettabench.report.words.trainings import SENTENCE, scale_words, training_remarks
from rosettabench.shipped.record import FinishedTraining
from rosettabench.summary.records import MeasuredFigure, RunSummary, TrainedEntry, TrainedSet, TrainingsSummary

COLUMNS = ("run", "data", *(name for name in FinishedTraining.model_fields if name != "forecasts"))
"""The columns of the CSV. `data` is the origin of the series; all others are the store's."""


def trainings_table(found: TrainingsSummary) -> Table:
    """Return the table with a row for every set and library."""
    columns = (
        Column("set", contender=True),
        CONTENDER,
        Column("training", numeric=True),
        Column("training / fastest", numeric=True),
        Column("prediction", numeric=True),
        Column("MASE", numeric=True),
        Column("sMAPE", numeric=True, spare=1),
        Column("mean wQL", numeric=True, spare=1),
        Column("epochs", numeric=True, spare=2),
        Column("parse", numeric=True, spare=3),
        Column("score", numeric=True, spare=4),
        Column("import", numeric=True, spare=5),
    )
    caption = (
        f"{SENTENCE} {scale_words(found)} Times of one training; beside a figure the extremes over seeds. Parse: the "
        "library reads the series; score: the laboratory judges the sample paths."
    )
    warnings = dict.fromkeys(one.warning for one in found.sets if one.warning)
    rows = [row for one in found.sets for row in set_rows(one)]
    return Table(" ".join([caption, *warnings]), columns, tuple(rows))


def set_rows(found: TrainedSet) -> Iterator[tuple[TableCell, ...]]:
    """Yield the rows of one set."""
    for place, entry in enumerate(found.entries):
        yield (
            TableCell("" if place else found.used.series, "" if place or not found.warning else found.used.origin),
            TableCell(entry.label),
            *training_cells(entry),
            *(over_seeds(entry, name, figures.significant, figures.span) for name in MEASURES),
            TableCell(str(found.epochs), f"seeds: {len(entry.trainings)}"),
            *(over_seeds(entry, name, figures.seconds) for name in ("parse_s", "score_s", "import_s")),
        )


def training_cells(entry: TrainedEntry) -> tuple[TableCell, TableCell, TableCell]:
    """Return training time, its ratio, and prediction time; for a library without trainings, that it has none."""
    if not entry.trainings:
        return TableCell("not trained", marked=True), NOTHING, NOTHING
    ratio = TableCell("1×", "fastest") if entry.fastest else NOTHING
    if entry.relative is not None:
        ratio = median_cell(entry.relative, figures.ratio, figures.span)
    return (
        over_seeds(entry, "train_s", figures.seconds),
        ratio,
        over_seeds(entry, "predict_s", figures.seconds),
    )


def over_seeds(
    entry: TrainedEntry,
    name: str,
    written: Callable[[float], str],
    span: Callable[[float, float], str] | None = None,
) -> TableCell:
    """Return a field of the trainings: the median, with the extremes."""
    found = entry.over_seeds(name)
    return NOTHING if found is None else median_cell(found, written, span)


def median_cell(
    found: MeasuredFigure, written: Callable[[float], str], span: Callable[[float, float], str] | None = None
) -> TableCell:
    """Return a median with its extremes. Without `span` they are durations, in the unit of the median."""
    if found.times == 1:
        return TableCell(written(found.value))
    extremes = span(found.low, found.high) if span else figures.seconds_span(found.value, found.low, found.high)
    return TableCell(written(found.value), extremes)


def differences_table(found: TrainingsSummary, *, sources: bool = True) -> Table:
    """Return the table of the libraries' properties, first those that differ.

    With `sources`, it includes the names of the code that they were read from, which are long.
    """
    labels = [one.library for one in found.installed]
    columns = (
        Column("what differs"),
        *(Column(label) for label in labels),
        *([Column("read from")] if sources else []),
    )
    rows = [
        (
            TableCell(one.what, "the same in all" if one.same and len(labels) > 1 else ""),
            *(TableCell(one.values.get(label, figures.MISSING)) for label in labels),
            *([TableCell("; ".join(dict.fromkeys(one.where.values())))] if sources else []),
        )
        for one in found.differences
    ]
    return Table(" ".join(["Why this is not equal work.", *training_remarks(found)]), columns, tuple(rows))


def training_tables(found: TrainingsSummary, *, sources: bool = True) -> tuple[Table, ...]:
    """Return the tables that are not empty."""
    tables = (trainings_table(found), differences_table(found, sources=sources))
    return tuple(table for table in tables if table.rows)


def training_rows(summary: RunSummary) -> list[dict[str, Any]]:
    """Return every counted training, with the run and the origin of the data."""
    sets = summary.trainings.sets if summary.trainings else ()
    return [
        {"run": summary.id, "data": one.used.origin, **training.model_dump(exclude={"forecasts"})}
        for one in sets
        for entry in one.entries
        for training in entry.trainings
    ]


def render_raw(summary: RunSummary) -> str:
    """Return every block and every counted training as CSV (RFC 4180) with a header. Durations are in seconds.

    A run with both has the columns of both, first those of blocks. Columns that do not apply to a row are empty.
    """
    if summary.trainings is None:
        return render_csv(summary)
    trained = training_rows(summary)
    if summary.only_trains:
        return as_csv(COLUMNS, trained)
    columns = (*samples.COLUMNS, *(name for name in COLUMNS if name not in samples.COLUMNS))
    blank = dict.fromkeys(columns)
    return as_csv(columns, [blank | row for row in (*samples.sample_rows(summary), *trained)])
