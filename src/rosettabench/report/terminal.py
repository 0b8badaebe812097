"""The report in a terminal, with rich."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rosettabench.report import tables
from rosettabench.report.account_tables import account_sentences, account_tables
from rosettabench.report.forecast_tables import forecasts_table
from rosettabench.report.reasons_tables import reason_tables
from rosettabench.report.releases import progress_sentences, releases_table
from rosettabench.report.resources import resources_table
from rosettabench.report.study_tables import study_tables
from rosettabench.report.text import visible
from rosettabench.report.training_tables import training_tables
from rosettabench.summary.records import Account, ContestSummary, Reasons, RunSummary, TrainingsSummary
from rosettabench.summary.study import StudySummary

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console, JustifyMethod
    from rich.text import Text

GAP = 3
"""Blanks that the table puts beside each column."""
PROSE = 12
"""The narrowest column, in characters, in which a sentence can be read."""


def print_run(summary: RunSummary, console: Console) -> None:
    """Print the verdict and the tables of every contest, who is missing, and the command that repeats the run."""
    for contest in summary.contests:
        print_contest(contest, console)
    if summary.trainings:
        print_trainings(summary.trainings, console)
        print_accounts(summary.accounts, console)
    if summary.study:
        print_study(summary.study, console)
    faults = tables.all_faults(summary)
    if faults:
        console.print()
        for fault in faults:
            where = " · ".join(filter(None, (fault.contest or "whole run", fault.label, fault.stage)))
            console.print(
                styled(
                    (f"{where}: ", "bold"),
                    (fault.what, "red"),
                    (f" What to do: {fault.hint}" if fault.hint else "", ""),
                )
            )
    console.print()
    console.print(styled((f"run {summary.id}, {summary.state}. To repeat it: ", "dim"), (summary.command, "")))


def print_trainings(found: TrainingsSummary, console: Console) -> None:
    """Print that this is not equal work, who trained faster on each set, the figures, and what differs."""
    console.print()
    console.print(styled((found.sentence, "bold yellow")))
    for one in found.sets:
        console.print(
            styled((one.used.series, "bold"), (f"  {one.headline.answer}. ", "bold green"), (one.headline.evidence, ""))
        )
        if one.warning:
            console.print(styled((one.warning, "bold yellow")))
    for table in training_tables(found, sources=False):
        print_table(table, console)


def print_accounts(found: Sequence[Account], console: Console) -> None:
    """Print where the factor between two libraries comes from, set by set."""
    shown = account_tables(found)
    for series, sentence in account_sentences(found) if shown else ():
        console.print(styled((series, "bold"), (f"  {sentence}", "")))
    for table in shown:
        print_table(table, console)


def print_study(study: StudySummary, console: Console) -> None:
    """Print what became of a study's claims, what it published beside what was measured, and what is lacking."""
    console.print()
    console.print(styled((study.name, "bold"), (f"  {study.title}", "")))
    for table in study_tables(study):
        print_table(table, console)
    for sentence in study.lacking:
        console.print(styled((sentence, "dim")))


def print_ranking(contest: ContestSummary, console: Console) -> None:
    """Print the verdict and the ranking of a contest: what there is to see of it while its run goes on."""
    print_verdict(contest, console)
    table = tables.ranking_table(contest)
    if table.rows:
        print_table(table, console)


def print_verdict(contest: ContestSummary, console: Console) -> None:
    """Print what a contest says, in a sentence."""
    console.print()
    console.print(
        styled(
            (contest.name, "bold"), (f"  {contest.headline.answer}. ", "bold green"), (contest.headline.evidence, "")
        )
    )


def print_contest(contest: ContestSummary, console: Console) -> None:
    """Print one contest: the verdict first, then how it came about."""
    print_verdict(contest, console)
    if contest.warning:
        console.print(styled((contest.warning, "bold yellow")))
    for sentence in contest.differences:
        console.print(styled((sentence, "bold yellow")))
    if contest.reasons:
        print_reasons(contest.reasons, console)
        return
    for table in (
        tables.ranking_table(contest),
        releases_table(contest),
        forecasts_table(contest),
        tables.costs_table(contest),
        resources_table(contest),
    ):
        if table.rows:
            print_table(table, console)
    print_remarks(contest, console)
    console.print(styled((contest.stopped, "dim"), (f" Why it is so: {contest.why}" if contest.why else "", "dim")))


def print_remarks(contest: ContestSummary, console: Console) -> None:
    """Print what is to be known of the times of a contest: progress, the ceiling, spreads, oddities, the control."""
    for sentence in progress_sentences(contest):
        console.print(styled((sentence, "bold")))
    if contest.timed:
        console.print(styled((contest.peak.sentence, "dim")))
    if any(spread.between for _, spread in contest.spreads):
        print_table(tables.spread_table(contest), console)
    for sentence in contest.oddities:
        console.print(styled((sentence, "bold yellow")))
    if contest.control:
        colour = "bold red" if contest.control.false_difference else "dim"
        console.print(styled((contest.control.sentence, colour)))
    if contest.watched:
        console.print(styled((contest.watched, "dim")))


def print_reasons(reasons: Reasons, console: Console) -> None:
    """Print where the differences lie: the other pairs, who is far below, the tables, what a reader must know."""
    for pair in reasons.pairs[1:]:
        console.print(styled((f"{pair.answer}. ", "bold green"), (pair.evidence, "")))
    for shortfall in reasons.shortfalls:
        console.print(styled((f"{shortfall.answer}. ", "bold"), (shortfall.evidence, "")))
    for table in reason_tables(reasons.explanation):
        print_table(table, console)
    for remark in reasons.remarks:
        console.print(styled((remark, "yellow")))


def print_table(table: tables.Table, console: Console) -> None:
    """Print a table with the columns that there is room for; an interval stands under its estimate."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    kept = columns_that_fit(table, console.width)
    fits = taken(table, kept) <= console.width
    printed = Table(box=SIMPLE_HEAD, pad_edge=False)
    for place in kept:
        column = table.columns[place]
        justify: JustifyMethod = "right" if column.numeric else "left"
        exact = room(table, place) if fits and (column.numeric or column.contender) else None
        printed.add_column(styled((column.title, "")), justify=justify, overflow="fold", width=exact)
    for row in table.rows:
        printed.add_row(*(cell_text(row[place]) for place in kept))
    console.print(printed)
    left_out = [column.title for place, column in enumerate(table.columns) if place not in kept]
    more = f" Not enough room for: {', '.join(left_out)}; rosetta report has them." if left_out else ""
    console.print(styled((table.caption + more, "dim")))


def columns_that_fit(table: tables.Table, width: int) -> list[int]:
    """Return the places of the columns to print in `width` characters: the spare ones go until the rest fits."""
    kept = list(range(len(table.columns)))
    spare = sorted((place for place in kept if table.columns[place].spare), key=lambda i: table.columns[i].spare)
    while spare and taken(table, kept) > width:
        kept.remove(spare.pop())
    return kept


def taken(table: tables.Table, places: Sequence[int]) -> int:
    """Return how many characters the columns at `places` take side by side."""
    return sum(room(table, place) + GAP for place in places)


def room(table: tables.Table, place: int) -> int:
    """Return how many characters a column takes. Names and numbers do not break; other text does."""
    column = table.columns[place]
    heading = max(map(len, column.title.split()))
    longest = max(len(line) for row in table.rows for line in (row[place].text, row[place].note))
    return max(heading, longest if column.numeric or column.contender else min(longest, PROSE))


def cell_text(cell: tables.TableCell) -> Text:
    """Return a cell with its note on a line of its own."""
    text = styled((cell.text, "yellow" if cell.marked else ""))
    if cell.note:
        text.append("\n").append_text(styled((cell.note, "dim")))
    return text


def styled(*parts: tuple[str, str]) -> Text:
    """Return (text, style) pairs as rich's Text: nothing in them is markup, and no control character gets through."""
    from rich.text import Text

    text = Text()
    for words, style in parts:
        text.append(visible(words), style=style)
    return text
