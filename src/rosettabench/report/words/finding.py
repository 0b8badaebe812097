"""Findings in a store, in words."""

from __future__ import annotations

from rosettabench.lab.fairness import PartlyCompiled, SettingDifference
from rosettabench.report.words.contest import difference_sentence
from rosettabench.report.words.doubt import doubt_words
from rosettabench.report.words.proof import proof_words
from rosettabench.report.words.verdict import control_sentence
from rosettabench.summary.findings import Evidence, FindingKind, StoreFinding
from rosettabench.summary.records import Control, Fault, ProofSummary

MEANINGS = {
    FindingKind.OTHER_WORK: "The contender was proven to do equal work, and then did other work while it was timed. "
    "It is not ranked.",
    FindingKind.FAILED_PROOF: "The proof of equal work failed, or its certificate is damaged. The contender may have "
    "been timed, but it is not ranked.",
    FindingKind.FALSE_DIFFERENCE: "The A/A control found a difference between a contender and itself. No difference of "
    "this size can be trusted in these contests.",
    FindingKind.DOUBT: "The rounds, or the settings, do not allow a verdict on some pairs.",
    FindingKind.MISSING: "The contender failed, so it is missing from these contests, or from a part of them.",
}
"""{kind of finding: what it means for a reader}."""


def finding_sentence(found: StoreFinding) -> str:
    """Return what a finding says, in one or two sentences."""
    return evidence_words(found.evidence)


def evidence_words(evidence: Evidence) -> str:
    """Return the evidence of a finding in words."""
    if isinstance(evidence, Fault):
        return f"{evidence.stage}: {evidence.what}." + (f" {evidence.hint}" if evidence.hint else "")
    if isinstance(evidence, ProofSummary):
        words = proof_words(evidence)
        cause = f" Likely cause: {evidence.cause}." if evidence.cause else ""
        return f"{words[0].upper()}{words[1:]}.{cause}"
    if isinstance(evidence, Control):
        return control_sentence(evidence)
    if isinstance(evidence, SettingDifference | PartlyCompiled):
        return difference_sentence(evidence)
    return doubt_words(evidence)
