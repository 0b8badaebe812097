"""The second reference, in JAX: the formulas of a workload and of its optimiser, in float64.

It shares no code with the reference in PyTorch, so that their agreement rules out a mistake in either.
"""

import jax
import numpy as np
from jax import numpy as jnp

from rosetta_worker.framework import Framework

DESCRIPTION = {
    "title": "Reference on JAX",
    "modes": {"eager": "formulas written out"},
    "mode": "eager",
    "packages": ["jax"],
    "locks": ["jax@0.10.2"],
    "reference": True,
}

ROUND_OFF = 1e-5
"""The largest gradient that consists of round-off alone: far above Adam's epsilon, so that it gives a full step."""

NOTHING = 1e-6
"""The share of the norm of all gradients below which a gradient is round-off alone."""

CHANCE = 2
"""The seed of the random signs."""


class Adapter(Framework):
    """Uses only JAX's array operations and differentiation: no layer, loss or optimiser of JAX's libraries."""

    lacks = {}
    emulates = ("float64", "float32")

    def build(self, weights):
        jax.config.update("jax_enable_x64", True)
        if self.setting.precision not in self.emulates:
            raise NotImplementedError(
                "the reference in JAX emulates no %s: that in PyTorch does" % self.setting.precision
            )
        self.dtype = self.setting.precision
        arrays = {name: jnp.asarray(array, self.dtype) for name, array in weights.items()}
        endings = getattr(self.implementation, "KEPT", ())
        self.kept = {name: array for name, array in arrays.items() if name.endswith(endings)}
        self.tensors = {name: array for name, array in arrays.items() if name not in self.kept}
        self.chance = np.random.RandomState(CHANCE)
        self.first = {name: jnp.zeros_like(tensor) for name, tensor in self.tensors.items()}
        self.second = {name: jnp.zeros_like(tensor) for name, tensor in self.tensors.items()}
        self.count = 0
        self.update = getattr(self, self.setting.optimizer.name) if self.trains else None
        self.mean_loss = getattr(self.implementation, "loss", cross_entropy)
        self.forward = jax.jit(self.implementation.forward)
        self.differentiate = jax.jit(jax.value_and_grad(self.with_loss, has_aux=True))

    def with_loss(self, tensors, before, inputs, labels):
        """Return the loss, and besides it the logits and the new running means; `before` are the old ones."""
        kept = {}
        training = (kept,) if before else ()
        logits = self.implementation.forward(dict(tensors, **before), inputs, *training)
        loss = self.mean_loss(logits, labels)
        return (loss if self.penalty is None else loss + self.penalty(tensors)), (logits, kept)

    def parameters(self):
        return {name: self.array(tensor) for name, tensor in dict(self.tensors, **self.kept).items()}

    def set_parameters(self, weights):
        for name, array in weights.items():
            held = self.tensors if name in self.tensors else self.kept
            held[name] = jnp.asarray(array, self.dtype)

    def load(self, inputs, labels):
        return self.held(inputs), self.held(labels)

    def held(self, numbers):
        """Return numbers in the working precision, and whole numbers in JAX's largest integer type."""
        return jnp.asarray(numbers, self.dtype if numbers.dtype.kind == "f" else "int64")

    def batch(self, dataset, ids):
        inputs, labels = dataset
        return inputs[ids], labels[ids]

    def train(self, dataset, batches):
        total = 0.0
        for ids in batches:
            (loss, (_, kept)), gradients = self.differentiate(self.tensors, self.kept, *self.batch(dataset, ids))
            self.rate = self.learning_rate()
            self.count += 1
            if self.setting.lazy:
                self.named = np.unique(np.asarray(self.batch(dataset, ids)[0]))
            self.update(self.with_round_off(gradients))
            self.kept.update(kept)
            total += float(loss)
        return total / len(batches)

    def with_round_off(self, gradients):
        """Return the gradients. In a trial of round-off, mathematically zero ones become small random numbers.

        See the reference in PyTorch.
        """
        if not self.setting.rounded:
            return gradients
        least = NOTHING * sum((g * g).sum() for g in gradients.values()) ** 0.5
        return {
            name: g if (g * g).sum() ** 0.5 > least else ROUND_OFF * self.sign_like(g) for name, g in gradients.items()
        }

    def sign_like(self, tensor):
        """Return a tensor of random signs, 1 and -1."""
        return jnp.asarray(2 * self.chance.randint(2, size=tensor.shape) - 1, self.dtype)

    def adam(self, gradients):
        """Kingma and Ba (2015), algorithm 1: epsilon is added to the bias-corrected root.

        First, all gradients together are clipped to a norm (Pascanu, Mikolov and Bengio 2013, algorithm 1), then decay
        is added. For a tensor that is updated lazily, rows that the batch does not use keep their values and their
        moments.
        """
        hyper = self.setting.optimizer
        new1, new2 = self.one_minus("weights", hyper.beta1), self.one_minus("weights", hyper.beta2)
        correction1 = self.one_minus("corrections", hyper.beta1, self.count)
        correction2 = self.one_minus("corrections", hyper.beta2, self.count)
        norm = sum(jnp.vdot(g, g) for g in gradients.values()) ** 0.5
        longer = 1.0 if hyper.clip_norm is None else jnp.maximum(norm / hyper.clip_norm, 1.0)
        for name, gradient in gradients.items():
            g = gradient / longer + hyper.weight_decay * self.tensors[name]
            rows = self.named if name in self.setting.lazy else ...
            m = hyper.beta1 * self.first[name][rows] + new1 * g[rows]
            v = hyper.beta2 * self.second[name][rows] + new2 * g[rows] * g[rows]
            step = (m / correction1) / (jnp.sqrt(v / correction2) + hyper.epsilon)
            self.first[name] = self.first[name].at[rows].set(m)
            self.second[name] = self.second[name].at[rows].set(v)
            self.tensors[name] = self.tensors[name].at[rows].add(-self.rate * step)

    def sgd(self, gradients):
        """Gradient descent with Polyak's momentum: v = m·v + g, w = w - rate·v; the rate is not part of v."""
        hyper = self.setting.optimizer
        for name, g in gradients.items():
            self.first[name] = hyper.momentum * self.first[name] + g
            self.tensors[name] -= self.rate * self.first[name]

    def rmsprop(self, gradients):
        """Tieleman and Hinton (2012), lecture 6e: v = rho·v + (1 - rho)·g²; epsilon is added to its root."""
        hyper = self.setting.optimizer
        new = self.one_minus("weights", hyper.rho)
        for name, g in gradients.items():
            v = self.second[name] = hyper.rho * self.second[name] + new * g * g
            self.tensors[name] -= self.rate * g / (jnp.sqrt(v) + hyper.epsilon)

    def one_minus(self, what, beta, count=1):
        """Return 1 - beta^count, in the working precision if this trial rounds `what` (see the PyTorch reference)."""
        if self.setting.rounded != what:
            return 1 - beta**count
        return 1 - jnp.asarray(beta, self.dtype) ** count

    def gradients(self, dataset, ids):
        (loss, (logits, _)), gradients = self.differentiate(self.tensors, self.kept, *self.batch(dataset, ids))
        return logits, loss, {name: self.array(gradient) for name, gradient in gradients.items()}

    def evaluate(self, dataset, batches):
        tensors = dict(self.tensors, **self.kept)
        return jnp.concatenate([self.forward(tensors, self.batch(dataset, ids)[0]) for ids in batches])

    def infer(self, batches):
        inputs = [jnp.asarray(batch, self.dtype) for batch in batches]
        return np.concatenate([self.array(self.forward(self.tensors, one)) for one in inputs])

    def synchronize(self):
        jax.block_until_ready(jax.live_arrays())

    def array(self, tensor):
        return np.array(tensor)

    def begin_epoch(self, epoch):
        """Do nothing: `learning_rate` follows from the number of steps."""

    def learning_rate(self):
        rate, schedule = self.setting.optimizer.learning_rate, self.setting.schedule
        if schedule is None:
            return rate
        epoch = self.count // self.calendar.steps_per_epoch * self.calendar.epochs_apart
        if schedule.name == "steps":
            return rate * ([1.0] + schedule.factors)[sum(epoch >= after for after in schedule.after)]
        return rate * schedule.factor ** (epoch // schedule.every)

    def settings(self):
        return {"device": "cpu", "precision": self.setting.precision, "mode": "eager"}


def cross_entropy(logits, labels):
    """Return the mean over the batch of -log softmax(logits)[label]."""
    shifted = logits - logits.max(1, keepdims=True)
    picked = jnp.take_along_axis(shifted, labels[:, None], 1)[:, 0]
    return (jnp.log(jnp.exp(shifted).sum(1)) - picked).mean()
