"""A contest: its competitors, and how they are admitted: started, and proven to do equal work.

What becomes of those who are admitted is for others to say: measurement.py lets them take turns until their times are
known, training.py trains the stated epochs, and an examination (reasons/examination.py) measures the parts of a step.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from time import monotonic
from typing import Any

import numpy as np

from rosettabench.client.session import Session, Work
from rosettabench.errors import ProofError, WorkerError
from rosettabench.lab.competitor import Competitor
from rosettabench.lab.display import Display
from rosettabench.lab.fairness import REMEDY, differences
from rosettabench.lab.journal import Journal
from rosettabench.lab.progress import Progress
from rosettabench.lab.registrar import Registrar
from rosettabench.plan.request import ContestRequest
from rosettabench.proof.check import divergence_words
from rosettabench.store.record import ProofTime, Stopped

NO_PROOF = "not_proven"
"""The kind of failure where nothing could be compared, since there is no reference."""


class LiveContest:
    """The competitors of one contest, and everything that they share.

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
        self.referee = referee
        self.random = np.random.default_rng()  # the order of turns must not repeat between runs
        self._told: set[str] = set()

    @property
    def present(self) -> list[Competitor]:
        """The competitors that are still in it."""
        return [one for one in self.competitors if one.out is None]

    @property
    def out(self) -> tuple[str, ...]:
        """The labels of those who have left it."""
        return tuple(one.label for one in self.competitors if one.out is not None)

    def shuffled(self, competitors: Sequence[Competitor]) -> list[Competitor]:
        """Return competitors in random order."""
        return [competitors[place] for place in self.random.permutation(len(competitors))]

    def admit(self) -> None:
        """Start everybody, in random order, compare the settings that are in force, and prove everybody."""
        for number, competitor in enumerate(order := self.shuffled(self.present)):
            self.display.doing(f"starting {competitor.label}", number, len(order))
            self._enter(competitor)
        self._compare_settings()
        for number, competitor in enumerate(present := self.present):
            self.display.doing(f"proving {competitor.label}", number, len(present))
            self._prove_entered(competitor)

    def leave(self) -> None:
        """End all workers."""
        for competitor in self.competitors:
            competitor.leave()

    # -- proofs alone ------------------------------------------------------------------------------------------------

    def prove(self, competitor: Competitor) -> WorkerError | None:
        """Prove one competitor, and time nothing; return why it is not proven, if so.

        Others may be proven at the same time. Who is known to be proven is not even started.
        """
        known = self.registrar.find_certificate(competitor)
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
                if failure is not None and failure.kind == NO_PROOF:
                    competitor.fail("proof", failure)
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
                    self._prove_entered(competitor)
            finally:
                competitor.leave()

    def proven(self) -> Stopped:
        """Return how a contest ends in which everybody was proven and nobody took a turn."""
        return Stopped(why="proven", rounds=0, out=self.out)

    # -- one competitor ----------------------------------------------------------------------------------------------

    def _enter(self, competitor: Competitor) -> None:
        """Start a competitor and let it take its first step."""
        with competitor.stage("start"):
            self._start(competitor)
            competitor.first_step()

    def _start(self, competitor: Competitor) -> None:
        """Start a competitor's worker."""
        assert competitor.environment is not None
        competitor.enter(competitor.environment, self.work, self.folder, self.request.timeout)

    def _compare_settings(self) -> None:
        """Tell which settings differ that must not, once, and under --strict end the contest for it."""
        found = differences({one.label: one.settings for one in self.present})
        for sentence in [difference.sentence for difference in found if difference.sentence not in self._told]:
            self.display.tell(sentence)
            self._told.add(sentence)
        if not found or not self.request.admission.strict:
            return
        what = " ".join(difference.sentence for difference in found)
        for competitor in self.present:
            competitor.fail("settings", WorkerError("unequal", what, REMEDY))

    def _prove_entered(self, competitor: Competitor) -> None:
        """Prove a competitor that was started, and let it begin afresh."""
        self._tell(competitor, self._certify(competitor))
        if competitor.out is None:
            with competitor.stage("proof"):
                competitor.live.hand_rows(self.work.batches)  # a proof may have chosen others
                competitor.live.build()

    def _tell(self, competitor: Competitor, failure: WorkerError | None) -> None:
        """Note whether a competitor is proven; without a proof it leaves, unless the user insists."""
        competitor.proven = failure is None
        if failure is not None and competitor.out is None:
            self.display.tell(f"{competitor.label} is not proven: {failure.what}")
            if not self.request.admission.insist:
                competitor.fail("proof", failure)

    def _certify(self, competitor: Competitor) -> WorkerError | None:
        """Return why a competitor is not proven, None where it is; a worker that fails on the way takes it out."""
        with competitor.stage("proof"):
            try:
                certificate = self.registrar.certify(competitor, competitor.live.folder / "proof")
            except ProofError as error:
                return WorkerError(NO_PROOF, error.what, error.hint)
            if not certificate.passed:
                return WorkerError("proof_failed", why_failed(certificate.body), "rosetta prove shows it all")
        return None


def why_failed(body: dict[str, Any]) -> str:
    """Return what a failed certificate says: the first divergence, and its likely cause."""
    cause = f"; likely cause: {body['cause']}" if body["cause"] else ""
    return f"{divergence_words(body)}{cause}"
