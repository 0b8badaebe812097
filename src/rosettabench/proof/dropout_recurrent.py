"""The dropout probe of two LSTM layers followed by Student's distribution: its weights and its loss.

Every gate is shut or open, so that no state remains from step to step. The first layer outputs tanh(1) everywhere;
dropout multiplies it by 0 or 1 / q. The second layer passes on unit j as tanh(tanh(…)). The degrees of freedom are
2 + softplus of its first unit, so they show in each step whether it was dropped. Location and width are constant.
"""

from __future__ import annotations

import numpy as np

from rosettabench.catalogue.workload import Workload
from rosettabench.client.session import Work
from rosettabench.proof.dropout_site import Paths, Site, Successive
from rosettabench.proof.walk import Array
from rosettabench.proof.weights import Weights

OPEN = 20.0
"""The input of an open gate: its sigmoid is 1 to 2e-9; that of the negative, for a shut gate, is 0."""

NOTHING = 1e-3
"""A path's value below this is round-off."""


class Recurrent(Successive):
    """The probe of such a network."""

    def weights(self, workload: Workload, layer: str) -> Weights:
        """Return weights with which the degrees of freedom show what is dropped after `layer`, the first LSTM."""
        weights: Weights = {one.name: np.zeros(one.shape, np.float32) for one in workload.tensors}
        layers = list(workload.recurrent)
        second = layers[layers.index(layer) + 1]
        units = len(weights[f"{layer}.bias"]) // 4
        weights[f"{layer}.bias"][:] = np.repeat([OPEN, -OPEN, OPEN, OPEN], units)  # input, forget, cell, output
        weights[f"{second}.bias"][:] = np.repeat([OPEN, -OPEN, 0, OPEN], units)
        weights[f"{second}.kernel"][2 * units : 3 * units] = np.eye(units)
        assert workload.forecasts is not None  # probe_for has looked
        weights[f"{workload.forecasts.layer}.kernel"][0, 0] = 1
        return weights

    def survivors(self, _workload: Workload, _site: Site, logits: Array, training: bool) -> Paths:
        """Return the value of the first unit's path in each step of each sample."""
        with np.errstate(invalid="ignore", divide="ignore"):
            unit = np.log(np.expm1(logits[..., 0].astype(np.float64) - 2))
            left = np.arctanh(np.arctanh(unit)) / np.tanh(1)
        return Paths.all_of(np.where(np.abs(left) < NOTHING, 0, left))

    def loss(self, work: Work, site: Site) -> tuple[float, float]:
        """Return mean and variance of a step's loss, the weighted mean over the values that are not missing."""
        from scipy.stats import t

        ids = np.load(work.batches, mmap_mode="r")[0]
        inputs, labels = (
            np.load(path, mmap_mode="r")[ids] for path in (work.data.train.inputs, work.data.train.labels)
        )
        values, weights = np.moveaxis(labels.astype(np.float64), 2, 0)
        unit = np.tanh(np.tanh(np.array([0, np.tanh(1) / site.kept])))
        lost, whole = (
            -t.logpdf(values, 2 + np.log1p(np.exp(one)), 0, np.log(2) * scales(inputs)[:, None]) for one in unit
        )
        share = weights / weights.sum()
        mean = float((share * (site.kept * whole + (1 - site.kept) * lost)).sum())
        return mean, float((share**2 * site.kept * (1 - site.kept) * (whole - lost) ** 2).sum())


def scales(inputs: Array) -> Array:
    """Return the scale by which the model divides the values of each window, (windows,): data/series/channels.py."""
    before, counted = inputs[..., 0].astype(np.float64), inputs[..., -1]
    mean = (counted * np.abs(before)).sum(1) / np.maximum(counted.sum(1), 1)
    return np.where(mean > 0, mean, 1.0)
