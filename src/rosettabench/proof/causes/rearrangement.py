"""Usual ways in which weights are mixed up when they are loaded into a framework."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from itertools import permutations
from math import isqrt

import numpy as np

from rosettabench.catalogue.workload import RecurrentLayer
from rosettabench.proof.weights import Weights

GATES = {"gru": "reset update new", "lstm": "input forget cell output"}
"""Kind of recurrent layer → canonical order of its gates."""

LSTM_ORDERS = ((0, 1, 3, 2), (0, 2, 1, 3), (0, 3, 1, 2), (1, 0, 2, 3))
"""Orders of other libraries, as places in the canonical one: Chainer's, TensorFlow 1's, ONNX's, and one typical slip.
The reference runs for each, so all 23 would take too long."""


def rearrangements(weights: Weights, recurrent: Mapping[str, RecurrentLayer]) -> Iterator[tuple[str, Weights]]:
    """Yield mixed-up weights: gates, biases, flipped or transposed kernels, flatten order, missing biases."""
    for kind in dict.fromkeys(layer.kind for layer in recurrent.values()):
        yield from gate_orders(weights, kind, [name for name, layer in recurrent.items() if layer.kind == kind])
    for name, layer in recurrent.items():
        if layer.kind == "lstm":
            yield from lstm_biases(weights, f"{name}.bias")
    kernels = {name: array for name, array in weights.items() if array.ndim == 4}
    if kernels:
        flipped = {name: array[:, :, ::-1, ::-1] for name, array in kernels.items()}
        yield "the convolution kernels are flipped: true convolution where cross-correlation is meant", flipped
        yield from flatten_orders(weights, list(kernels.values())[-1].shape[0])
    for name, array in weights.items():
        if array.ndim == 2 and len(array) == array.shape[1]:
            yield f"a square kernel is transposed, {name}", {name: array.T}
    for name, array in weights.items():
        if name.endswith("bias") and array.any():
            yield f"the bias {name} is missing from the model", {name: np.zeros_like(array)}


def gate_orders(weights: Weights, kind: str, layers: Collection[str]) -> Iterator[tuple[str, Weights]]:
    """Yield the weights of all recurrent layers of one kind with their gates in another order."""
    gated = [name for name in weights if name.partition(".")[0] in layers]
    canonical = GATES[kind].split()
    orders = LSTM_ORDERS if kind == "lstm" else list(permutations(range(3)))[1:]
    for order in orders:
        names = " ".join(canonical[gate] for gate in order)
        yield (
            f"the gates of the {kind.upper()} are in the order {names}; canonical is {GATES[kind]}",
            {name: np.concatenate([np.split(weights[name], len(order))[gate] for gate in order]) for name in gated},
        )


def lstm_biases(weights: Weights, name: str) -> Iterator[tuple[str, Weights]]:
    """Yield what frameworks do to an LSTM's bias: add 1 for the forget gate, or train a second bias beside it."""
    bias = weights[name]
    enter, forget, cell, output = np.split(bias, 4)
    opened = np.concatenate([enter, forget + 1, cell, output])
    yield "the forget gate has a bias of 1 on top: it must start at 0", {name: opened}
    yield "the LSTM trains two biases where the workload has one: their sum moves twice as far", {name: 2 * bias}


def flatten_orders(weights: Weights, channels: int) -> Iterator[tuple[str, Weights]]:
    """Yield the dense kernel after the last convolution with its columns in the other order."""
    for name, array in weights.items():
        side = isqrt(array.shape[1] // channels) if array.ndim == 2 else 0
        if side > 1 and channels * side * side == array.shape[1]:
            image = array.reshape(len(array), side, side, channels).transpose(0, 3, 1, 2)
            yield (
                f"{name} reads the image flattened channels-last; canonical is channel-major",
                {name: image.reshape(array.shape)},
            )
