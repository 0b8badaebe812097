"""A contest: all contenders of one workload and setting alive at once, taking turns.

The order of a contest::

    enter      one after the other: start, import, build, load, first step        (figures)
    prove      each beside the float64 reference, unless the same is proven        (certificates)
    warm up    shared rounds, until no contender gets faster                       (blocks, phase "warm-up")
    turns      round 1:  B  A  D  C                                                (blocks, phase "turn")
               round 2:  C  D  B  A   each round in an order of its own
               …          at the planned looks: precise enough? then stop
    evaluate   one after the other                                                 (figures)

Everyone trains the same batches in the same rounds. A contender whose worker fails leaves; the others go on.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np

from rosettabench.catalogue.suite import Stopping
from rosettabench.errors import ProofError, WorkerError
from rosettabench.lab.batches import draw_batches
from rosettabench.lab.competitor import Competitor
from rosettabench.lab.display import Display
from rosettabench.lab.fairness import REMEDY, differences
from rosettabench.lab.registrar import Registrar
from rosettabench.lab.session import Work
from rosettabench.lab.warm_up import MOST_BLOCKS, WarmUp
from rosettabench.plan.request import Request
from rosettabench.proof.check import divergence_words
from rosettabench.proof.walk import STEPS, evaluation_samples
from rosettabench.resources.sensors import find_sensors
from rosettabench.statistics.looks import judgements, looks
from rosettabench.statistics.ranking import compare
from rosettabench.statistics.verdict import Finding, Verdict

EVALUATION_BATCHES = 20
"""Batches of the timed evaluation, where a contest does not train to the end: enough to time, cheap enough for all."""


@dataclass
class Progress:
    """How far a contest is.

    Seconds per step by label and round, those of earlier sessions included; the seconds that this session spent in
    turns; and the number of the last round.
    """

    rounds: dict[str, dict[int, float]] = field(default_factory=dict)
    seconds: float = 0.0
    last: int = 0

    def complete(self, labels: Iterable[str]) -> int:
        """Return how many rounds each of these contenders has at least: one that crashed and came back has fewer."""
        return min((len(self.rounds.get(label, {})) for label in labels), default=0)


class Contest:
    """Runs one contest from the first worker's start to the last one's end."""

    def __init__(
        self,
        competitors: Sequence[Competitor],
        work: Work,
        request: Request,
        registrar: Registrar,
        folder: Path,
        display: Display,
        progress: Progress,
    ) -> None:
        self.competitors = list(competitors)
        self.work = work
        self.request = request
        self.registrar = registrar
        self.folder = folder
        self.display = display
        self.progress = progress
        self._random = np.random.default_rng()  # the order of turns must not repeat between runs
        self._drawn = 0

    @property
    def stopping(self) -> Stopping:
        """When it ends."""
        return self.request.stopping

    @property
    def present(self) -> list[Competitor]:
        """The competitors that are still in it."""
        return [one for one in self.competitors if one.out is None]

    def run(self) -> dict[str, Any]:
        """Run it; return why it stopped, after how many rounds, and what the controller itself used."""
        try:
            for competitor in self.present:
                self._enter(competitor)
            self._compare_settings()
            for competitor in self.present:
                self._certify(competitor)
            self._watch()
            if not self.present:
                return {"why": "nobody is left", "rounds": self.progress.last, "out": self._out()}
            steps, first = self._warm_up()
            return self._train(steps) if self.request.full else self._take_turns(steps, first)
        finally:
            for competitor in self.competitors:
                competitor.leave()

    def prove(self) -> dict[str, Any]:
        """Prove every competitor, one after the other, and time nothing."""
        for competitor in self.present:
            try:
                self._enter(competitor)
                if competitor.out is None:
                    self._certify(competitor)
            finally:
                competitor.leave()
        return {"why": "proven", "rounds": 0, "out": self._out()}

    # -- before the turns ------------------------------------------------------------------------------------------

    def _enter(self, competitor: Competitor) -> None:
        assert competitor.environment is not None
        self.display.doing(f"starting {competitor.label}")
        with competitor.stage("start"):
            place = self.folder / f"entry-{competitor.row.id}-{competitor.number}"
            competitor.enter(competitor.environment, self.work, place, self.request.timeout)
            self.display.doing(f"first step of {competitor.label}")
            competitor.first_step()

    def _compare_settings(self) -> None:
        """Tell which settings differ that must not, and under --strict end the contest for it."""
        found = differences({one.label: one.settings for one in self.present})
        for difference in found:
            self.display.told(difference.sentence)
        if not found or not self.request.strict:
            return
        what = " ".join(difference.sentence for difference in found)
        for competitor in self.present:
            competitor.fail("settings", WorkerError("unequal", what, REMEDY))

    def _watch(self) -> None:
        """Find what can be watched of the machine, while every worker waits, and meter everybody from now on."""
        if not self.present:
            return
        sensors = find_sensors(self.work.setting.device)
        for competitor in self.present:
            competitor.watch(sensors)

    def _certify(self, competitor: Competitor) -> None:
        self.display.doing(f"proving {competitor.label}")
        failure = None
        with competitor.stage("proof"):
            try:
                certificate = self.registrar.certify(competitor, competitor.live.folder / "proof")
                if not certificate.passed:
                    failure = WorkerError("proof_failed", why_failed(certificate.body), "rosetta prove shows it all")
            except ProofError as error:
                failure = WorkerError("not_proven", error.what, error.hint)
            competitor.live.build()
        if failure is not None:
            self.display.told(f"{competitor.label} is not proven: {failure.what}")
            if not self.request.insist:
                competitor.fail("proof", failure)

    def _warm_up(self) -> tuple[int, int]:
        """Return the steps of a block and the first step that is still untrained."""
        self.display.doing("warming up")
        warm_up = WarmUp(self.stopping.round_seconds)
        first = number = 0
        while self.present and not warm_up.over:
            number += 1
            steps = warm_up.steps
            self._supply(first + steps)
            times = {}
            for position, one in enumerate(self._order()):
                self.display.doing(f"warming up: {one.label}", number, MOST_BLOCKS)
                with one.stage("warm-up"):
                    times[one.label] = one.turn("warm-up", number, position, first, steps)
            first += steps
            warm_up.note(times)
        return warm_up.steps, first

    # -- the turns -------------------------------------------------------------------------------------------------

    def _take_turns(self, steps: int, first: int) -> dict[str, Any]:
        """Give turns until the intervals are narrow enough, or a cap is reached; then evaluate."""
        fewest, most = self.stopping.rounds
        planned = looks(fewest, most)
        self._supply(first + steps * most)
        why, controller = "cap on rounds", process_time()
        while self.present and (done := self._complete()) < most:
            if done in planned and self._precise():
                why = "precise enough"
                break
            if self.progress.seconds >= self.stopping.seconds and done >= fewest:
                why = "cap on time"
                break
            self._round(first, steps)
            first += steps
        controller = process_time() - controller
        self._evaluate(min(EVALUATION_BATCHES * self.work.setting.batch_size, self.work.data.test.samples))
        return self._stopped(why, controller)

    def _train(self, steps: int) -> dict[str, Any]:
        """Train the epochs that the workload states, in turns, and evaluate the whole test part after each."""
        per_epoch = self.work.data.train.samples // self.work.setting.batch_size
        epochs = self.work.workload.training.epochs
        self._supply(per_epoch * epochs)
        for one in self.present:
            with one.stage("build"):
                one.live.build()
        controller = process_time()
        for epoch in range(epochs):
            for first in range(epoch * per_epoch, (epoch + 1) * per_epoch, steps):
                self._round(first, min(steps, (epoch + 1) * per_epoch - first))
            self._evaluate(self.work.data.test.samples, epoch + 1)
        return self._stopped("all steps done", process_time() - controller)

    def _round(self, first: int, steps: int) -> None:
        number = self.progress.last + 1
        for position, one in enumerate(self._order()):
            with one.stage("turn"):
                seconds = one.turn("turn", number, position, first, steps)
                self.progress.rounds.setdefault(one.label, {})[number] = seconds
                self.progress.seconds += seconds * steps
        self.progress.last = number
        left = max(0.0, self.stopping.seconds - self.progress.seconds)
        most = self.stopping.rounds[1] if not self.request.full else 0
        self.display.turns(self._complete(), most, left, self.verdicts())

    def _evaluate(self, samples: int, epoch: int | None = None) -> None:
        for one in self.present:
            self.display.doing(f"evaluating {one.label}")
            with one.stage("evaluate"):
                one.live.evaluate(
                    evaluation_samples(self.work.setting.batch_size, samples)
                )  # compiles what is to compile
                one.evaluate(samples, epoch)
                one.note_memory()

    # -- what it knows -----------------------------------------------------------------------------------------------

    def verdicts(self) -> list[Verdict]:
        """Return the verdicts on all pairs as of now; the control's second copy is compared with its first alone."""
        shares = judgements(*self.stopping.rounds)
        rounds = self.progress.rounds
        ranked = {one.label: rounds.get(one.label, {}) for one in self.competitors if one.contender.copy == 1}
        return compare(ranked, self.request.confidence, self.request.margin, shares)

    def control(self) -> list[Verdict]:
        """Return the verdict on the A/A control, if there is one: two entries of one contender."""
        rounds, shares = self.progress.rounds, judgements(*self.stopping.rounds)
        copies = [one.row for one in self.competitors if one.row.control_of]
        return [
            verdict
            for row in copies
            for verdict in compare(
                {label: rounds.get(label, {}) for label in (str(row.control_of), row.label)},
                self.request.confidence,
                self.request.margin,
                shares,
            )
        ]

    def _complete(self) -> int:
        return self.progress.complete(one.label for one in self.present)

    def _precise(self) -> bool:
        intervals = [verdict.interval for verdict in [*self.verdicts(), *self.control()]]
        return all(interval is not None and interval.precision <= self.stopping.precision for interval in intervals)

    def _stopped(self, why: str, controller_s: float) -> dict[str, Any]:
        open_pairs = sum(verdict.finding is Finding.OPEN for verdict in self.verdicts())
        return {
            "why": why,
            "rounds": self.progress.last,
            "open_pairs": open_pairs,
            "out": self._out(),
            "controller_cpu_s": controller_s,
            "turns_s": self.progress.seconds,
        }

    def _out(self) -> list[str]:
        return [one.label for one in self.competitors if one.out is not None]

    def _order(self) -> list[Competitor]:
        present = self.present
        return [present[place] for place in self._random.permutation(len(present))]

    def _supply(self, steps: int) -> None:
        """Make sure that every worker has the batches of the first `steps` steps."""
        if steps <= max(self._drawn, STEPS):
            return
        setting = self.work.setting
        self._drawn = steps
        path = self.folder / f"batches-{steps}.npy"
        np.save(path, draw_batches(self.work.data.train.samples, setting.batch_size, steps, setting.seed))
        for one in self.present:
            with one.stage("warm-up"):
                one.live.ask("batches", path=str(path))


def why_failed(body: dict[str, Any]) -> str:
    """Return what a failed certificate says: the first divergence, and its likely cause where one is known."""
    cause = f"; likely cause: {body['cause']}" if body["cause"] else ""
    return f"{divergence_words(body)}{cause}"
