"""The float64 reference of a contest, and the noise that float32 has around it."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

import numpy as np

from rosettabench.catalogue.framework import all_frameworks
from rosettabench.catalogue.roots import worker_folder
from rosettabench.client.session import Session, Work
from rosettabench.errors import FailureKind, ProofError, WorkerError
from rosettabench.files import save_array
from rosettabench.plan.proof_steps import pace_of, steps_of
from rosettabench.proof.comparison import (
    Deviation,
    Exact,
    compare_parameters,
    compare_step,
    compare_update,
    off,
    off_logits,
)
from rosettabench.proof.decoded import give_rows
from rosettabench.proof.first_walk import Evaluation, FirstWalk, StepsOfWalk, WalkEnd
from rosettabench.proof.margins import Chooser, Margin
from rosettabench.proof.optimizers import wandering
from rosettabench.proof.tolerance import MIXED, Tolerances
from rosettabench.proof.walk import Array, Files, Unguided, Walked, evaluation_samples, read_array, walk, walk_unguided
from rosettabench.proof.weights import Weights, move, perturb, save_weights


class Start(Protocol):
    """Starts and opens the reference's worker."""

    def __call__(self, precision: str, rounded: str | None, place: Path, adapter: Path | None = None) -> Session:
        """Do so at a precision, with constants of one kind rounded to it; in a folder, by another `adapter`."""


RECORDERS = worker_folder() / "recorders"
"""Adapters that tell what passes through layers: files of the same names."""

VARIANTS = worker_folder() / "variants"
"""Adapters of references that can change a formula: files of the same names."""

ROUNDED = ("corrections", "weights")
"""Frameworks compute either the bias corrections or the weights of new gradients in float32; each is measured."""

PERTURBATION_SEED = 1

MOST_MOVED = 5
"""How many weights are tried for one step of a guided proof: those that it has led to, and these moved."""


@dataclass(frozen=True)
class Reference:
    """What equal work is: every quantity of every step in float64, and how far honest float32 may be from it."""

    framework: str
    start: Files
    steps: list[Exact]
    evaluation: Evaluation
    tolerances: Tolerances
    start_session: Start
    folder: Path
    guide: list[Files] | None = None
    """The weights with which each step but the first begins, where the proof is guided."""
    batches: Path | None = None
    """The rows that its steps train on, as contenders read them, where they were chosen; else those of the work."""
    margins: Sequence[Margin] = ()
    """How near the units of the chosen batches come to their edges."""
    unguided: Unguided | None = None
    """The same steps with the second alone guided, where the proof is guided."""

    @property
    def still(self) -> set[str]:
        """The tensors that have no gradient by mathematics, as the first step shows them."""
        return self.steps[0].still

    def begin_of(self, step: int) -> Files:
        """Return the weights with which a step begins."""
        if step == 0:
            return self.start
        return self.guide[step - 1] if self.guide is not None else self.steps[step - 1].parameters

    def supply(self, session: Session) -> None:
        """Give a session, a contender's or one of its own, the batches of this reference."""
        if self.batches is not None:
            give_rows(session, self.batches)

    def logits(self, step: int, weights: Weights, inputs: Array | None = None) -> Array:
        """Return what the reference says to the batch of `step` under other weights: the means to test a suspicion.

        Or to other `inputs`, as many as the batch has samples.
        """
        with self._under(weights) as (session, place):
            if inputs is not None:
                self._feed(session, step, inputs, place)
                step = 0
            files = session.ask("gradients", step=step, folder=str(place / "out"))["files"]
            return np.array(read_array(files, "logits"))

    @contextmanager
    def answering(self, step: int) -> Iterator[Callable[[Weights], Array]]:
        """Lend a function that returns the reference's logits of the batch of `step` under any weights.

        One worker serves all calls.
        """
        start = {name: np.array(read_array(self.start, name)) for name in self.start}
        with self._under(start) as (session, place):

            def answer(weights: Weights) -> Array:
                """Return the logits under other weights."""
                session.ask("place", weights=save_weights(weights, place / "weights"))
                files = session.ask("gradients", step=step, folder=str(place / "out"))["files"]
                return np.array(read_array(files, "logits"))

            yield answer

    def variants(self, step: int, weights: Weights) -> Weights:
        """Return what the reference says to the batch of `step` with other activations, by their names.

        Empty where the reference has no such variants: that in PyTorch alone has.
        """
        adapter = VARIANTS / self._adapter_name
        if not adapter.is_file():
            return {}
        with self._under(weights, adapter) as (session, place):
            files = session.ask("gradients", step=step, folder=str(place / "out"))["files"]
            return {name: np.array(read_array(files, name)) for name in files if name != "logits"}

    @property
    def records(self) -> bool:
        """Whether it can record what passes through its layers: see `recorded`."""
        return (RECORDERS / self._adapter_name).is_file()

    def record_layers(self, step: int) -> Files:
        """Return what passes through the layers of an original at the first weights, as `rosetta_worker.recorders`."""
        adapter = RECORDERS / self._adapter_name
        place = self.folder / "recorded"
        with self._under({name: np.array(read_array(self.start, name)) for name in self.start}, adapter) as (
            session,
            _,
        ):
            files: Files = session.ask("gradients", step=step, folder=str(place))["files"]
            return files

    @property
    def is_original(self) -> bool:
        """Whether it is an implementation, and no formulas."""
        return all_frameworks()[self.framework].original is not None

    @property
    def _adapter_name(self) -> str:
        """The name of its adapter's file."""
        return f"{self.framework.replace('-', '_')}.py"

    @contextmanager
    def _under(self, weights: Weights, adapter: Path | None = None) -> Iterator[tuple[Session, Path]]:
        """Lend a session of the reference with its batches and other weights, and a folder that goes with it."""
        place = Path(tempfile.mkdtemp(prefix="what-if-", dir=self.folder))
        session = self.start_session("float64", None, place, adapter)
        try:
            self.supply(session)
            session.build(save_weights(weights, place / "weights"))
            yield session, place
        finally:
            session.process.close()
            shutil.rmtree(place)

    def _feed(self, session: Session, step: int, inputs: Array, place: Path) -> None:
        """Let a session have no samples but `inputs`, with the labels of the batch of `step`, in one batch."""
        save_array(place / "inputs.npy", inputs)
        save_array(place / "rows.npy", np.arange(len(inputs))[None])
        labels = self.steps[step].batch["labels"]
        session.ask("data", part="train", inputs=str(place / "inputs.npy"), labels=labels)
        session.ask("batches", path=str(place / "rows.npy"))


def make_reference(framework: str, work: Work, start: Start, weights: Weights, folder: Path) -> Reference:
    """Walk the reference in float64 from `weights`, and twice in float32 for the noise; its files stay in `folder`.

    Where the setting asks for mixed precision, the noise is that of the reference with its products rounded so. The
    three start and walk side by side, unless the first one is to guide the others.
    """
    begin = save_weights(weights, folder / "start")
    lower = work.setting.precision
    begins = (begin, save_weights(perturb(weights, PERTURBATION_SEED), folder / "own"))
    first = FirstWalk(steps_of(work.workload))

    def measure(rounded: str, own: Files) -> list[Deviation]:
        """Return the noise of a reference of lower precision that begins with the weights `own`."""
        session = start(lower, rounded, folder / lower / rounded)
        first.beside.append(session)
        return measure_noise(session, own, first, begin)

    with ThreadPoolExecutor(len(ROUNDED)) as pool:
        lanes = [pool.submit(measure, *lane) for lane in zip(ROUNDED, begins, strict=True)]
        try:
            exact = start("float64", None, folder / "float64")
            walk_first(exact, begin, folder, first)
        except BaseException as error:
            first.fail(error)
            raise
        noise = [deviation for lane in lanes for deviation in lane.result()]
    shutil.rmtree(folder / lower)
    tolerances, ending = Tolerances(noise, lower, work.setting.device), first.ending
    made = Reference(
        framework,
        begin,
        first.steps,
        ending.evaluation,
        tolerances,
        start,
        folder,
        ending.guide,
        unguided=ending.unguided,
    )
    chooser = ending.chooser
    return made if chooser is None else replace(made, batches=chooser.path, margins=chooser.margins())


def walk_first(exact: Session, begin: Files, folder: Path, first: FirstWalk) -> None:
    """Take the steps of the reference in float64, evaluate, and tell `first` of everything as soon as it is there.

    The session is then closed.

    Where the proof is guided, what each step has led to is written down as float32, and the reference itself goes on
    from there: everybody begins with the same. It then takes the steps once more with only the second guided.
    """
    place = folder / "float64"
    guide, chooser = None, None
    try:
        exact.build(begin, pace=pace_of(exact.work.workload))
        if exact.work.workload.proof.guided:
            guide, chooser = walk_as_guide(exact, begin, folder, first)
        else:
            for step in walk(exact, place / "walk"):
                first.take(Exact.of(step, begin, exact.work.workload.outputs))
        evaluation = evaluate(exact, place / "evaluation")
        unguided = walk_again(exact, begin, guide, place / "unguided") if guide else None
    finally:
        exact.process.close()
    first.end(WalkEnd(evaluation, guide, chooser, unguided))


def walk_as_guide(exact: Session, begin: Files, folder: Path, first: FirstWalk) -> tuple[list[Files], Chooser | None]:
    """Take the steps of a guided proof; return the weights with which each but the first begins.

    Those are what the step before has led to. Where the proof returns, the trained ones are those of the start again.
    Where it states a margin, each batch is chosen before its step, and who has chosen them is returned, too.
    """
    workload = exact.work.workload
    margin = workload.proof.margin
    chooser = choose_first(exact, margin, folder / "chosen") if margin else None
    guide: list[Files] = []
    for step in walk(exact, folder / "float64" / "walk", guide):
        first.take(Exact.of(step, begin, workload.outputs))
        returned = set(step.gradients) if workload.proof.returns else set()
        source = {name: begin if name in returned else step.parameters for name in begin}
        weights = {name: read_array(files, name).astype(np.float32) for name, files in source.items()}
        place = folder / "guide" / str(step.step)
        if chooser is not None and step.step + 1 < steps_of(workload):
            guide.append(choose_next(exact, chooser, step.step + 1, weights, set(step.gradients), place))
        else:
            guide.append(save_weights(weights, place))
    return guide, chooser


def choose_next(
    exact: Session, chooser: Chooser, step: int, weights: Weights, trained: Collection[str], place: Path
) -> Files:
    """Choose the batch of a step for `weights`; return the weights with which it begins, saved in `place`.

    Sometimes no batch keeps the margin: over black pixels, a unit has the same value in every image, and that can be
    next to zero. Then the `trained` tensors are moved at random by a thousandth of their root mean square. In a guided
    proof, everybody begins the step with the moved weights.

    Raises ProofError if that does not help either.
    """
    for seed in range(MOST_MOVED):
        begin = save_weights(move(weights, trained, seed) if seed else weights, place)
        exact.ask("place", weights=begin)
        try:
            chooser.choose(step)
        except ProofError:
            if seed + 1 == MOST_MOVED:
                raise
        else:
            break
    return begin


def choose_first(exact: Session, margin: float, folder: Path) -> Chooser | None:
    """Choose the batch of the first step; None where the reference cannot tell margins, as only PyTorch's can.

    Then the batches are those of the work: an honest contender may meet a unit that round-off turns.
    """
    chooser = Chooser(exact, margin, folder)
    try:
        chooser.choose(0)
    except WorkerError as error:
        if error.kind != FailureKind.UNSUPPORTED:
            raise
        give_rows(exact, exact.work.stated.batches)
        return None
    return chooser


def measure_noise(session: Session, own: Files, first: FirstWalk, begin: Files) -> list[Deviation]:
    """Return how far a session of lower precision is from the float64 one, from the weights `own`; then it is closed.

    The chooser of the batches hands them on, and looks how far this precision moves the units.
    """
    try:
        guided = session.work.workload.proof.guided
        guide, chooser = (first.ending.guide, first.ending.chooser) if guided else (None, None)
        with first.chooser_free if chooser is not None else nullcontext():
            session.build(own, pace=pace_of(session.work.workload))
            if chooser is not None and guide is not None:
                chooser.hand_on(session, [own, *guide])
                session.build(own, pace=pace_of(session.work.workload))
            found = list(follow(session, session.folder, first, begin, guide))
            found += compare_evaluations(evaluate(session, session.folder), first.ending.evaluation)
            if first.ending.unguided is not None and guide:
                again = walk_again(session, own, guide, session.folder / "unguided")
                found += compare_unguided(again, first.ending.unguided, session.work.workload.outputs)
        return found
    finally:
        session.process.close()


def walk_again(session: Session, begin: Files, guide: list[Files], folder: Path) -> Unguided:
    """Let a session that was guided take the same steps once more, from the weights `begin`; see `walk_unguided`."""
    session.build(begin, pace=pace_of(session.work.workload))
    return walk_unguided(session, folder, guide[0])


def compare_unguided(found: Unguided, exact: Unguided, outputs: tuple[str, ...]) -> Iterator[Deviation]:
    """Yield the deviations of steps that are hardly guided: whoever trains on what was last given to it shows here."""
    for step, (own, target) in enumerate(zip(found.losses, exact.losses, strict=True)):
        yield Deviation("unguided loss", step, None, off(own, target))
    logits, target_logits = read_array(found.files, "logits"), read_array(exact.files, "logits")
    yield from off_logits(logits, target_logits, len(exact.losses) - 1, "unguided logits", outputs)


def follow(
    session: Session, folder: Path, exact: StepsOfWalk, begin: Files, guide: list[Files] | None = None
) -> Iterator[Deviation]:
    """Walk a session and yield its deviations step by step, keeping only the files of the present step."""
    for found in walk(session, folder, guide):
        yield from compare_walked(session.work, found, exact, None if guide else begin)
        shutil.rmtree(folder / str(found.step))


def compare_walked(work: Work, found: Walked, exact: StepsOfWalk, begin: Files | None) -> Iterator[Deviation]:
    """Yield the deviations of one step of a walk.

    Where nobody has guided it from `begin` on, the last step's parameters count for the block as well, which ends where
    single steps end.
    """
    target = exact[found.step]
    yield from compare_step(found, target)
    if work.setting.precision in MIXED:  # its parameters say nothing: their noise must allow nothing
        return
    assert work.workload.optimizer is not None  # inference has a reference of its own
    yield from compare_update(found, target, wandering(work.workload.optimizer, exact[0].still))
    if found.step == steps_of(work.workload) - 1 and begin is not None:
        yield from compare_parameters(found.parameters, target.parameters, begin, None, "block parameter")


def evaluate(session: Session, folder: Path) -> Evaluation:
    """Evaluate a few test samples, the last batch of them partial."""
    wanted = evaluation_samples(session.work.setting.batch_size, session.work.data.test.samples)
    reply = session.evaluate(wanted, folder)
    return Evaluation(reply["files"], reply["samples"], reply.get("correct"), session.work.workload.outputs)


def compare_evaluations(found: Evaluation, exact: Evaluation) -> Iterator[Deviation]:
    """Yield the deviations of the evaluation.

    Accuracy may differ by the samples whose two best classes are closer together than the logits are off; what differs
    beyond those is the deviation.
    """
    yield Deviation("samples", None, "evaluation", 0.0 if found.samples == exact.samples else np.inf)
    logits, target = read_array(found.files, "logits"), read_array(exact.files, "logits")
    yield from off_logits(logits, target, None, "evaluation logits", exact.outputs)
    if logits.shape == target.shape and found.correct is not None and exact.correct is not None:
        off = float(np.abs(np.subtract(logits, target, dtype=np.float64)).max())
        best = np.sort(target, axis=1)
        undecided = int((best[:, -1] - best[:, -2] <= 2 * off).sum())
        yield Deviation("accuracy", None, None, float(max(0, abs(found.correct - exact.correct) - undecided)))
