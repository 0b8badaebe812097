"""Watches the competitors of a contest while they are timed, between the blocks: what is proven must be what is timed.

Looked at are, in every process of everybody:

    each block           the updates that the optimiser counts, and the batches that its model was handed, are those
                         of the rows; the mean losses agree; the worker's clock is the controller's
    after a few steps    the parameters have gone the same way, in everybody and in the reference
    some later rounds    the parameters have gone as far as the others'; which rounds, nobody knows before
    then, and at the end what comes out for some test samples is what another one computes from these weights
    at the end           threads and processors are as many as were asked for; where training drops something, a block
                         goes another way with dropout than without

Whoever differs leaves the contest, with a sentence. What was found stands in the store, as a Watched record.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from math import inf, nan
from pathlib import Path
from statistics import median
from time import monotonic

import numpy as np

from rosettabench.client.session import Session, Turn, Work
from rosettabench.errors import OtherWork, ProofError, WorkerError
from rosettabench.lab.competitor import Competitor
from rosettabench.lab.journal import Journal
from rosettabench.proof.tolerance import MIXED
from rosettabench.resources.processors import usable_cores
from rosettabench.store.record import Watched, WatchedMove
from rosettabench.watch.agreement import Split, in_words, split
from rosettabench.watch.clock import clock_fault
from rosettabench.watch.losses import Losses
from rosettabench.watch.moves import ANYWHERE, APART, TOGETHER, Bounds, Files, Move, Moves, compare_moves
from rosettabench.watch.outputs import OFF, off_by

HINT = (
    "docs/explanation/watch.md says what is watched, and what may differ; rosetta report has the losses of every block."
)

REFERENCE = "the reference"

AFFORDABLE_S = 60.0
"""Seconds that the reference may take for the first steps."""

FIRST_WINDOW = (1, 5)
"""The first rounds, of which one is looked at: no contest that ranks anybody has fewer."""

ENOUGH = 64
"""Test samples of which outputs are looked at, in whole batches: one at least, and at most MOST_BATCHES."""

MOST_BATCHES = 2

MOST_DROPPED = 16
"""Steps of the two blocks that show whether dropout is on, at most."""

UNDROPPED = 0.01
"""Where dropout is off, a block with it and one without end nearer to each other than this share of their way."""


@dataclass
class Kept:
    """What was kept of a contender at a moment: its parameters, and what came out of it with them."""

    parameters: Files
    outputs: Path


@dataclass
class Watch:
    """Watches one contest. `referee` starts a session of the float64 reference in a folder, at the timed extents.

    It raises ProofError where there is none. `exact` returns what the reference has come to after so many steps, if
    that is known without asking it; it is asked in any case where its steps are `affordable`. Outputs cost most: of the
    `processes` of everybody, one that is drawn is looked at in between, and the last one at its end.
    """

    work: Work
    folder: Path
    journal: Journal
    referee: Callable[[Path], Session]
    exact: Callable[[int], Move | None]
    random: np.random.Generator
    processes: int = 1
    affordable: bool = False
    _number: int = 0
    _process: int = 0
    _seen: bool = False
    _answer: tuple[int, Move | None] | None = None
    _voices: dict[str, str] = field(default_factory=dict)

    # -- a process of everybody ----------------------------------------------------------------------------------------

    def begin(self, present: Sequence[Competitor]) -> None:
        """Begin with fresh processes of all competitors, before their first block."""
        self._voices = {one.label: one.contender.framework for one in watched_competitors(present)}
        self._losses = Losses(self._voices, bool(self.work.workload.dropout) or self._mixed)
        self._clocks: dict[str, list[Turn]] = {}
        self._uncounted: dict[str, set[str]] = {}
        self._labels = np.load(self.work.data.train.labels, mmap_mode="r", allow_pickle=False)
        self._path: Path | None = None
        self._record = Watched(process=max((one.number for one in present), default=0))
        unproven = in_words([one.label for one in present if not one.proven])
        if unproven:
            self._record.unchecked.append(f"What is not proven was not watched: {unproven}.")
        self._before: dict[str, Files] = {}
        self._kept: list[dict[str, Kept]] = []
        self._process += 1
        if self._process == 1:
            self._drawn = int(self.random.integers(1, self.processes, endpoint=True))
        self._window = FIRST_WINDOW
        self._draw()

    def block(self, present: Sequence[Competitor], name: str) -> None:
        """Look at the block that everybody has just done: losses and clocks."""
        with self._counted():
            done = {one.label: one.done for one in watched_competitors(present) if one.done is not None}
            for label, turn in done.items():
                self._clocks.setdefault(label, []).append(turn)
            if not done or self.work.workload.inference is not None:
                return
            for one in watched_competitors(present):
                self._check_counts(one, name)
            losses = {one.label: self._loss(one) for one in watched_competitors(present) if one.label in done}
            self._part(
                present, self._losses.note(losses), lambda label: beside(f"in {name} its mean loss", losses, label)
            )

    def first_steps(self, present: Sequence[Competitor], steps: int) -> None:
        """Look at how the first steps have moved everybody, beside the reference where that is affordable."""
        if self.work.workload.inference is not None:
            return
        with self._counted():
            moves = self._moves(present, dict.fromkeys(self._voices, self.work.weights))
            asked = self.affordable or len(set(self._voices.values())) < 2
            exact = self.exact(steps) or (self._asked(steps) if asked else None)
            found = self._compare(present, moves, exact, f"the first {steps} steps", self._first)
            if found.undecided and exact is None and (exact := self._asked(steps)) is not None:
                self._compare(present, moves, exact, f"the first {steps} steps", self._first)

    def before_round(self, present: Sequence[Competitor], number: int) -> None:
        """Remember where everybody is, if the round that begins is one that is looked at."""
        if number == self._looked and self.work.workload.inference is None:
            with self._counted():
                self._before = self._parameters(present)

    def after_round(self, present: Sequence[Competitor], number: int) -> None:
        """Look at how the round has moved everybody, and at what comes out of them now, if it was to be looked at."""
        with self._counted():
            if self._before:
                moves = self._moves(present, self._before)
                self._before = {}
                self._compare(present, moves, None, f"round {number}", self._later)
            if number == self._looked and self._process >= self._drawn and not self._seen:
                self._seen = True
                self._keep(present)
        if number >= self._window[1]:
            self._window = (number + 1, number + 2 * (self._window[1] - self._window[0] + 1))
            self._draw()

    def end(self, present: Sequence[Competitor], *, last: bool) -> None:
        """Look at everything that is to be seen at the end of these processes, whose weights are not their own then.

        At the end of the `last` ones that is what comes out of them, too.
        """
        if not present:
            return
        with self._counted():
            found = self._losses.on_average()
            if not found.whole:
                means = self._losses.means()
                self._part(present, found, lambda label: beside("over many blocks its mean loss", means, label))
            if last:
                self._keep(present)
            for kept in self._kept:
                self._judge(present, kept)
            if last and self.work.workload.dropout:
                self._check_dropout(present)
            for one in watched_competitors(present):
                self._check_clock(one)
                self._check_settings(one)
            for what, labels in self._uncounted.items():
                self._record.unchecked.append(f"No {what} were counted of {in_words(sorted(labels))}.")
        self.journal.event(self._record)
        shutil.rmtree(self.folder, ignore_errors=True)

    # -- counts, losses and clocks -------------------------------------------------------------------------------------

    def _check_counts(self, one: Competitor, name: str) -> None:
        """Hold what was counted of a block against what was asked for."""
        if one.done is None or one.done.counts is None:
            return
        counts = one.done.counts
        if one.live.rows != self._path:
            self._path, self._rows = one.live.rows, np.load(one.live.rows, mmap_mode="r", allow_pickle=False)
        wrong = counts.fault(self._labels, self._rows)
        if wrong is not None:
            self._out(one, f"in {name} {wrong}")
        for what, known in (("updates", counts.updates), ("batches", counts.batches)):
            if known is None:
                self._uncounted.setdefault(what, set()).add(one.label)

    def _loss(self, one: Competitor) -> float:
        """Return the mean loss of a competitor's last block; not a number where it has none."""
        assert one.done is not None  # only who has done a block is asked
        return nan if one.done.loss is None else one.done.loss

    def _check_clock(self, one: Competitor) -> None:
        """Part with a competitor whose clock disagrees with the controller's."""
        turns = self._clocks.get(one.label, [])
        wrong = clock_fault([turn.elapsed_s for turn in turns], [turn.wall_s for turn in turns])
        if wrong is not None:
            self._out(one, f"its clock is wrong: {wrong}")

    def _check_settings(self, one: Competitor) -> None:
        """Hold what is in force against what was asked for; who does not report a setting is not asked again."""
        asked = {"threads": self.work.setting.threads} if self.work.setting.threads <= usable_cores() else {}
        for name, wanted in asked.items():
            told = one.settings.get(name)
            if told is not None and told != wanted:
                self._out(one, f"it has {told} {name} where {wanted} were asked for")

    # -- parameters ----------------------------------------------------------------------------------------------------

    @property
    def _mixed(self) -> bool:
        """Whether the contest computes in less than single precision."""
        return self.work.setting.precision in MIXED

    @property
    def _first(self) -> Bounds:
        """What moves from the same weights may differ by; where dropout is drawn, only their lengths are alike."""
        return APART if self.work.workload.dropout or self._mixed else TOGETHER

    @property
    def _later(self) -> Bounds:
        """What moves from different places may differ by."""
        optimizer = self.work.workload.optimizer
        return ANYWHERE if optimizer is not None and optimizer.name == "sgd" else APART

    def _parameters(self, present: Iterable[Competitor]) -> dict[str, Files]:
        """Return the parameters of everybody, as files of their own."""
        found: dict[str, Files] = {}
        for one in watched_competitors(present):
            with one.stage("watch"):
                found[one.label] = one.live.ask("parameters", folder=str(self._place(one.label)))["files"]
        return found

    def _moves(self, present: Iterable[Competitor], before: Mapping[str, Files]) -> dict[str, Move]:
        """Return how the parameters of everybody have moved."""
        after = self._parameters(present)
        return {label: Move(before[label], files) for label, files in after.items() if label in before}

    def _compare(
        self, present: Sequence[Competitor], moves: Mapping[str, Move], exact: Move | None, when: str, bounds: Bounds
    ) -> Split:
        """Compare moves, with that of the reference if there is one, and let whoever is odd leave.

        Return how they part; undecided ones stay for now if the reference has not been asked.
        """
        voices = {label: self._voices[label] for label in moves}
        beside = {**moves, **({REFERENCE: exact} if exact else {})}
        if len(beside) < 2:
            return Split()
        trained = [tensor.name for tensor in self.work.workload.tensors if tensor.trained]
        found = compare_moves(beside, trained)
        self._record.moves.append(
            WatchedMove(when=when, distance=found.furthest, ratio=found.steepest, reference=exact is not None)
        )
        parted = beside_reference(found, voices, bounds) if exact else found.odd_ones(voices, bounds)
        if exact or not parted.undecided or bounds.away == inf:
            self._part(
                present,
                parted,
                lambda label: f"over {when} its parameters went another way: {way(found, label, bounds)}",
            )
        return parted

    def _asked(self, steps: int) -> Move | None:
        """Return what the reference comes to after the first steps; None where it cannot, or takes too long."""
        if self.work.workload.dropout:
            self._record.unchecked.append(
                "The first steps were not held against the reference: it drops nothing, and this workload does."
            )
            return None
        if self._answer is not None and self._answer[0] == steps:  # of an earlier process: from the same weights
            return self._answer[1]
        self._answer = (steps, None)  # where it fails, it is not asked for a minute by every process
        place = self.folder.with_name(f"{self.folder.name}-reference-{steps}")
        place.mkdir(parents=True, exist_ok=True)
        try:
            session = self.referee(place)
        except (ProofError, WorkerError) as error:
            self._record.unchecked.append(f"The first steps were not held against the reference: {error.what}.")
            return None
        try:
            end = monotonic() + AFFORDABLE_S
            for step in range(steps):
                session.train(step, 1)
                if monotonic() > end:
                    self._record.unchecked.append("The reference takes more than a minute for the first steps.")
                    return None
            found = Move(self.work.weights, session.ask("parameters", folder=str(place / "after"))["files"])
            self._answer = (steps, found)
            return found
        finally:
            session.process.close()

    # -- dropout -------------------------------------------------------------------------------------------------------

    def _check_dropout(self, present: Sequence[Competitor]) -> None:
        """Let everybody take a block from the first weights with dropout and one without: they must part.

        The blocks are as long as the timed ones, or MOST_DROPPED steps. Afterwards nothing is trained any more.
        """
        for one in watched_competitors(present):
            with one.stage("watch"):
                assert one.done is not None and one.done.counts is not None  # it has taken turns, and trained
                steps = min(one.done.counts.steps, MOST_DROPPED)
                ways = {kind: self._moved_by(one.live, steps, kind == "with") for kind in ("with", "without")}
                apart = compare_moves(ways, [one.name for one in self.work.workload.tensors if one.trained]).furthest
                if apart < UNDROPPED:
                    self._out(one, f"{steps} steps with dropout end where they end without: dropout is off")

    def _moved_by(self, session: Session, steps: int, dropout: bool) -> Move:
        """Return how a block from the first weights moves the parameters."""
        session.build(dropout=dropout)
        session.train(0, steps)
        files = session.ask("parameters", folder=str(self._place("dropout")))["files"]
        return Move(self.work.weights, files)

    # -- outputs -------------------------------------------------------------------------------------------------------

    @property
    def _samples(self) -> int:
        """As many test samples as are whole batches: what is compiled for them serves the timed evaluation, too."""
        size, data = self.work.setting.batch_size, self.work.data
        available = data.train.samples if self.work.workload.inference is not None else data.test.samples
        batches = min(MOST_BATCHES, max(1, ENOUGH // size))
        return min(batches * size, available // size * size or available)

    def _keep(self, present: Sequence[Competitor]) -> None:
        """Keep the parameters of everybody, and what comes out of them."""
        kept: dict[str, Kept] = {}
        for one in watched_competitors(present):
            with one.stage("watch"):
                place = self._place(one.label)
                files = {} if self.work.workload.inference else one.live.ask("parameters", folder=str(place))["files"]
                kept[one.label] = Kept(files, self._outputs(one.live, place))
        self._kept.append(kept)

    def _outputs(self, session: Session, place: Path) -> Path:
        """Return the file of what a session computes for the samples that are looked at."""
        if self.work.workload.inference is not None:
            return Path(session.infer(0, self._samples, place / "out")["files"]["outputs"])
        return Path(session.evaluate(self._samples, place / "out")["files"]["logits"])

    def _judge(self, present: Sequence[Competitor], kept: Mapping[str, Kept]) -> None:
        """Hold outputs against what others compute: inference among each other, a training by its own weights."""
        if self.work.workload.inference is not None:
            outputs = {label: np.load(one.outputs, allow_pickle=False) for label, one in kept.items()}
            voices = {label: self._voices[label] for label in kept}
            if len(set(voices.values())) < 2:
                self._record.unchecked.append("There was nobody to hold the outputs against.")
            found = split(voices, lambda one, other: self._note_off(off_by(outputs[one], outputs[other])))
            others = [label for label in kept if label not in found.odd]
            self._part(
                present, found, lambda _: f"its outputs are not those of {in_words(others)} for the same samples"
            )
            return
        for one in watched_competitors(present):
            if one.out is None and one.label in kept:
                self._judge_one(present, one, kept[one.label])

    def _judge_one(self, present: Sequence[Competitor], one: Competitor, kept: Kept) -> None:
        """Let another framework compute from the parameters of a contender what came out of it.

        Where that is not the same, a second one says which of the two is wrong.
        """
        wrong: list[Competitor | None] = []
        for judge in self._judges(present, one):
            off = self._off(judge, kept)
            if off is None:
                continue
            if self._note_off(off):
                for accused in filter(None, wrong):
                    self._out(accused, f"its outputs are not those of the weights that it was given ({off:.1g})")
                return
            wrong.append(judge)
            if len(wrong) == 2:
                break
        if wrong:
            names = in_words([judge.label if judge else REFERENCE for judge in wrong])
            self._out(one, f"its outputs are not what {names} compute from its own weights")
        else:
            self._record.unchecked.append(f"No other framework could compute the outputs of {one.label}.")

    def _judges(self, present: Sequence[Competitor], one: Competitor) -> Iterator[Competitor | None]:
        """Yield who may judge a contender: those of other frameworks in a random order, then None: the reference."""
        others = [other for other in watched_competitors(present) if other.out is None]
        others = [other for other in others if other.contender.framework != one.contender.framework]
        yield from (others[place] for place in self.random.permutation(len(others)))
        yield None

    def _off(self, judge: Competitor | None, kept: Kept) -> float | None:
        """Return how far outputs are from those that a judge computes with the same weights; None if it cannot."""
        place = self._place("judge")
        if judge is None:
            try:
                session = self.referee(place)
            except (ProofError, WorkerError):
                return None
            try:
                return self._off_in(session, kept, place)
            finally:
                session.process.close()
        with judge.stage("watch"):
            return self._off_in(judge.live, kept, place)
        return None

    def _off_in(self, session: Session, kept: Kept, place: Path) -> float:
        """Return how far kept outputs are from those that a session computes from the same weights."""
        session.ask("place", weights=kept.parameters)
        expected = np.load(self._outputs(session, place), allow_pickle=False)
        return off_by(np.load(kept.outputs, allow_pickle=False), expected)

    def _note_off(self, off: float) -> bool:
        """Note how far outputs are apart; return whether that is near enough."""
        near = off <= OFF[self.work.setting.precision]
        if near:
            self._record.outputs = max(self._record.outputs, off)
        return near

    # -- consequences --------------------------------------------------------------------------------------------------

    def _part(self, present: Sequence[Competitor], found: Split, what: Callable[[str], str]) -> None:
        """Let whoever is odd leave, and say what of it; where nobody can say who is odd, all of them."""
        for one in present:
            if one.label in found.odd:
                self._out(one, what(one.label))
            elif one.label in found.undecided:
                self._out(one, f"{what(one.label)}; nothing tells which of them is right")

    def _out(self, one: Competitor, what: str) -> None:
        """Take a competitor out of the contest for other work."""
        one.fail("watch", OtherWork(f"it did other work while it was timed: {what}", HINT))

    def _draw(self) -> None:
        """Draw the next round that is looked at: one in a window that doubles, so that a long contest costs little."""
        low, high = self._window
        self._looked = int(self.random.integers(low, high, endpoint=True))

    def _place(self, name: str) -> Path:
        """Return a folder that nothing lies in yet."""
        self._number += 1
        place = self.folder / f"{self._number}-{name}"
        place.mkdir(parents=True)
        return place

    @contextmanager
    def _counted(self) -> Iterator[None]:
        """Count the seconds that looking takes."""
        begun = monotonic()
        try:
            yield
        finally:
            self._record.seconds += monotonic() - begun


def watched_competitors(present: Iterable[Competitor]) -> list[Competitor]:
    """Return the competitors that must agree.

    Not those that are not proven, nor those to which work was added on purpose, nor who has left.
    """
    return [
        one for one in present if one.out is None and one.proven and not one.contender.extra and one.contender.copy == 1
    ]


def beside_reference(found: Moves, voices: Mapping[str, str], bounds: Bounds) -> Split:
    """Return as odd whoever has not moved as the reference has."""
    odd = [label for label in voices if not found.odd_ones({label: label, REFERENCE: REFERENCE}, bounds).whole]
    return Split(odd=tuple(odd))


def beside(what: str, values: Mapping[str, float], label: str) -> str:
    """Return what a contender has and what the others have, of which the middle one stands for all."""
    others = [value for name, value in values.items() if name != label]
    of = "that of the other" if len(others) == 1 else "the others' middle one"
    return f"{what} is {values[label]:.6g}, {of} {median(others):.6g}"


def way(found: Moves, label: str, bounds: Bounds) -> str:
    """Return in words how a contender has moved beside the one that is furthest from it."""
    still = found.standing(label, bounds)
    if still is not None:
        return f"{still} stands still"
    pair = max(
        (pair for pair in found.ratio if label in pair), key=lambda pair: (found.ratio[pair], found.distance[pair])
    )
    other = pair[0] if pair[1] == label else pair[1]
    apart = f"they end {found.distance[pair]:.0%} of it away from those of {other}"
    return f"{apart}, and the longer way of the two is {found.ratio[pair]:.3g} times the shorter"
