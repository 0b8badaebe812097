"""deepar-monash in JAX: Flax NNX and Optax."""

import optax
from flax import nnx
from jax import numpy as jnp
from jax import random, tree
from jax.scipy.stats import t

from rosetta_worker.tensors import TRANSPOSE, Tie


class Model(nnx.Module):
    """Inputs (n, steps, 22) to degrees of freedom, location and width, (n, steps, 3)."""

    def __init__(self, rngs):
        self.lstm1 = nnx.RNN(nnx.OptimizedLSTMCell(22, 40, rngs=rngs))
        self.dropout = nnx.Dropout(0.1, rngs=rngs)
        self.lstm2 = nnx.RNN(nnx.OptimizedLSTMCell(40, 40, rngs=rngs))
        self.output = nnx.Linear(40, 3, rngs=rngs)

    def __call__(self, steps):
        lags, features, counts = jnp.split(steps, [16, 21], 2)
        parameters, _ = self.unroll(lags, features, counts, scale_of(lags, counts))
        return parameters

    def unroll(self, lags, features, counts, scale, state=(None, None)):
        """Continue from a state. Return the parameters of each step, and the state after the last."""
        x = jnp.concatenate([lags / scale, features, jnp.broadcast_to(jnp.log(scale), counts.shape)], 2)
        first, x = self.lstm1(x, initial_carry=state[0], return_carry=True)
        x = self.dropout(x)
        second, x = self.lstm2(x, initial_carry=state[1], return_carry=True)
        freedom, location, width = jnp.split(self.output(x), 3, 2)
        parameters = [2 + nnx.softplus(freedom), location * scale, nnx.softplus(width) * scale]
        return jnp.concatenate(parameters, 2), (first, second)


def scale_of(lags, counts):
    scale = (counts * abs(lags[..., :1])).sum(1, keepdims=True) / counts.sum(1, keepdims=True).clip(1)
    return jnp.where(scale > 0, scale, 1)


def sample(model, steps, lags, horizon, paths, key):
    """Draw forecasts, (n, paths, horizon). A drawn value becomes an input again `lags` steps later."""
    known, _, counts = jnp.split(steps, [16, 21], 2)
    scale = scale_of(known, counts)
    _, state = model.unroll(*jnp.split(steps[:, :-horizon], [16, 21], 2), scale)
    state, scale, future = tree.map(lambda one: one.repeat(paths, 0), (state, scale, steps[:, -horizon:]))

    @nnx.scan(in_axes=(None, nnx.Carry, 0), out_axes=nnx.Carry)
    def draw(model, carry, now):
        state, drawn = carry
        step, shown, key = now
        known, features, counts = jnp.split(shown[:, None], [16, 21], 2)
        lagged = jnp.where(lags <= step, drawn[:, None, (step - lags).clip(0)], known)
        parameters, state = model.unroll(lagged, features, counts, scale, state)
        freedom, location, width = parameters[:, 0].T
        drawn = drawn.at[:, step].set(location + width * random.t(key, freedom, freedom.shape))
        return state, drawn

    now = jnp.arange(horizon), future.swapaxes(0, 1), random.split(key, horizon)
    _, drawn = draw(model, (state, jnp.zeros((len(future), horizon))), now)
    return drawn.reshape(-1, paths, horizon)


def loss(logits, labels):
    values, weights = jnp.moveaxis(labels, 2, 0)
    likelihood = t.logpdf(values, *jnp.moveaxis(logits, 2, 0))
    return -(weights * likelihood).sum() / weights.sum().clip(1)


def optimizer(model, hyper):
    adam = optax.chain(
        optax.clip_by_global_norm(hyper.clip_norm),
        optax.add_decayed_weights(hyper.weight_decay),  # added to the gradient before Adam: not AdamW
        optax.adam(hyper.learning_rate, hyper.beta1, hyper.beta2, hyper.epsilon),
    )
    return nnx.Optimizer(model, adam, wrt=nnx.Param)


TENSORS = [
    Tie("lstm1.kernel", "lstm1.cell.dense_i.kernel", TRANSPOSE),  # gates: input, forget, cell, output, as in the
    Tie("lstm1.recurrent_kernel", "lstm1.cell.dense_h.kernel", TRANSPOSE),  # canonical form
    Tie("lstm1.bias", "lstm1.cell.dense_h.bias"),
    Tie("lstm2.kernel", "lstm2.cell.dense_i.kernel", TRANSPOSE),
    Tie("lstm2.recurrent_kernel", "lstm2.cell.dense_h.kernel", TRANSPOSE),
    Tie("lstm2.bias", "lstm2.cell.dense_h.bias"),
    Tie("output.kernel", "output.kernel", TRANSPOSE),
    Tie("output.bias", "output.bias"),
]
