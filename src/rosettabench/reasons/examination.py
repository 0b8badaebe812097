"""An examination: all contenders are alive at once, and in every round each does each part of a step, in random order.

It replaces a contest's turns if the request asks for it::

    prove     each compared with the float64 reference, unless proven before       (certificates)
    start     several new processes of each: import, build, first step, memory     (in random order)
    warm up   every request at every batch size, until it has compiled and filled a block; then two rounds
    turns     round 1:  B update · A reuse 64 · A train 32 · B feed · …            (until the time is over)
              round 2:  …                                                          in another random order

Whole steps are counted as in a contest: who takes others than were asked for leaves.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from time import monotonic
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from rosettabench.client.batches import draw_rows
from rosettabench.client.session import Turn
from rosettabench.errors import FailureKind, WorkerError
from rosettabench.files import save_array
from rosettabench.lab.competitor import Competitor
from rosettabench.lab.contest import LiveContest
from rosettabench.lab.rounds import Rounds, RoundTurn, take_turns
from rosettabench.lab.run import measure_or_train
from rosettabench.lab.watch import other_work
from rosettabench.plan.proof_steps import STEPS
from rosettabench.plan.request import ExplainRequest
from rosettabench.reasons.measured import MeasuredCell, MeasuredRounds, Profile, Subject, What
from rosettabench.resources.memory import read_memory
from rosettabench.resources.resource import Resource
from rosettabench.statistics.evidence import FEWEST_ROUNDS
from rosettabench.store.record import FailureStage, FigureName, Stopped
from rosettabench.watch.clock import clock_fault

FACTORS = (1 / 8, 1 / 4, 1 / 2, 1, 2, 4)
"""Batch sizes of the line, as multiples of the explained one."""

BLOCK_S = 0.1
"""Approximate seconds of a block, twice the shortest block of a contest."""

MOST_STEPS = 1024
"""Rows of a file of batches, and the most steps of a block."""

WARM_ROUNDS = 2
"""Rounds that do not count: the first shows the step times once everything is compiled, and the second is the first
with blocks of the resulting lengths."""

MOST_ROUNDS = 500
PROFILED_S = 0.5
"""Approximate seconds of the profiled block: enough steps to be typical, and a trace that can still be read."""

Column = tuple[What, int]


def conduct(contest: LiveContest) -> Stopped:
    """Conduct a contest as its request asks: measure, train, or examine the parts of a step; return how it ended."""
    asked = contest.request
    return Examination(contest, asked).run() if isinstance(asked, ExplainRequest) else measure_or_train(contest)


@dataclass
class ExaminedContender:
    """One contender under examination: its cells, steps per block and seconds per step of every counted round."""

    competitor: Competitor
    steps: dict[Column, int] = field(default_factory=dict)
    seconds: dict[Column, list[float]] = field(default_factory=dict)
    unsupported: dict[str, str] = field(default_factory=dict)
    starts: dict[str, list[float]] = field(default_factory=dict)
    profile: Profile | None = None
    turns: list[Turn] = field(default_factory=list)
    """Its blocks of whole training steps."""

    def subject(self, rounds: int) -> Subject:
        """Return the measurements of the first `rounds` rounds."""
        return Subject(
            label=self.competitor.label,
            framework=self.competitor.contender.framework,
            cells=tuple(
                MeasuredCell(what=what, size=size, steps=self.steps[what, size], seconds=tuple(seconds[:rounds]))
                for (what, size), seconds in self.seconds.items()
            ),
            unsupported=self.unsupported,
            starts={name: tuple(values) for name, values in self.starts.items()},
            profile=self.profile,
        )


Times = list[tuple[ExaminedContender, Column, float]]
"""The contender, what it did in a round, and its seconds per step."""


@dataclass
class Examination:
    """Examines the contenders of one contest."""

    contest: LiveContest
    asked: ExplainRequest

    def __post_init__(self) -> None:
        """Share the contest's random generator, and count rounds from 0."""
        self._random = self.contest.random
        self._rounds = self._number = 0  # the rounds that count, and the number of the last round

    def run(self) -> Stopped:
        """Examine the contenders and store the measurements; return how the contest ended."""
        self.contest.prove_in_turn()
        self._benches = [ExaminedContender(one) for one in self.contest.present]
        try:
            if len(self._present) >= 2:
                self._start_afresh()
            self._examine()
        finally:
            for bench in self._benches:
                bench.competitor.leave()
        return Stopped(why="explained", rounds=self._rounds, out=self.contest.out)

    @property
    def _present(self) -> list[ExaminedContender]:
        """The contenders that still take part."""
        return [bench for bench in self._benches if bench.competitor.out is None]

    @property
    def _size(self) -> int:
        """The batch size that is explained."""
        return self.contest.work.setting.batch_size

    # -- new processes -----------------------------------------------------------------------------------------------

    def _start_afresh(self) -> None:
        """Start every contender several times, in random order, one after the other."""
        for number in range(self.asked.starts):
            for place in self._random.permutation(len(self._benches)):
                bench = self._benches[place]
                if bench.competitor.out is None:
                    self.contest.display.doing(f"fresh start of {bench.competitor.label}", number, self.asked.starts)
                    with bench.competitor.stage(FailureStage.START):
                        self._start(bench)
                        bench.competitor.leave()

    def _start(self, bench: ExaminedContender) -> None:
        """Start a new process and keep the figures of its start."""
        self.contest.start(bench.competitor)
        session = bench.competitor.live
        figures = {FigureName.IMPORT: session.open()["import_s"], FigureName.BUILD: session.build()["build_s"]}
        session.load()
        figures[FigureName.FIRST_STEP] = session.block(0, 1).elapsed_s
        session.block(1, STEPS - 1)
        peak = read_memory(session.process.pid).values.get(Resource.PEAK_MEMORY)
        if peak is not None:
            figures[FigureName.PEAK_MEMORY] = peak
        for figure, value in figures.items():
            bench.starts.setdefault(figure, []).append(value)

    # -- all alive ---------------------------------------------------------------------------------------------------

    def _examine(self) -> None:
        """Measure the parts of a step of all contenders until the time is over."""
        if len(self._present) < 2:
            return
        sizes = self._supply()
        for bench in self._present:
            self.contest.display.doing(f"starting {bench.competitor.label}")
            with bench.competitor.stage(FailureStage.START):
                self.contest.start(bench.competitor)
                bench.competitor.live.prepare()
        line = self._warm_up(sizes)
        rounds, end = Rounds(self.contest), monotonic() + self.asked.seconds
        while len(self._present) >= 2 and self._rounds < MOST_ROUNDS:
            left = end - monotonic()
            if left <= 0 and self._rounds >= FEWEST_ROUNDS:
                break
            self.contest.display.turns(self._rounds, MOST_ROUNDS, ())
            self._round(rounds)
        for bench in self._present:
            wrong = clock_fault([one.elapsed_s for one in bench.turns], [one.wall_s for one in bench.turns])
            if wrong is not None:
                bench.competitor.fail(FailureStage.WATCH, other_work(f"its clock is wrong: {wrong}"))
        for bench in self._present if self.asked.profile else ():
            self._profile(bench)
        if len(self._present) >= 2:
            self._write(sizes, line)

    def _supply(self) -> list[int]:
        """Write a file of batches for every size that the data set can fill; return the sizes."""
        work = self.contest.work
        sizes = sorted({max(1, round(self._size * factor)) for factor in FACTORS})
        sizes = [size for size in sizes if size <= work.data.train.samples]
        for size in sizes:
            rows = draw_rows(work.workload, work.data, replace(work.setting, batch_size=size), MOST_STEPS)
            save_array(self._batches(size), rows)
        return sizes

    def _batches(self, size: int) -> Path:
        """Return the file of batches of a size."""
        return self.contest.folder / f"batches-of-{size}.npy"

    def _warm_up(self, sizes: list[int]) -> Literal["reuse", "train"]:
        """Let everything compile, choose the lengths of the blocks; return the request that measures the line."""
        own = self._size  # first, so that frameworks that compile by shape compile for this one exactly
        order = [own, *(size for size in sizes if size != own)]
        able = [self._probe(bench, "train", own) and self._probe(bench, "reuse", own) for bench in self._present]
        line: Literal["reuse", "train"] = "reuse" if all(able) else "train"
        for bench in self._present:
            self.contest.display.doing(f"warming up {bench.competitor.label}")
            bench.steps = {column: steps for column, steps in bench.steps.items() if column[0] in (line, "train")}
            for size in order:
                self._probe(bench, line, size)
            self._probe(bench, "feed", own)
            if not self._probe(bench, "update", own):
                self._probe(bench, "backpropagate", own)
        for _ in range(WARM_ROUNDS):
            self._warm_round()
        return line

    def _probe(self, bench: ExaminedContender, what: What, size: int) -> bool:
        """Let a request compile at a size, and choose its steps; return whether the framework supports it."""
        if what in bench.unsupported or bench.competitor.out is not None:
            return False
        try:
            self._block(bench, what, size, 1)
            self._choose(bench, (what, size), self._block(bench, what, size, 1))
        except WorkerError as error:
            if error.kind == FailureKind.UNSUPPORTED:
                bench.unsupported[what] = error.what.partition(": ")[2]
            else:
                bench.competitor.fail(FailureStage.WARM_UP, error)
            return False
        return True

    def _choose(self, bench: ExaminedContender, column: Column, seconds: float) -> None:
        """Choose the number of steps of a block from the seconds of one step."""
        bench.steps[column] = int(np.clip(round(BLOCK_S / seconds), 1, MOST_STEPS))

    def _block(self, bench: ExaminedContender, what: What, size: int, steps: int) -> float:
        """Do one request for `steps` steps of a size; return seconds per step."""
        session = bench.competitor.live
        session.ask("batches", path=str(self._batches(size)))
        first = int(self._random.integers(MOST_STEPS - steps + 1))
        if what == "train":  # for some workloads this is inference
            return self._whole(bench, first, steps, size) / steps
        seconds: float = session.ask(what, first=first, steps=steps)["elapsed_s"]
        if what == "update":  # it applied one gradient repeatedly, so the weights are meaningless now
            session.build()
            session.ask("train", first=first, steps=1)
        return seconds / steps

    def _whole(self, bench: ExaminedContender, first: int, steps: int, size: int) -> float:
        """Do `steps` whole steps at a batch size; return the seconds.

        Raises OtherWork if it counted others than these.
        """
        session = bench.competitor.live
        if session.work.workload.inference is not None:
            return float(session.ask("infer", first=first, samples=steps * size, batch_size=size)["elapsed_s"])
        turn = session.train(first, steps)
        bench.turns.append(turn)
        rows = np.load(self._batches(size), mmap_mode="r")
        wrong = turn.counts.fault(self._labels, rows, self.contest.work.setting.devices) if turn.counts else None
        if wrong is not None:
            raise other_work(f"in a block of {steps} steps {wrong}")
        return turn.elapsed_s

    @cached_property
    def _labels(self) -> NDArray[Any]:
        """The labels of all training samples."""
        labels: NDArray[Any] = np.load(self.contest.work.data.train.labels, mmap_mode="r")
        return labels

    def _warm_round(self) -> None:
        """Let all contenders do every block once, and choose the lengths of the blocks from the times."""
        found: Times = []
        take_turns(self._turns(found))
        for bench, column, seconds in found:
            self._choose(bench, column, seconds)

    def _round(self, rounds: Rounds) -> None:
        """Let all contenders do every block once; keep the times if the round counts."""
        found: Times = []
        self._number += 1
        if rounds.give(self._number, self._turns(found)):
            self._rounds += 1
            for bench, column, seconds in found:
                bench.seconds.setdefault(column, []).append(seconds)

    def _turns(self, found: Times) -> Iterator[RoundTurn]:
        """Yield the blocks of all contenders in random order; each adds its time to `found`."""
        turns = [(bench, column) for bench in self._present for column in bench.steps]
        for place in self._random.permutation(len(turns)):
            bench, column = turns[place]
            yield bench.competitor, partial(self._measure, bench, column, found)

    def _measure(self, bench: ExaminedContender, column: Column, found: Times) -> None:
        """Do one block, and add its time to `found`."""
        what, size = column
        found.append((bench, column, self._block(bench, what, size, bench.steps[column])))

    # -- results -----------------------------------------------------------------------------------------------------

    def _profile(self, bench: ExaminedContender) -> None:
        """Profile a block of whole steps with the framework's own profiler."""
        self.contest.display.doing(f"profiling {bench.competitor.label}")
        session = bench.competitor.live
        per_step = float(np.median(bench.seconds["train", self._size]))
        steps = int(np.clip(round(PROFILED_S / per_step), 1, MOST_STEPS))
        session.ask("batches", path=str(self._batches(self._size)))
        try:
            reply = session.ask("profile", first=0, steps=steps, folder=str(session.folder / "profile"))
            fields = {name: reply[name] for name in ("elapsed_s", "operations")}
            bench.profile = Profile.model_validate({"steps": steps, **fields})
        except WorkerError as error:
            if error.kind == FailureKind.UNSUPPORTED:
                bench.unsupported["profile"] = error.what.partition(": ")[2]
            else:
                bench.competitor.fail(FailureStage.PROFILE, error)

    def _write(self, sizes: list[int], line: Literal["reuse", "train"]) -> None:
        """Store the measurements."""
        measured = MeasuredRounds(
            workload=self.contest.work.workload.name,
            batch_size=self._size,
            sizes=tuple(sizes),
            line=line,
            confidence=self.contest.request.confidence,
            subjects=tuple(bench.subject(self._rounds) for bench in self._present),
        )
        self.contest.journal.event(measured)
