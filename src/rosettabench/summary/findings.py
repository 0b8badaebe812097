"""The findings in a store: what a reader must know before trusting, or citing, a number of a contest.

docs/findings.md holds the findings about the frameworks themselves, as prose. A store holds only what it recorded, so a
finding in it is one of FindingKind. A contender that is merely slower is a result, not a finding.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from rosettabench.errors import FailureKind
from rosettabench.lab.fairness import PartlyCompiled, SettingDifference
from rosettabench.statistics.busy import Busy
from rosettabench.statistics.doubt import Contradiction, Doubt, MeansDisagree
from rosettabench.statistics.oddities import Gap, casts_doubt
from rosettabench.store.record import FailureStage
from rosettabench.summary.records import ContestSummary, Control, EntrySummary, Fault, ProofState, ProofSummary

if TYPE_CHECKING:
    from rosettabench.statistics.verdict import Verdict

Evidence = Fault | ProofSummary | Doubt | Control | SettingDifference | PartlyCompiled
"""What a finding is about: the record that the rest of the report shows, too."""


class FindingKind(StrEnum):
    """The kinds of findings, the gravest first."""

    OTHER_WORK = "other work"
    FAILED_PROOF = "failed proof"
    FALSE_DIFFERENCE = "false difference"
    DOUBT = "doubt"
    MISSING = "missing contender"


@dataclass(frozen=True)
class StoreFinding:
    """One finding in a contest. `contender` is a label, two labels of a pair, or empty for the whole contest."""

    kind: FindingKind
    contender: str
    evidence: Evidence


def find_findings(contest: ContestSummary) -> list[StoreFinding]:
    """Return the findings in a contest, the gravest kind first."""
    found = [one for entry in contest.entries if entry.control_of is None for one in of_entry(entry)]
    found += doubts_of(contest)
    found += [StoreFinding(FindingKind.MISSING, "", fault) for fault in contest.faults]
    if contest.control is not None and contest.control.false_difference:
        found.append(StoreFinding(FindingKind.FALSE_DIFFERENCE, contest.control.first, contest.control))
    order = list(FindingKind)
    return sorted(found, key=lambda one: order.index(one.kind))


def of_entry(entry: EntrySummary) -> Iterator[StoreFinding]:
    """Yield the findings on one contender: other work, a proof that does not hold, failures."""
    failed = entry.proof.state in (ProofState.FAILED, ProofState.DAMAGED)
    if failed:
        yield StoreFinding(FindingKind.FAILED_PROOF, entry.label, entry.proof)
    for fault in entry.faults:
        if failed and fault.stage == FailureStage.PROOF:  # the same, told by the worker
            continue
        kind = FindingKind.OTHER_WORK if fault.kind == FailureKind.OTHER_WORK else FindingKind.MISSING
        yield StoreFinding(kind, entry.label, fault)


def doubts_of(contest: ContestSummary) -> Iterator[StoreFinding]:
    """Yield every doubt about the times of a contest once: oddities, settings that differ, pairs that contradict."""
    for oddity in contest.oddities:
        if casts_doubt(oddity) and not isinstance(oddity, Gap):
            yield StoreFinding(FindingKind.DOUBT, "" if isinstance(oddity, Busy) else oddity.contender, oddity)
    for difference in contest.differences:
        label = difference.label if isinstance(difference, PartlyCompiled) else ""
        yield StoreFinding(FindingKind.DOUBT, label, difference)
    for verdict in contest.verdicts:
        for doubt in verdict.doubts:
            if isinstance(doubt, Contradiction | MeansDisagree):
                yield StoreFinding(FindingKind.DOUBT, pair_name(verdict), doubt)


def pair_name(verdict: Verdict) -> str:
    """Return the two contenders of a verdict, whichever was faster this time."""
    return " and ".join(sorted((verdict.faster, verdict.slower)))
