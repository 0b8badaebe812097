"""The original as reference: a workload's JAX implementation itself, in float64.

Ports of it are proven against what it computes. Its optimiser is written out as in the other reference, or, where the
workload states one that only the implementations know, its own.
"""

import jax
from flax import nnx
from jax import numpy as jnp

from rosetta_worker.framework import resolve
from rosetta_worker.frameworks.reference_adamw_jax import Adapter as Formulas
from rosetta_worker.originals import refuse_untied, tied_names

DESCRIPTION = {
    "title": "Original in JAX",
    "modes": {"eager": "the implementation itself, in float64"},
    "mode": "eager",
    "packages": ["jax"],
    "locks": ["jax@0.10.2"],
    "reference": True,
    "original": "jax",
}


class Adapter(Formulas):
    """Computes with the model's own modules on tensors of their canonical names; its ties must not change a layout."""

    lacks = {
        "precision=bfloat16": "the noise of an original is that of float32 alone: bfloat16 has no tolerances",
        "precision=tf32": "the noise of an original is that of float32 alone: TF32 has no tolerances",
        "embedding_gradient": "an original computes dense gradients",
    }

    def __init__(self, implementation, setting):
        self.original = implementation
        super().__init__(Model(implementation), setting)
        penalty = getattr(implementation, "penalty", None)
        self.penalty = None if penalty is None else (lambda tensors: penalty(self.implementation.holding(tensors)))

    def build(self, weights):
        jax.config.update("jax_enable_x64", True)
        self.implementation.make()
        super().build(weights)
        if self.trains:
            self.mean_loss = self.original.loss
            self.second = {name: jnp.full_like(array, self.initial) for name, array in self.second.items()}
            if self.setting.optimizer.name == "own":
                model = self.implementation.holding(dict(self.tensors, **self.kept))
                self.module, self.optimizer = model, self.original.optimizer(model, self.setting.optimizer)

    @property
    def initial(self):
        """What the second moments begin as."""
        return getattr(self.setting.optimizer, "initial", 0.0)

    # -- optimisers, beside Adam, AdamW and RMSprop --------------------------------------------------------------------

    def sgd(self, gradients):
        """Polyak: v = m·v + g, w = w - rate·v; Nesterov: w - rate·(g + m·v). Decay is added to the clipped gradient."""
        hyper = self.setting.optimizer
        norm = sum(jnp.vdot(g, g) for g in gradients.values()) ** 0.5
        longer = 1.0 if hyper.clip_norm is None else jnp.maximum(norm / hyper.clip_norm, 1.0)
        for name, gradient in gradients.items():
            g = gradient / longer + hyper.weight_decay * self.tensors[name]
            v = self.first[name] = hyper.momentum * self.first[name] + g
            self.tensors[name] -= self.rate * (g + hyper.momentum * v if hyper.nesterov else v)

    def adagrad(self, gradients):
        """Duchi, Hazan and Singer (2011): v = v + g², w = w - rate·g / (√v + epsilon)."""
        for name, g in gradients.items():
            v = self.second[name] = self.second[name] + g * g
            self.tensors[name] -= self.rate * g / (jnp.sqrt(v) + self.setting.optimizer.epsilon)

    def own(self, gradients):
        """The implementation's own optimiser."""
        model = self.implementation
        model.put(self.module, self.tensors)
        like = nnx.clone(self.module)
        model.put(like, gradients)
        self.optimizer.update(self.module, nnx.state(like, self.optimizer.wrt))
        for name in self.tensors:
            self.tensors[name] = resolve(self.module, model.ties[name])[...]


class Model(object):
    """An original, called as the formulas of a reference are: ``forward(w, inputs)``.

    Where running means are to be kept, it is in training mode and puts them into `kept`; else in evaluation mode.
    """

    def __init__(self, implementation):
        self.implementation = implementation
        self.KEPT = tuple(tied_names(getattr(implementation, "STATE", ())))
        self.ties = dict(tied_names(implementation.TENSORS), **tied_names(getattr(implementation, "STATE", ())))
        if hasattr(implementation, "arrange"):
            self.arrange = implementation.arrange

    def make(self):
        """Make the modules, which drop nothing, and take them apart. Raises ValueError for a parameter without tie."""
        model = self.implementation.Model(nnx.Rngs(0))
        for _, layer in nnx.iter_modules(model):
            if isinstance(layer, nnx.Dropout):
                layer.rate = 0.0
        own = {id(resolve(model, name)) for name in self.ties.values()}
        trained = ((path, one) for path, one in nnx.iter_graph(model) if isinstance(one, nnx.Param))
        refuse_untied([".".join(map(str, path)) for path, one in trained if id(one) not in own])
        self.graph, self.state = nnx.split(model)

    def holding(self, tensors):
        """Return the modules with these tensors in them."""
        here = jax.tree.map(lambda array: array, self.state)  # variables of this trace, which may be written
        model = nnx.merge(self.graph, here)
        self.put(model, tensors)
        return model

    def put(self, model, tensors):
        """Put tensors of canonical names into modules."""
        for name, array in tensors.items():
            resolve(model, self.ties[name])[...] = array

    def forward(self, w, inputs, kept=None):
        model = self.holding(w)
        if kept is None and self.KEPT:
            model = nnx.view(model, deterministic=True, use_running_average=True, raise_if_not_found=False)
        outputs = model(inputs)
        if kept is not None:
            kept.update({name: resolve(model, self.ties[name])[...] for name in self.KEPT})
        return outputs
