"""imdb-gru as formulas, on JAX arrays."""

from jax import lax
from jax import numpy as jnp
from jax.nn import sigmoid


def forward(w, tokens):
    x = w["embedding"][tokens]
    gates = (x @ w["gru.kernel"].T + w["gru.bias"]).swapaxes(0, 1)  # (time, n, gates)

    def step(h, from_input):
        from_state = h @ w["gru.recurrent_kernel"].T + w["gru.recurrent_bias"]
        reset = sigmoid(from_input[:, :100] + from_state[:, :100])
        update = sigmoid(from_input[:, 100:200] + from_state[:, 100:200])
        new = jnp.tanh(from_input[:, 200:] + reset * from_state[:, 200:])  # the reset gate acts after the product
        return (1 - update) * new + update * h, None

    h, _ = lax.scan(step, jnp.zeros((len(x), 100), x.dtype), gates)
    return h @ w["output.kernel"].T + w["output.bias"]
