"""imdb-gru:reset-before as formulas, on JAX arrays."""

from jax import lax
from jax import numpy as jnp
from jax.nn import sigmoid


def forward(w, tokens):
    x = w["embedding"][tokens]
    gates = (x @ w["gru.kernel"].T + w["gru.bias"]).swapaxes(0, 1)  # (time, n, gates)
    reset_kernel, update_kernel, new_kernel = jnp.split(w["gru.recurrent_kernel"], 3)

    def step(h, from_input):
        reset = sigmoid(from_input[:, :100] + h @ reset_kernel.T)
        update = sigmoid(from_input[:, 100:200] + h @ update_kernel.T)
        new = jnp.tanh(from_input[:, 200:] + (reset * h) @ new_kernel.T)  # the reset gate acts before the product
        return (1 - update) * new + update * h, None

    h, _ = lax.scan(step, jnp.zeros((len(x), 100), x.dtype), gates)
    return h @ w["output.kernel"].T + w["output.bias"]
