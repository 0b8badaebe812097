"""The progress of a contest: its rounds so far, and the verdicts they allow."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from rosettabench.plan.request import ContestRequest
from rosettabench.statistics.oddities import casts_doubt, oddities_by_process
from rosettabench.statistics.ranking import compare
from rosettabench.statistics.verdict import Verdict
from rosettabench.store.record import ALL_DECIDED


@dataclass
class Progress:
    """Seconds per step by label and round, including the rounds before an interruption.

    `processes` maps each round to the process that measured it. `seconds` is the time in blocks since the contest
    began or was resumed, `last` the number of the last round.
    """

    rounds: dict[str, dict[int, float]] = field(default_factory=dict)
    processes: dict[int, int] = field(default_factory=dict)
    seconds: float = 0.0
    last: int = 0

    def complete(self, labels: Iterable[str]) -> int:
        """Return the smallest number of rounds of these contenders: one that crashed and was resumed has fewer."""
        return min((len(self.rounds.get(label, {})) for label in labels), default=0)


@dataclass(frozen=True)
class Judge:
    """Gives the verdicts that the rounds so far allow: on every pair of `labels`, and on each control.

    `controls` maps the label of a second copy to that of its first, the only one it is compared with.
    """

    request: ContestRequest
    labels: Sequence[str]
    controls: dict[str, str]

    def verdicts(self, progress: Progress) -> list[Verdict]:
        """Return the verdicts on all pairs, from all rounds and processes; their intervals hold together."""
        return self._compare(progress, self.labels, progress.processes)

    def enough(self, progress: Progress) -> str | None:
        """Return why no more rounds are needed; None if they are.

        With one process it may be called after every round, which the interval over rounds allows; with several only
        after the processes of a look (schedule.py). The rounds of one process may agree where the verdict stays open,
        since other processes may be faster or slower; then no number of rounds decides it. The contest waits for a
        control only if there is no other pair: showing that two copies are equal takes far more rounds than finding a
        difference.
        """
        processes = progress.processes if self.request.stopping.processes > 1 else {}
        pairs = self._pairs(progress, processes, self.request.intervals)
        if not all(map(self._is_settled, pairs)) or self._doubtful(progress):
            return None
        if not all(map(self._is_settled, self._pairs(progress, progress.processes))):
            return "only more processes can tell more"
        decided = all(verdict.decided for verdict in pairs) and not self.request.wants_ratios
        return ALL_DECIDED if decided else "precise enough"

    def _pairs(self, progress: Progress, processes: Mapping[int, int], tests: int = 1) -> list[Verdict]:
        """Return the verdicts on all pairs of contenders; where there is one contender, on its control."""
        return self._compare(progress, self.labels, processes, tests) or self._controls(progress, processes)

    def _is_settled(self, verdict: Verdict) -> bool:
        """Return whether the question of the request is answered: which is faster or, for a study, by how much."""
        return self._precise(verdict) or (verdict.decided and not self.request.wants_ratios)

    def _doubtful(self, progress: Progress) -> bool:
        """Return whether a contender drifts or was at another level for a while; more rounds may outweigh that."""
        rounds = {label: progress.rounds.get(label, {}) for label in [*self.labels, *self.controls]}
        return any(map(casts_doubt, oddities_by_process(rounds, progress.processes, self.request.margin)))

    def _controls(self, progress: Progress, processes: Mapping[int, int]) -> list[Verdict]:
        """Return the verdict on each control."""
        pairs = [(original, copy) for copy, original in self.controls.items()]
        return [verdict for pair in pairs for verdict in self._compare(progress, pair, processes)]

    def _precise(self, verdict: Verdict) -> bool:
        """Return whether an interval is as narrow as the request asks."""
        return verdict.interval is not None and verdict.interval.precision <= self.request.stopping.precision

    def _compare(
        self, progress: Progress, labels: Sequence[str], processes: Mapping[int, int], tests: int = 1
    ) -> list[Verdict]:
        """Return the verdicts on all pairs of some contenders."""
        rounds = {label: progress.rounds.get(label, {}) for label in labels}
        return compare(rounds, self.request.confidence, self.request.margin, processes, tests)
