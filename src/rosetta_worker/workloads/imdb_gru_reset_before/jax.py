"""imdb-gru:reset-before in JAX: Flax NNX and Optax."""

import optax
from flax import nnx
from jax import numpy as jnp
from optax import softmax_cross_entropy_with_integer_labels

from rosetta_worker.tensors import TRANSPOSE, Tie, split


class Model(nnx.Module):
    """Token ids (n, 150) to logits (n, 2)."""

    def __init__(self, rngs):
        self.embedding = nnx.Embed(30000, 125, rngs=rngs)
        self.gru = GRU(125, 100, rngs=rngs)
        self.output = nnx.Linear(100, 2, rngs=rngs)

    def __call__(self, tokens):
        x = self.embedding(tokens)
        x = self.gru(x)
        return self.output(x)


class GRU(nnx.Module):
    """Sequences (n, time, in) to the last state (n, out).

    Written out because nnx.GRUCell resets after the product.
    """

    def __init__(self, in_features, out_features, rngs):
        self.out_features = out_features
        self.input = nnx.Linear(in_features, 3 * out_features, rngs=rngs)  # gates: reset, update, new
        self.recurrent = nnx.Linear(out_features, 2 * out_features, use_bias=False, rngs=rngs)
        self.recurrent_new = nnx.Linear(out_features, out_features, use_bias=False, rngs=rngs)

    def __call__(self, x):
        start = jnp.zeros((len(x), self.out_features))
        return self.step(start, x)

    @nnx.scan(in_axes=(None, nnx.Carry, 1), out_axes=nnx.Carry)
    def step(self, state, x):
        from_input = self.input(x)
        from_state = self.recurrent(state)
        reset_x, update_x, new_x = jnp.split(from_input, 3, axis=-1)
        reset_h, update_h = jnp.split(from_state, 2, axis=-1)
        reset = nnx.sigmoid(reset_x + reset_h)
        update = nnx.sigmoid(update_x + update_h)
        new = nnx.tanh(new_x + self.recurrent_new(reset * state))
        return (1 - update) * new + update * state


def loss(logits, labels):
    return softmax_cross_entropy_with_integer_labels(logits, labels).mean()


def optimizer(model, hyper):
    adam = optax.adam(hyper.learning_rate, hyper.beta1, hyper.beta2, hyper.epsilon)
    return nnx.Optimizer(model, adam, wrt=nnx.Param)


TENSORS = [
    Tie("embedding", "embedding.embedding"),
    Tie("gru.kernel", "gru.input.kernel", TRANSPOSE),  # gates: reset, update, new, as in the canonical form
    Tie("gru.recurrent_kernel", "gru.recurrent.kernel gru.recurrent_new.kernel", split([200]), TRANSPOSE),
    Tie("gru.bias", "gru.input.bias"),
    Tie("output.kernel", "output.kernel", TRANSPOSE),
    Tie("output.bias", "output.bias"),
]
