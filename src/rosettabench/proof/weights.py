"""The canonical initial weights: drawn once per workload and seed, identical for every framework."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from hashlib import sha256
from math import prod, sqrt
from pathlib import Path
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from rosettabench.catalogue.workload import Tensor, Workload
from rosettabench.data.readers.weights_file import check_ending, read_weights
from rosettabench.errors import DataError, UsageError
from rosettabench.files import save_array

Weights = dict[str, NDArray[np.float32]]
"""Canonical name → array."""

Rule = Callable[[np.random.Generator, tuple[int, ...]], NDArray[np.float64]]
"""Draws the first values of a tensor of a shape."""


def draw_weights(workload: Workload, seed: int) -> Weights:
    """Return the canonical weights of a workload, float32.

    Each tensor has its own Philox stream, keyed by the seed and the CRC-32 of its name, so that adding one tensor
    changes no other. Tensors without an init come from the workload's file of weights, whatever the seed.

    Raises UsageError for an unknown init or a file of another kind, DataError where the file cannot be read or does not
    fit.
    """
    kept = kept_weights(workload)
    return {
        tensor.name: kept[tensor.name] if tensor.name in kept else draw(tensor, seed) for tensor in workload.tensors
    }


OFF_ZERO = "normal(0.05)"
"""How the biases of a proof on a GPU are drawn where they begin at zero."""

MOVED = 1e-3
"""How far `move` moves a number, as a share of its tensor's root mean square: 200 times the margin of 5e-6 that
workloads state."""


def proof_weights(workload: Workload, seed: int, device: str = "cpu") -> Weights:
    """Return the weights that a proof begins with: the canonical ones, except for tensors with a rule for the proof.

    On a GPU also except for biases that would leave a ReLU at exactly zero (`leaves_zeros`).
    """
    drawn = leaves_zeros(workload, device)
    stated = [
        one.model_copy(update={"init": OFF_ZERO if drawn and is_zero_bias(one) else one.proof or one.init})
        for one in workload.tensors
    ]
    return draw_weights(workload.model_copy(update={"tensors": tuple(stated)}), seed)


def leaves_zeros(workload: Workload, device: str) -> bool:
    """Return whether a proof on this device must not begin with biases of zero.

    Over black pixels, a convolution without bias is exactly zero on a CPU. cuDNN convolves by FFT where that is faster,
    and leaves round-off of either sign there: the ReLU behind it passes the gradient of every second black pixel
    (docs/findings.md). A workload with a margin has ReLUs; one with rules for its proof has weights that avoid this.
    """
    return device == "cuda" and workload.proof.margin is not None and all(one.proof is None for one in workload.tensors)


def is_zero_bias(tensor: Tensor) -> bool:
    """Return whether a tensor is a bias that begins at zero."""
    return tensor.trained and tensor.init == "zeros" and tensor.name.endswith(".bias")


def kept_weights(workload: Workload) -> Weights:
    """Return the tensors that come from the workload's file of weights, by their canonical names."""
    wanted = {tensor.name: tensor.shape for tensor in workload.tensors if tensor.init is None}
    if not wanted:
        return {}
    assert workload.weights is not None  # the workload refuses that
    path = workload.folder / workload.weights
    check_ending(path)
    found = read_weights(path)
    for name, shape in wanted.items():
        if name not in found:
            raise DataError(f"{path} has no tensor {name}", f"It has: {', '.join(sorted(found)[:8])}.")
        if found[name].shape != shape:
            raise DataError(f"{path}: {name} has the shape {found[name].shape}, and {workload.name} states {shape}")
    return {name: found[name].astype(np.float32) for name in wanted}


def draw(tensor: Tensor, seed: int) -> NDArray[np.float32]:
    """Return the initial values of one tensor; raise UsageError for an unknown rule."""
    generator = np.random.Generator(np.random.Philox(key=[seed, crc32(tensor.name.encode())]))
    rule = initialiser(str(tensor.init))
    if rule is None:
        known = ", ".join([*INITIALISERS, *FAMILIES.values()])
        raise UsageError(f"tensor {tensor.name} has the unknown init {tensor.init!r}", f"Available: {known}.")
    return rule(generator, tensor.shape).astype(np.float32)


def initialiser(name: str) -> Rule | None:
    """Return the rule of a name, ``glorot_uniform`` or ``normal(0.02)``; None where there is none of that name."""
    found = CALLED.fullmatch(name)
    if found is None:
        return INITIALISERS.get(name)
    family, words = found["family"], found["values"].split(",")
    if family not in FAMILIES or len(words) != FAMILIES[family].count(",") + 1:
        return None
    try:
        return MAKERS[family](*map(float, words))
    except ValueError:
        return None


CALLED = re.compile(r"(?P<family>\w+)\((?P<values>[^()]*)\)")
"""How a rule with values is written."""


def glorot_uniform(generator: np.random.Generator, shape: tuple[int, ...]) -> NDArray[np.float64]:
    """Uniform within ±sqrt(6 / (fan in + fan out)): Glorot and Bengio (2010), equation 16.

    `shape` is (out, in, …); the trailing extents of a convolution count in both fans.
    """
    field = prod(shape[2:])
    limit = sqrt(6 / ((shape[0] + shape[1]) * field))
    return generator.uniform(-limit, limit, shape)


def normal(deviation: float) -> Rule:
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


def he_normal_balanced(generator: np.random.Generator, shape: tuple[int, ...]) -> NDArray[np.float64]:
    """`he_normal`, moved so that the weights of each output sum to zero: what all its inputs share cancels."""
    kernel = he_normal(generator, shape)
    return np.asarray(kernel - kernel.mean(axis=tuple(range(1, kernel.ndim)), keepdims=True))


def constant(value: float) -> Rule:
    """Return the rule of equal values, `value`."""

    def rule(_generator: np.random.Generator, shape: tuple[int, ...]) -> NDArray[np.float64]:
        """Return the value everywhere."""
        return np.full(shape, value)

    return rule


def uniform(low: float, high: float) -> Rule:
    """Return the rule of uniform values in [low, high), for scales and variances of a model that only infers."""

    def rule(generator: np.random.Generator, shape: tuple[int, ...]) -> NDArray[np.float64]:
        """Draw uniform values between the bounds."""
        return generator.uniform(low, high, shape)

    return rule


def selection(share: float) -> Rule:
    """Return the rule of kernels, (out, in, 1, 1), whose outputs are `share` times one input each, in turn."""

    def rule(_generator: np.random.Generator, shape: tuple[int, ...]) -> NDArray[np.float64]:
        """Return a kernel that passes on a share of each channel."""
        outputs = np.arange(shape[0])
        kernel = np.zeros(shape)
        kernel[outputs, outputs % shape[1]] = share
        return kernel

    return rule


def glorot_normal(generator: np.random.Generator, shape: tuple[int, ...]) -> NDArray[np.float64]:
    """Normal with variance 2 / (fan in + fan out): Glorot and Bengio (2010), equation 12 for both directions."""
    return generator.normal(0, sqrt(2 / ((shape[0] + shape[1]) * prod(shape[2:]))), shape)


def he_uniform(generator: np.random.Generator, shape: tuple[int, ...]) -> NDArray[np.float64]:
    """Uniform within ±sqrt(6 / fan in): the variance of `he_normal`."""
    limit = sqrt(6 / prod(shape[1:]))
    return generator.uniform(-limit, limit, shape)


def orthogonal(generator: np.random.Generator, shape: tuple[int, ...]) -> NDArray[np.float64]:
    """Orthonormal rows, or columns where these are fewer, of the kernel as a matrix of one row for each output.

    Saxe, McClelland and Ganguli (2014), "Exact solutions to the nonlinear dynamics of learning in deep linear neural
    networks"; the signs make it uniform over all such matrices (Mezzadri 2007).
    """
    rows, columns = shape[0], prod(shape[1:])
    basis, upper = np.linalg.qr(generator.normal(size=(max(rows, columns), min(rows, columns))))
    basis = basis * np.sign(np.diag(upper))
    return np.asarray((basis if rows >= columns else basis.T).reshape(shape))


def truncated_normal(deviation: float) -> Rule:
    """Return the rule by which numbers are normal, drawn again beyond two standard deviations."""

    def rule(generator: np.random.Generator, shape: tuple[int, ...]) -> NDArray[np.float64]:
        """Draw until all lie within the bounds."""
        drawn = generator.normal(0, 1, shape)
        while (beyond := np.abs(drawn) > 2).any():
            drawn[beyond] = generator.normal(0, 1, int(beyond.sum()))
        return np.asarray(deviation * drawn)

    return rule


def zeros(_generator: np.random.Generator, shape: tuple[int, ...]) -> NDArray[np.float64]:
    """Zeros, for biases and running means."""
    return np.zeros(shape)


INITIALISERS: Mapping[str, Rule] = {
    "constant_0.0125": constant(0.0125),
    "constant_0.025": constant(0.025),
    "constant_0.2": constant(0.2),
    "constant_3": constant(3),
    "constant_5": constant(5),
    "constant_6": constant(6),
    "constant_16": constant(16),
    "glorot_normal": glorot_normal,
    "glorot_uniform": glorot_uniform,
    "he_normal": he_normal,
    "he_normal_balanced": he_normal_balanced,
    "he_uniform": he_uniform,
    "normal_0.005": normal(0.005),
    "normal_0.05": normal(0.05),
    "ones": constant(1),
    "orthogonal": orthogonal,
    "selection": selection(1),
    "selection_0.125": selection(0.125),
    "selection_0.5": selection(0.5),
    "uniform_0.1_0.3": uniform(0.1, 0.3),
    "uniform_0.5_1.5": uniform(0.5, 1.5),
    "zeros": zeros,
}
"""The names that ``init`` and ``proof`` may have in a workload.toml."""

FAMILIES = {
    "constant": "constant(value)",
    "normal": "normal(deviation)",
    "truncated_normal": "truncated_normal(deviation)",
    "uniform": "uniform(low, high)",
}
"""Rules with values, and how they are written."""

MAKERS: Mapping[str, Callable[..., Rule]] = {
    "constant": constant,
    "normal": normal,
    "truncated_normal": truncated_normal,
    "uniform": uniform,
}
"""What makes a rule of its values."""


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


def move(weights: Weights, names: Collection[str], seed: int) -> Weights:
    """Return the weights with the named tensors moved by normal numbers of a thousandth of their root mean square."""
    generator = np.random.Generator(np.random.Philox(key=[seed, 2]))
    moved = dict(weights)
    for name in sorted(set(names) & weights.keys()):
        array = weights[name]
        by = MOVED * float(np.sqrt(np.mean(np.square(array, dtype=np.float64))))
        moved[name] = (array + by * generator.standard_normal(array.shape)).astype(np.float32)
    return moved


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
