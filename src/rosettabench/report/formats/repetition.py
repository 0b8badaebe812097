"""A bundle and its repetition, in a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rosettabench.evidence.outcome import Holding, number_of
from rosettabench.report.formats.layout import print_table, style_text
from rosettabench.report.formats.record import as_json
from rosettabench.report.formats.text import visible
from rosettabench.report.tables.table import NOTHING, Column, Table, TableCell
from rosettabench.report.words import figures
from rosettabench.statistics.verdict import Finding

if TYPE_CHECKING:
    from rich.console import Console

    from rosettabench.evidence.content import StatedVerdict
    from rosettabench.evidence.examination import ExaminedBundle
    from rosettabench.evidence.outcome import RepeatedVerdict
    from rosettabench.evidence.surroundings import Difference

COLUMNS = (
    Column("workload"),
    Column("verdict of the bundle", contender=True),
    Column("there", numeric=True),
    Column("here", numeric=True),
    Column("holds here"),
)

MOST = 20
"""The most differences that are printed. JSON has all of them."""


def print_check(found: ExaminedBundle, console: Console, json: bool) -> None:
    """Print what was checked of a bundle, and which verdicts do not follow from its blocks."""
    run = found.bundle.run
    stated = [one for judgement in found.bundle.judgements for one in judgement.verdicts]
    if json:
        told = {"bundle": run.id, "sha256": found.sha256, "rosettabench": run.rosettabench, "verdicts": len(stated)}
        console.print(as_json({**told, "differences": found.differences}), soft_wrap=True)
        return
    lines = [
        f"Run {run.id}, begun at {run.at}, with Rosettabench {run.rosettabench}",
        f"  on {run.machine.processor}, {run.machine.cores} cores",
        f"  {' '.join(run.command)}",
        f"SHA-256 of the file: {found.sha256}",
        f"Contests: {len(found.bundle.contests)}; blocks: {len(found.bundle.blocks)}; verdicts: {len(stated)}",
    ]
    if not found.differences:
        lines.append("All members are as the manifest lists them. All verdicts follow from the blocks.")
    for line in (*lines, *found.differences):
        console.print(style_text((line, "")), soft_wrap=True)
    for judgement in found.bundle.judgements:
        for one in judgement.verdicts:
            console.print(style_text((f"  {judgement.workload}: {verdict_words(one)}", "")), soft_wrap=True)


def print_differences(differences: Sequence[Difference], console: Console) -> None:
    """Print what is another here than in a bundle."""
    if not differences:
        console.print("Nothing that was recorded differs here.")
        return
    console.print("Different here:")
    for one in differences[:MOST]:
        console.print(style_text((f"  {visible(one.where)}: {one.change.sentence}", "")), soft_wrap=True)
    if len(differences) > MOST:
        console.print(f"  and {len(differences) - MOST} more")


def print_repetition(verdicts: Sequence[RepeatedVerdict], run: str, console: Console) -> None:
    """Print each verdict of a bundle beside that of the repetition `run`."""
    console.print()
    rows = tuple(
        (
            TableCell(one.workload),
            TableCell(order_words(one.stated)),
            ratio_cell(one.stated),
            NOTHING if one.here is None else ratio_cell(one.here, one.stated.faster),
            TableCell(holding_words(one), marked=one.holding is Holding.CONTRADICTED),
        )
        for one in verdicts
    )
    told = "Ratios of times per step, slower over faster. The two runs were judged apart, each on its own machine."
    print_table(Table(told, COLUMNS, rows), console)
    held = number_of(verdicts, Holding.HOLDS, Holding.OTHER_RATIO)
    stated = len(verdicts) - number_of(verdicts, Holding.NOTHING_STATED)
    console.print(style_text((f"{held} of {stated} verdicts hold in run {run}.", "bold")))


def holding_words(one: RepeatedVerdict) -> str:
    """Return whether a verdict holds here; if that is undecided, with the kinds of doubts."""
    doubts = one.here.doubts if one.here is not None and one.holding is Holding.UNDECIDED else ()
    return f"{one.holding} ({', '.join(doubts)})" if doubts else str(one.holding)


def order_words(one: StatedVerdict) -> str:
    """Return the finding of a verdict without its numbers."""
    if one.finding is Finding.FASTER:
        return f"{one.faster} is faster than {one.slower}"
    return f"{one.faster} and {one.slower}: {one.finding}"


def verdict_words(one: StatedVerdict) -> str:
    """Return a verdict in words."""
    if one.interval is None:
        return order_words(one)
    doubts = f"; doubts: {', '.join(one.doubts)}" if one.doubts else ""
    ratio, ends = figures.ratio(one.interval.ratio), figures.span(one.interval.low, one.interval.high)
    return f"{order_words(one)}, {ratio} ({figures.percent(one.interval.confidence)}: {ends}){doubts}"


def ratio_cell(one: StatedVerdict, faster: str | None = None) -> TableCell:
    """Return the ratio of a verdict with its interval, as times over those of `faster`."""
    if one.interval is None:
        return NOTHING
    found = one.interval
    ends = (found.ratio, found.low, found.high)
    if faster not in (None, one.faster):
        ends = (1 / found.ratio, 1 / found.high, 1 / found.low)
    return TableCell(figures.ratio(ends[0]), figures.span(ends[1], ends[2]))
