"""How far a contest is: its rounds so far, and what they allow to say at this moment."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from rosettabench.plan.request import ContestRequest
from rosettabench.statistics.oddities import casts_doubt, oddities_by_process
from rosettabench.statistics.ranking import compare
from rosettabench.statistics.verdict import Verdict


@dataclass
class Progress:
    """Seconds per step by label and round, those of earlier sessions included.

    `processes` says in which process each round was measured; `seconds` is what this session has spent in turns, `last`
    the number of the last round.
    """

    rounds: dict[str, dict[int, float]] = field(default_factory=dict)
    processes: dict[int, int] = field(default_factory=dict)
    seconds: float = 0.0
    last: int = 0

    def complete(self, labels: Iterable[str]) -> int:
        """Return how many rounds each of these contenders has at least: one that crashed and came back has fewer."""
        return min((len(self.rounds.get(label, {})) for label in labels), default=0)


@dataclass(frozen=True)
class Judge:
    """Says what the rounds so far allow to say: about every pair of `labels`, and about each control.

    `controls` maps the label of a second copy to that of its first; it is compared with that one alone.
    """

    request: ContestRequest
    labels: Sequence[str]
    controls: dict[str, str]

    def verdicts(self, progress: Progress) -> list[Verdict]:
        """Return the verdicts on all pairs, in the light of all rounds and processes; they hold together."""
        return self._compare(progress, self.labels, progress.processes)

    def enough(self, progress: Progress) -> str | None:
        """Return why no more rounds are needed; None if they are.

        With one process it may be asked after every round, as the interval over rounds allows; with several after the
        processes of a look only (schedule.py). The control is waited for only where there is no other pair: equals
        take far more rounds to be shown equal than those that differ to be told apart.
        """
        processes = progress.processes if self.request.stopping.processes > 1 else {}
        tests = self.request.intervals
        pairs = self._compare(progress, self.labels, processes, tests) or self._controls(progress, processes)
        if not all(map(self._settled, pairs)) or self._doubtful(progress):
            return None
        decided = all(verdict.decided for verdict in pairs) and not self.request.wants_ratios
        return "all pairs decided" if decided else "precise enough"

    def _settled(self, verdict: Verdict) -> bool:
        """Return whether more rounds would tell nothing that is asked: who is faster or, for a study, by how much."""
        return self._precise(verdict) or (verdict.decided and not self.request.wants_ratios)

    def _doubtful(self, progress: Progress) -> bool:
        """Return whether a contender drifts or was at another level for a while: more rounds may outweigh that."""
        rounds = {label: progress.rounds.get(label, {}) for label in [*self.labels, *self.controls]}
        return any(map(casts_doubt, oddities_by_process(rounds, progress.processes, self.request.margin)))

    def _controls(self, progress: Progress, processes: Mapping[int, int]) -> list[Verdict]:
        """Return the verdict on each control."""
        pairs = [(original, copy) for copy, original in self.controls.items()]
        return [verdict for pair in pairs for verdict in self._compare(progress, pair, processes)]

    def _precise(self, verdict: Verdict) -> bool:
        """Whether an interval is as narrow as is asked for."""
        return verdict.interval is not None and verdict.interval.precision <= self.request.stopping.precision

    def _compare(
        self, progress: Progress, labels: Sequence[str], processes: Mapping[int, int], tests: int = 1
    ) -> list[Verdict]:
        """Return the verdicts on all pairs of some contenders."""
        rounds = {label: progress.rounds.get(label, {}) for label in labels}
        return compare(rounds, self.request.confidence, self.request.margin, processes, tests)
