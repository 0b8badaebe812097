"""The registrar: nobody is ranked without a certificate, and nobody proves twice what stands proven."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from threading import Lock
from typing import Any

from rosettabench.client.session import Work
from rosettabench.errors import ProofError, WorkerError
from rosettabench.lab.competitor import Competitor
from rosettabench.proof.certificate import certificate_body, certificate_key, subject_of
from rosettabench.proof.inference import InferenceProof
from rosettabench.proof.prove import Proof
from rosettabench.proof.reference import Reference
from rosettabench.store.schema import Certificate, Certification
from rosettabench.store.store import Store, digest, now
from rosettabench.watch.moves import Move


class Registrar:
    """Certifies the competitors of one contest, several at a time if need be. `make` makes its reference.

    `work` is what is proven: the contest's own work (then it is `timed`), or the same at the extents that the workload
    states for its proof.
    """

    def __init__(
        self, store: Store, work: Work, weights: str, make: Callable[[], Reference], again: bool, timed: bool = False
    ) -> None:
        self._store = store
        self._work = work
        self._weights = weights
        self._make_reference = make
        self._reference: Reference | ProofError | None = None
        self._making = Lock()
        self._again = again
        self.timed = timed

    def certify(self, competitor: Competitor, folder: Path) -> Certificate:
        """Return the competitor's certificate, proven now unless the very same was proven before.

        Raises WorkerError where the worker, and ProofError where the reference, cannot do its part.
        """
        known = self.find_certificate(competitor)
        if known is None:
            subject = self._subject(competitor)
            body = self._prove(competitor, subject, folder)
            known = self._store.add(
                Certificate(
                    key=certificate_key(subject), at=now(), passed=body["passed"], body=body, digest=digest(body)
                )
            )
        self.note(competitor, known)
        return known

    def find_certificate(self, competitor: Competitor) -> Certificate | None:
        """Return the competitor's certificate if the very same was proven before, and need not be proven again."""
        if self._again and competitor.contender.copy == 1:
            return None
        found = self._store.certificate(certificate_key(self._subject(competitor)))
        return found if found is not None and found.passed else None

    def note(self, competitor: Competitor, certificate: Certificate) -> None:
        """Write down that a certificate is a competitor's."""
        entry, session = competitor.row.id, competitor.number
        self._store.add(Certification(entry_id=entry, certificate_id=certificate.id, session=session))

    def _subject(self, competitor: Competitor) -> dict[str, Any]:
        """Return what a competitor's certificate is about."""
        assert competitor.environment is not None
        contender = competitor.contender
        return subject_of(contender.entry, contender.mode, competitor.environment, self._work, self._weights)

    def _prove(self, competitor: Competitor, subject: dict[str, Any], folder: Path) -> dict[str, Any]:
        """Prove a competitor and return the body of its certificate."""
        reference = self.reference()
        kind: type[Proof] | type[InferenceProof] = Proof if self._work.workload.inference is None else InferenceProof
        with competitor.proving(self._work, folder / "session") as session:
            proof = kind(session, reference, folder / "files")
            proof.run()
        return certificate_body(
            subject,
            proof.checks,
            reference.framework,
            proof.steps,
            proof.cause,
            reference.margins,
            proof.guided,
            proof.excused,
        )

    def reference(self) -> Reference:
        """Return the reference. Who asks first makes it, and whoever asks meanwhile waits for it.

        Raises ProofError where it cannot be made: it is tried once.
        """
        with self._making:
            if self._reference is None:
                self._reference = self._attempt()
        if isinstance(self._reference, ProofError):
            raise ProofError(self._reference.what, self._reference.hint)
        return self._reference

    def exact(self, steps: int) -> Move | None:
        """Return how the reference moves over the first steps of the contest; None where that is not known by now.

        It is where the reference was made here, for the very batches and weights that are timed.
        """
        made = self._reference
        if not isinstance(made, Reference) or made.guide is not None or not self.timed or steps > len(made.steps):
            return None
        return Move(made.start, made.steps[steps - 1].parameters)

    def _attempt(self) -> Reference | ProofError:
        """Make the reference; return the error where that fails."""
        try:
            return self._make_reference()
        except WorkerError as error:
            return ProofError(f"the reference failed: {error.what}", error.hint or "rosetta env check")
        except ProofError as error:
            return error
