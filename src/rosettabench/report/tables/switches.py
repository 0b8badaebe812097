"""Switches, as the table of docs/reference/axes.md."""

from __future__ import annotations

from collections.abc import Sequence

from rosettabench.catalogue.switch import Switch, all_switches
from rosettabench.report.tables.table import Column, Table, TableCell
from rosettabench.report.words.switch import trials_words


def switches_table(switches: Sequence[Switch]) -> Table:
    """Return the table of every switch that was tried, with its effects."""
    columns = ("tried in", "about", "what", "how it is set", "in force in", "measured, without to with", "more")
    return Table(
        "Switches that were tried. “1.76× as long without it” compares the faster of eager and compiled with tuned; "
        "intervals are 95%.",
        tuple(map(Column, columns)),
        tuple(
            (
                TableCell(", ".join(f"{name}@{release}" for name in one.frameworks for release in one.releases)),
                TableCell(f"{one.kind}, {one.device}"),
                TableCell(one.what),
                TableCell(one.how),
                TableCell(", ".join(one.in_force) or ("no mode" if one.gains else "left out")),
                TableCell(". ".join(filter(None, [trials_words(one), one.outcome]))),
                TableCell(f"{one.page}: {one.heading}"),
            )
            for one in switches
        ),
    )


def switches_markdown() -> str:
    """Return the table of switches as Markdown, for docs/reference/axes.md."""
    from rosettabench.report.formats.markdown import table_markdown

    return table_markdown(switches_table(all_switches()))
