"""Metrics of a model's outputs on samples with labels."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[Any]


def accuracy(outputs: Numbers, labels: Numbers) -> float | None:
    """Return the share of labels, of any shape, that are the largest of (…, classes); None for other shapes."""
    if outputs.shape[:-1] != labels.shape:
        return None
    return float((outputs.argmax(-1) == labels).mean())


def cross_entropy(outputs: Numbers, labels: Numbers) -> float | None:
    """Return the mean of -log softmax(outputs)[label] over (…, classes), in nats; None for other shapes."""
    if outputs.shape[:-1] != labels.shape or labels.dtype.kind not in "iu":
        return None
    return float(sample_losses(outputs, labels).mean())


def sample_losses(outputs: Numbers, labels: Numbers) -> Numbers:
    """Return -log softmax(outputs)[label] of every position, (positions,), in nats and float64.

    `outputs` are (…, classes), and `labels` integers, one for each position of them.
    """
    logits = outputs.reshape(-1, outputs.shape[-1]).astype(np.float64)
    shifted = logits - logits.max(-1, keepdims=True)
    chosen = shifted[np.arange(len(shifted)), labels.ravel()]
    return np.asarray(np.log(np.exp(shifted).sum(-1)) - chosen)


def perplexity(outputs: Numbers, labels: Numbers) -> float | None:
    """Return exp of the cross-entropy of (…, classes); None for other shapes."""
    entropy = cross_entropy(outputs, labels)
    return None if entropy is None else float(np.exp(entropy))


def mean_squared_error(outputs: Numbers, labels: Numbers) -> float | None:
    """Return the mean of the squared differences; None for different shapes."""
    if outputs.shape != labels.shape:
        return None
    return float(np.square(np.subtract(outputs, labels, dtype=np.float64)).mean())


def mean_absolute_error(outputs: Numbers, labels: Numbers) -> float | None:
    """Return the mean of the absolute differences; None for different shapes."""
    if outputs.shape != labels.shape:
        return None
    return float(np.abs(np.subtract(outputs, labels, dtype=np.float64)).mean())


METRICS: Mapping[str, Callable[[Numbers, Numbers], float | None]] = {
    "accuracy": accuracy,
    "cross-entropy": cross_entropy,
    "perplexity": perplexity,
    "mean squared error": mean_squared_error,
    "mean absolute error": mean_absolute_error,
}
"""Name of a metric → its function of outputs and labels."""
