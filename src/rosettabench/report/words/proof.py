"""Whether an entry was proven to do equal work, and whether it is ranked."""

from __future__ import annotations

from dataclasses import asdict
from math import inf

from rosettabench.errors import FailureKind
from rosettabench.proof.check import divergence_words
from rosettabench.statistics.evidence import FEWEST_ROUNDS
from rosettabench.summary.records import EntrySummary, ProofState, ProofSummary


def proof_words(proof: ProofSummary) -> str:
    """Return the result of a proof; if it does not hold, with the reason."""
    if proof.state is ProofState.NOT_PROVEN:
        return f"not proven: {'it' if proof.session is None else f'process {proof.session}'} has no certificate"
    if proof.state is ProofState.DAMAGED:
        return "certificate damaged: its content does not match its digest"
    if proof.holds:
        return "proven"
    check = proof.divergence
    found = check and asdict(check) | {"deviation": None if check.deviation == inf else check.deviation}
    return f"proof failed: {divergence_words({'first_divergence': found})}"


def extent_words(proof: ProofSummary) -> str:
    """Return what was compared; inference has no steps."""
    if not proof.steps:
        return "of inference"
    guided = f", {proof.guided} of them guided" if proof.guided else ""
    gradients = "gradient" if proof.excused == 1 else "gradients"
    excused = f", {proof.excused} {gradients} excused because units are at an edge" if proof.excused else ""
    updates = "update" if proof.other_passes == 1 else "updates"
    passes = f", {proof.other_passes} {updates} explained by another pass" if proof.other_passes else ""
    return f"over {proof.steps} steps{guided}{excused}{passes}"


def reference_words(proof: ProofSummary) -> str:
    """Return the reference of a proof: ``with pytorch.py``, ``with one of two independent references``."""
    names = proof.equal_to
    if not names:
        return ""
    if not names[0].startswith("reference_"):
        return f"with {names[0]} "
    numbers = {1: "with one reference ", 2: "with one of two independent references "}
    return numbers.get(len(names), f"with one of {len(names)} independent references ")


def standing_words(entry: EntrySummary) -> str:
    """Return in a few words whether an entry is ranked, or why not."""
    if entry.control_of is not None:
        return f"second copy of {entry.control_of} (A/A control)"
    other_work = next((fault for fault in entry.faults if fault.kind == FailureKind.OTHER_WORK), None)
    if other_work is not None:
        return other_work.what
    if not entry.rounds:
        return f"missing: {entry.faults[0].what if entry.faults else 'it was not timed'}"
    if not entry.proof.holds:
        return proof_words(entry.proof)
    enough = len(entry.rounds) >= FEWEST_ROUNDS
    return "ranked" if enough else f"not enough data: {len(entry.rounds)} of the {FEWEST_ROUNDS} rounds that it needs"
