"""Prove one contender: walk it beside the reference and compare everything, as it goes."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from rosettabench.client.session import Session
from rosettabench.plan.proof_steps import pace_of, steps_of
from rosettabench.proof.augmentation import AugmentedSamples, look_at_augmentation
from rosettabench.proof.causes.case import Case
from rosettabench.proof.causes.layers import backward_parting, first_parting
from rosettabench.proof.causes.likely import likely_cause
from rosettabench.proof.causes.place import FORWARD, beginning
from rosettabench.proof.causes.suspect import Suspect
from rosettabench.proof.check import Check, make_check
from rosettabench.proof.comparison import Deviation, compare_parameters
from rosettabench.proof.devices import compare_devices, off_devices
from rosettabench.proof.dropout import probe_dropout
from rosettabench.proof.reference import Reference, compare_evaluations, compare_unguided, evaluate
from rosettabench.proof.sampling import Sampling
from rosettabench.proof.tolerance import LARGEST, MIXED, SAFETY
from rosettabench.proof.turning import turning_noise
from rosettabench.proof.updates import OwnUpdates
from rosettabench.proof.walk import Array, Files, Unguided, Walked, read_array, walk, walk_unguided

BLOCKS_AGAIN = 4
"""How often a block is taken again where passes differ, to show how far such blocks end from each other.

The difference may be that of one weight whose gradient is round-off, and two blocks may agree there by chance. With one
block more, an honest contender of fashion-mlp would fail up to six times in a thousand proofs; with four, six times in
ten million (docs/explanation/proof.md#where-passes-differ)."""


class Proof:
    """The proof of one session. `run` fills `checks`; it stops at the end of the first step that diverges.

    The worker has built the model when it begins, and must build it anew afterwards.
    """

    def __init__(self, session: Session, reference: Reference, folder: Path) -> None:
        """Ask the worker nothing before `run`, which writes its files to `folder` and then deletes that folder."""
        self.checks: list[Check] = []
        self.cause: str | None = None
        self.excused: list[Check] = []
        """The gradients that are further off than the noise explains, where units turn; and the updates that only
        another pass explains, as far off as the own gradients alone leave them."""
        self._session = session
        self._reference = reference
        self._folder = folder
        self._mixed = session.work.setting.precision in MIXED
        self._own = OwnUpdates(session.work, reference.start, reference.guide, reference.still, reference.tolerances)
        self._seen: AugmentedSamples | None = None
        self._drawn: Suspect | None = None
        self._block: dict[str | None, Deviation] = {}
        self._block_unrest: dict[str | None, float] = {}
        """How far blocks of the same steps end from the first, for each tensor; empty where they cannot differ."""
        self._turning: dict[int, dict[str, float]] = {}

    @property
    def steps(self) -> int:
        """The optimiser steps that it compares."""
        return steps_of(self._session.work.workload)

    @property
    def guided(self) -> range:
        """The steps that begin with the reference's weights."""
        return range(1, self.steps) if self._reference.guide is not None else range(0)

    @property
    def passed(self) -> bool:
        """True when something was compared and nothing failed."""
        return bool(self.checks) and all(check.passed for check in self.checks)

    def run(self) -> None:
        """Compare each step, the evaluation, and a block that does the same steps in one turn.

        All that is done with dropout off. Then it is on, and what it drops is looked at by itself. Where a loader
        augments pictures, that is looked at first.
        """
        try:
            self._reference.supply(self._session)
            self._build()
            for deviations, found in self._stages():
                for deviation in deviations:
                    self.checks.append(self._check(deviation))
                failed = next((check for check in self.checks if not check.passed), None)
                if failed is not None:
                    self.cause = self._diagnose(failed, found)
                    return
        finally:
            shutil.rmtree(self._folder, ignore_errors=True)

    def _check(self, deviation: Deviation) -> Check:
        """Hold a deviation against its tolerance; what is further off, and everything before it is not, is asked again.

        What fails both is told as it was found first.
        """
        check = make_check(deviation, self._tolerance(deviation))
        if check.passed and deviation.quantity == "update":
            alone = replace(check, deviation=self._own.off_alone(str(deviation.tensor)))
            self.excused += [] if alone.passed else [alone]
        if check.passed or self._mixed or not all(earlier.passed for earlier in self.checks):
            return check
        again = check
        if deviation.quantity == "gradient" and deviation.value <= LARGEST:
            again = self._check_turned(deviation)
            self.excused += [again] if again.passed else []
        elif self._own.has_formula and (
            deviation.quantity == "parameter" or (deviation.quantity == "block parameter" and not self._reference.guide)
        ):
            again = self._check_update(deviation)
        return again if again.passed else check

    def _tolerance(self, deviation: Deviation) -> float:
        """Return the tolerance of a deviation; where blocks differ, if need be ten times by how much."""
        known = self._reference.tolerances.of(deviation)
        if deviation.value <= known:
            return known
        blocks = deviation.quantity in ("block parameter", "block update")
        unrest = self._block_unrest.get(deviation.tensor, 0.0) if blocks else 0.0
        return max(known, min(LARGEST, SAFETY * unrest))

    def _check_turned(self, deviation: Deviation) -> Check:
        """Hold a gradient against how far the reference's goes where units turn."""
        step = deviation.step or 0
        if step not in self._turning:
            self._turning[step] = turning_noise(self._reference, step)
        return make_check(deviation, min(LARGEST, SAFETY * self._turning[step].get(str(deviation.tensor), 0.0)))

    def _check_update(self, deviation: Deviation) -> Check:
        """Hold a parameter against the contender's own gradients; behind a block, against its own steps as well."""
        off, quantity = self._own.off(str(deviation.tensor)), "update"
        if deviation.quantity == "block parameter":
            off, quantity = off + self._block[deviation.tensor].value, "block update"
        sharper = replace(deviation, quantity=quantity, value=off)
        return make_check(sharper, self._tolerance(sharper))

    def _stages(self) -> Iterator[tuple[Iterator[Deviation], Walked | None]]:
        """Yield the parts of the proof in their order: what is compared, and the step that was walked."""
        session, reference = self._session, self._reference
        own = self._own
        if session.work.data.pictures is not None:
            self._seen = look_at_augmentation(session, self._folder / "augmentation")
            yield self._seen.deviations(), None
        if reference.margins and not self._mixed:
            yield (one.deviation for one in reference.margins), None
        for found in walk(session, self._folder, reference.guide):
            exact = reference.steps[found.step]
            own.record(found)
            yield compare_devices(found, session.devices), found
            yield own.compare_step(found, exact), found
            shutil.rmtree(self._folder / str(found.step))
        evaluation = evaluate(session, self._folder / "evaluation")
        yield compare_evaluations(evaluation, reference.evaluation), None
        alone = None
        if reference.guide and reference.unguided is not None:
            if not self._mixed:
                unguided = self._walk_unguided(reference.guide[0])
                yield compare_unguided(unguided, reference.unguided, session.work.workload.outputs), None
            alone = self._walk_alone()
        yield self._walk_block(alone), None
        yield probe_dropout(session, self._folder / "dropout"), None
        if session.work.workload.forecasts is not None and not self._mixed:
            sampling = Sampling(session, reference, self._folder / "sampling")
            self._drawn = Suspect(sampling.draw(sampling.responsive()), sampling)
            yield self._drawn.found.deviations(), None

    def _walk_block(self, alone: Files | None) -> Iterator[Deviation]:
        """Take the same steps as one block; yield how far it ends from them, or from the reference's.

        `alone` is where they end without a guide. Where passes differ, further blocks show by how much, and what Adam
        moves at random is only held against its longest steps.
        """
        own, reference = self._own, self._reference
        written = self._take_block("block")
        files = written["files"]
        yield from off_devices(files, written.get("others", ()), None, "device parameter")
        last = alone or reference.steps[-1].parameters
        self._block = {one.tensor: one for one in own.compare_block(files)}
        compared = list(compare_parameters(files, last, reference.start, None, "block parameter"))
        if own.restless:
            self._block_unrest = self._take_blocks_again(files)
            yield from own.compare_wandering(files)
            compared = [one for one in compared if one.tensor not in own.wandering]
        yield from self._block.values() if self._mixed and not alone else compared

    def _take_blocks_again(self, first: Files) -> dict[str | None, float]:
        """Take the block again and again; return how far the furthest ends from the `first`, for each tensor."""
        furthest: dict[str | None, float] = {}
        for number in range(BLOCKS_AGAIN):
            files = self._take_block(f"block-again-{number}")["files"]
            for one in compare_parameters(files, first, self._reference.start, None, "block parameter"):
                furthest[one.tensor] = max(furthest.get(one.tensor, 0.0), one.value)
        return furthest

    def _take_block(self, name: str) -> dict[str, Any]:
        """Take all steps from the start in one turn; return the worker's reply with the parameters."""
        self._build()
        self._session.train(0, self.steps)
        return self._session.ask("parameters", folder=str(self._folder / name))

    def _walk_unguided(self, second: Files) -> Unguided:
        """Take the same steps with only the second guided, from the weights `second`."""
        self._build()
        return walk_unguided(self._session, self._folder / "unguided", second)

    def _walk_alone(self) -> Files:
        """Take the same steps with nobody guiding them; return where they end: there a block of them must end, too.

        The parameters are read after every step. Several devices then take the mean of their running statistics, which
        they do only once in a block: both must come to the same.
        """
        self._build()
        files: Files = {}
        for step in range(self.steps):
            self._session.train(step, 1)
            files = self._session.ask("parameters", folder=str(self._folder / "alone"))["files"]
        return files

    def _build(self) -> None:
        """Let the worker build the model with the weights of the start."""
        workload = self._session.work.workload
        self._session.build(self._reference.start, dropout=not workload.dropout, pace=pace_of(workload))

    def _diagnose(self, failed: Check, found: Walked | None) -> str | None:
        """Return the likely cause of a failed check, and where it begins."""
        divergence = Deviation(failed.quantity, failed.step, failed.tensor, failed.deviation)
        work = self._session.work
        workload, lazy = work.workload, work.lazy
        assert workload.optimizer is not None  # inference has a proof of its own
        again = self._logits_again if failed.step is not None else self._evaluation_again
        case = Case(
            divergence,
            found,
            self._reference,
            workload.optimizer,
            again,
            workload.normalisation,
            lazy,
            self._own,
            self._mixed,
            self._seen,
            self._drawn,
            workload.recurrent,
        )
        place = self._place(failed)
        return likely_cause(case) + (f"; {place}" if place else "")

    def _place(self, failed: Check) -> str:
        """Return a sentence on where a failure begins; of an original's port that is a layer."""
        if self._session.work.workload.reference is not None:
            if failed.quantity in FORWARD:
                return first_parting(self._session, self._reference, failed.step or 0, failed.deviation, self._folder)
            if failed.quantity == "gradient" and self._reference.records:
                return backward_parting(self.checks, self._reference)
        return beginning(self.checks)

    def _logits_again(self) -> Array:
        """Return the logits of the first batch, asked for once more."""
        files = self._session.ask("gradients", step=0, folder=str(self._folder / "again"))["files"]
        return np.array(read_array(files, "logits"))

    def _evaluation_again(self) -> Array:
        """Return the logits of the evaluation, asked for once more."""
        return np.array(read_array(evaluate(self._session, self._folder / "again").files, "logits"))
