"""The matrix of cells: a row for each mode of a framework, a column for each workload, a sign for each cell."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from rosettabench.proof.standing import MatrixCell, Standing
from rosettabench.report.tables.table import Column, Table, TableCell

SIGNS = {
    Standing.PROVEN: "✓",
    Standing.FAILED: "✗",
    Standing.STALE: "~",
    Standing.OPEN: "·",
    Standing.MISSING: "–",
}
"""{standing of a cell: its sign}."""


def matrix_table(cells: Sequence[MatrixCell]) -> Table:
    """Return the table of all cells. The caption explains the signs, and counts the proven cells."""
    workloads = list(dict.fromkeys(cell.workload for cell in cells))
    contenders = list(dict.fromkeys((cell.framework, cell.mode) for cell in cells))
    found = {(cell.framework, cell.mode, cell.workload): cell.standing for cell in cells}
    return Table(
        caption(cells),
        (Column("framework"), Column("mode"), *(Column(workload) for workload in workloads)),
        tuple(
            (
                TableCell(framework),
                TableCell(mode),
                *(matrix_cell(found.get((framework, mode, workload))) for workload in workloads),
            )
            for framework, mode in contenders
        ),
    )


def letter_columns(table: Table) -> Table:
    """Return the matrix for a terminal: a name and a row of signs for each contender.

    The signs stand below letters for the workloads, which the caption explains. They share one column: a column for
    each would be too wide.
    """
    workloads = [column.title for column in table.columns[2:]]
    letters = [chr(ord("A") + place) for place in range(len(workloads))]
    legend = ", ".join(f"{letter}={name}" for letter, name in zip(letters, workloads, strict=True))
    rows = tuple((TableCell(f"{row[0].text}:{row[1].text}"), signs(row[2:])) for row in table.rows)
    return Table(f"{legend}. {table.caption}", (Column("contender"), Column(" ".join(letters))), rows)


def signs(cells: Sequence[TableCell]) -> TableCell:
    """Return the signs of several cells in one."""
    return TableCell(" ".join(cell.text for cell in cells), marked=any(cell.marked for cell in cells))


def matrix_cell(standing: Standing | None) -> TableCell:
    """Return the sign of a cell, or that of a missing cell."""
    return TableCell(SIGNS[standing or Standing.MISSING], marked=standing is Standing.FAILED)


def caption(cells: Sequence[MatrixCell]) -> str:
    """Return the legend, with the number of cells under each sign."""
    counts = Counter(cell.standing for cell in cells)
    legend = [f"{sign} {standing.value} ({counts[standing]})" for standing, sign in SIGNS.items() if counts[standing]]
    batches = sorted({batch for cell in cells for batch in cell.batches})
    proven = f" Proven at batch {', '.join(map(str, batches))}." if batches else ""
    return f"{'; '.join(legend)}.{proven}"
