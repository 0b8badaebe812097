"""Choose batches on which no unit is near an edge of the gradient, so that round-off cannot turn one.

If a ReLU's input is zero up to round-off, or the two largest inputs of a pool are that close, the gradient may go
either way, and both are right. A proof on such a batch would accuse honest contenders. So a workload with millions of
such units states a margin, and its proof uses only samples that keep it: those of the first epoch in their order,
without samples that have a unit nearer to its edge. If they run out, a later step tries again what earlier ones passed
over: its weights are others. The reference computes the margin of each sample. Picture files,
which every epoch augments differently, continue with the next epoch.

A workload may also leave out images that are mostly of one colour. Where float32 adds the same number again and again,
it rounds it the same way each time: a mean over such an image is off a hundred times as much as over others
(benchmarks/equal_numbers.py).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from math import inf
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rosettabench.client.batches import candidates
from rosettabench.client.session import Session
from rosettabench.errors import ProofError
from rosettabench.files import save_array
from rosettabench.proof.comparison import Deviation
from rosettabench.proof.decoded import give_rows
from rosettabench.proof.walk import Array, Files, read_array

MOST_TRIED = 1000
"""Most batches that are tried for one step with the same weights; for `cifar-vgg` about ten are enough."""


@dataclass(frozen=True)
class Margin:
    """How near the units of one step's batch come to their edges (`nearest`), and how far float32 moves them (`reach`).

    Both are relative to the root mean square of the layer. Of written texts, it is the two likeliest tokens that come
    near each other; the layer is the logits.
    """

    step: int
    nearest: float
    reach: float

    @property
    def deviation(self) -> Deviation:
        """How far float32 moves the nearest unit, as a share of its distance."""
        return Deviation("margin", self.step, None, self.reach / self.nearest if self.nearest else inf)


class Chooser:
    """Chooses the batch of each step of a proof while the reference walks. Its file of rows replaces the drawn one."""

    def __init__(self, session: Session, margin: float, folder: Path) -> None:
        """Create `folder` if it is missing, and read the drawn batches.

        `session` is one of the float64 reference. `margin` is the smallest allowed distance of a unit from its edge.
        """
        work = session.work.stated
        folder.mkdir(parents=True, exist_ok=True)
        self.path = folder / "batches.npy"
        self._trial = folder / "trial.npy"
        self._session = session
        self._margin = margin
        self.nearest: list[Array] = []
        self._reach: dict[int, float] = {}
        self._rows: NDArray[np.int64] = np.load(work.batches)
        drawn = candidates(work.workload, work.data, work.setting)
        flattest = work.workload.proof.flat
        self._samples: Iterator[NDArray[np.int64]] = (
            drawn if flattest is None else textured(drawn, np.load(work.data.train.inputs, mmap_mode="r"), flattest)
        )

    def choose(self, step: int) -> None:
        """Choose the batch of a step for the session's present weights, and hand it over.

        What it passes over is tried again with other weights, once all other samples have been. Raises ProofError if
        there are too few training samples.
        """
        batch, near = np.empty_like(self._rows[step]), np.ones(self._rows.shape[1], bool)
        passed_over: list[NDArray[np.int64]] = []
        try:
            for _ in range(MOST_TRIED):
                batch[near] = self._draw(int(near.sum()))
                margins = self._margins_of_trial(batch)
                near = margins < self._margin
                passed_over += [*batch[near]]
                if not near.any():
                    break
            else:
                raise self._failure(step)
        except ProofError:
            passed_over += [*batch[~near]]
            raise
        finally:
            self._samples = chain(self._samples, passed_over)
        self.nearest.append(margins)
        self._rows[step] = batch
        save_array(self.path, self._rows)
        give_rows(self._session, self.path)

    def hand_on(self, session: Session, begins: Sequence[Files]) -> None:
        """Hand the batches to a session of lower precision, and measure how far it moves the nearest units.

        `begins` are the weights at the beginning of each step. The model must be built again afterwards.
        """
        give_rows(session, self.path)
        for step, (weights, nearest) in enumerate(zip(begins, self.nearest, strict=False)):
            session.ask("place", weights=weights)
            moved = np.abs(margins_of(session, step, self._trial.parent) - nearest)
            self._reach[step] = max(self._reach.get(step, 0.0), float(moved.max()))

    def margins(self) -> list[Margin]:
        """Return the margin of each step."""
        return [Margin(step, float(near.min()), self._reach[step]) for step, near in enumerate(self.nearest)]

    def _margins_of_trial(self, batch: NDArray[np.int64]) -> Array:
        """Return how near each sample of a batch comes to an edge, (samples,), with the session's present weights."""
        save_array(self._trial, batch[None])
        give_rows(self._session, self._trial)
        return margins_of(self._session, 0, self._trial.parent, least=self._margin)

    def _draw(self, count: int) -> list[NDArray[np.int64]]:
        """Return the next samples; raise ProofError if there are too few."""
        drawn = list(islice(self._samples, count))
        if len(drawn) < count:
            self._samples = iter(drawn)
            raise self._failure(len(self.nearest))
        return drawn

    def _failure(self, step: int) -> ProofError:
        """Return the error that too few samples keep the margin."""
        workload = self._session.work.workload.name
        return ProofError(
            f"too few samples keep the margin {self._margin:g} that {workload} states for its proof (step {step})",
            f"State a smaller margin, or a smaller batch, in the [proof] of {workload}.",
        )


def textured(samples: Iterator[NDArray[np.int64]], images: Array, flattest: float) -> Iterator[NDArray[np.int64]]:
    """Yield the `samples` of whose images, (channels, height, width), at most the share `flattest` is flat."""
    return (one for one in samples if flat_share(images[one]) <= flattest)


def flat_share(image: Array) -> float:
    """Return the share of an image's pixels, (channels, height, width), that equal their right neighbour."""
    return float((image[..., 1:] == image[..., :-1]).all(0).mean())


def margins_of(session: Session, step: int, folder: Path, least: float = 0.0) -> Array:
    """Return how near each sample of a row comes to an edge, (samples,), with the session's present weights.

    Once a sample is nearer than `least`, later layers may be skipped.
    """
    files = session.ask("margins", step=step, folder=str(folder), least=least)["files"]
    return np.array(read_array(files, "margins"))
