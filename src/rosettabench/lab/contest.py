"""A contest: all contenders of one workload and setting alive at once, taking turns.

The order of a contest::

    enter      one after the other: start, import, build, load, first step        (figures)
    prove      each beside the float64 reference, unless the same is proven        (certificates)
    warm up    shared rounds, until no contender gets faster                       (blocks, phase "warm-up")
    turns      round 1:  B A D C  C D A B   A C B D  D B C A                       (blocks, phase "turn")
               round 2:  C D B A  A B D C   …   orders of its own, there and back
    evaluate   one after the other                                                 (figures)

With more than one process asked for, everybody leaves after a share of the rounds and enters again, in an order and
with a memory layout of its own; when it is asked whether all is sure enough, schedule.py says. Everyone trains the same
batches in the same rounds. A contender whose worker fails leaves; the others go on.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from pathlib import Path
from time import monotonic, process_time
from typing import Any

import numpy as np

from rosettabench.catalogue.suite import Stopping
from rosettabench.client.batches import draw_rows
from rosettabench.client.session import Session, Work
from rosettabench.errors import ProofError, WorkerError
from rosettabench.files import save_array
from rosettabench.lab.competitor import Competitor, planted_steps
from rosettabench.lab.display import Display
from rosettabench.lab.fairness import REMEDY, differences
from rosettabench.lab.forecasts import shown
from rosettabench.lab.journal import Journal
from rosettabench.lab.load import note_load, watch_load
from rosettabench.lab.progress import Judge, Progress
from rosettabench.lab.registrar import Registrar
from rosettabench.lab.suspension import Suspension
from rosettabench.lab.warm_up import MOST_BLOCKS, PROBE, WarmUp
from rosettabench.lab.watch import Watch
from rosettabench.plan.proof_steps import STEPS
from rosettabench.plan.request import Request
from rosettabench.plan.schedule import Schedule
from rosettabench.proof.check import divergence_words
from rosettabench.proof.walk import evaluation_samples
from rosettabench.resources.sensors import Sensors, find_sensors
from rosettabench.statistics.verdict import Finding
from rosettabench.store.record import Dropped, ProofTime, ShownSeries, Stopped

EVALUATION_BATCHES = 20
"""Batches of the timed evaluation, where a contest does not train to the end: enough to time, cheap enough for all."""


class LiveContest:
    """Runs one contest from the first worker's start to the last one's end."""

    def __init__(
        self,
        competitors: Sequence[Competitor],
        work: Work,
        request: Request,
        registrar: Registrar,
        folder: Path,
        display: Display,
        journal: Journal,
        progress: Progress,
        referee: Callable[[Path], Session],
    ) -> None:
        """Make it; `referee` starts a session of the reference at the contest's own extents, in a folder."""
        self.competitors = list(competitors)
        self.work = work
        self.request = request
        self.registrar = registrar
        self.folder = folder
        self.display = display
        self.journal = journal
        self.progress = progress
        controls = {one.label: str(one.row.control_of) for one in competitors if one.row.control_of}
        self.judge = Judge(request, [one.label for one in competitors if one.label not in controls], controls)
        self.schedule = Schedule(request.stopping)
        self._random = np.random.default_rng()  # the order of turns must not repeat between runs
        exact, processes = registrar.exact, request.stopping.processes
        self._watching = Watch(
            work, folder / "watch", journal, referee, exact, self._random, processes, registrar.timed
        )
        self._drawn = 0
        self._told: set[str] = set()
        self._sensors: Sensors | None = None

    @property
    def stopping(self) -> Stopping:
        """When it ends."""
        return self.request.stopping

    @property
    def present(self) -> list[Competitor]:
        """The competitors that are still in it."""
        return [one for one in self.competitors if one.out is None]

    def run(self) -> Stopped:
        """Run it; return why it stopped, after how many rounds, and what the controller itself used."""
        try:
            return self._train() if self.request.full else self._measure()
        finally:
            self._leave()

    def prove(self, competitor: Competitor) -> WorkerError | None:
        """Prove one competitor, and time nothing; return why it is not proven, if so.

        Others may be proven at the same time. Who is known to be proven is not even started.
        """
        known = self.registrar.known(competitor)
        if known is not None:
            self.registrar.note(competitor, known)
            return None
        begun = monotonic()
        try:
            failure = None
            with competitor.stage("start"):
                self._start(competitor)
            if competitor.out is None:
                failure = self._certify(competitor)
                competitor.journal.event(ProofTime(seconds=monotonic() - begun))
            if competitor.out is None:
                with competitor.stage("proof"):
                    competitor.read_settings()
            return failure or competitor.failure
        finally:
            competitor.leave()

    def prove_in_turn(self) -> None:
        """Prove everybody, one after the other, before something else than a contest is made of them."""
        for competitor in self.present:
            self.display.doing(f"proving {competitor.label}")
            try:
                self._enter(competitor)
                if competitor.out is None:
                    self._admit(competitor)
            finally:
                competitor.leave()

    def proven(self) -> Stopped:
        """Return how a contest ends in which everybody was proven and nobody took a turn."""
        return Stopped(why="proven", rounds=0, out=self._out())

    # -- before the turns ------------------------------------------------------------------------------------------

    def _begin(self) -> None:
        """Let everybody in, in random order, and prove them."""
        self._drawn = 0
        for number, competitor in enumerate(order := self._order()):
            self.display.doing(f"starting {competitor.label}", number, len(order))
            self._enter(competitor)
        self._compare_settings()
        for number, competitor in enumerate(present := self.present):
            self.display.doing(f"proving {competitor.label}", number, len(present))
            self._admit(competitor)
        self._meter()
        self._watching.begin(self.present)

    def _enter(self, competitor: Competitor) -> None:
        with competitor.stage("start"):
            self._start(competitor)
            competitor.first_step()

    def _start(self, competitor: Competitor) -> None:
        assert competitor.environment is not None
        competitor.enter(competitor.environment, self.work, self.folder, self.request.timeout)

    def _compare_settings(self) -> None:
        """Tell which settings differ that must not, once, and under --strict end the contest for it."""
        found = differences({one.label: one.settings for one in self.present})
        for sentence in [difference.sentence for difference in found if difference.sentence not in self._told]:
            self.display.told(sentence)
            self._told.add(sentence)
        if not found or not self.request.strict:
            return
        what = " ".join(difference.sentence for difference in found)
        for competitor in self.present:
            competitor.fail("settings", WorkerError("unequal", what, REMEDY))

    def _meter(self) -> None:
        """Find what can be metered of the machine, once, while every worker waits; meter everybody from now on."""
        if self._sensors is None and self.present:
            self._sensors = find_sensors(self.work.setting.device)
        for competitor in self.present:
            assert self._sensors is not None
            competitor.watch(self._sensors)

    def _admit(self, competitor: Competitor) -> None:
        """Prove a competitor, and let it begin afresh."""
        self._tell(competitor, self._certify(competitor))
        if competitor.out is None:
            with competitor.stage("proof"):
                competitor.live.hand_rows(self.work.batches)  # a proof may have chosen others
                competitor.live.build()

    def _tell(self, competitor: Competitor, failure: WorkerError | None) -> None:
        competitor.proven = failure is None
        if failure is not None and competitor.out is None:
            self.display.told(f"{competitor.label} is not proven: {failure.what}")
            if not self.request.insist:
                competitor.fail("proof", failure)

    def _certify(self, competitor: Competitor) -> WorkerError | None:
        """Return why a competitor is not proven, None where it is; a worker that fails on the way takes it out."""
        with competitor.stage("proof"):
            try:
                certificate = self.registrar.certify(competitor, competitor.live.folder / "proof")
            except ProofError as error:
                return WorkerError("not_proven", error.what, error.hint)
            if not certificate.passed:
                return WorkerError("proof_failed", why_failed(certificate.body), "rosetta prove shows it all")
        return None

    def _warm_up(self) -> tuple[int, int]:
        """Return the steps of a turn and the first step that is still untrained."""
        self.display.doing("warming up")
        tick = max((one.tick() for one in self.present), default=0.0)
        warm_up = WarmUp(self.stopping.round_seconds, tick, whole(self.request.planted), self.stopping.turns)
        first = number = 0
        while self.present and not warm_up.over:
            number += 1
            steps = warm_up.steps
            self._supply(first + steps + self._planted(steps))
            times = {}
            for position, one in enumerate(self._order()):
                self.display.doing("warming up", number, MOST_BLOCKS)
                with one.stage("warm-up"):
                    times[one.label] = one.turn("warm-up", number, position, first, steps)
            first += steps
            self._watching.block(self.present, f"warm-up block {number}")
            if number == len(PROBE):
                self._watching.first_steps(self.present, first)
            warm_up.note({one.label: times[one.label] for one in self.present if one.label in times})
        return warm_up.steps, first

    # -- the turns -------------------------------------------------------------------------------------------------

    def _measure(self) -> Stopped:
        """Give every process its turns until it is sure enough, then evaluate with the last one."""
        controller = 0.0
        for process in self.schedule.left(self._complete()):
            self._begin()
            start = process_time()
            why = self._take_turns(process)
            controller += process_time() - start
            if why is not None:
                self._evaluate(min(EVALUATION_BATCHES * self.work.setting.batch_size, self.work.data.test.samples))
                self._watching.end(self.present, last=True)
                return self._stopped(why, controller)
            for one in self.present:
                with one.stage("turn"):
                    one.note_memory()
            self._watching.end(self.present, last=False)
            self._leave()
        raise AssertionError("the last process of a schedule ends the contest")

    def _take_turns(self, process: int) -> str | None:
        """Warm up and give a process its share of the turns; return why the contest ends with it, None if it goes on.

        The shares are those of all processes up to this one together: what one leaves, the next may use.
        """
        if not self.present:
            return "nobody is left"
        steps, first = self._warm_up()
        turns, most = self.stopping.turns, self.schedule.upto(process)
        at_least = self.schedule.least(process, self._complete())
        self._supply(first + turns * steps * (most + at_least) + self._planted(steps))
        while self.present:
            done = self._complete()
            late = self.progress.seconds >= self.schedule.seconds(process)
            over = done >= most or (late and done >= at_least)
            if over or (self.schedule.processes == 1 and done >= at_least):
                if self.schedule.looks_after(process) and (enough := self.judge.enough(self.progress)):
                    return enough
                if over:
                    cap = "cap on rounds" if done >= most else "cap on time"
                    return cap if process == self.schedule.processes else None
            self._round(first, (steps,) * turns)
            first += turns * steps
        return "nobody is left"

    def _train(self) -> Stopped:
        """Train as long as is asked for, in turns, and evaluate the whole test part after each epoch and at the end."""
        self._begin()
        if not self.present:
            return self._stopped("nobody is left", 0.0)
        steps, _ = self._warm_up()
        turns = self.stopping.turns
        per_epoch = self.work.steps_per_epoch
        setting = self.work.setting
        length = setting.steps or per_epoch * (setting.epochs or self.work.workload.epochs)
        self._supply(length)
        for one in self.present:
            with one.stage("build"):
                one.live.build()
        self._watching.begin(self.present)
        controller = process_time()
        for start in range(0, length, per_epoch):
            end = min(start + per_epoch, length)
            for first in range(start, end, turns * steps):
                if not self.present:
                    return self._stopped("nobody is left", process_time() - controller)
                self._round(first, shares(min(turns * steps, end - first), turns))
            self._evaluate(self.work.data.test.samples, None if end % per_epoch else end // per_epoch)
        self._forecast()
        self._watching.end(self.present, last=True)
        return self._stopped("all steps done", process_time() - controller)

    def _round(self, first: int, turns: Sequence[int]) -> None:
        """Give a round: turns of so many steps each, by twos in a random order there and in its reverse back."""
        number = self.progress.last + 1
        suspension = Suspension()
        self._watching.before_round(self.present, number)
        order = self._order()
        load = watch_load(order, self.work.setting.threads)
        taken: dict[str, float] = dict.fromkeys((one.label for one in order), 0.0)
        for turn, steps in enumerate(turns):
            if turn:
                order = order[::-1] if turn % 2 else self._shuffled(order)
            for position, one in enumerate(order, start=turn * len(order)):
                if one.out is None:
                    with one.stage("turn"):
                        taken[one.label] += steps * one.turn("turn", number, position, first, steps)
            self._watching.block(self.present, f"round {number}")
            first += steps
        note_load(self.journal, number, load)
        self._watching.after_round(self.present, number)
        self.progress.last = number
        self.progress.processes[number] = max((one.number for one in order), default=0)
        self.progress.seconds += sum(taken.values())
        if suspension.seconds:
            self._drop(number, suspension.sentence)
        elif len(turns) == self.stopping.turns:
            for one in self.present:
                self.progress.rounds.setdefault(one.label, {})[number] = taken[one.label] / sum(turns)
        most = self.stopping.rounds[1] if not self.request.full else 0
        self.display.turns(self._complete(), most, self.judge.verdicts(self.progress))

    def _drop(self, number: int, why: str) -> None:
        """Leave a round out of the statistics; its blocks stay in the store."""
        self.display.told(f"round {number} does not count: {why}")
        self.journal.event(Dropped(round=number, why=why))

    def _evaluate(self, samples: int, epoch: int | None = None) -> None:
        """Evaluate everybody on so many samples, of which inference has none; note their memory."""
        for number, one in enumerate(present := self.present):
            self.display.doing(f"evaluating {one.label}", number, len(present))
            with one.stage("evaluate"):
                if samples:
                    one.live.evaluate(
                        evaluation_samples(self.work.setting.batch_size, samples)
                    )  # compiles what is to compile
                    one.evaluate(samples, epoch)
                one.note_memory()

    def _forecast(self) -> None:
        """Let everybody forecast the time series, where there are such, and judge what comes of it."""
        series = self.work.data.series
        if self.work.workload.forecasts is None or series is None:
            return
        self.journal.event(ShownSeries(shown=tuple(shown(series))))
        for one in self.present:
            self.display.doing(f"forecasts of {one.label}")
            with one.stage("forecast"):
                one.forecast()

    def _planted(self, steps: int) -> int:
        return max(planted_steps(steps, one.contender.extra) for one in self.competitors)

    # -- its end -----------------------------------------------------------------------------------------------------

    def _leave(self) -> None:
        for competitor in self.competitors:
            competitor.leave()

    def _complete(self) -> int:
        return self.progress.complete(one.label for one in self.present)

    def _stopped(self, why: str, controller_s: float) -> Stopped:
        verdicts = self.judge.verdicts(self.progress)
        return Stopped(
            why=why,
            rounds=self.progress.last,
            open_pairs=sum(verdict.finding is Finding.OPEN for verdict in verdicts),
            out=self._out(),
            controller_cpu_s=controller_s,
            turns_s=self.progress.seconds,
        )

    def _out(self) -> tuple[str, ...]:
        return tuple(one.label for one in self.competitors if one.out is not None)

    def _order(self) -> list[Competitor]:
        return self._shuffled(self.present)

    def _shuffled(self, competitors: Sequence[Competitor]) -> list[Competitor]:
        return [competitors[place] for place in self._random.permutation(len(competitors))]

    def _supply(self, steps: int) -> None:
        """Make sure that every worker has the batches of the first `steps` steps."""
        if steps <= max(self._drawn, STEPS):
            return
        self._drawn = steps
        path = self.folder / f"batches-{steps}.npy"
        save_array(path, draw_rows(self.work.workload, self.work.data, self.work.setting, steps))
        for one in self.present:
            with one.stage("warm-up"):
                one.live.hand_rows(path)


def shares(steps: int, turns: int) -> tuple[int, ...]:
    """Return `steps` shared among `turns` as evenly as whole steps allow; fewer turns where there are fewer steps."""
    parts = min(steps, turns)
    return tuple(steps // parts + (place < steps % parts) for place in range(parts))


def whole(share: float) -> int:
    """Return the least number of steps of which `share` is a whole number: 20 for 0.05, 1 for 0."""
    return Fraction(share).limit_denominator(1000).denominator


def why_failed(body: dict[str, Any]) -> str:
    """Return what a failed certificate says: the first divergence, and its likely cause."""
    cause = f"; likely cause: {body['cause']}" if body["cause"] else ""
    return f"{divergence_words(body)}{cause}"
