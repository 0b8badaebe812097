"""Optimisers and their variants in NumPy, to compute what one with a known mistake would have done."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from math import hypot, inf, prod, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosettabench.catalogue.optimizer import Adagrad, Adam, AdamW, Optimizer, RmsProp

Floats = NDArray[np.float64]

Step = tuple[Floats, float]
"""The gradient and the learning rate of a step."""


def hyperparameters_of(optimizer: Optimizer) -> dict[str, Any]:
    """Return the hyperparameters of a workload's optimiser as its steps take them, except for clipping."""
    values = optimizer.model_dump(exclude={"name", "learning_rate", "clip_norm"})
    decay = values.pop("weight_decay", 0.0)
    return values | ({"decay" if isinstance(optimizer, AdamW) else "penalty": decay} if decay else {})


def clip_gradients(optimizer: Optimizer, gradients: Mapping[str, Floats]) -> dict[str, Floats]:
    """Return the gradients of one step as the optimiser takes them: with at most the common norm that is stated.

    Pascanu, Mikolov and Bengio (2013), "On the difficulty of training recurrent neural networks", algorithm 1.
    """
    longest = getattr(optimizer, "clip_norm", None)
    return clip_together(gradients, inf if longest is None else longest)


def clip_together(gradients: Mapping[str, Floats], longest: float) -> dict[str, Floats]:
    """Return gradients whose common norm is at most `longest`."""
    factor = min(1.0, longest / (hypot(*(float(np.linalg.norm(one)) for one in gradients.values())) or 1.0))
    return {name: factor * one for name, one in gradients.items()}


def leave_gradients(gradients: Mapping[str, Floats], longest: float) -> dict[str, Floats]:
    """Return gradients unchanged."""
    return dict(gradients)


def one_by_one(gradients: Mapping[str, Floats], longest: float) -> dict[str, Floats]:
    """Return gradients whose own norms are each at most `longest`."""
    return {name: clip_together({name: one}, longest)[name] for name, one in gradients.items()}


def by_element(gradients: Mapping[str, Floats], longest: float) -> dict[str, Floats]:
    """Return gradients whose elements are each at most `longest` in size."""
    return {name: np.clip(one, -longest, longest) for name, one in gradients.items()}


CLIPPINGS: Mapping[str, Callable[[Mapping[str, Floats], float], dict[str, Floats]]] = {
    "the gradients are not clipped": leave_gradients,
    "each tensor's gradient is clipped by its own norm: that of all together is meant": one_by_one,
    "each element of a gradient is clipped by itself: the norm of all together is meant": by_element,
}
"""Sentence → wrong way of clipping gradients."""


def suspects(optimizer: Optimizer) -> dict[str, Mapping[str, Any]]:
    """Return sentence → changed hyperparameters for the likely mistakes in a workload's optimiser."""
    _, known = OPTIMIZERS[optimizer.name]
    decay = getattr(optimizer, "weight_decay", 0.0)
    if isinstance(optimizer, AdamW):
        return {**known, **decoupled_suspects(optimizer)}
    decays: dict[str, Mapping[str, Any]] = {"the optimiser does not decay the weights": {"penalty": 0.0}}
    if isinstance(optimizer, Adam):
        decays["the optimiser's weight decay is decoupled (AdamW): it is to be added to the gradient"] = {
            "penalty": 0.0,
            "decay": decay,
        }
    return {**known, **(decays if decay else {})}


def decoupled_suspects(optimizer: AdamW) -> dict[str, Mapping[str, Any]]:
    """Return what to say of an AdamW whose decay is not the stated one, and how its steps change then."""
    return {
        "the optimiser does not decay the weights": {"decay": 0.0},
        "the optimiser adds the weight decay to the gradient (L2): it is to be decoupled (AdamW)": {
            "decay": 0.0,
            "penalty": optimizer.weight_decay,
        },
        **OTHER_DECAYS[optimizer.decays],
        "the optimiser's weight decay is not multiplied by the learning rate": {
            "decay": optimizer.weight_decay / optimizer.learning_rate
        },
    }


def adam_steps(
    weights: Floats,
    steps: Iterable[Step],
    *,
    beta1: float,
    beta2: float,
    epsilon: float,
    hat: bool = False,
    correct: bool = True,
    early: bool = False,
    nesterov: bool = False,
    momentum_decay: float | None = None,
    lazy: bool = False,
    penalty: float = 0.0,
    decay: float = 0.0,
    amsgrad: bool = False,
    form: str = "",
) -> Iterator[Floats]:
    """Yield the weights after each step.

    Without options it is algorithm 1 of Kingma and Ba (2015). The options are the differences between optimisers of
    that name: `hat`, epsilon before the bias correction (same paper, end of section 2); `correct`, bias correction at
    all; `early`, the correction of the next step (Caffe2); `nesterov`, Dozat (2016), with his momentum schedule if
    `momentum_decay` is given; `lazy`, rows without a gradient keep their values and moments (PyTorch's SparseAdam,
    MXNet's lazy update); `penalty`, L2 added to the gradient; `decay`, decoupled (Loshchilov and Hutter 2019);
    `amsgrad`, the largest second moment so far (Reddi, Kale and Kumar 2018). `form` is one of FLOAT32_FORMS.
    """
    of_weights, of_corrections = (form if form in (one, "everything") else "" for one in ("weights", "corrections"))
    new1, new2 = (one_minus(beta, 1, of_weights) for beta in (beta1, beta2))
    first, second, largest = np.zeros_like(weights), np.zeros_like(weights), np.zeros_like(weights)
    for count, (gradient, rate) in enumerate(steps, start=1):
        g = gradient + penalty * weights
        named = gradient.reshape(len(g), -1).any(axis=1).reshape(-1, *(1,) * (g.ndim - 1)) if lazy else np.True_
        first = np.where(named, beta1 * first + new1 * g, first)
        second = np.where(named, beta2 * second + new2 * g * g, second)
        largest = np.maximum(largest, second) if amsgrad else second
        number = count + early
        c1, c2 = (one_minus(beta, number, of_corrections) if correct else 1.0 for beta in (beta1, beta2))
        ahead = look_ahead(first, g, count, beta1, momentum_decay) if nesterov else first / c1
        shift = epsilon / sqrt(c2) if hat else epsilon
        weights = weights - rate * named * (ahead / (np.sqrt(largest / c2) + shift) + decay * weights)
        yield weights


def adamw_steps(
    weights: Floats,
    steps: Iterable[Step],
    *,
    decay: float = 0.0,
    decays: str = "all",
    kernel: bool = True,
    **others: float | bool | str,
) -> Iterator[Floats]:
    """Yield the weights after each step of Adam with decoupled decay, if it is one of the tensors that `decays` means.

    Loshchilov and Hutter (2019), algorithm 2. `kernel` says whether the tensor is one by its name. The `others` are the
    options of `adam_steps`.
    """
    decaying = {"all": True, "matrices": weights.ndim > 1, "kernels": kernel}
    own = decay if decaying[decays] else 0.0
    return adam_steps(weights, steps, decay=own, **others)  # type: ignore[arg-type]


def adagrad_steps(
    weights: Floats, steps: Iterable[Step], *, epsilon: float, initial: float = 0.0, within: bool = False
) -> Iterator[Floats]:
    """Yield the weights after each step of Adagrad: v = v + g², w = w - rate·g / (√v + epsilon).

    Duchi, Hazan and Singer (2011). With `within`, the root is that of v + epsilon.
    """
    square = np.full_like(weights, initial)
    for gradient, rate in steps:
        square = square + gradient * gradient
        root = np.sqrt(square + epsilon) if within else np.sqrt(square) + epsilon
        weights = weights - rate * gradient / root
        yield weights


FLOAT32_FORMS = ("", "corrections", "weights", "everything")
"""How an Adam in float32 may compute its constants: all in float64 (PyTorch); its bias corrections in float32 (Optax,
Keras); the weights of new gradients in float32 (MXNet); or everything in float32, with the powers of its betas as
running products (tf.train). 1 - 0.999 has four digits in float32, which causes the largest error of these forms, equal
for all elements."""


def one_minus(beta: float, count: int, form: str) -> float:
    """Return 1 - beta^count: in float64, in float32, or, if `form` is everything, by a running product in float32."""
    if not form:
        return 1 - beta**count
    rounded = np.float32(beta)
    power = (
        np.multiply.accumulate(np.full(count, rounded))[-1] if form == "everything" else rounded ** np.float32(count)
    )
    return float(np.float32(1) - power)


def sgd_steps(
    weights: Floats,
    steps: Iterable[Step],
    *,
    momentum: float,
    nesterov: bool = False,
    dampening: float = 0.0,
    unit_gain: bool = False,
    inside: bool = False,
    penalty: float = 0.0,
) -> Iterator[Floats]:
    """Yield the weights after each step of gradient descent with momentum: v = m·v + g, w = w - rate·v.

    The options are the differences between optimisers of that name: `inside`, v = m·v + rate·g, w = w - v, which is
    equal as long as the rate is constant (Keras, MXNet, Chainer); `nesterov`, Sutskever et al. (2013) as frameworks
    write it; `dampening`, which scales every gradient but the first (PyTorch); `unit_gain`, which scales all of them by
    1 - m (CNTK); `penalty`, L2 added to the gradient.
    """
    velocity = np.zeros_like(weights)
    for count, (gradient, rate) in enumerate(steps):
        g = (gradient + penalty * weights) * (rate if inside else 1.0)
        scale = 1 - momentum if unit_gain else 1 - dampening * (count > 0)
        velocity = momentum * velocity + scale * g
        step = g + momentum * velocity if nesterov else velocity
        weights = weights - (step if inside else rate * step)
        yield weights


def rmsprop_steps(
    weights: Floats,
    steps: Iterable[Step],
    *,
    rho: float,
    epsilon: float,
    within: bool = False,
    centred: bool = False,
    momentum: float = 0.0,
    penalty: float = 0.0,
) -> Iterator[Floats]:
    """Yield the weights after each step of RMSprop.

    v = rho·v + (1 - rho)·g², w = w - rate·g / (√v + epsilon).

    Tieleman and Hinton (2012), lecture 6e. The options are the differences between optimisers of that name: `within`,
    the root of v + epsilon; `centred`, v minus the square of the mean gradient (Graves 2013); `momentum`, that of the
    update; `penalty`, L2 added to the gradient.
    """
    square, mean, moving = np.zeros_like(weights), np.zeros_like(weights), np.zeros_like(weights)
    for gradient, rate in steps:
        g = gradient + penalty * weights
        square = rho * square + (1 - rho) * g * g
        mean = rho * mean + (1 - rho) * g
        spread = np.maximum(square - mean * mean, 0) if centred else square
        root = np.sqrt(spread + epsilon) if within else np.sqrt(spread) + epsilon
        moving = momentum * moving + rate * g / root
        weights = weights - moving
        yield weights


def look_ahead(first: Floats, gradient: Floats, count: int, beta1: float, decay: float | None) -> Floats:
    """Return NAdam's numerator at step `count`: Dozat (2016), algorithm 2, with momentum mu."""

    def mu(step: int) -> float:
        """Return the momentum of a step; it increases by its schedule."""
        return beta1 if decay is None else float(beta1 * (1 - 0.5 * 0.96 ** (step * decay)))

    product = prod(mu(step) for step in range(1, count + 1))
    following = mu(count + 1)
    return following * first / (1 - product * following) + (1 - mu(count)) * gradient / (1 - product)


OTHER_DECAYS: Mapping[str, Mapping[str, Mapping[str, Any]]] = {
    "all": {"the optimiser decays only tensors of two dimensions and more: all are meant": {"decays": "matrices"}},
    "matrices": {
        "the optimiser decays tensors of one dimension, too: those of two and more are meant": {"decays": "all"}
    },
    "kernels": {"the optimiser decays a tensor that is no kernel: kernels alone are meant": {"decays": "all"}},
}
"""Which tensors an AdamW decays, as stated → sentence → changed hyperparameters."""

PENALTIES: Mapping[str, Mapping[str, Any]] = {
    f"the optimiser adds an L2 penalty of 1e-{power} to the gradient": {"penalty": 10.0**-power}
    for power in range(8, 0, -1)
}
"""L2 penalties, one per decade: the best fit gives the size."""

ADAM_SUSPECTS: Mapping[str, Mapping[str, Any]] = {
    "the optimiser is lazy: rows that the batch does not name stay as they are": {"lazy": True},
    "the optimiser is not lazy: rows that the batch does not name move, too": {"lazy": False},
    "the optimiser's epsilon is 1e-8": {"epsilon": 1e-8},
    "the optimiser's epsilon is 1e-7": {"epsilon": 1e-7},
    "the optimiser's epsilon is 1e-6": {"epsilon": 1e-6},
    "the optimiser's epsilon is 1e-3": {"epsilon": 1e-3},
    "the optimiser adds epsilon before the bias correction (the epsilon-hat form)": {"hat": True},
    "the optimiser adds epsilon before the bias correction, and it is 1e-7": {"hat": True, "epsilon": 1e-7},
    "the optimiser does not correct the bias of its moments": {"correct": False},
    "the optimiser corrects its first step's bias as if it were the second": {"early": True},
    "the optimiser corrects its first step's bias as if it were the second, and adds epsilon before that (Caffe2)": {
        "early": True,
        "hat": True,
    },
    "the optimiser is of the Nesterov kind (NAdam)": {"nesterov": True},
    "the optimiser is of the Nesterov kind (NAdam with PyTorch's momentum schedule)": {
        "nesterov": True,
        "momentum_decay": 4e-3,
    },
    **PENALTIES,
    "the optimiser decays the weights (decoupled, 0.1)": {"decay": 1e-1},
    "the optimiser decays the weights (decoupled, 0.01: the default of AdamW)": {"decay": 1e-2},
    "the optimiser decays the weights (decoupled, 0.004: the default of Keras' AdamW)": {"decay": 4e-3},
    "the optimiser decays the weights (decoupled, 1e-3)": {"decay": 1e-3},
    "the optimiser decays the weights (decoupled, 1e-4)": {"decay": 1e-4},
    "the optimiser keeps the largest second moment (AMSGrad)": {"amsgrad": True},
    "the optimiser's beta1 is 0.5": {"beta1": 0.5},
    "the optimiser's beta1 is 0.8": {"beta1": 0.8},
    "the optimiser's beta1 is 0.95": {"beta1": 0.95},
    "the optimiser's beta2 is 0.9": {"beta2": 0.9},
    "the optimiser's beta2 is 0.95": {"beta2": 0.95},
    "the optimiser's beta2 is 0.98": {"beta2": 0.98},
    "the optimiser's beta2 is 0.99": {"beta2": 0.99},
    "the optimiser's beta2 is 0.999": {"beta2": 0.999},
    "the optimiser's beta2 is 0.99 and beta1 0.99": {"beta1": 0.99, "beta2": 0.99},
}
"""Sentence → changed hyperparameters of Adam. Defaults of frameworks come first."""

SGD_SUSPECTS: Mapping[str, Mapping[str, Any]] = {
    "the momentum is Nesterov's": {"nesterov": True},
    "the momentum is not Nesterov's, which is meant": {"nesterov": False},
    "the momentum sums up rate times gradient: its steps keep the rate that they were made at": {"inside": True},
    "the momentum has unit gain: new gradients are scaled by 1 - momentum (the default of CNTK)": {"unit_gain": True},
    "the momentum is dampened: all gradients but the first are scaled by 0.1": {"dampening": 0.9, "nesterov": False},
    "the optimiser has no momentum": {"momentum": 0.0},
    "the optimiser's momentum is 0.5": {"momentum": 0.5},
    "the optimiser's momentum is 0.95": {"momentum": 0.95},
    "the optimiser's momentum is 0.99": {"momentum": 0.99},
    **PENALTIES,
    "the optimiser adds an L2 penalty of 5e-4 to the gradient": {"penalty": 5e-4},
}
"""Sentence → changed hyperparameters of gradient descent."""

RMSPROP_SUSPECTS: Mapping[str, Mapping[str, Any]] = {
    "the optimiser adds epsilon within the root: √(v + epsilon) where √v + epsilon is meant": {"within": True},
    "the optimiser adds epsilon within the root, and it is 1e-8": {"within": True, "epsilon": 1e-8},
    "the optimiser's rho is 0.99 (the default of PyTorch and Chainer)": {"rho": 0.99},
    "the optimiser's rho is 0.95": {"rho": 0.95},
    "the optimiser's epsilon is 1e-8": {"epsilon": 1e-8},
    "the optimiser's epsilon is 1e-6": {"epsilon": 1e-6},
    "the optimiser's epsilon is 1e-3": {"epsilon": 1e-3},
    "the optimiser is centred: it subtracts the square of the mean gradient": {"centred": True},
    "the optimiser has a momentum of 0.9": {"momentum": 0.9},
    **PENALTIES,
}
"""Sentence → changed hyperparameters of RMSprop."""

ADAGRAD_SUSPECTS: Mapping[str, Mapping[str, Any]] = {
    "the optimiser's sum of squares begins as 0.1 (the default of Keras, TensorFlow and Optax)": {"initial": 0.1},
    "the optimiser's sum of squares begins as 0": {"initial": 0.0},
    "the optimiser's epsilon is 1e-10 (the default of PyTorch)": {"epsilon": 1e-10},
    "the optimiser's epsilon is 1e-7": {"epsilon": 1e-7},
    "the optimiser adds epsilon within the root: √(v + epsilon) where √v + epsilon is meant": {"within": True},
}
"""What to say, and how Adagrad would have to be changed to make it so."""

OPTIMIZERS: Mapping[str, tuple[Callable[..., Iterator[Floats]], Mapping[str, Mapping[str, Any]]]] = {
    "adagrad": (adagrad_steps, ADAGRAD_SUSPECTS),
    "adam": (adam_steps, ADAM_SUSPECTS),
    "adamw": (adamw_steps, ADAM_SUSPECTS),
    "sgd": (sgd_steps, SGD_SUSPECTS),
    "rmsprop": (rmsprop_steps, RMSPROP_SUSPECTS),
}
"""Name of a workload's optimiser → the function of its steps, and its suspected mistakes; ``own`` has no formula."""


def steps_from(
    optimizer: Optimizer, name: str, weights: Floats, steps: Iterable[Step], **change: object
) -> Iterator[Floats]:
    """Yield the `weights` of a tensor after each step of a workload's optimiser, with hyperparameters replaced.

    `name` is the tensor's canonical name: it decides whether AdamW decays it as a kernel. `change` are the
    hyperparameters with other values.
    """
    take, _ = OPTIMIZERS[optimizer.name]
    own = {"kernel": name.endswith("kernel")} if isinstance(optimizer, AdamW) else {}
    return take(weights, steps, **{**hyperparameters_of(optimizer), **own, **change})


def longest_step(optimizer: Optimizer) -> float | None:
    """Return the largest change of a number in one step, whatever the gradients; None if they decide.

    Kingma and Ba (2015), section 2.1; for RMSprop it is the step of a gradient after many zeros.
    """
    if isinstance(optimizer, Adam | AdamW):
        return optimizer.learning_rate * max(1.0, (1 - optimizer.beta1) / sqrt(1 - optimizer.beta2))
    if isinstance(optimizer, RmsProp):
        return optimizer.learning_rate / sqrt(1 - optimizer.rho)
    if isinstance(optimizer, Adagrad):
        return optimizer.learning_rate
    return None


def wandering(optimizer: Optimizer, still: Collection[str]) -> Collection[str]:
    """Return which of the tensors without a gradient, `still`, move at random with an optimiser.

    Adam and RMSprop turn their round-off into full steps. With gradient descent it stays round-off, and is compared.
    """
    return () if longest_step(optimizer) is None else still
