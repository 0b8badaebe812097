"""The matrix of cells: a row for each workload, a column for each framework, a sign for each mode."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

from rosettabench.proof.standing import Cell, Standing
from rosettabench.report import tables

SIGNS = {
    Standing.PROVEN: "✓",
    Standing.FAILED: "✗",
    Standing.STALE: "~",
    Standing.OPEN: "·",
    Standing.MISSING: "–",
}
"""How a standing is written."""


def matrix_table(cells: Sequence[Cell]) -> tables.Table:
    """Return the table of all cells; the caption says what the signs mean, and how many cells are proven."""
    workloads = list(dict.fromkeys(cell.workload for cell in cells))
    frameworks = list(dict.fromkeys(cell.framework for cell in cells))
    found: dict[tuple[str, str], list[Cell]] = defaultdict(list)
    for cell in cells:
        found[cell.workload, cell.framework].append(cell)
    return tables.Table(
        caption(cells),
        (tables.Column("workload"), *(tables.Column(framework) for framework in frameworks)),
        tuple(
            (tables.Cell(workload), *(matrix_cell(found[workload, framework]) for framework in frameworks))
            for workload in workloads
        ),
    )


def matrix_cell(modes: Sequence[Cell]) -> tables.Cell:
    """Return the signs of a framework's modes in one workload: one sign alone where nobody has written it."""
    if all(cell.standing is Standing.MISSING for cell in modes):
        return tables.Cell(SIGNS[Standing.MISSING])
    signs = [f"{cell.mode} {SIGNS[cell.standing]}" for cell in modes]
    return tables.Cell(", ".join(signs), marked=any(cell.standing is Standing.FAILED for cell in modes))


def caption(cells: Sequence[Cell]) -> str:
    """Return the legend, with the number of cells under each sign."""
    counts = Counter(cell.standing for cell in cells)
    legend = [f"{sign} {standing.value} ({counts[standing]})" for standing, sign in SIGNS.items() if counts[standing]]
    batches = sorted({batch for cell in cells for batch in cell.batches})
    proven = f" Proven at batch {', '.join(map(str, batches))}." if batches else ""
    return f"{'; '.join(legend)}.{proven}"
