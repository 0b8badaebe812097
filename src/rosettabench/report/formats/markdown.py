"""The report as Markdown, for an issue, a wiki or a README."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence

from rosettabench.report.formats.text import visible
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
from rosettabench.report.words.answer import headline
from rosettabench.report.words.headline import Headline
from rosettabench.report.words.machine import machine_words
from rosettabench.report.words.reasons import pair_headlines, remarks
from rosettabench.report.words.shortfall import shortfall_headlines
from rosettabench.report.words.trainings import SENTENCE
from rosettabench.report.words.verdict import control_sentence, verdict_sentences
from rosettabench.summary.records import Account, ContestSummary, Reasons, RunSummary, TrainingsSummary
from rosettabench.summary.study import StudySummary

SPECIAL = re.compile(r"([\\`*_\[\]#|~<>&$])")
"""Characters that can begin markup, HTML or a formula in GitHub's Markdown. A backslash makes them literal."""


def render_markdown(summary: RunSummary) -> str:
    """Return the whole report as Markdown (GitHub's tables)."""
    parts = [f"# Rosettabench: run {escape_text(summary.id)}", *map(contest_markdown, summary.contests)]
    if summary.trainings:
        parts += trainings_markdown(summary.trainings)
    if account_tables(summary.accounts):
        parts += accounts_markdown(summary.accounts)
    if summary.study:
        parts.append(study_markdown(summary.study))
    between = [table_markdown(table) for table in whole_tables(summary)]
    parts += ["## Several contests compared", *between] if between else []
    faults = tables.all_faults(summary)
    if faults:
        parts += ["## Who is missing, and why", table_markdown(tables.faults_table(faults))]
    parts += ["## Machine and versions", machine_markdown(summary)]
    parts += [] if summary.only_trains else [table_markdown(tables.versions_table(summary))]
    parts += [
        "## To repeat it",
        fence_text(shlex.join(summary.command)),
        f"Rosettabench {escape_text(summary.version)}, {summary.at}.",
    ]
    return "\n\n".join(parts) + "\n"


def contest_markdown(contest: ContestSummary) -> str:
    """Return one contest: the verdict, the tables, every pair, the A/A control, and why it stopped."""
    parts = [f"## {escape_text(contest.name)}"]
    parts.append(headline_markdown(headline(contest)))
    if said := sentences.warning(contest):
        parts.append(f"> **{escape_text(said)}**")
    parts += [f"**{escape_text(sentence)}**" for sentence in sentences.difference_sentences(contest)]
    if contest.reasons:
        return "\n\n".join([*parts, *reasons_markdown(contest.reasons)])
    shown = (
        tables.ranking_table(contest),
        releases_table(contest),
        forecasts_table(contest),
        tables.spread_table(contest),
        tables.costs_table(contest),
        resources_table(contest),
        tables.settings_table(contest),
    )
    parts += [table_markdown(table) for table in shown if table.rows]
    parts += [f"**{escape_text(sentence)}**" for sentence in progress_sentences(contest)]
    if contest.timed:
        parts.append(escape_text(sentences.peak_sentence(contest.peak)))
    if contest.verdicts:
        parts.append("\n".join(f"- {escape_text(sentence)}" for sentence in verdict_sentences(contest)))
    parts += [f"> **{escape_text(sentence)}**" for sentence in sentences.oddity_sentences(contest)]
    if contest.control:
        parts.append(escape_text(control_sentence(contest.control)))
    parts += [escape_text(sentences.watched_sentence(contest))] if contest.watched else []
    why = [f"Why it is so: {escape_text(shlex.join(contest.why))}"] if contest.why else []
    return "\n\n".join([*parts, escape_text(sentences.stopped_sentence(contest)), *why])


def headline_markdown(said: Headline) -> str:
    """Return a headline: the answer in bold, and the evidence."""
    return f"**{escape_text(said.answer)}.** {escape_text(said.evidence)}"


def reasons_markdown(reasons: Reasons) -> list[str]:
    """Return the findings of an examination: the other pairs, contenders far below the ceiling, tables and remarks."""
    return [
        *map(headline_markdown, (*pair_headlines(reasons)[1:], *shortfall_headlines(reasons))),
        *map(table_markdown, reason_tables(reasons.explanation)),
        *(f"> {escape_text(remark)}" for remark in remarks(reasons.explanation)),
    ]


def trainings_markdown(found: TrainingsSummary) -> list[str]:
    """Return the trainings: that they are not equal work, the fastest library on each set, figures and differences."""
    said = [
        f"- {escape_text(one.used.series)}: {headline_markdown(headline(one))}"
        + (f" **{escape_text(one.warning)}**" if one.warning else "")
        for one in found.sets
    ]
    return [f"**{escape_text(SENTENCE)}**", "\n".join(said), *map(table_markdown, training_tables(found))]


def accounts_markdown(found: Sequence[Account]) -> list[str]:
    """Return the explanations of the factor between two libraries, set by set."""
    said = [f"- {escape_text(series)}: {escape_text(sentence)}" for series, sentence in account_sentences(found)]
    return ["## Where the factor comes from", "\n".join(said), *map(table_markdown, account_tables(found))]


def study_markdown(study: StudySummary) -> str:
    """Return a study: the outcomes of its claims, its numbers then and now, and what is missing."""
    parts = [f"## The study {escape_text(study.name)}", *map(table_markdown, study_tables(study))]
    return "\n\n".join([*parts, "\n".join(f"- {escape_text(sentence)}" for sentence in study.lacking)]).rstrip()


def table_markdown(table: Table) -> str:
    """Return a table in GitHub's format below its caption."""
    heads = [escape_text(column.title) for column in table.columns]
    rules = ["---:" if column.numeric else "---" for column in table.columns]
    rows = [[cell_markdown(cell) for cell in row] for row in table.rows]
    lines = ["| " + " | ".join(cells) + " |" for cells in (heads, rules, *rows)]
    return f"*{escape_text(table.caption)}*\n\n" + "\n".join(lines)


def cell_markdown(cell: TableCell) -> str:
    """Return a cell with its note in brackets."""
    text = escape_text(cell.text) + (f" ({escape_text(cell.note)})" if cell.note else "")
    return f"**{text}**" if cell.marked else text


def machine_markdown(summary: RunSummary) -> str:
    """Return the machine as a list."""
    return "\n".join(f"- {escape_text(name)}: {escape_text(value)}" for name, value in machine_words(summary))


def escape_text(text: str) -> str:
    """Return `text` with all markup escaped."""
    return SPECIAL.sub(r"\\\1", visible(text))


def fence_text(text: str) -> str:
    """Return `text` as a code block, with a fence longer than any run of backticks in it."""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}sh\n{visible(text)}\n{fence}"
