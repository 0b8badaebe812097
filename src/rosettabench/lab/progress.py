"""How far a contest is: its rounds so far, and what they allow to say at this moment."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from rosettabench.plan.request import Request
from rosettabench.statistics.looks import judgements
from rosettabench.statistics.ranking import compare
from rosettabench.statistics.verdict import Verdict


@dataclass
class Progress:
    """Seconds per step by label and round, those of earlier sessions included.

    `seconds` is what this session has spent in turns; `last` the number of the last round.
    """

    rounds: dict[str, dict[int, float]] = field(default_factory=dict)
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

    request: Request
    labels: Sequence[str]
    controls: dict[str, str]

    def verdicts(self, progress: Progress) -> list[Verdict]:
        """Return the verdicts on all pairs; they hold together."""
        return self._compare(progress, self.labels)

    def control(self, progress: Progress) -> list[Verdict]:
        """Return the verdicts on the A/A controls: two entries of one contender each."""
        return [
            verdict for copy, original in self.controls.items() for verdict in self._compare(progress, (original, copy))
        ]

    def satisfied(self, progress: Progress) -> bool:
        """Return whether every interval, the controls' among them, is as narrow as asked for."""
        intervals = [verdict.interval for verdict in [*self.verdicts(progress), *self.control(progress)]]
        wanted = self.request.stopping.precision
        return all(interval is not None and interval.precision <= wanted for interval in intervals)

    def _compare(self, progress: Progress, labels: Sequence[str]) -> list[Verdict]:
        rounds = {label: progress.rounds.get(label, {}) for label in labels}
        tests = judgements(*self.request.stopping.rounds)
        return compare(rounds, self.request.confidence, self.request.margin, tests)
