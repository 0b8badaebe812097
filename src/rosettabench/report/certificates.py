"""Certificates in a terminal: what was compared, how close it came, and where it failed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rosettabench.report.text import visible
from rosettabench.summary.records import CheckSummary, ContestSummary, EntrySummary

if TYPE_CHECKING:
    from rich.console import Console


def print_certificate(contest: ContestSummary, entry: EntrySummary, console: Console) -> None:
    """Print one certificate: what it certifies, then for each quantity the number nearest to its tolerance."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    proof = entry.proof
    verdict = "equal work, proven" if proof.holds else visible(proof.reason)
    console.print(f"\n{contest.name} · {visible(entry.label)} ({entry.mode}) · {verdict}", style="bold")
    for fault in entry.faults:
        console.print(f"{fault.stage}: {visible(fault.what)} {visible(fault.hint)}")
    if proof.cause:
        console.print(f"likely cause: {visible(proof.cause)}")
    if not proof.tightest:
        return
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for heading in ("quantity", "tightest at", "deviation", "tolerance", ""):
        table.add_column(heading, justify="right" if heading in ("deviation", "tolerance") else "left")
    for check in proof.tightest:
        result = "" if check.passed else "FAILED"
        table.add_row(check.quantity, place(check), f"{check.deviation:.1e}", f"{check.tolerance:.0e}", result)
    console.print(table)
    console.print(f"{proof.checks} comparisons {proof.extent}; certificate {str(proof.key)[:16]}", style="dim")


def place(check: CheckSummary) -> str:
    """Return where a check was made: the tensor and the step."""
    step = "" if check.step is None else f"step {check.step}"
    return " ".join(filter(None, (visible(check.tensor or ""), step))) or "–"
