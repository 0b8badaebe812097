"""Optimisers and schedules as a workload states them: every hyperparameter, and the exact formula."""

from __future__ import annotations

from math import cos, pi
from typing import Annotated, Literal, Self

from pydantic import ConfigDict, Field, PositiveFloat, PositiveInt, model_validator

from rosettabench.catalogue.strict import Strict

Share = Annotated[float, Field(ge=0, lt=1)]
"""The share of itself that a running mean, or a momentum, keeps in a step."""

Decay = Annotated[float, Field(ge=0)]
"""The factor of the weights that are added to a gradient, or to a step."""


class Adam(Strict):
    """Hyperparameters of Adam, with epsilon added after the bias correction.

    First, all gradients are scaled together if their common norm exceeds `clip_norm`: g · min(1, clip_norm / ‖g‖). Then
    `weight_decay` times the weight is added (L2, not decoupled).
    """

    name: Literal["adam"]
    learning_rate: float
    beta1: float
    beta2: float
    epsilon: float
    weight_decay: Decay = 0.0
    clip_norm: PositiveFloat | None = None


class AdamW(Strict):
    """Hyperparameters of Adam with decoupled decay: each step also subtracts rate · `weight_decay` · weight.

    Loshchilov and Hutter (2019), "Decoupled weight decay regularization", algorithm 2, with the current rate. `decays`
    selects the tensors that decay: ``all``; ``matrices``, those of two dimensions and more; or ``kernels``, those whose
    canonical name ends with ``kernel``, which leaves embeddings out.
    """

    name: Literal["adamw"]
    learning_rate: float
    beta1: float
    beta2: float
    epsilon: float
    weight_decay: Decay
    decays: Literal["all", "matrices", "kernels"] = "all"
    clip_norm: PositiveFloat | None = None


class Sgd(Strict):
    """Hyperparameters of gradient descent with momentum, without damping: v = m·v + g, w = w - rate·v.

    With `nesterov`, w = w - rate·(g + m·v) with the new v: Sutskever et al. (2013), as frameworks write it.
    `weight_decay` and `clip_norm` are those of `Adam`.
    """

    name: Literal["sgd"]
    learning_rate: float
    momentum: Share
    nesterov: bool = False
    weight_decay: Decay = 0.0
    clip_norm: PositiveFloat | None = None


class RmsProp(Strict):
    """Hyperparameters of RMSprop: v = rho·v + (1 - rho)·g², w = w - rate·g / (√v + epsilon), not √(v + epsilon)."""

    name: Literal["rmsprop"]
    learning_rate: float
    rho: float
    epsilon: float


class Adagrad(Strict):
    """Hyperparameters of Adagrad: v = v + g², w = w - rate·g / (√v + epsilon); v starts at `initial`.

    Duchi, Hazan and Singer (2011), "Adaptive subgradient methods for online learning and stochastic optimization".
    """

    name: Literal["adagrad"]
    learning_rate: float
    epsilon: float
    initial: Annotated[float, Field(ge=0)] = 0.0


class OwnOptimizer(Strict):
    """An optimiser without a formula here. It may state any values, which the implementations read.

    The reference is the original's own optimiser in float64, so the workload needs an original.
    """

    model_config = ConfigDict(extra="allow", frozen=True)
    name: Literal["own"]
    learning_rate: float


Optimizer = Annotated[Adam | AdamW | Sgd | RmsProp | Adagrad | OwnOptimizer, Field(discriminator="name")]
"""The optimiser of a workload. Its name determines its hyperparameters."""


class Steps(Strict):
    """A learning rate that falls in steps: ``factors[i]`` times the rate from epoch ``after[i]`` on, counted from 0."""

    after: tuple[PositiveInt, ...]
    factors: tuple[PositiveFloat, ...]

    @model_validator(mode="after")
    def _ascending(self) -> Self:
        """Refuse epochs that do not ascend, or that differ in number from the factors."""
        if len(self.after) != len(self.factors) or list(self.after) != sorted(set(self.after)):
            raise ValueError("after must ascend, with a factor for each")
        return self


class WarmUpCosine(Strict):
    """A learning rate that changes in every step: it rises linearly, and then falls along half a cosine.

    In step t, counted from 0, it is (t + 1) / (`warm_up` + 1) times the stated rate while t < `warm_up`; from there it
    falls to `final` times the stated rate at step `until`, and stays there. So nanoGPT has it (``get_lr``); the cosine
    is that of Loshchilov and Hutter (2017), "SGDR: stochastic gradient descent with warm restarts", equation 5.
    """

    warm_up: Annotated[int, Field(ge=0)]
    until: PositiveInt
    final: Annotated[float, Field(ge=0, le=1)] = 0.0

    @model_validator(mode="after")
    def _falls(self) -> Self:
        """Refuse a schedule whose warm-up leaves no step to fall in."""
        if self.until <= self.warm_up:
            raise ValueError("until, the step at which the rate has fallen, must come after warm_up")
        return self

    def factor(self, step: int) -> float:
        """Return what the stated rate is multiplied by in a step."""
        if step < self.warm_up:
            return (step + 1) / (self.warm_up + 1)
        passed = min(1.0, (step - self.warm_up) / (self.until - self.warm_up))
        return self.final + (1 - self.final) * (1 + cos(pi * passed)) / 2
