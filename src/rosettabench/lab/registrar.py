"""The registrar: finds or makes the certificate of each competitor. Nothing is proven twice."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from threading import Lock
from typing import Any

from rosettabench.client.session import Work
from rosettabench.errors import ProofError, WorkerError
from rosettabench.lab.competitor import Competitor
from rosettabench.proof.certificate import certificate_body, certificate_key, equal_to, subject_of
from rosettabench.proof.inference import InferenceProof
from rosettabench.proof.prove import Proof
from rosettabench.proof.reference import Reference
from rosettabench.store.digest import digest
from rosettabench.store.schema import Certificate, Certification
from rosettabench.store.store import Store, now


class Registrar:
    """Certifies the competitors of one contest; several threads may call it. `make` makes the reference.

    `work` is what is proven: the contest's own work, or the work at the extents that the workload states for its proof.
    """

    def __init__(self, store: Store, work: Work, weights: str, make: Callable[[], Reference], again: bool) -> None:
        """Make no reference yet: `make` is called once at most, when a proof needs it.

        `weights` is the digest of the drawn weights. `again` ignores earlier certificates, except for second copies.
        """
        self._store = store
        self._work = work
        self._weights = weights
        self._make_reference = make
        self._reference: Reference | ProofError | None = None
        self._making = Lock()
        self._again = again

    def certify(self, competitor: Competitor, folder: Path) -> Certificate:
        """Return the competitor's certificate; prove it now unless it has a valid one.

        Raises WorkerError if the worker fails, and ProofError if the reference does.
        """
        known = self.find_certificate(competitor)
        if known is None:
            subject = self._subject(competitor)
            body = self._prove(competitor, subject, folder)
            key = certificate_key(subject)
            certificate = Certificate(key=key, at=now(), passed=body["passed"], body=body, digest=digest(body))
            known = self._store.add(certificate)
        self.note(competitor, known)
        return known

    def find_certificate(self, competitor: Competitor) -> Certificate | None:
        """Return the competitor's certificate if its exact subject was proven before and need not be proven again."""
        if self._again and competitor.contender.copy == 1:
            return None
        found = self._store.certificate(certificate_key(self._subject(competitor)))
        return found if found is not None and found.passed else None

    def note(self, competitor: Competitor, certificate: Certificate) -> None:
        """Store that a certificate belongs to a competitor."""
        entry, session = competitor.row.id, competitor.number
        self._store.add(Certification(entry_id=entry, certificate_id=certificate.id, session=session))

    def _subject(self, competitor: Competitor) -> dict[str, Any]:
        """Return the subject of a competitor's certificate."""
        assert competitor.environment is not None
        contender = competitor.contender
        return subject_of(contender.entry, contender.mode, competitor.environment, self._work, self._weights)

    def _prove(self, competitor: Competitor, subject: dict[str, Any], folder: Path) -> dict[str, Any]:
        """Prove a competitor and return the body of its certificate."""
        kind: type[Proof] | type[InferenceProof] = Proof if self._work.workload.inference is None else InferenceProof
        with competitor.proving(self._work, folder / "session") as session:
            reference = self.reference()  # which another thread may be making while the session starts
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
            equal_to(self._work.workload),
        )

    def reference(self) -> Reference:
        """Return the reference. The first caller makes it, the others wait.

        Raises ProofError if it cannot be made; there is only one attempt.
        """
        with self._making:
            if self._reference is None:
                self._reference = self._attempt()
        if isinstance(self._reference, ProofError):
            raise ProofError(self._reference.what, self._reference.hint)
        return self._reference

    def _attempt(self) -> Reference | ProofError:
        """Make the reference; return the error if that fails."""
        try:
            return self._make_reference()
        except WorkerError as error:
            return ProofError(f"the reference failed: {error.what}", error.hint or "rosetta env check")
        except ProofError as error:
            return error
