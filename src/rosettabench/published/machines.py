"""Judge claims on each kind of machine by itself: no ratio mixes two kinds.

A claim about several kinds of machines fails if it fails on one of them. It holds if it holds on one and fails on none;
how many have too little data is said beside it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from rosettabench.published.available import Available, catalogue
from rosettabench.published.claim import all_claims
from rosettabench.published.judge import judge
from rosettabench.store.machine import kinds_of_machines
from rosettabench.summary.study import ClaimFinding, MachineOutcome, Outcome

if TYPE_CHECKING:
    from rosettabench.summary.records import RunSummary

STRONGEST = (ClaimFinding.FAILS, ClaimFinding.HOLDS, ClaimFinding.OPEN, ClaimFinding.UNTESTABLE)
"""The findings of several machines in the order in which they decide about all of them."""


def outcomes_by_machine(study: str, runs: Sequence[RunSummary], here: Mapping[str, Any]) -> Iterator[Outcome]:
    """Yield the outcome of each claim of a study over all kinds of machines that measured something in `runs`.

    `runs` are the newest first. Without any, the claims are judged for the machine `here`: what it could measure.
    """
    kinds = kinds_of_machines(machine for run in runs for machine in run.measured_on) or [here]
    judged = [outcomes(study, [run.on(kind) for run in runs], catalogue(len(kind.get("gpus") or []))) for kind in kinds]
    for found in zip(*judged, strict=True):
        yield over_machines([MachineOutcome(kind, one) for kind, one in zip(kinds, found, strict=True)])


def outcomes(study: str, runs: Sequence[RunSummary], here: Available) -> Iterator[Outcome]:
    """Yield the outcome of each claim of a study on one kind of machine, which could measure what is in `here`."""
    yield from (judge(claim, runs, here) for claim in all_claims() if study == claim.study)


def over_machines(found: Sequence[MachineOutcome]) -> Outcome:
    """Return the outcome of a claim over several kinds of machines; of a single one, its own.

    Its parts are those of the first machine that decides. If no machine measured anything of it, one speaks for all.
    """
    deciding = min(found, key=lambda one: STRONGEST.index(one.outcome.finding)).outcome
    alone = len(found) == 1 or not any(one.outcome.is_measured for one in found)
    return deciding if alone else replace(deciding, machines=tuple(found))
