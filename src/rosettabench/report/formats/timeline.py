"""The history of a trial, in a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rosettabench.plan.setting import without_defaults
from rosettabench.report.formats.comparison import change_words
from rosettabench.report.formats.layout import print_table, style_text
from rosettabench.report.tables.table import Column, Table, TableCell
from rosettabench.report.words import figures
from rosettabench.report.words.doubt import doubt_words
from rosettabench.statistics.change_point import LEAST

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

    from rosettabench.history.timeline import LevelChange, Point, Timeline

EIGHTHS = " ▏▎▍▌▋▊▉█"
"""Blocks of 0 to 8 eighths of a character's width."""

WIDTH = 20
"""The width of the longest bar, in characters."""

COLUMNS = (
    Column("run", contender=True),
    Column("at (UTC)", spare=1),
    Column("version"),
    Column("time per step", numeric=True),
    Column("level", contender=True, spare=2),
    Column("remark"),
)


def print_timelines(found: Sequence[Timeline], console: Console) -> None:
    """Print every timeline: a bar for each run, then the changes of its level."""
    for one in found:
        console.print()
        console.print(style_text((one.key.workload, "bold"), (f"  {one.key.contender}, {settings(one)}", "")))
        print_table(timeline_table(one), console)
        for change in one.level_changes:
            console.print(style_text((level_change_sentence(change), "bold yellow")))
        if not one.level_changes:
            console.print(style_text((quiet_sentence(one), "dim")))


def settings(one: Timeline) -> str:
    """Return the setting in words."""
    return ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in without_defaults(one.key.values).items())


def timeline_table(one: Timeline) -> Table:
    """Return the table with a row for each run, oldest first."""
    longest = max(point.level for point in one.points)
    changed = {change.first: change for change in one.level_changes}
    rows = tuple(
        (
            TableCell(point.run),
            TableCell(point.at[:16].replace("T", " ")),
            TableCell(version(one.key.framework, point)),
            step_cell(point),
            TableCell(bar(point.level / longest)),
            remark(point, changed.get(point.run)),
        )
        for point in one.points
    )
    return Table("In brackets: the interval over the rounds of its run.", COLUMNS, rows)


def step_cell(point: Point) -> TableCell:
    """Return the time of a step with its interval."""
    step = point.step
    if step.low is None or step.high is None:
        return TableCell(figures.seconds(step.value), f"{step.rounds} rounds: no interval")
    return TableCell(figures.seconds(step.value), figures.seconds_span(step.value, step.low, step.high))


def remark(point: Point, change: LevelChange | None) -> TableCell:
    """Return the remark on a run: why it does not count, or that the level changed with it."""
    if point.flaw:
        return TableCell(f"not used: {doubt_words(point.flaw)}", marked=True)
    return TableCell("") if change is None else TableCell(f"{figures.ratio(change.times)} from here on", marked=True)


def version(framework: str, point: Point) -> str:
    """Return the version of a framework's main package."""
    from rosettabench.catalogue.framework import all_frameworks

    entry = all_frameworks().get(framework)
    modules = entry.packages if entry else ()
    return ", ".join(f"{name} {point.identity.packages[name]}" for name in modules if name in point.identity.packages)


def bar(share: float) -> str:
    """Return a bar of up to WIDTH characters."""
    whole, eighths = divmod(round(8 * WIDTH * share), 8)
    return "█" * whole + EIGHTHS[eighths].strip()


def level_change_sentence(change: LevelChange) -> str:
    """Return a sentence on a change of level: what changed with it, and whether other contenders changed as well."""
    how = "slower" if change.times > 1 else "faster"
    by = figures.ratio(max(change.times, 1 / change.times))
    words = f"From run {change.first} on {how} by {by}. "
    words += f"With it changed: {change_words(change.changes)}."
    if change.others is not None:
        words += f" The others in these runs took {figures.ratio(change.others)} their former time."
    return words


def quiet_sentence(one: Timeline) -> str:
    """Return a sentence that no change was found, or that there are too few runs to find one."""
    if one.searchable:
        return "No change of level that lasted."
    sound = sum(not point.flaw for point in one.points)
    return f"Changes are looked for from {2 * LEAST} runs on; there {'is' if sound == 1 else 'are'} {sound}."
