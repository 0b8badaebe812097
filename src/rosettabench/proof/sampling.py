"""Sample paths, checked by their distribution: no two frameworks draw the same random numbers.

Each path is put back into its window as if it were what came. The reference then says, in float64 and given that very
path, what Student's distribution each of its values is to have been drawn from; the distribution function of that,
evaluated at the value, is the probability integral transform. Of a sampler that does what it should the transforms are
uniform in (0, 1) and independent of each other: Rosenblatt 1952, "Remarks on a multivariate transformation", Annals of
Mathematical Statistics 23; Diebold, Gunther and Tay 1998, "Evaluating density forecasts", International Economic Review
39. That is exact, whatever the weights are. So they are chosen such that a mistake shows: see `responsive`.
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
"""Series that are forecast, evenly spread over the set; of a smaller set, some of them again."""

VALUES = 2**15
"""Values that are drawn, about: a distribution function that is off by 0.017 anywhere is seen then."""

PATHS = (16, 128)
"""Paths of each series, at least and at most: long ones take long, of short ones two thousand are enough."""

SEED = 1
"""Of the framework's generator."""

BATCH = 64
"""Windows that the reference looks at together."""

KERNELS, LOCATION = 3.0, 12.0
"""By what kernels are multiplied, and that of the location. The location then moves by twice the width of the
distribution from step to step, mostly because of what was drawn; with the canonical weights it hardly moves."""


@dataclass(frozen=True)
class Sampled:
    """What a session has drawn, and what the reference says of it.

    `places` are those of the series; `paths`, (series, paths, horizon); `parameters`, (series, paths, horizon, 3), of
    the distribution of each value given those before it; `uniform`, (series, paths, horizon), its transform.
    """

    places: tuple[int, ...]
    paths: Array
    parameters: Array
    uniform: Array

    @property
    def scores(self) -> Array:
        """The transforms with the mean 0 and the variance 1."""
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
        """Yield how far the transforms are from uniform and independent, in standard errors."""
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
    """Lets a session draw, and asks the reference about it, as often as there is something to find out."""

    def __init__(self, session: Session, reference: Reference, folder: Path) -> None:
        assert session.work.data.series is not None
        self.series = session.work.data.series
        self.places = tuple(len(self.series) * number // SERIES for number in range(SERIES))
        self._session = session
        self._reference = reference
        self.folder = folder
        self.layers = tuple(session.work.workload.recurrent)
        folder.mkdir(parents=True)

    def responsive(self) -> Weights:
        """Return weights under which each value says much about those behind it, so that a wrong one shows in them."""
        weights = {name: np.array(read_array(self._reference.start, name)) for name in self._reference.start}
        for name in weights:
            if name.endswith("kernel"):
                weights[name] *= KERNELS
        location = self._session.work.workload.outputs.index("location")
        weights["output.kernel"][location] *= LOCATION / KERNELS
        return weights

    def draw(self, weights: Weights, *, dropout: bool = True) -> Sampled:
        """Let the session draw under `weights`, in two batches, which must not be the same.

        Without `dropout` the model's layers of that kind keep everything, whatever mode the model is in.
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
        """Return what the reference says to windows in the steps of the horizon: (windows, horizon, 3)."""
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
