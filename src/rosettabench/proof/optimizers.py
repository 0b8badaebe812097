"""Adam and its near relations, in NumPy: what an optimiser with a mistake in it would have done."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def adam_trajectory(
    weights: Floats,
    gradients: Sequence[Floats],
    *,
    learning_rate: float,
    beta1: float,
    beta2: float,
    epsilon: float,
    hat: bool = False,
    correct: bool = True,
    nesterov: bool = False,
    momentum_decay: float | None = None,
    penalty: float = 0.0,
    decay: float = 0.0,
) -> Floats:
    """Return the weights after one step per gradient.

    Plain, it is algorithm 1 of Kingma and Ba (2015). The options are the ways in which optimisers of that name differ:
    `hat`, epsilon before the bias correction (section 2 of the same paper, end); `correct`, bias correction at all;
    `nesterov`, Dozat (2016), with his schedule of the momentum where `momentum_decay` is given; `penalty`, L2 added to
    the gradient; `decay`, decoupled (Loshchilov and Hutter 2019).
    """
    first, second = np.zeros_like(weights), np.zeros_like(weights)
    for count, gradient in enumerate(gradients, start=1):
        g = gradient + penalty * weights
        first = beta1 * first + (1 - beta1) * g
        second = beta2 * second + (1 - beta2) * g * g
        c1, c2 = (1 - beta1**count, 1 - beta2**count) if correct else (1.0, 1.0)
        ahead = look_ahead(first, g, count, beta1, momentum_decay) if nesterov else first / c1
        shift = epsilon / sqrt(c2) if hat else epsilon
        weights = weights - learning_rate * (ahead / (np.sqrt(second / c2) + shift) + decay * weights)
    return weights


def look_ahead(first: Floats, gradient: Floats, count: int, beta1: float, decay: float | None) -> Floats:
    """Return NAdam's numerator at step `count`: Dozat (2016), algorithm 2, with momentum mu."""

    def mu(step: int) -> float:
        return beta1 if decay is None else float(beta1 * (1 - 0.5 * 0.96 ** (step * decay)))

    product = prod(mu(step) for step in range(1, count + 1))
    following = mu(count + 1)
    return following * first / (1 - product * following) + (1 - mu(count)) * gradient / (1 - product)


SUSPECTS: Mapping[str, Mapping[str, Any]] = {
    "the optimiser's epsilon is 1e-7": {"epsilon": 1e-7},
    "the optimiser's epsilon is 1e-6": {"epsilon": 1e-6},
    "the optimiser's epsilon is 1e-3": {"epsilon": 1e-3},
    "the optimiser adds epsilon before the bias correction (the epsilon-hat form)": {"hat": True},
    "the optimiser adds epsilon before the bias correction, and it is 1e-7": {"hat": True, "epsilon": 1e-7},
    "the optimiser does not correct the bias of its moments": {"correct": False},
    "the optimiser is of the Nesterov kind (NAdam)": {"nesterov": True},
    "the optimiser is of the Nesterov kind (NAdam with PyTorch's momentum schedule)": {
        "nesterov": True,
        "momentum_decay": 4e-3,
    },
    "the optimiser adds an L2 penalty of 1e-4 to the gradient": {"penalty": 1e-4},
    "the optimiser adds an L2 penalty of 1e-2 to the gradient": {"penalty": 1e-2},
    "the optimiser decays the weights (decoupled, 0.01: the default of AdamW)": {"decay": 1e-2},
    "the optimiser decays the weights (decoupled, 0.004: the default of Keras' AdamW)": {"decay": 4e-3},
    "the optimiser's beta1 is 0.5": {"beta1": 0.5},
    "the optimiser's beta2 is 0.99": {"beta2": 0.99},
    "the optimiser's beta2 is 0.99 and beta1 0.99": {"beta1": 0.99, "beta2": 0.99},
}
"""What to say, and how Adam would have to be changed to make it so. Defaults of frameworks first."""
