"""The dropout probe of a chain of dense layers and convolutions that ends in classes: its weights and its loss.

After the checked layer a few elements are 1. From there on, each logit follows its own path through kernels that pass
on a single element.
"""

from __future__ import annotations

from math import comb

import numpy as np

from rosettabench.catalogue.workload import Workload
from rosettabench.client.session import Work
from rosettabench.proof.dropout_site import Paths, Site, Successive
from rosettabench.proof.walk import Array
from rosettabench.proof.weights import Weights


class Chain(Successive):
    """The probe of such a network: a logit is the value of its path."""

    def weights(self, workload: Workload, layer: str) -> Weights:
        """Return `probe_weights`."""
        return probe_weights(workload, layer)

    def survivors(self, _workload: Workload, _site: Site, logits: Array, training: bool) -> Paths:
        """Return the logits."""
        return Paths.all_of(logits)

    def loss(self, work: Work, site: Site) -> tuple[float, float]:
        """Return mean and variance of a step's loss, the mean over the independent samples of a batch."""
        mean, variance = loss_to_expect(site.kept, work.workload.tensors[-1].shape[0])
        return mean, variance / work.setting.batch_size


def loss_to_expect(kept: float, classes: int) -> tuple[float, float]:
    """Return mean and variance of a sample's cross-entropy, if logits are 1 / `kept` with probability `kept`, or 0."""
    value = 1 / kept
    others = np.arange(classes)  # how many of the other classes' logits are kept
    chance = np.array([comb(classes - 1, k) * kept**k * (1 - kept) ** (classes - 1 - k) for k in others.tolist()])
    outcomes = []
    for own, share in ((1, kept), (0, 1 - kept)):
        total = np.log((others + own) * np.exp(value) + (classes - others - own))
        outcomes.append((share * chance, total - own * value))
    mean = float(sum((weight * loss).sum() for weight, loss in outcomes))
    return mean, float(sum((weight * (loss - mean) ** 2).sum() for weight, loss in outcomes))


def probe_weights(workload: Workload, layer: str) -> Weights:
    """Return weights with which the logits show what is dropped after `layer`.

    They suit a chain of layers with kernel and bias, ReLU between them, 3×3 padded convolutions, and no dropout in
    front of the layer before `layer`. Up to there, everything is 1: kernels 0, biases 1.
    """
    shapes = {tensor.name: tensor.shape for tensor in workload.tensors}
    weights: Weights = {name: np.zeros(shape, np.float32) for name, shape in shapes.items()}
    chain = [name.removesuffix(".kernel") for name in shapes if name.endswith(".kernel")]
    at = chain.index(layer)
    for one in chain[: at + 1]:
        weights[f"{one}.bias"][:] = 1
    if weights[f"{layer}.kernel"].ndim == 4:
        corners_only(weights, layer)
    for before, one in zip(chain[at:], chain[at + 1 :], strict=False):
        hand_on(weights[f"{one}.kernel"], len(weights[f"{before}.kernel"]))
    return weights


def corners_only(weights: Weights, layer: str) -> None:
    """Let a convolution of ones return 1 in the corners and at most 0 elsewhere.

    It computes 5 minus the sum of the patch: a corner sees 4 ones, a border 6, the inside 9. So a pool after it never
    sees two elements that may be dropped separately.
    """
    weights[f"{layer}.kernel"][:, 0] = -1
    weights[f"{layer}.bias"][:] = 5


def hand_on(kernel: Array, channels: int) -> None:
    """Let output j be input j alone: by the middle tap of a convolution, or the first place of a flattened channel.

    `channels` are those of the layer before. The first place is the upper left corner in every layout.
    """
    out = np.arange(len(kernel))
    if kernel.ndim == 4:
        kernel[out, out % channels, 1, 1] = 1
    else:
        kernel[out, out % channels * (kernel.shape[1] // channels)] = 1
