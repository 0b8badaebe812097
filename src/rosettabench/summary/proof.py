"""Whether an entry was proven to do equal work, and the content of its certificate."""

from __future__ import annotations

from collections import Counter
from collections.abc import Set
from math import inf
from typing import Any

from rosettabench.store.schema import Certification, Entry
from rosettabench.summary.records import CheckSummary, ProofState, ProofSummary


def summarise_proof(entry: Entry, timed: Set[int]) -> ProofSummary:
    """Return the proof of `entry`, of which the processes `timed` have a timed block.

    It holds if each of them has a certificate that passed.
    """
    certifications = sorted(entry.certifications, key=lambda certification: certification.session)
    if not certifications:
        return ProofSummary(ProofState.NOT_PROVEN)
    proofs = [summarise_certification(certification) for certification in certifications]
    bad = next((proof for proof in proofs if not proof.holds), None)
    if bad is not None:
        return bad
    unproven = timed - {one.session for one in certifications}
    if unproven:
        return ProofSummary(ProofState.NOT_PROVEN, min(unproven))
    return proofs[-1]


def summarise_certification(certification: Certification) -> ProofSummary:
    """Return the proof of one certificate, after checking its content against its digest."""
    certificate = certification.certificate
    if not certificate.intact:
        return ProofSummary(ProofState.DAMAGED, key=certificate.key)
    body = certificate.body
    excused = Counter(check["quantity"] for check in body.get("excused", ()))
    holds = certificate.passed and body.get("passed") is True
    return ProofSummary(
        state=ProofState.PROVEN if holds else ProofState.FAILED,
        key=certificate.key,
        at=certificate.at,
        steps=body.get("steps"),
        guided=len(body.get("guided", ())),
        excused=excused["gradient"],
        other_passes=excused["update"],
        checks=len(body.get("checks", ())),
        tightest=tuple(filter(None, map(summarise_check, body.get("tightest", {}).values()))),
        divergence=summarise_check(body.get("first_divergence")),
        cause=body.get("cause"),
        equal_to=tuple(body.get("equal_to", ())),
        hashes=tuple(sorted(body.get("hashes", {}).items())),
    )


def summarise_check(check: dict[str, Any] | None) -> CheckSummary | None:
    """Return the summary of a check in a certificate's body; None without one."""
    if check is None:
        return None
    deviation = inf if check["deviation"] is None else float(check["deviation"])
    tolerance = float(check["tolerance"])
    return CheckSummary(
        check["quantity"], check.get("step"), check.get("tensor"), deviation, tolerance, bool(check["passed"])
    )
