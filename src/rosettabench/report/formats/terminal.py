"""The report in a terminal: the answer alone, or everything that was measured."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from rosettabench.report.formats.layout import inline, print_table, style_text
from rosettabench.report.tables import contest as tables
from rosettabench.report.tables.account import account_sentences, account_tables
from rosettabench.report.tables.forecasts import forecasts_table
from rosettabench.report.tables.reasons import reason_tables
from rosettabench.report.tables.releases import progress_sentences, releases_table
from rosettabench.report.tables.resources import resources_table
from rosettabench.report.tables.studies import study_tables
from rosettabench.report.tables.table import Table, TableCell
from rosettabench.report.tables.trainings import training_tables
from rosettabench.report.tables.whole import whole_tables
from rosettabench.report.words import contest as sentences
from rosettabench.report.words import figures
from rosettabench.report.words.answer import headline
from rosettabench.report.words.headline import Headline
from rosettabench.report.words.machine import several_machines
from rosettabench.report.words.reasons import pair_headlines, remarks
from rosettabench.report.words.shortfall import shortfall_headlines
from rosettabench.report.words.trainings import SENTENCE
from rosettabench.report.words.verdict import control_sentence
from rosettabench.summary.records import Account, ContestSummary, Reasons, RunSummary, TrainingsSummary
from rosettabench.summary.study import StudySummary

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console


def print_run(summary: RunSummary, console: Console) -> None:
    """Print the answers: verdict, ranking and doubts of every contest, then failures."""
    for contest in summary.contests:
        print_answer(contest, console)
    print_rest(summary, console)


def print_details(summary: RunSummary, console: Console) -> None:
    """Print everything, including costs, resources, spreads and watched blocks."""
    for contest in summary.contests:
        print_contest(contest, console)
    print_rest(summary, console)


def print_rest(summary: RunSummary, console: Console) -> None:
    """Print what concerns the whole run: speed-ups, trainings, a study, failures, and how to repeat it."""
    for table in whole_tables(summary):
        print_table(table, console)
    if summary.trainings:
        print_trainings(summary.trainings, console)
        print_accounts(summary.accounts, console)
    if summary.study:
        print_study(summary.study, console)
    for sentence in several_machines(summary):
        console.print(sentence)
    faults = tables.all_faults(summary)
    if faults:
        console.print()
    for fault in faults:
        where = " · ".join(filter(None, (fault.contest or "whole run", fault.label, fault.stage)))
        hint = f" What to do: {fault.hint}" if fault.hint else ""
        console.print(style_text((f"{where}: ", "bold"), (f"{fault.what}.", "red"), (hint, "")))
    console.print()
    ended = f"Run {summary.id}, {summary.state}. Repeat it: "
    console.print(style_text((ended, "dim"), (shlex.join(summary.command), "")))


def print_trainings(found: TrainingsSummary, console: Console) -> None:
    """Print the trainings: that they are not equal work, the fastest library on each set, figures and differences."""
    console.print()
    console.print(style_text((SENTENCE, "bold yellow")))
    for one in found.sets:
        print_headline(one.used.series, headline(one), console)
        if one.warning:
            console.print(style_text((one.warning, "bold yellow")))
    for table in training_tables(found, sources=False):
        print_table(table, console)


def print_accounts(found: Sequence[Account], console: Console) -> None:
    """Print the explanations of the factor between two libraries, set by set."""
    shown = account_tables(found)
    for series, sentence in account_sentences(found) if shown else ():
        console.print(style_text((series, "bold"), (f"  {sentence}", "")))
    for table in shown:
        print_table(table, console)


def print_study(study: StudySummary, console: Console) -> None:
    """Print a study: the outcomes of its claims, its numbers then and now, and what is missing."""
    console.print()
    console.print(style_text((study.name, "bold"), (f"  {study.title}", "")))
    for table in study_tables(study):
        print_table(table, console)
    for sentence in study.lacking:
        console.print(style_text((sentence, "dim")))


def print_answer(contest: ContestSummary, console: Console) -> None:
    """Print the answer of a contest, at most 20 lines for four contenders; for an examination, all its tables."""
    if contest.reasons:
        print_contest(contest, console)
        return
    print_ranking(contest, console)
    for table in (releases_table(contest), forecasts_table(contest)):
        if table.rows:
            print_table(table, console)
    said = headline(contest).evidence
    for sentence in sentences.doubt_sentences(contest):
        if sentence not in said:
            console.print(style_text((sentence, "bold yellow")))
    print_end(contest, console)


def print_end(contest: ContestSummary, console: Console) -> None:
    """Print why a contest stopped, and the command that explains its result."""
    why = f" Why: {shlex.join(contest.why)}" if contest.why else ""
    console.print(style_text((sentences.stopped_sentence(contest), "dim"), (why, "dim")))


def print_ranking(contest: ContestSummary, console: Console) -> None:
    """Print verdict and ranking of a contest, and the warning of a stand-in; shown while the run lasts."""
    print_verdict(contest, console)
    table = short_ranking(contest)
    if table.rows:
        print_table(table, console)


def short_ranking(contest: ContestSummary) -> Table:
    """Return the ranking with a line for each contender; an unranked one has the reason."""
    whole = tables.ranking_table(contest)
    everybody = all(entry.rank is not None for entry in (*contest.ranked, *contest.unranked))
    kept = [place for place, column in enumerate(whole.columns) if not (everybody and column.title == "proof")]
    rows = tuple(tuple(TableCell(inline(row[place]), marked=row[place].marked) for place in kept) for row in whole.rows)
    caption = f"Intervals: {figures.percent(contest.stopping['confidence'])}."
    shared = len({entry.rank for entry in contest.ranked}) < len(contest.ranked)
    return Table(
        caption + (" Contenders share a rank if no difference between them is sure." if shared else ""),
        tuple(whole.columns[place] for place in kept),
        rows,
    )


def print_verdict(contest: ContestSummary, console: Console) -> None:
    """Print the verdict of a contest in a sentence, and the warning of a stand-in."""
    console.print()
    print_headline(contest.name, headline(contest), console)
    if said := sentences.warning(contest):
        console.print(style_text((said, "bold yellow")))


def print_headline(name: str, said: Headline, console: Console) -> None:
    """Print the headline of a contest or a set."""
    console.print(style_text((name, "bold"), (f"  {said.answer}. ", "bold green"), (said.evidence, "")))


def print_contest(contest: ContestSummary, console: Console) -> None:
    """Print one contest: the verdict first, then the evidence."""
    print_verdict(contest, console)
    for sentence in sentences.difference_sentences(contest):
        console.print(style_text((sentence, "bold yellow")))
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
    print_end(contest, console)


def print_remarks(contest: ContestSummary, console: Console) -> None:
    """Print remarks on the times of a contest: progress of releases, ceiling, spreads, oddities, A/A control."""
    for sentence in progress_sentences(contest):
        console.print(style_text((sentence, "bold")))
    if contest.timed:
        console.print(style_text((sentences.peak_sentence(contest.peak), "dim")))
    if any(spread.between for _, spread in contest.spreads):
        print_table(tables.spread_table(contest), console)
    for sentence in sentences.oddity_sentences(contest):
        console.print(style_text((sentence, "bold yellow")))
    if contest.control:
        colour = "bold red" if contest.control.false_difference else "dim"
        console.print(style_text((control_sentence(contest.control), colour)))
    if contest.watched:
        console.print(style_text((sentences.watched_sentence(contest), "dim")))


def print_reasons(reasons: Reasons, console: Console) -> None:
    """Print the findings of an examination: the other pairs, contenders far below the ceiling, tables and remarks."""
    for pair in pair_headlines(reasons)[1:]:
        console.print(style_text((f"{pair.answer}. ", "bold green"), (pair.evidence, "")))
    for shortfall in shortfall_headlines(reasons):
        console.print(style_text((f"{shortfall.answer}. ", "bold"), (shortfall.evidence, "")))
    for table in reason_tables(reasons.explanation):
        print_table(table, console)
    for remark in remarks(reasons.explanation):
        console.print(style_text((remark, "yellow")))
