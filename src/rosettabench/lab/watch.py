"""Watch the competitors of a contest between their timed blocks: what is timed must be what was proven.

Every process of every competitor is checked:

    each block           the optimiser counted the updates that were asked for, and the model got the batches that were
                         asked for; the mean losses agree; the worker's clock agrees with the controller's
    after a few steps    the parameters moved in the same direction, in all competitors and in the reference
    some drawn rounds    the parameters moved as far as those of the others; in inference, the outputs of the timed
                         block agree; no contender knows which rounds
    once, and at the end the outputs for some test samples are those that another framework computes from these weights
    at the end           threads and processors are as many as were asked for; with dropout, a block moves the
                         parameters differently than without

A competitor that differs leaves the contest with a sentence. The findings are stored as a Watched record.
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

from rosettabench.catalogue.framework import FrameworkEntry
from rosettabench.client.session import Session, Turn, Work
from rosettabench.errors import OtherWork, ProofError, WorkerError
from rosettabench.lab.competitor import Competitor
from rosettabench.lab.first_steps import FirstSteps
from rosettabench.lab.journal import Journal
from rosettabench.plan.setting import Setting
from rosettabench.proof.tolerance import MIXED
from rosettabench.resources.processors import usable_cores
from rosettabench.store.record import FailureStage, Watched, WatchedMove
from rosettabench.watch.agreement import Split, in_words, split
from rosettabench.watch.clock import clock_fault
from rosettabench.watch.losses import FLOOR, Losses, floor_of
from rosettabench.watch.moves import ANYWHERE, APART, TOGETHER, Bounds, Files, Move, Moves, compare_moves, moved_tensors
from rosettabench.watch.outputs import OFF, off_by, off_by_texts

HINT = (
    "docs/explanation/watch.md says what is watched, and what may differ; rosetta report has the losses of every block."
)

REFERENCE = "the reference"

FIRST_ROUNDS = 4
"""Most rounds among which the first one to check is drawn: a process of a default contest has as many."""

ENOUGH = 64
"""Test samples whose outputs are checked, in whole batches: at least one, at most MOST_BATCHES."""

MOST_BATCHES = 2

MOST_DROPPED = 16
"""Most steps of each of the two blocks that show whether dropout is on."""

NOT_AVERAGED = (
    "Training amplified round-off until mean losses differed by more than 10% in a block. Without a control it is not "
    "known how far equals drift apart, so they were not compared on average."
)

UNDROPPED = 0.01
"""Dropout is off if blocks with and without it end at a distance below this share of the way they moved."""


def other_work(what: str) -> OtherWork:
    """Return the error for whoever did other work while it was timed; `what` says what was seen."""
    return OtherWork(f"it did other work while it was timed: {what}", HINT)


@dataclass
class Snapshot:
    """A snapshot of a contender: its parameters, and the outputs it computed with them, in a folder of its own."""

    folder: Path
    parameters: Files
    outputs: Path


@dataclass
class Watch:
    """Watches one contest. `referee` starts a session of the float64 reference in a folder, at the timed extents.

    `referee` raises ProofError if there is no reference. `exact` answers how it takes the first steps. Outputs cost
    most: they are kept in one drawn process of the `processes` and at the end of the last, and judged together then.
    """

    work: Work
    folder: Path
    journal: Journal
    referee: Callable[[Path], Session]
    exact: FirstSteps
    random: np.random.Generator
    processes: int = 1
    _number: int = 0
    _process: int = 0
    _seen: bool = False
    _kept: list[dict[str, Snapshot]] = field(default_factory=list)
    _reference: Session | None = None
    _voices: dict[str, str] = field(default_factory=dict)

    # -- one process of each competitor --------------------------------------------------------------------------------

    def begin(self, present: Sequence[Competitor], first: int, rounds: int) -> None:
        """Begin with new processes of all competitors, before their first block.

        Their rounds begin with the number `first`, and there are `rounds` unless the time is over.
        """
        self._voices = {one.label: one.contender.framework for one in watched_competitors(present)}
        self._losses = Losses(self._voices, bool(self.work.workload.dropout) or self._mixed, controls(present))
        self._clocks: dict[str, list[Turn]] = {}
        self._uncounted: dict[str, set[str]] = {}
        self._labels = np.load(self.work.data.train.labels, mmap_mode="r", allow_pickle=False)
        self._path: Path | None = None
        self._record = Watched(process=max((one.number for one in present), default=0))
        unproven = in_words([one.label for one in present if not one.proven])
        if unproven:
            self._record.unchecked.append(f"What is not proven was not watched: {unproven}.")
        if len(set(self._voices.values())) == 1 and self.work.workload.inference is None:
            self._record.unchecked.append(Watched.ALONE)
        self._probed: list[tuple[str, dict[str, float]]] = []
        self._before: dict[str, Files] = {}
        self._process += 1
        if self._process == 1:
            self._drawn = int(self.random.integers(1, self.processes, endpoint=True))
        self._window = (first, first + max(1, min(FIRST_ROUNDS, rounds)) - 1)
        self._draw()

    def probe(self, present: Sequence[Competitor], name: str) -> None:
        """Check one of the first blocks of the warm-up, which all competitors have just done: counts and clocks.

        Its losses wait for `first_steps`, which knows how much noise they have.
        """
        with self._count_seconds():
            losses = self._note_block(present, name)
            if losses:
                self._probed.append((name, losses))

    def block(self, present: Sequence[Competitor], name: str) -> None:
        """Check the block that all competitors have just done: counts, losses and clocks."""
        with self._count_seconds():
            losses = self._note_block(present, name)
            if losses:
                self._check_losses(present, name, losses, FLOOR)

    def first_steps(self, present: Sequence[Competitor], blocks: Sequence[int]) -> None:
        """Compare the first steps of all competitors with each other, and with the reference's if it can take them.

        `blocks` has the number of steps of each block so far.
        """
        if self.work.workload.inference is not None:
            return
        with self._count_seconds():
            steps = sum(blocks)
            moves = self._moves(present, dict.fromkeys(self._voices, self.work.weights))
            if not moves:
                return
            exact = self.exact.take(steps)
            noise = [0.0] * len(blocks) if isinstance(exact, str) else exact.noise(blocks)
            for (name, losses), off in zip(self._probed, noise, strict=True):
                self._check_losses(present, name, losses, floor_of(off))
            if isinstance(exact, str):
                self._compare(present, moves, None, f"the first {steps} steps", self._first)
                self._record.unchecked.append(f"The first steps were not held against the reference: {exact}.")
                return
            bounds = exact.bounds(self._trained) if self._first is TOGETHER else self._first
            self._compare(present, moves, exact.exact.move, f"the first {steps} steps", bounds)
            if not self._mixed:
                odd = self._losses.off_reference(exact.exact.means(blocks), exact.noise(blocks))
                self._part(present, Split(odd=tuple(odd)), lambda label: odd[label].words)

    def before_round(self, present: Sequence[Competitor], number: int) -> None:
        """If the round that begins is to be checked, keep the parameters of all competitors; in inference, outputs."""
        if number != self._looked:
            return
        with self._count_seconds():
            if self.work.workload.inference is None:
                self._before = self._parameters(present)
                return
            for one in watched_competitors(present):
                one.keeping = self._place()

    def after_round(self, present: Sequence[Competitor], number: int) -> None:
        """If the round is to be checked, compare how it moved all competitors, and keep their outputs.

        In inference, compare the outputs of the last block itself.
        """
        with self._count_seconds():
            self._compare_blocks(present, f"round {number}")
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
        """Make the checks at the end of these processes, also of outputs if they are the `last`.

        Afterwards their weights are no longer the trained ones.
        """
        if not present:
            return
        with self._count_seconds():
            if self._losses.unknown:
                self._record.unchecked.append(NOT_AVERAGED)
            found = self._losses.on_average()
            if not found.agree:
                means = self._losses.means()
                self._part(present, found, lambda label: with_median("over many blocks its mean loss", means, label))
            if last:
                self._keep(present)
                self._judge_all(present)
            if last and self.work.workload.dropout:
                self._check_dropout(present)
            for one in watched_competitors(present):
                self._check_clock(one)
                self._check_settings(one)
            for what, labels in self._uncounted.items():
                self._record.unchecked.append(f"No {what} were counted of {in_words(sorted(labels))}.")
        self.journal.event(self._record)
        self._tidy()

    # -- counts, losses and clocks -------------------------------------------------------------------------------------

    def _note_block(self, present: Sequence[Competitor], name: str) -> dict[str, float]:
        """Check the counts of a block, and keep its times; return the mean losses, none of inference."""
        done = {one.label: one.done for one in watched_competitors(present) if one.done is not None}
        for label, turn in done.items():
            self._clocks.setdefault(label, []).append(turn)
        for one in watched_competitors(present):
            self._check_counts(one, name)
        if self.work.workload.inference is not None:
            return {}
        told = {*done, *controls(present)}
        return {one.label: self._loss(one) for one in present if one.label in told and one.done is not None}

    def _check_losses(
        self, present: Sequence[Competitor], name: str, losses: Mapping[str, float], floor: float
    ) -> None:
        """Take competitors out of the contest whose mean loss of a block is odd; `floor` as in `Losses.note`."""
        found = self._losses.note(losses, floor)
        watched = {label: loss for label, loss in losses.items() if label in self._voices}
        self._part(present, found, lambda label: with_median(f"in {name} its mean loss", watched, label))

    def _check_counts(self, one: Competitor, name: str) -> None:
        """Compare the counts of a block with what was asked for."""
        if one.done is None or one.done.counts is None:
            return
        counts = one.done.counts
        if one.live.rows != self._path:
            self._path, self._rows = one.live.rows, np.load(one.live.rows, mmap_mode="r", allow_pickle=False)
        wrong = counts.fault(self._labels, self._rows, self.work.setting.devices)
        if wrong is not None:
            self._out(one, f"in {name} {wrong}")
        for what, known in (("updates", counts.updates), ("batches", counts.batches)):
            if known is None and self.work.workload.inference is None:
                self._uncounted.setdefault(what, set()).add(one.label)

    def _loss(self, one: Competitor) -> float:
        """Return the mean loss of a competitor's last block; NaN if it has none."""
        assert one.done is not None  # the caller passes only competitors that did a block
        return nan if one.done.loss is None else one.done.loss

    def _check_clock(self, one: Competitor) -> None:
        """Take a competitor out of the contest if its clock disagrees with the controller's."""
        turns = self._clocks.get(one.label, [])
        wrong = clock_fault([turn.elapsed_s for turn in turns], [turn.wall_s for turn in turns])
        if wrong is not None:
            self._out(one, f"its clock is wrong: {wrong}")

    def _check_settings(self, one: Competitor) -> None:
        """Take a competitor out of the contest if its settings in force are not those that it should have."""
        for name, wanted in wanted_settings(one.contender.entry, self.work.setting).items():
            told = one.settings.get(name)
            if told is not None and told != wanted:
                self._out(one, f"it has {told} {name} where {wanted} were asked for")

    # -- parameters ----------------------------------------------------------------------------------------------------

    @property
    def _trained(self) -> list[str]:
        """The names of the tensors that are trained."""
        return [tensor.name for tensor in self.work.workload.tensors if tensor.trained]

    @property
    def _mixed(self) -> bool:
        """Whether the contest computes in less than single precision."""
        return self.work.setting.precision in MIXED

    @property
    def _first(self) -> Bounds:
        """How much moves from equal weights may differ. With dropout or mixed precision, only their lengths agree."""
        return APART if self.work.workload.dropout or self._mixed else TOGETHER

    @property
    def _later(self) -> Bounds:
        """How much moves from different weights may differ."""
        optimizer = self.work.workload.optimizer
        return ANYWHERE if optimizer is not None and optimizer.name == "sgd" else APART

    def _parameters(self, present: Iterable[Competitor]) -> dict[str, Files]:
        """Return the parameters of all competitors, as new files."""
        found: dict[str, Files] = {}
        for one in watched_competitors(present):
            with one.stage(FailureStage.WATCH):
                found[one.label] = one.live.ask("parameters", folder=str(self._place()))["files"]
        return found

    def _moves(self, present: Iterable[Competitor], before: Mapping[str, Files]) -> dict[str, Move]:
        """Return how the parameters of all competitors have moved since `before`."""
        after = self._parameters(present)
        return {label: Move(before[label], files) for label, files in after.items() if label in before}

    def _compare(
        self, present: Sequence[Competitor], moves: Mapping[str, Move], exact: Move | None, when: str, bounds: Bounds
    ) -> Split:
        """Compare moves, also with the reference's if there is one, and take the odd competitors out of the contest.

        Return the split. Undecided competitors stay where the reference could not be asked.
        """
        voices = {label: self._voices[label] for label in moves}
        everyone = {**moves, **({REFERENCE: exact} if exact else {})}
        if len(everyone) < 2:
            return Split()
        found = compare_moves(everyone, moved_tensors(exact, self._trained) if exact else self._trained)
        parted = beside_reference(found, voices, bounds) if exact else found.odd_ones(voices, bounds)
        gone: tuple[str, ...] = ()
        if exact or not parted.undecided or bounds.away == inf:
            gone = (*parted.odd, *parted.undecided)
            self._part(
                present,
                parted,
                lambda label: (
                    f"over {when} its parameters went another way: {way_words(found, label, parted.odd, bounds)}"
                ),
            )
        left = found.without(gone)
        if left.distance:
            self._record.moves.append(
                WatchedMove(when=when, distance=left.furthest, ratio=left.steepest, reference=exact is not None)
            )
        return parted

    # -- dropout -------------------------------------------------------------------------------------------------------

    def _check_dropout(self, present: Sequence[Competitor]) -> None:
        """Let all competitors take a block from the first weights with dropout and one without; the two must differ.

        A block has as many steps as the timed ones, at most MOST_DROPPED. Nothing is trained afterwards.
        """
        for one in watched_competitors(present):
            with one.stage(FailureStage.WATCH):
                assert one.done is not None and one.done.counts is not None  # it did blocks of training
                steps = min(one.done.counts.steps, MOST_DROPPED)
                ways = {kind: self._moved_by(one.live, steps, kind == "with") for kind in ("with", "without")}
                apart = compare_moves(ways, self._trained).furthest
                if apart < UNDROPPED:
                    self._out(one, f"{steps} steps with dropout end where they end without: dropout is off")

    def _moved_by(self, session: Session, steps: int, dropout: bool) -> Move:
        """Return how a block from the first weights moves the parameters."""
        session.build(dropout=dropout)
        session.train(0, steps)
        files = session.ask("parameters", folder=str(self._place()))["files"]
        return Move(self.work.weights, files)

    # -- outputs -------------------------------------------------------------------------------------------------------

    @property
    def _samples(self) -> int:
        """How many test samples are checked: whole batches, for which the timed evaluation compiles anyway."""
        size, data = self.work.setting.batch_size, self.work.data
        available = data.train.samples if self.work.workload.inference is not None else data.test.samples
        batches = min(MOST_BATCHES, max(1, ENOUGH // size))
        return min(batches * size, available // size * size or available)

    def _keep(self, present: Sequence[Competitor]) -> None:
        """Keep the parameters of all competitors, and their outputs."""
        kept: dict[str, Snapshot] = {}
        for one in watched_competitors(present):
            with one.stage(FailureStage.WATCH):
                place = self._place()
                files = {} if self.work.workload.inference else one.live.ask("parameters", folder=str(place))["files"]
                kept[one.label] = Snapshot(place, files, self._outputs(one.live, place))
        self._kept.append(kept)

    def _outputs(self, session: Session, place: Path) -> Path:
        """Return the file of a session's outputs for the checked samples."""
        if self.work.workload.inference is not None:
            return Path(session.infer(0, self._samples, place / "out")["files"]["outputs"])
        return Path(session.evaluate(self._samples, place / "out")["files"]["logits"])

    def _judge_all(self, present: Sequence[Competitor]) -> None:
        """Judge all outputs that were kept. The reference is started for them once, if it is needed at all."""
        try:
            for kept in self._kept:
                there = {one.label for one in watched_competitors(present)}
                self._judge(present, {label: one for label, one in kept.items() if label in there})
        finally:
            self._kept = []
            if self._reference is not None:
                self._reference.process.close()
                self._reference = None

    def _judge(self, present: Sequence[Competitor], kept: Mapping[str, Snapshot]) -> None:
        """Compare outputs: in inference with each other, in training with what others compute from the same weights."""
        if self.work.workload.inference is not None:
            if len({self._voices[label] for label in kept}) < 2:
                self._record.unchecked.append("There was no other framework whose outputs could be compared.")
            self._compare_outputs(present, {label: one.outputs for label, one in kept.items()}, "its outputs")
            return
        for one in watched_competitors(present):
            if one.label in kept:
                self._judge_one(present, one, kept[one.label])

    def _compare_blocks(self, present: Sequence[Competitor], name: str) -> None:
        """Compare what competitors inferred in the timed block that they did last, if it was kept."""
        kept = {
            one.label: one.done.outputs
            for one in watched_competitors(present)
            if one.keeping is not None and one.done is not None and one.done.outputs is not None
        }
        self._compare_outputs(present, kept, f"its outputs in the timed block of {name}")
        for one in present:
            one.keeping = None
        for file in kept.values():
            file.unlink(missing_ok=True)

    def _compare_outputs(self, present: Sequence[Competitor], files: Mapping[str, Path], what: str) -> None:
        """Take competitors out of the contest whose outputs are not those of the others, for the same samples."""
        outputs = {label: np.load(file, mmap_mode="r", allow_pickle=False) for label, file in files.items()}
        voices = {label: self._voices[label] for label in files}
        inference = self.work.workload.inference
        off = off_by if inference is None or inference.tokens is None else off_by_texts
        found = split(voices, lambda one, other: self._note_off(off(outputs[one], outputs[other])))
        others = [label for label in files if label not in found.odd]
        self._part(present, found, lambda _: f"{what} are not those of {in_words(others)} for the same samples")

    def _judge_one(self, present: Sequence[Competitor], one: Competitor, kept: Snapshot) -> None:
        """Let another framework compute the outputs of a contender from its parameters.

        If they differ, a second framework shows which of the two is wrong.
        """
        wrong: list[tuple[Competitor | None, float]] = []
        for judge in self._judges(present, one):
            off = self._off(judge, kept)
            if off is None:
                continue
            if self._note_off(off):
                for accused, away in wrong:
                    if accused is not None:
                        given = f"those of the weights that it was given, {one.label}'s"
                        self._out(
                            accused, f"its outputs are not {given}: off by {away:.1g}, {name_of(judge)}'s are not"
                        )
                return
            wrong.append((judge, off))
            if len(wrong) == 2:
                break
        if wrong:
            names = in_words([name_of(judge) for judge, _ in wrong])
            off = min(off for _, off in wrong)
            self._out(one, f"its outputs are not those that {names} computed from its own weights: off by {off:.1g}")
        else:
            self._record.unchecked.append(f"No other framework could compute the outputs of {one.label}.")

    def _judges(self, present: Sequence[Competitor], one: Competitor) -> Iterator[Competitor | None]:
        """Yield the judges of a contender: those of other frameworks in random order, then None for the reference."""
        others = [other for other in watched_competitors(present) if other.out is None]
        others = [other for other in others if other.contender.framework != one.contender.framework]
        yield from (others[place] for place in self.random.permutation(len(others)))
        yield None

    def _off(self, judge: Competitor | None, kept: Snapshot) -> float | None:
        """Return how far outputs are from those that a judge computes from these weights; None if it cannot."""
        place = self._place()
        if judge is None:
            try:
                session = self._reference or self.referee(place)
            except (ProofError, WorkerError):
                return None
            self._reference = session
            return self._off_in(session, kept, place)
        with judge.stage(FailureStage.WATCH):
            return self._off_in(judge.live, kept, place)
        return None

    def _off_in(self, session: Session, kept: Snapshot, place: Path) -> float:
        """Return how far kept outputs are from those that a session computes from the kept weights."""
        session.ask("place", weights=kept.parameters)
        expected = np.load(self._outputs(session, place), allow_pickle=False)
        return off_by(np.load(kept.outputs, allow_pickle=False), expected)

    def _note_off(self, off: float) -> bool:
        """Note the distance of outputs; return whether they are near enough."""
        near = off <= OFF[self.work.setting.precision]
        if near:
            self._record.outputs = max(self._record.outputs, off)
        return near

    # -- consequences --------------------------------------------------------------------------------------------------

    def _part(self, present: Sequence[Competitor], found: Split, what: Callable[[str], str]) -> None:
        """Take odd and undecided competitors out of the contest; `what` says why, by label."""
        for one in present:
            if one.label in found.odd:
                self._out(one, what(one.label))
            elif one.label in found.undecided:
                self._out(one, f"{what(one.label)}; it is not known which of them is right")

    def _out(self, one: Competitor, what: str) -> None:
        """Take a competitor out of the contest for other work."""
        one.fail(FailureStage.WATCH, other_work(what))

    def _draw(self) -> None:
        """Draw the next round to check from a window that doubles, so that a long contest costs little."""
        low, high = self._window
        self._looked = int(self.random.integers(low, high, endpoint=True))

    def _place(self) -> Path:
        """Return a new empty folder. A number is its name: a label may hold the path of an interpreter."""
        self._number += 1
        place = self.folder / str(self._number)
        place.mkdir(parents=True)
        return place

    def _tidy(self) -> None:
        """Remove all files but those that are still to be judged."""
        needed = {one.folder for kept in self._kept for one in kept.values()}
        for place in set(self.folder.iterdir() if self.folder.is_dir() else ()) - needed:
            shutil.rmtree(place, ignore_errors=True)

    @contextmanager
    def _count_seconds(self) -> Iterator[None]:
        """Count the seconds that watching takes."""
        begun = monotonic()
        try:
            yield
        finally:
            self._record.seconds += monotonic() - begun


def wanted_settings(entry: FrameworkEntry, setting: Setting) -> dict[str, int]:
    """Return the settings that a framework must have in force.

    One that cannot use more threads has those that it states, and the report says that the setting differs. On a
    machine with fewer processors than threads, nobody is held to their number.
    """
    threads = min(setting.threads, entry.most_threads or setting.threads)
    wanted = {"threads": threads} if setting.threads <= usable_cores() else {}
    return wanted | ({"devices": setting.devices} if setting.devices > 1 else {})


def watched_competitors(present: Iterable[Competitor]) -> list[Competitor]:
    """Return the competitors that must agree.

    Left out are second copies, and competitors that have left, are not proven, or have planted work. The losses of a
    control's second copy show how far equals drift apart.
    """
    return [
        one for one in present if one.out is None and one.proven and not one.contender.extra and one.contender.copy == 1
    ]


def controls(present: Iterable[Competitor]) -> dict[str, str]:
    """Return {second copy of a control that is proven and takes part: its first}."""
    return {
        one.label: one.row.control_of
        for one in present
        if one.row.control_of and one.out is None and one.proven and not one.contender.extra
    }


def beside_reference(found: Moves, voices: Mapping[str, str], bounds: Bounds) -> Split:
    """Return as odd each contender that did not move like the reference."""
    odd = [label for label in voices if not found.odd_ones({label: label, REFERENCE: REFERENCE}, bounds).agree]
    return Split(odd=tuple(odd))


def with_median(what: str, values: Mapping[str, float], label: str) -> str:
    """Return a contender's value and the median of the others', in words."""
    others = [value for name, value in values.items() if name != label]
    of = "that of the other" if len(others) == 1 else "the median of the others"
    return f"{what} is {values[label]:.6g}, {of} is {median(others):.6g}"


def name_of(judge: Competitor | None) -> str:
    """Return the label of a judge of outputs; None is the reference."""
    return judge.label if judge else REFERENCE


def way_words(found: Moves, label: str, odd: Sequence[str], bounds: Bounds) -> str:
    """Return in words how a contender moved, compared with the one furthest from it that is not `odd`."""
    still = found.standing(label, bounds)
    if still is not None:
        return f"{still} stands still"
    others = found.without([one for one in odd if one != label])
    pair = max(
        (pair for pair in others.ratio if label in pair), key=lambda pair: (found.ratio[pair], found.distance[pair])
    )
    other = pair[0] if pair[1] == label else pair[1]
    apart = f"they end {found.distance[pair]:.0%} away from those of {other}, measured by how far they moved"
    return f"{apart}; one moved {found.ratio[pair]:.3g} times as far as the other"
