"""Certificates in a terminal: what was compared, the deviations, and where a proof failed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rosettabench.report.formats.layout import print_table
from rosettabench.report.formats.text import visible
from rosettabench.report.tables.table import Column, listing, plain_columns
from rosettabench.report.words.proof import extent_words, proof_words, reference_words
from rosettabench.summary.records import CheckSummary, ContestSummary, EntrySummary

if TYPE_CHECKING:
    from rich.console import Console


def print_certificate(contest: ContestSummary, entry: EntrySummary, console: Console) -> None:
    """Print one certificate: the proof, then for each quantity the check nearest to its tolerance."""
    proof = entry.proof
    verdict = "equal work, proven" if proof.holds else visible(proof_words(proof))
    console.print(f"\n{contest.name} · {visible(entry.label)} ({entry.mode}) · {verdict}", style="bold")
    for fault in entry.faults:
        console.print(f"{fault.stage}: {visible(fault.what)}")
        if fault.hint:
            console.print(visible(fault.hint))
    if proof.cause:
        console.print(f"likely cause: {visible(proof.cause)}")
    if not proof.tightest:
        return
    columns = (
        *plain_columns("quantity", "tightest at"),
        *(Column(heading, numeric=True) for heading in ("deviation", "tolerance")),
        Column("result"),
    )
    rows = [
        (one.quantity, place(one), f"{one.deviation:.1e}", f"{one.tolerance:.0e}", "" if one.passed else "FAILED")
        for one in proof.tightest
    ]
    compared = f"{proof.checks} comparisons {reference_words(proof)}{extent_words(proof)}"
    caption = f"{compared}; certificate {str(proof.key)[:16]}"
    print_table(listing(caption, columns, rows), console)


def place(check: CheckSummary) -> str:
    """Return the place of a check in words: the tensor and the step."""
    step = "" if check.step is None else f"step {check.step}"
    return " ".join(filter(None, (visible(check.tensor or ""), step))) or "–"
