"""A contest: its competitors and their admission. Each is started, and proven to do equal work.

What follows the admission is elsewhere: measurement.py times blocks in turns until the times are known, training.py
trains the stated epochs, and reasons/examination.py measures the parts of a step.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Lock
from time import monotonic
from typing import Any

import numpy as np

from rosettabench.client.session import Session, Work
from rosettabench.client.ties import tie_faults
from rosettabench.environments.environment import Environment
from rosettabench.errors import FailureKind, ProofError, WorkerError
from rosettabench.lab.competitor import Competitor
from rosettabench.lab.display import Display
from rosettabench.lab.fairness import REMEDY, differences
from rosettabench.lab.first_steps import FirstSteps
from rosettabench.lab.journal import Journal
from rosettabench.lab.lanes import Lanes
from rosettabench.lab.progress import Progress
from rosettabench.lab.registrar import Registrar
from rosettabench.plan.request import ContestRequest
from rosettabench.proof.check import divergence_words
from rosettabench.proof.weights import perturb, save_weights
from rosettabench.resources.processors import usable_cores
from rosettabench.store.record import FailureStage, ProofTime, Stopped


class LiveContest:
    """The competitors of one contest, and everything they share.

    A competitor whose worker fails leaves; the others go on.
    """

    def __init__(
        self,
        competitors: Sequence[Competitor],
        work: Work,
        request: ContestRequest,
        registrar: Registrar,
        folder: Path,
        display: Display,
        journal: Journal,
        progress: Progress,
        referee: Callable[[Path], Session],
        first_steps: FirstSteps,
    ) -> None:
        """Make it. `referee` starts a session of the reference in a folder, at the extents of the contest.

        `first_steps` answers how it takes the first steps there.
        """
        self.competitors = list(competitors)
        self.work = work
        self.request = request
        self.registrar = registrar
        self.folder = folder
        self.display = display
        self.journal = journal
        self.progress = progress
        self.referee = referee
        self.first_steps = first_steps
        self.random = np.random.default_rng()  # unseeded: the order of turns must not repeat between runs
        self._told: set[str] = set()
        self._telling = Lock()

    @property
    def present(self) -> list[Competitor]:
        """The competitors that still take part."""
        return [one for one in self.competitors if one.out is None]

    @property
    def sessions(self) -> list[Session]:
        """The sessions of those that still take part and have started."""
        return [one.session for one in self.present if one.session is not None]

    @property
    def out(self) -> tuple[str, ...]:
        """The labels of the competitors that left."""
        return tuple(one.label for one in self.competitors if one.out is not None)

    def shuffle_competitors(self, competitors: Sequence[Competitor]) -> list[Competitor]:
        """Return competitors in random order."""
        return [competitors[place] for place in self.random.permutation(len(competitors))]

    def admit(self) -> None:
        """Start all competitors in random order; compare their settings; prove them all.

        As many import at the same time as there are processors, each on one. From then on they are alone: they build,
        load and take their first step one after the other, and then their proofs. Threads of OpenMP wait in a loop for
        each other, and two proofs on the same processors would slow each other down, in MXNet 1.0.0 by far.
        """
        order = self.shuffle_competitors(self.present)
        for competitor in order:
            with competitor.stage(FailureStage.START):
                self.start(competitor)
        with Lanes(usable_cores(), order) as lanes:
            for done in [lanes.submit(self._import, one) for one in order if one.out is None]:
                done.result()
        imported = [one for one in order if one.out is None]
        for number, competitor in enumerate(imported):
            self.display.doing(f"first step of {competitor.label}", number, len(imported))
            self._enter(competitor)
        self._compare_settings()
        self.refer()
        for competitor in sorted(self.present, key=lambda one: one.contender.copy):  # second copies need no proof then
            self._prove_entered(competitor)

    def leave(self) -> None:
        """End all workers."""
        for competitor in self.competitors:
            competitor.leave()

    def refer(self) -> None:
        """Make the reference before it is needed. If that fails, each proof that needs it reports the error."""
        if any(self.registrar.find_certificate(one) is None for one in self.present):
            with suppress(ProofError):
                self.registrar.reference()

    # -- proofs alone ------------------------------------------------------------------------------------------------

    def prove(self, competitor: Competitor) -> WorkerError | None:
        """Prove one competitor and time nothing. Return why it is not proven; None if it is.

        Others may be proven at the same time. A competitor that has a certificate is not started.
        """
        known = self.registrar.find_certificate(competitor)
        if known is not None:
            self.registrar.note(competitor, known)
            return None
        begun = monotonic()
        try:
            failure = None
            with competitor.stage(FailureStage.START):
                self.start(competitor)
                self._open(competitor)
                self._prepare(competitor)
            if competitor.out is None:
                failure = self._certify(competitor)
                competitor.journal.event(ProofTime(seconds=monotonic() - begun))
                if failure is not None and failure.kind == FailureKind.NOT_PROVEN:
                    competitor.fail(FailureStage.PROOF, failure)
            if competitor.out is None:
                with competitor.stage(FailureStage.PROOF):
                    competitor.read_settings()
            return failure or competitor.failure
        finally:
            competitor.leave()

    def prove_in_turn(self) -> None:
        """Prove all competitors, one after the other, when no contest follows."""
        for competitor in self.present:
            self.display.doing(f"proving {competitor.label}")
            try:
                with competitor.stage(FailureStage.START):
                    self.start(competitor)
                for step in (self._import, self._enter, self._prove_entered):
                    if competitor.out is None:
                        step(competitor)
            finally:
                competitor.leave()

    def proven(self) -> Stopped:
        """Return the ending of a contest that proved its competitors and timed none."""
        return Stopped(why="proven", rounds=0, out=self.out)

    # -- one competitor ----------------------------------------------------------------------------------------------

    def start(self, competitor: Competitor) -> None:
        """Start a new worker of a competitor, in the thread that lasts as long as the worker is needed."""
        assert competitor.environment is not None
        competitor.start(competitor.environment, self.work, self.folder, self.request.timeout)

    def _import(self, competitor: Competitor) -> None:
        """Let a competitor import its framework. Others may do so at the same time."""
        with self._telling:
            self.display.doing(f"importing {competitor.label}")
        with competitor.stage(FailureStage.START):
            self._open(competitor)

    def _enter(self, competitor: Competitor) -> None:
        """Let a competitor build, load and take its first step."""
        with competitor.stage(FailureStage.START):
            self._prepare(competitor)
            competitor.first_step()

    def _open(self, competitor: Competitor) -> None:
        """Let a competitor import its framework and its implementation."""
        assert competitor.environment is not None
        with self._explain_ties(competitor, competitor.environment):
            competitor.open()

    def _prepare(self, competitor: Competitor) -> None:
        """Let a competitor build its model and load the data."""
        assert competitor.environment is not None
        with self._explain_ties(competitor, competitor.environment):
            competitor.prepare()

    @contextmanager
    def _explain_ties(self, competitor: Competitor, environment: Environment) -> Iterator[None]:
        """Say of a user's own implementation that fails to start which of its ties do not fit."""
        try:
            yield
        except WorkerError as error:
            workload = self.work.workload
            asked = workload.is_own and error.kind == FailureKind.ERROR  # not one that ran out of memory, or hung
            faults = tie_faults(competitor.contender.entry, environment, self.work) if asked else ""
            if not faults:
                raise
            hint = f"Correct TENSORS of that file, or Model. The tensors: {workload.folder / 'workload.toml'}"
            raise WorkerError(error.kind, faults, hint, error.details) from error

    def _compare_settings(self) -> None:
        """Report each setting that must be equal and differs, once. With --strict, end the contest because of it."""
        found = differences({one.label: one.settings for one in self.present})
        for sentence in [difference.sentence for difference in found if difference.sentence not in self._told]:
            self.display.tell(sentence)
            self._told.add(sentence)
        if not found or not self.request.admission.strict:
            return
        what = " ".join(difference.sentence for difference in found)
        for competitor in self.present:
            competitor.fail(FailureStage.SETTINGS, WorkerError(FailureKind.UNEQUAL, what, REMEDY))

    def _prove_entered(self, competitor: Competitor) -> None:
        """Prove a started competitor, then build its model again."""
        self.display.doing(f"proving {competitor.label}")
        self._tell(competitor, self._certify(competitor))
        if competitor.out is None:
            with competitor.stage(FailureStage.PROOF):
                competitor.live.hand_rows(self.work.batches)  # a proof may have chosen other batches
                self.rebuild(competitor)

    def rebuild(self, competitor: Competitor) -> None:
        """Build a competitor's model again, to train from the first weights.

        A second copy begins with weights that are moved by one unit in the last place. Otherwise it would repeat its
        first to the last bit, and could not show how far the losses of equals drift apart (watch/losses.py).
        """
        weights = None
        if competitor.contender.copy > 1 and self.work.workload.inference is None:
            first = {name: np.load(file, allow_pickle=False) for name, file in self.work.weights.items()}
            seed = self.work.setting.seed + competitor.number
            weights = save_weights(perturb(first, seed), competitor.live.folder / "perturbed")
        competitor.live.build(weights)

    def _tell(self, competitor: Competitor, failure: WorkerError | None) -> None:
        """Note whether a competitor is proven. Without a proof it leaves, unless the user insists."""
        competitor.proven = failure is None
        if failure is not None and competitor.out is None:
            self.display.tell(f"{competitor.label} is not proven: {failure.what}")
            if not self.request.admission.insist:
                competitor.fail(FailureStage.PROOF, failure)

    def _certify(self, competitor: Competitor) -> WorkerError | None:
        """Return why a competitor is not proven; None if it is. If its worker fails meanwhile, it leaves."""
        with competitor.stage(FailureStage.PROOF):
            try:
                certificate = self.registrar.certify(competitor, competitor.live.folder / "proof")
            except ProofError as error:
                return WorkerError(FailureKind.NOT_PROVEN, error.what, error.hint)
            if not certificate.passed:
                return WorkerError(FailureKind.PROOF_FAILED, why_failed(certificate.body), "rosetta prove shows it all")
        return None


def why_failed(body: dict[str, Any]) -> str:
    """Return what a failed certificate says: the first divergence, and its likely cause."""
    cause = f"; likely cause: {body['cause']}" if body["cause"] else ""
    return f"{divergence_words(body)}{cause}"
