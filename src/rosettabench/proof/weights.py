"""The canonical initial weights: drawn once per workload and seed, identical for every framework."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256
from math import prod, sqrt
from pathlib import Path
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from rosettabench.catalogue.workload import Tensor, Workload
from rosettabench.errors import UsageError
from rosettabench.files import save_array

Weights = dict[str, NDArray[np.float32]]
"""Canonical name → array."""


def draw_weights(workload: Workload, seed: int) -> Weights:
    """Return the canonical weights of a workload, float32.

    Each tensor has its own Philox stream, keyed by the seed and the CRC-32 of its name, so that adding one tensor
    changes no other.
    """
    return {tensor.name: draw(tensor, seed) for tensor in workload.tensors}


def proof_weights(workload: Workload, seed: int) -> Weights:
    """Return the weights that a proof begins with: the canonical ones, except for tensors with a rule for the proof."""
    return {
        tensor.name: draw(tensor.model_copy(update={"init": tensor.proof or tensor.init}), seed)
        for tensor in workload.tensors
    }


def draw(tensor: Tensor, seed: int) -> NDArray[np.float32]:
    """Return the initial values of one tensor; raise UsageError for an unknown rule."""
    generator = np.random.Generator(np.random.Philox(key=[seed, crc32(tensor.name.encode())]))
    try:
        rule = INITIALISERS[tensor.init]
    except KeyError:
        known = ", ".join(INITIALISERS)
        raise UsageError(f"tensor {tensor.name} has the unknown init {tensor.init!r}", f"There is: {known}.") from None
    return rule(generator, tensor.shape).astype(np.float32)


def glorot_uniform(generator: np.random.Generator, shape: tuple[int, ...]) -> NDArray[np.float64]:
    """Uniform within ±sqrt(6 / (fan in + fan out)): Glorot and Bengio (2010), equation 16.

    `shape` is (out, in, …); the trailing extents of a convolution count in both fans.
    """
    field = prod(shape[2:])
    limit = sqrt(6 / ((shape[0] + shape[1]) * field))
    return generator.uniform(-limit, limit, shape)


def normal(deviation: float) -> Callable[[np.random.Generator, tuple[int, ...]], NDArray[np.float64]]:
    """Return the rule of normal values with mean 0 and this standard deviation, such as 0.05 for embeddings."""

    def rule(generator: np.random.Generator, shape: tuple[int, ...]) -> NDArray[np.float64]:
        """Draw normal values of this deviation."""
        return generator.normal(0, deviation, shape)

    return rule


def he_normal(generator: np.random.Generator, shape: tuple[int, ...]) -> NDArray[np.float64]:
    """Normal with variance 2 / fan in: He, Zhang, Ren and Sun (2015), equation 10. Unlike Keras', it is not truncated.

    `shape` is (out, in, …); the trailing extents of a convolution count in the fan.
    """
    return generator.normal(0, sqrt(2 / prod(shape[1:])), shape)


def constant(value: float) -> Callable[[np.random.Generator, tuple[int, ...]], NDArray[np.float64]]:
    """Return the rule of equal values, `value`."""

    def rule(_generator: np.random.Generator, shape: tuple[int, ...]) -> NDArray[np.float64]:
        """Return the value everywhere."""
        return np.full(shape, value)

    return rule


def uniform(low: float, high: float) -> Callable[[np.random.Generator, tuple[int, ...]], NDArray[np.float64]]:
    """Return the rule of uniform values in [low, high), for scales and variances of a model that only infers."""

    def rule(generator: np.random.Generator, shape: tuple[int, ...]) -> NDArray[np.float64]:
        """Draw uniform values between the bounds."""
        return generator.uniform(low, high, shape)

    return rule


def selection(share: float) -> Callable[[np.random.Generator, tuple[int, ...]], NDArray[np.float64]]:
    """Return the rule of kernels, (out, in, 1, 1), whose outputs are `share` times one input each, in turn."""

    def rule(_generator: np.random.Generator, shape: tuple[int, ...]) -> NDArray[np.float64]:
        """Return a kernel that passes on a share of each channel."""
        outputs = np.arange(shape[0])
        kernel = np.zeros(shape)
        kernel[outputs, outputs % shape[1]] = share
        return kernel

    return rule


def zeros(_generator: np.random.Generator, shape: tuple[int, ...]) -> NDArray[np.float64]:
    """Zeros, for biases and running means."""
    return np.zeros(shape)


INITIALISERS: dict[str, Callable[[np.random.Generator, tuple[int, ...]], NDArray[np.float64]]] = {
    "constant_0.025": constant(0.025),
    "constant_0.05": constant(0.05),
    "constant_0.2": constant(0.2),
    "constant_3": constant(3),
    "constant_5": constant(5),
    "constant_6": constant(6),
    "glorot_uniform": glorot_uniform,
    "he_normal": he_normal,
    "normal_0.005": normal(0.005),
    "normal_0.05": normal(0.05),
    "ones": constant(1),
    "selection": selection(1),
    "selection_0.25": selection(0.25),
    "selection_0.5": selection(0.5),
    "uniform_0.1_0.3": uniform(0.1, 0.3),
    "uniform_0.5_1.5": uniform(0.5, 1.5),
    "zeros": zeros,
}
"""The names that ``init`` and ``proof`` may have in a workload.toml."""


def perturb(weights: Weights, seed: int) -> Weights:
    """Return the weights with all numbers except zeros moved by one unit in the last place, up or down at random."""
    generator = np.random.Generator(np.random.Philox(key=[seed, 1]))
    return {
        name: np.where(
            array == 0,
            array,
            np.nextafter(array, generator.choice(np.array([-np.inf, np.inf], np.float32), array.shape)),
        )
        for name, array in weights.items()
    }


def save_weights(weights: Weights, folder: Path) -> dict[str, str]:
    """Write each tensor as .npy; return {name: path} as the worker expects it."""
    folder.mkdir(parents=True, exist_ok=True)
    files = {}
    for name, array in weights.items():
        path = folder / f"{name}.npy"
        save_array(path, array)
        files[name] = str(path)
    return files


def weights_digest(weights: Weights) -> str:
    """Return the sha256 over names, shapes and values."""
    total = sha256()
    for name in sorted(weights):
        total.update(f"{name}{weights[name].shape}".encode())
        total.update(np.ascontiguousarray(weights[name]).tobytes())
    return total.hexdigest()
