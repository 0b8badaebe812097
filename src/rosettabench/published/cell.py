"""Find the cells that a claim asks for: contenders in contests of a run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rosettabench.catalogue.workload import find_workload
from rosettabench.plan.setting import Value
from rosettabench.published.available import Available
from rosettabench.published.claim import Arm, ClaimPart
from rosettabench.statistics.ranking import pairs
from rosettabench.statistics.rounds import Processes, Rounds, process_of_round
from rosettabench.store.record import Phase

if TYPE_CHECKING:
    from rosettabench.summary.records import ContestSummary, EntrySummary, RunSummary


@dataclass(frozen=True)
class PublishedCell:
    """One timed contender. `instead_of` is the framework in the study, if another one stands for it here.

    `instead_of_batch` is the batch size in the study, if the claim names none and another one was run.
    """

    run: RunSummary
    contest: ContestSummary
    entry: EntrySummary
    instead_of: str = ""
    instead_of_batch: int | None = None

    @property
    def rounds(self) -> Rounds:
        """Seconds per step in every round that counts."""
        return self.entry.rounds

    @property
    def per_sample(self) -> list[float]:
        """Seconds per sample in every round that counts."""
        return [seconds / self.contest.setting["batch_size"] for seconds in self.rounds.values()]

    @property
    def processes(self) -> Processes:
        """The process of each round of its contest."""
        return process_of_round(
            sample for entry in self.contest.entries for sample in entry.samples if sample.phase == Phase.TURN
        )

    @property
    def confidence(self) -> float:
        """The confidence of its contest."""
        return float(self.contest.stopping["confidence"])

    @property
    def margin(self) -> float:
        """The margin of equivalence of its contest."""
        return float(self.contest.stopping["margin"])

    @property
    def tests(self) -> int:
        """The number of pairs that its contest judges together."""
        return pairs(len(self.contest.ranked))

    @property
    def judged(self) -> bool:
        """Whether it can be judged: it is proven and was timed often enough."""
        return self.entry.rank is not None


def cells(
    runs: Sequence[RunSummary], workload: str, arm: Arm, where: Mapping[str, Value], here: Available
) -> Iterator[PublishedCell]:
    """Yield the cells that match an arm: by the order of its frameworks, then by the order of the runs.

    The arm's own values override those of `where`. The second copy of a control is never a cell.
    """
    wanted = {**where, **arm.set}
    stated = None if "batch_size" in wanted else find_workload(workload).batch_size
    for name in here.candidates(arm.frameworks, workload):
        for run in runs:
            for contest in run.contests:
                if contest.workload != workload or any(contest.setting.get(key) != wanted[key] for key in wanted):
                    continue
                other = None if contest.setting["batch_size"] == stated else stated
                yield from (
                    PublishedCell(run, contest, entry, "" if name == arm.frameworks[0] else arm.frameworks[0], other)
                    for entry in contest.timed
                    if entry.framework == name and entry.mode == here.mode(name, arm.mode)
                )


def common_settings(part: ClaimPart, a: PublishedCell, b: PublishedCell) -> bool:
    """Return whether two cells agree on every axis, except those that the part sets for an arm."""
    apart = {*(part.a.set if part.a else ()), *(part.b.set if part.b else ())}
    axes = {*a.contest.setting, *b.contest.setting} - apart
    return all(a.contest.setting.get(axis) == b.contest.setting.get(axis) for axis in axes)


def find_pair(
    part: ClaimPart, where: Mapping[str, Value], runs: Sequence[RunSummary], here: Available
) -> list[PublishedCell]:
    """Return the cells of arms `a` and `b`: from one contest if possible, else from one run; empty if there are none.

    Cells that can be judged come before those that cannot, and the study's frameworks before those that stand for them.
    """
    assert part.a is not None
    assert part.b is not None
    ours, theirs = (list(cells(runs, part.workload, arm, where, here)) for arm in (part.a, part.b))
    together = [(a, b) for a in ours for b in theirs if a.run is b.run and common_settings(part, a, b)]
    if not together:
        return []
    return list(min(together, key=lambda pair: rating(*pair)))


def rating(a: PublishedCell, b: PublishedCell) -> tuple[bool, int, bool, bool]:
    """Return how far a pair is from ideal: it can be judged, the study's frameworks, its batch size, one contest."""
    other_batch = a.instead_of_batch is not None
    return not (a.judged and b.judged), bool(a.instead_of) + bool(b.instead_of), other_batch, a.contest is not b.contest
