"""The reference takes the first steps of a contest, at the extents that are timed.

A proof may be smaller than the work, so what is timed is compared with the reference, too. The reference takes these
steps once, in float64 and in float32, which shows how much of a difference is noise. Its answer stays in the cache, and
later contests of the same work find it there::

    first-steps/<digest>/answer.json               the losses, and the files of the parameters; or that it took too long
                         float64/, float32/        .npy files of the parameters

The digest is that of all that the answer depends on: code, values, weights, data, batches and the packages.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from time import monotonic
from typing import Any

from rosettabench.client.session import Session, Work
from rosettabench.data.lock import lock_file
from rosettabench.data.progress import silent
from rosettabench.errors import FailureKind, ProofError, WorkerError
from rosettabench.store.digest import digest
from rosettabench.watch.exact import ExactSteps, TakenSteps
from rosettabench.watch.moves import Move

AFFORDABLE_S = 60.0
"""Most seconds that the reference may take for the first steps, after it has started."""

PRECISIONS = ("float64", "float32")

ANSWER = "answer.json"

DROPS_NOTHING = "it drops nothing, and this workload does"
TOO_LONG = f"it takes more than {AFFORDABLE_S:.0f} s"


class FirstSteps:
    """Answers how the reference takes the first steps of one contest.

    `referee` starts a session of the reference in a folder and a precision; a request to it may take AFFORDABLE_S.
    `subject` returns what the answer depends on. Both raise ProofError if there is no reference. `obstacle` returns why
    the reference should not even begin so many steps; nothing if it may. `cache` is the folder of the cache.
    """

    def __init__(
        self,
        work: Work,
        referee: Callable[[Path, str], Session],
        subject: Callable[[], Mapping[str, Any]],
        obstacle: Callable[[int], str],
        cache: Path,
    ) -> None:
        """Start nothing yet."""
        self._work = work
        self._referee = referee
        self._subject = subject
        self._obstacle = obstacle
        self._shelf = cache / "first-steps"
        self._answers: dict[int, ExactSteps | str] = {}

    def take(self, steps: int) -> ExactSteps | str:
        """Return the first steps as the reference takes them, or why it cannot.

        A second question about as many steps has the same answer, of a failure, too: nobody waits for it again.
        """
        if steps not in self._answers:
            self._answers[steps] = self._find(steps)
        return self._answers[steps]

    def _find(self, steps: int) -> ExactSteps | str:
        """Return the answer from the cache, or let the reference compute it; why it cannot, if so."""
        if self._work.workload.dropout:
            return DROPS_NOTHING
        try:
            place = self._shelf / digest({**self._subject(), "steps": steps})[:16]
            with lock_file(place.with_name(f"{place.name}.lock"), "", silent):
                if not (place / ANSWER).is_file():
                    if obstacle := self._obstacle(steps):
                        return obstacle
                    self._compute(place, steps)
            return self._read(place)
        except (ProofError, WorkerError) as error:
            return error.what
        except OSError as error:  # the cache is full, or belongs to somebody else: a contest can do without it
            return f"its answer cannot be kept: {error}"

    def _compute(self, place: Path, steps: int) -> None:
        """Let the reference take the steps, and write its answer: beside its place, and then renamed.

        The lock of the place is held, so whatever else lies beside it was left by a run that was killed.
        """
        for left in place.parent.glob(f".{place.name}.*"):
            shutil.rmtree(left)
        with tempfile.TemporaryDirectory(prefix=f".{place.name}.", dir=place.parent) as making:
            draft = Path(making) / "answer"
            draft.mkdir()
            answer: dict[str, Any] = {}
            for precision in PRECISIONS:
                answer[precision] = self._ask(Path(making), draft / precision, steps, precision)
                if answer[precision] is None:
                    break
            (draft / ANSWER).write_text(json.dumps(answer), encoding="utf-8")
            shutil.rmtree(place, ignore_errors=True)  # without an answer: it was removed by hand
            draft.rename(place)

    def _ask(self, scratch: Path, folder: Path, steps: int, precision: str) -> dict[str, Any] | None:
        """Return the losses of the steps, and the names of the files in `folder`; None if it takes too long."""
        session = self._referee(scratch / f"{precision}-session", precision)
        try:
            losses, end = [], monotonic() + AFFORDABLE_S
            for step in range(steps):
                losses.append(session.train(step, 1).loss)
                if monotonic() > end:
                    return None
            files = session.ask("parameters", folder=str(folder))["files"]
            return {"losses": losses, "files": {name: Path(file).name for name, file in files.items()}}
        except WorkerError as error:
            if error.kind is not FailureKind.TIMEOUT:
                raise
            return None
        finally:
            session.process.close()

    def _read(self, place: Path) -> ExactSteps | str:
        """Return a written answer; it may be that the reference took too long."""
        answer = json.loads((place / ANSWER).read_text(encoding="utf-8"))
        found = []
        for precision in PRECISIONS:
            if answer.get(precision) is None:
                return TOO_LONG
            after = {name: str(place / precision / file) for name, file in answer[precision]["files"].items()}
            found.append(TakenSteps(Move(self._work.weights, after), tuple(answer[precision]["losses"])))
        return ExactSteps(*found)
