"""What all contenders do together in one process each: warm up, take turns round by round, evaluate.

A round::

    B A D C  C D A B   A C B D  D B C A        random orders, each followed by its reverse

All train the same batches in the same rounds. The timed blocks are watched (watch.py).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import partial

from rosettabench.client.batches import draw_rows
from rosettabench.files import save_array
from rosettabench.lab.competitor import Competitor, planted_steps
from rosettabench.lab.contest import LiveContest
from rosettabench.lab.progress import Judge
from rosettabench.lab.rounds import Rounds, RoundTurn
from rosettabench.lab.warm_up import MOST_BLOCKS, PROBE, WarmUp
from rosettabench.lab.watch import Watch
from rosettabench.plan.proof_steps import STEPS
from rosettabench.proof.walk import evaluation_samples
from rosettabench.resources.sensors import Sensors, find_sensors
from rosettabench.statistics.verdict import Finding
from rosettabench.store.record import FailureStage, Phase, Stopped


class Turns:
    """The turns of one contest."""

    def __init__(self, contest: LiveContest, most: int, processes: int) -> None:
        """Create the watch and the judge.

        `most` is the largest number of rounds, 0 if not known. Each competitor has so many `processes` at first.
        """
        self.contest = contest
        self.most = most
        self.stopping = contest.request.stopping
        self.progress = contest.progress
        self.watch = Watch(
            contest.work,
            contest.folder / "watch",
            contest.journal,
            contest.referee,
            contest.first_steps,
            contest.random,
            processes,
        )
        controls = {one.label: str(one.row.control_of) for one in contest.competitors if one.row.control_of}
        labels = [one.label for one in contest.competitors if one.label not in controls]
        self.judge = Judge(contest.request, labels, controls)
        self._rounds = Rounds(contest)
        self._drawn = 0
        self._second: int | None = None
        self._sensors: Sensors | None = None

    @property
    def complete(self) -> int:
        """How many rounds every present competitor has completed."""
        return self.progress.complete(one.label for one in self.contest.present)

    def begin(self, rounds: int) -> None:
        """Admit all competitors in new processes of `rounds`; from now on meter what they use, and watch them."""
        self._drawn = 0
        self.contest.admit()
        self._meter()
        self.watch.begin(self.contest.present, self.progress.last + 1, rounds)

    def warm_up(self) -> tuple[int, int]:
        """Warm up; return the number of steps of a block, and the first step that is not trained yet."""
        contest = self.contest
        contest.display.doing("warming up")
        tick = max((one.tick() for one in contest.present), default=0.0)
        multiple = max(least_whole(one.contender.extra) for one in contest.competitors)
        warm_up = WarmUp(self.stopping.round_seconds, tick, multiple, self.stopping.turns, self._second)
        first, blocks = 0, list[int]()
        while contest.present and not warm_up.over:
            steps = warm_up.steps
            blocks.append(steps)
            number = len(blocks)
            self.supply(first + steps, steps)
            times = {}
            for position, one in enumerate(contest.shuffle_competitors(contest.present)):
                contest.display.doing("warming up", number, MOST_BLOCKS)
                with one.stage(FailureStage.WARM_UP):
                    times[one.label] = one.turn(Phase.WARM_UP, number, position, first, steps)
            first += steps
            check = self.watch.probe if number <= len(PROBE) else self.watch.block
            check(contest.present, f"warm-up block {number}")
            if number == len(PROBE):
                self._second = steps  # for the next processes: the reference answers for so many steps
                self.watch.first_steps(contest.present, blocks)
            warm_up.note({one.label: times[one.label] for one in contest.present if one.label in times})
        return warm_up.steps, first

    def supply(self, steps: int, block: int) -> None:
        """Make sure that every worker has the batches of the first `steps` steps.

        Planted work needs more: its share of the last block, `block` steps long.
        """
        steps += max(planted_steps(block, one.contender.extra) for one in self.contest.competitors)
        if steps <= max(self._drawn, STEPS):
            return
        self._drawn = steps
        work = self.contest.work
        path = self.contest.folder / f"batches-{steps}.npy"
        save_array(path, draw_rows(work.workload, work.data, work.setting, steps))
        for one in self.contest.present:
            with one.stage(FailureStage.WARM_UP):
                one.live.hand_rows(path)

    def round(self, first: int, turns: Sequence[int]) -> None:
        """Run a round from the step `first` on; `turns` has the number of steps of each block."""
        contest, number = self.contest, self.progress.last + 1
        self.watch.before_round(contest.present, number)
        order = contest.shuffle_competitors(contest.present)
        taken = dict.fromkeys((one.label for one in order), 0.0)
        counts = self._rounds.give(number, self._there_and_back(order, number, first, turns, taken))
        self.watch.after_round(contest.present, number)
        self.progress.last = number
        self.progress.processes[number] = max((one.number for one in order), default=0)
        self.progress.seconds += sum(taken.values())
        if counts and len(turns) == self.stopping.turns:
            for one in contest.present:
                self.progress.rounds.setdefault(one.label, {})[number] = taken[one.label] / sum(turns)
        contest.display.turns(self.complete, self.most, self.judge.verdicts(self.progress))

    def _there_and_back(
        self, order: list[Competitor], number: int, first: int, turns: Sequence[int], taken: dict[str, float]
    ) -> Iterator[RoundTurn]:
        """Yield the turns of a round: each contender takes its blocks in random order, then in reverse, and so on.

        `taken` sums the seconds of each contender. The blocks of the same steps are watched together.
        """
        for turn, steps in enumerate(turns):
            if turn:
                order = order[::-1] if turn % 2 else self.contest.shuffle_competitors(order)
            for position, one in enumerate(order, start=turn * len(order)):
                yield one, partial(self._block, one, number, position, first, steps, taken)
            self.watch.block(self.contest.present, f"round {number}")
            first += steps

    def _block(
        self, one: Competitor, number: int, position: int, first: int, steps: int, taken: dict[str, float]
    ) -> None:
        """Let a competitor do one block, and add its seconds to `taken`."""
        taken[one.label] += steps * one.turn(Phase.TURN, number, position, first, steps)

    def evaluate(self, samples: int, epoch: int | None = None) -> None:
        """Evaluate all competitors on `samples` samples, unless their work is inference, and store their memory."""
        work = self.contest.work
        trains = work.workload.inference is None
        for number, one in enumerate(present := self.contest.present):
            self.contest.display.doing(f"evaluating {one.label}", number, len(present))
            with one.stage(FailureStage.EVALUATE):
                if samples and trains:
                    one.live.evaluate(
                        evaluation_samples(work.setting.batch_size, samples)
                    )  # untimed: compiles what evaluation needs
                    one.evaluate(samples, epoch)
                one.note_memory()

    def make_stopped(self, why: str, controller_s: float) -> Stopped:
        """Return the record of how the contest ended; `controller_s` is the CPU time of the controller."""
        verdicts = self.judge.verdicts(self.progress)
        return Stopped(
            why=why,
            rounds=self.progress.last,
            open_pairs=sum(verdict.finding is Finding.OPEN for verdict in verdicts),
            out=self.contest.out,
            controller_cpu_s=controller_s,
            turns_s=self.progress.seconds,
        )

    def _meter(self) -> None:
        """Find the machine's sensors once, while every worker waits; meter all competitors from now on."""
        if self._sensors is None and self.contest.present:
            self._sensors = find_sensors(self.contest.work.setting.device)
        for competitor in self.contest.present:
            assert self._sensors is not None
            competitor.watch(self._sensors)


def least_whole(share: float) -> int:
    """Return the smallest n for which `share` of n steps is a whole number: 20 for 0.05, 1 for 0."""
    return Fraction(share).limit_denominator(1000).denominator
