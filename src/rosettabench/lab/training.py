"""A full training: all contenders train the stated epochs in turns, and evaluate the whole test part after each."""

from __future__ import annotations

from time import process_time

from rosettabench.lab.contest import LiveContest
from rosettabench.lab.forecasts import series_to_show
from rosettabench.lab.turns import Turns
from rosettabench.lab.watch import FIRST_ROUNDS
from rosettabench.store.record import FailureStage, ShownSeries, Stopped


class FullTraining:
    """Trains all contenders of one contest to the end."""

    def __init__(self, contest: LiveContest) -> None:
        """Set no limit of rounds: the training ends with its last step. Workers start in `run`."""
        self._contest = contest
        self._turns = Turns(contest, most=0, processes=1)

    def run(self) -> Stopped:
        """Train all steps, evaluate after each epoch and at the end; return how it ended."""
        turns, contest = self._turns, self._contest
        turns.begin(FIRST_ROUNDS)
        if not contest.present:
            return turns.make_stopped("no contender is left", 0.0)
        steps, _ = turns.warm_up()
        turns.watch.end(contest.present, last=False)
        length = self._length
        turns.supply(length, 0)
        for one in contest.present:
            with one.stage(FailureStage.BUILD):
                contest.rebuild(one)
        turns.watch.begin(contest.present, turns.progress.last + 1, FIRST_ROUNDS)
        controller = process_time()
        per_epoch = contest.work.steps_per_epoch
        for start in range(0, length, per_epoch):
            end = min(start + per_epoch, length)
            self._train(start, end, steps)
            if not contest.present:
                return turns.make_stopped("no contender is left", process_time() - controller)
            turns.evaluate(contest.work.data.test.samples, None if end % per_epoch else end // per_epoch)
        self._forecast()
        turns.watch.end(contest.present, last=True)
        return turns.make_stopped("all steps done", process_time() - controller)

    @property
    def _length(self) -> int:
        """The number of steps to train: from the setting's steps, its epochs, or the workload's epochs."""
        work = self._contest.work
        return work.setting.steps or work.steps_per_epoch * (work.setting.epochs or work.workload.epochs)

    def _train(self, start: int, end: int, steps: int) -> None:
        """Train from step `start` to step `end` in rounds whose blocks have `steps` steps; the last may be shorter."""
        each = self._turns.stopping.turns
        for first in range(start, end, each * steps):
            if not self._contest.present:
                return
            self._turns.round(first, shares(min(each * steps, end - first), each))

    def _forecast(self) -> None:
        """If the workload has time series, let all contenders forecast them, and store the accuracy."""
        contest, series = self._contest, self._contest.work.data.series
        if contest.work.workload.forecasts is None or series is None:
            return
        contest.journal.event(ShownSeries(shown=tuple(series_to_show(series))))
        for one in contest.present:
            contest.display.doing(f"forecasts of {one.label}")
            with one.stage(FailureStage.FORECAST):
                one.forecast()


def shares(steps: int, turns: int) -> tuple[int, ...]:
    """Divide `steps` among `turns` as evenly as whole steps allow; return fewer turns if there are fewer steps."""
    parts = min(steps, turns)
    return tuple(steps // parts + (place < steps % parts) for place in range(parts))
