"""A measurement: all contenders of a contest are alive at once and take turns until their times are known.

The order::

    admit      start and import, as many at a time as there are processors        (figures)
               one after the other: build, load, first step                       (figures)
               each compared with the float64 reference, unless proven before      (certificates)
    warm up    shared rounds, until no contender gets faster                       (blocks, phase "warm-up")
    turns      round 1, round 2, …: turns.py                                       (blocks, phase "turn")
    evaluate   one after the other                                                 (figures)
    exchange   on several devices, one after the other: exchange.py                (events)

If the request asks for several processes, all contenders leave after a share of the rounds and start again, in a new
order and with a new memory layout. plan/schedule.py says after which processes the contest looks at its verdicts.
"""

from __future__ import annotations

from time import process_time

from rosettabench.lab.contest import LiveContest
from rosettabench.lab.exchange import measure_exchange
from rosettabench.lab.turns import Turns
from rosettabench.plan.schedule import Schedule
from rosettabench.store.record import FailureStage, Stopped

EVALUATION_BATCHES = 20
"""Batches of the timed evaluation: enough to time, cheap enough for every contender."""


class TimedContest:
    """Measures one contest."""

    def __init__(self, contest: LiveContest) -> None:
        """Take the stopping rule from the contest's request. Workers start in `run`."""
        self._contest = contest
        self._schedule = Schedule(contest.request.stopping)
        stopping = contest.request.stopping
        self._turns = Turns(contest, stopping.rounds[1], stopping.processes)
        self._steps = 1  # of a block, known after the warm-up

    def run(self) -> Stopped:
        """Give each process its rounds until the verdicts are sure; evaluate in the last one; return how it ended."""
        turns, work, controller = self._turns, self._contest.work, 0.0
        for process in self._schedule.processes_left(turns.complete):
            turns.begin(self._schedule.upto(process) - turns.complete)
            start = process_time()
            why = self._share(process)
            controller += process_time() - start
            if why is not None:
                turns.evaluate(min(EVALUATION_BATCHES * work.setting.batch_size, work.data.test.samples))
                turns.watch.end(self._contest.present, last=True)
                self._exchange()
                return turns.make_stopped(why, controller)
            for one in self._contest.present:
                with one.stage(FailureStage.TURN):
                    one.note_memory()
            turns.watch.end(self._contest.present, last=False)
            self._exchange()
            self._contest.leave()
        raise AssertionError("the last process of a schedule ends the contest")

    def _exchange(self) -> None:
        """Measure what the exchange between devices takes, if there are several."""
        if self._contest.work.setting.devices > 1:
            measure_exchange(self._contest, self._steps)

    def _share(self, process: int) -> str | None:
        """Warm up and give a process its share of the rounds; return why the contest ends with it, None if it goes on.

        Shares are cumulative: a process may use the rounds and seconds that earlier ones left.
        """
        turns = self._turns
        if not self._contest.present:
            return "no contender is left"
        steps, first = turns.warm_up()
        self._steps = steps
        each, most = turns.stopping.turns, self._schedule.upto(process)
        at_least = self._schedule.least(process, turns.complete)
        turns.supply(first + each * steps * (most + at_least), steps)
        while self._contest.present:
            done = turns.complete
            late = turns.progress.seconds >= self._schedule.seconds(process)
            over = done >= most or (late and done >= at_least)
            if over or (self._schedule.processes == 1 and done >= at_least):
                if self._schedule.looks_after(process) and (enough := turns.judge.enough(turns.progress)):
                    return enough
                if over:
                    cap = "limit on rounds" if done >= most else "limit on time"
                    return cap if process == self._schedule.processes else None
            turns.round(first, (steps,) * each)
            first += each * steps
        return "no contender is left"
