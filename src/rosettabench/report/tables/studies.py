"""The tables of a study: published numbers then and now, and the outcomes of its claims."""

from __future__ import annotations

from collections.abc import Iterable

from rosettabench.report.tables.table import NOTHING, Column, Table, TableCell
from rosettabench.report.words import figures
from rosettabench.report.words.claim import aside_words, expected_words, finding_words, outcome_words, part_words
from rosettabench.report.words.machine import machine_title
from rosettabench.summary.study import ClaimFinding, Outcome, PartOutcome, StudySummary, ThenAndNow

OPEN = (ClaimFinding.OPEN, ClaimFinding.UNTESTABLE)


def study_tables(study: StudySummary) -> tuple[Table, ...]:
    """Return the tables of a study that are not empty."""
    shown = (claims_table(study.outcomes, f"What became of the claims of {study.name}."), then_and_now_table(study))
    return tuple(table for table in shown if table.rows)


def claims_table(outcomes: Iterable[Outcome], caption: str) -> Table:
    """Return the table with a row for every claim, followed by rows for its measured parts if it has several."""
    columns = (
        Column("claim"),
        Column("what the study says"),
        Column("published", spare=1),
        Column("expected", spare=2),
        Column("measured", numeric=True),
        Column("verdict"),
        Column("why", spare=3),
    )
    rows = [row for outcome in outcomes for row in claim_rows(outcome)]
    return Table(f"{caption} {EXPLAINED}", columns, tuple(rows))


EXPLAINED = (
    "A claim holds if its whole interval lies within the expected range, and fails if it lies outside. "
    "See docs/reference/claims.md."
)


def claim_rows(outcome: Outcome) -> list[tuple[TableCell, ...]]:
    """Return the rows of one claim; over several kinds of machines, one for all and those of each that measured it."""
    if not outcome.machines:
        return outcome_rows(outcome)
    empty, says = TableCell(""), TableCell(outcome.says, outcome.note)
    verdict = TableCell(finding_words(outcome), marked=outcome.finding is ClaimFinding.FAILS)
    rows: list[tuple[TableCell, ...]] = [
        (TableCell(outcome.id), says, TableCell(outcome.published), empty, empty, verdict, empty)
    ]
    for one in (one for one in outcome.machines if one.outcome.is_measured):
        first, *parts = outcome_rows(one.outcome)
        rows += [(empty, TableCell(f"on {machine_title(one.machine)}"), empty, *first[3:]), *parts]
    return rows


def outcome_rows(outcome: Outcome) -> list[tuple[TableCell, ...]]:
    """Return the rows of one claim on one kind of machine."""
    alone = outcome.parts[0] if len(outcome.parts) == 1 else None
    first = (
        TableCell(outcome.id),
        TableCell(outcome.says, outcome.note),
        TableCell(outcome.published),
        TableCell(expected_words(alone)) if alone else TableCell(""),
        measured_cell(alone) if alone else TableCell(""),
        verdict_cell(outcome.finding),
        TableCell(outcome_words(outcome)),
    )
    measured = [part for part in outcome.parts if part.measurement.value is not None and not alone]
    return [first, *(part_row(part) for part in measured)]


def part_row(part: PartOutcome) -> tuple[TableCell, ...]:
    """Return the row of one part of a claim."""
    return (
        TableCell(""),
        TableCell(part.name),
        TableCell(""),
        TableCell(expected_words(part)),
        measured_cell(part),
        verdict_cell(part.finding),
        TableCell(part_words(part)),
    )


def measured_cell(part: PartOutcome) -> TableCell:
    """Return the measured number, with its interval and the contenders."""
    found = part.measurement
    if found.value is None:
        return NOTHING
    between = "" if found.low is None or found.high is None else figures.span(found.low, found.high)
    return TableCell(figures.significant(found.value), ", ".join(filter(None, (between, found.what))))


def verdict_cell(finding: ClaimFinding) -> TableCell:
    """Return a finding; one that refutes the claim is marked."""
    return TableCell(finding.value, marked=finding is ClaimFinding.FAILS)


def then_and_now_table(study: StudySummary) -> Table:
    """Return every published number about the workloads of the run, with the number measured now."""
    columns = (
        Column("workload"),
        Column("library then"),
        Column("on", spare=2),
        Column("quantity"),
        Column("published then", numeric=True),
        Column("measured now", numeric=True),
        Column("now / then", numeric=True, spare=1),
    )
    caption = (
        f"Published then beside measured now: {study.title}. {study.source}. {study.note} The machine and the "
        "releases differ: the columns show how times have changed, not who was right."
    )
    return Table(caption, columns, tuple(then_row(one) for one in study.then_and_now))


def then_row(one: ThenAndNow) -> tuple[TableCell, ...]:
    """Return the row of one published number."""
    now, share = NOTHING, NOTHING
    if one.now is not None:
        bounded = one.now.low is not None and one.now.high is not None
        between = figures.span(one.now.low or 0.0, one.now.high or 0.0) if bounded else ""
        told = ", ".join(filter(None, (one.contender, between, aside_words(one))))
        now = TableCell(f"{figures.significant(one.now.value)} {one.unit}", told)
        share = TableCell(figures.ratio(one.now.value / one.then))
    return (
        TableCell(one.workload),
        TableCell(one.library, one.release),
        TableCell(one.hardware),
        TableCell(one.quantity, one.note),
        TableCell(f"{figures.significant(one.then)} {one.unit}"),
        now,
        share,
    )
