"""The table of the quality of contenders' forecasts."""

from __future__ import annotations

from rosettabench.report.tables.table import CONTENDER, NOTHING, Column, Table, TableCell, with_warning
from rosettabench.report.words import figures
from rosettabench.store.record import JudgedForecasts
from rosettabench.summary.records import ContestSummary

MEASURES = {"mase": "MASE", "smape": "sMAPE", "mean_weighted_quantile_loss": "mean wQL"}
"""{measure: its name in tables}."""


def forecasts_table(contest: ContestSummary) -> Table:
    """Return the table with a row for every contender that made forecasts; without rows if none did."""
    columns = (
        CONTENDER,
        *(Column(title, numeric=True) for title in MEASURES.values()),
        Column("prediction", numeric=True, spare=1),
        Column("score", numeric=True, spare=2),
    )
    found = [(entry.label, entry.forecasts) for entry in [*contest.ranked, *contest.unranked] if entry.forecasts]
    rows = tuple((TableCell(label), *forecast_cells(one)) for label, one in found)
    extent = (
        f"{figures.count(found[0][1].samples)} sample paths of {figures.count(found[0][1].series)} series"
        if found
        else ""
    )
    caption = (
        f"Forecasts after the training: {extent}. Prediction: what drawing them took; score: what judging them did."
    )
    return Table(with_warning(contest, caption), columns, rows)


def forecast_cells(found: JudgedForecasts) -> tuple[TableCell, ...]:
    """Return the cells of the measures and the times."""
    measures = (getattr(found, name) for name in MEASURES)
    return (
        *(NOTHING if value is None else TableCell(figures.significant(value)) for value in measures),
        TableCell(figures.seconds(found.predict_s)),
        TableCell(figures.seconds(found.score_s)),
    )
