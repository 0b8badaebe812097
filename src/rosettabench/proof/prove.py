"""Prove one contender: walk it beside the reference and compare everything, as it goes."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from rosettabench.lab.session import Session
from rosettabench.plan.learning_rate import PROOF_PACE
from rosettabench.proof.cause import Case, likely_cause
from rosettabench.proof.check import Check, make_check
from rosettabench.proof.comparison import Deviation, compare_parameters, compare_step
from rosettabench.proof.dropout import probe_dropout
from rosettabench.proof.reference import Reference, compare_evaluations, evaluate
from rosettabench.proof.walk import STEPS, Array, Walked, read, walk


class Proof:
    """The proof of one session. `run` fills `checks`; it stops at the end of the first step that diverges.

    The worker has built the model when it begins, and must build it anew afterwards.
    """

    def __init__(self, session: Session, reference: Reference, folder: Path) -> None:
        self.checks: list[Check] = []
        self.cause: str | None = None
        self._session = session
        self._reference = reference
        self._folder = folder

    @property
    def passed(self) -> bool:
        """True when something was compared and nothing failed."""
        return bool(self.checks) and all(check.passed for check in self.checks)

    def run(self) -> None:
        """Compare the weights, each step, the evaluation, and a block that does the same steps in one turn.

        All that is done with dropout off. Then it is on, and what it drops is looked at by itself.
        """
        try:
            self._build()
            for deviations, found in self._stages():
                for deviation in deviations:
                    self.checks.append(make_check(deviation, self._reference.tolerances.of(deviation)))
                failed = next((check for check in self.checks if not check.passed), None)
                if failed is not None:
                    self.cause = self._diagnose(failed, found)
                    return
        finally:
            shutil.rmtree(self._folder, ignore_errors=True)

    def _stages(self) -> Iterator[tuple[Iterator[Deviation], Walked | None]]:
        session, reference = self._session, self._reference
        for found in walk(session, self._folder):
            yield compare_step(found, reference.steps[found.step], reference.start), found
            shutil.rmtree(self._folder / str(found.step))
        evaluation = evaluate(session, self._folder / "evaluation")
        yield compare_evaluations(evaluation, reference.evaluation), None
        self._build()
        session.train(0, STEPS)
        files = session.ask("parameters", folder=str(self._folder / "block"))["files"]
        last = reference.steps[-1].parameters
        yield compare_parameters(files, last, reference.start, None, "block parameter"), None
        yield probe_dropout(session, self._folder / "dropout"), None

    def _build(self) -> None:
        dropout = not self._session.work.workload.dropout
        self._session.build(self._reference.start, dropout=dropout, pace=PROOF_PACE)

    def _diagnose(self, failed: Check, found: Walked | None) -> str | None:
        divergence = Deviation(failed.quantity, failed.step, failed.tensor, failed.deviation)
        work = self._session.work
        workload, lazy = work.workload, work.lazy
        again = self._logits_again if failed.step is not None else self._evaluation_again
        case = Case(divergence, found, self._reference, workload.optimizer, again, workload.normalisation, lazy)
        return likely_cause(case)

    def _logits_again(self) -> Array:
        files = self._session.ask("gradients", step=0, folder=str(self._folder / "again"))["files"]
        return np.array(read(files, "logits"))

    def _evaluation_again(self) -> Array:
        return np.array(read(evaluate(self._session, self._folder / "again").files, "logits"))
