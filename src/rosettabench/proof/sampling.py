"""Check sample paths by their distribution, because no two frameworks draw the same random numbers.

Each path is put into its window as if it had been observed. The reference then computes, in float64, Student's
distribution from which each value should have been drawn, given the path before it. Its distribution function at the
value is the probability integral transform. For a correct sampler, the transforms are uniform in (0, 1) and
independent: Rosenblatt 1952, "Remarks on a multivariate transformation", Annals of Mathematical Statistics 23; Diebold,
Gunther and Tay 1998, "Evaluating density forecasts", International Economic Review 39. This holds exactly for any
weights. They are chosen so that mistakes show: see `responsive`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import inf, sqrt
from pathlib import Path
from tempfile import mkdtemp

import numpy as np

from rosettabench.client.session import Session
from rosettabench.data.series.windows import continued_inputs, known_inputs
from rosettabench.files import save_array
from rosettabench.proof.comparison import Deviation
from rosettabench.proof.reference import Reference
from rosettabench.proof.walk import Array, Files, read_array
from rosettabench.proof.weights import Weights, save_weights
from rosettabench.statistics.student_t import distribution_function
from rosettabench.statistics.uniformity import common_part, correlation, off_uniform

SERIES = 16
"""Number of series that are forecast, evenly spread over the set; a smaller set repeats some."""

VALUES = 2**15
"""Approximate number of drawn values: it reveals a distribution function that is off by 0.017 anywhere."""

PATHS = (16, 128)
"""Fewest and most paths of each series: long ones take long; for short ones two thousand in all are enough."""

SEED = 1
"""Seed of the framework's generator."""

BATCH = 64
"""Windows in one batch of the reference."""

KERNELS, LOCATION = 3.0, 12.0
"""Factors of all kernels, and of the location's kernel. With them the location moves by twice the width of the
distribution from step to step, mostly because of the drawn values; with the canonical weights it hardly moves."""


@dataclass(frozen=True)
class Sampled:
    """The paths that a session drew, with their distributions by the reference.

    `places` are those of the series; `paths`, (series, paths, horizon); `parameters`, (series, paths, horizon, 3), are
    those of the distribution of each value given those before it; `uniform`, (series, paths, horizon), its transform.
    """

    places: tuple[int, ...]
    paths: Array
    parameters: Array
    uniform: Array

    @property
    def scores(self) -> Array:
        """The transforms, scaled to mean 0 and variance 1."""
        return sqrt(12) * (self.uniform - 0.5)

    @property
    def batches(self) -> tuple[Array, Array]:
        """The scores of the two batches in which the series were forecast."""
        one, other = np.split(self.scores, 2)
        return one, other

    @property
    def by_step(self) -> Array:
        """The transforms of each step of the horizon, (horizon, series × paths)."""
        return self.uniform.reshape(-1, self.uniform.shape[2]).T

    def deviations(self) -> Iterator[Deviation]:
        """Yield the deviations of the transforms from uniform and independent, in standard errors."""
        if not np.isfinite(self.uniform).all():
            yield Deviation("sampling values", None, None, inf)
            return
        scores = self.scores
        yield Deviation("sampling distribution", None, None, off_uniform(self.uniform.ravel()[None]))
        yield Deviation("sampling steps", None, None, off_uniform(self.by_step))
        yield Deviation("sampling paths", None, None, common_part(scores, 1))
        yield Deviation("sampling series", None, None, common_part(scores, 0))
        yield Deviation("sampling batches", None, None, correlation(*self.batches))
        yield Deviation("sampling succession", None, None, correlation(scores[:, None, :, 1:], scores[:, None, :, :-1]))


class Sampling:
    """Lets a session draw sample paths, and the reference compute their distributions."""

    def __init__(self, session: Session, reference: Reference, folder: Path) -> None:
        """Create `folder`, which must not exist yet, and pick SERIES evenly spaced series of the session's data."""
        assert session.work.data.series is not None
        self.series = session.work.data.series
        self.places = tuple(len(self.series) * number // SERIES for number in range(SERIES))
        self._session = session
        self._reference = reference
        self.folder = folder
        self.layers = tuple(session.work.workload.recurrent)
        folder.mkdir(parents=True)

    def responsive(self) -> Weights:
        """Return weights with which each value strongly affects the later ones, so that a wrong value shows in them."""
        weights = {name: np.array(read_array(self._reference.start, name)) for name in self._reference.start}
        for name in weights:
            if name.endswith("kernel"):
                weights[name] *= KERNELS
        workload = self._session.work.workload
        assert workload.forecasts is not None  # else nothing is drawn
        location = workload.outputs.index("location")
        weights[f"{workload.forecasts.layer}.kernel"][location] *= LOCATION / KERNELS
        return weights

    def draw(self, weights: Weights, *, dropout: bool = True) -> Sampled:
        """Let the session draw with `weights`, in two batches, which must differ.

        Without `dropout`, dropout layers keep everything, in any mode of the model.
        """
        place = Path(mkdtemp(dir=self.folder))
        files = save_weights(weights, place / "weights")
        self._session.build(files, dropout=dropout)
        save_array(place / "known.npy", known_inputs(self.series, self.places))
        many = int(np.clip(VALUES // (SERIES * self.series.horizon), *PATHS))
        reply = self._session.forecast(place / "known.npy", many, SEED, place, SERIES // 2)
        paths = np.array(read_array(reply["files"], "samples"))
        parameters = self.parameters(files, continued_inputs(self.series, self.places, paths)).reshape(*paths.shape, 3)
        return Sampled(self.places, paths, parameters, distribution_function(parameters, paths))

    def parameters(self, weights: Files, inputs: Array) -> Array:
        """Return the reference's parameters for windows in the steps of the horizon: (windows, horizon, 3)."""
        place = Path(mkdtemp(dir=self.folder))
        save_array(place / "inputs.npy", inputs)
        save_array(place / "labels.npy", np.zeros((*inputs.shape[:2], 2), np.float32))
        session = self._reference.start_session("float64", None, place)
        try:
            session.build(weights)
            session.ask("data", part="test", inputs=str(place / "inputs.npy"), labels=str(place / "labels.npy"))
            reply = session.ask("evaluate", part="test", samples=len(inputs), batch_size=BATCH, folder=str(place))
            return np.array(read_array(reply["files"], "logits")[:, -self.series.horizon :])
        finally:
            session.process.close()
