"""deepar-monash as formulas, on JAX arrays."""

from jax import lax
from jax import numpy as jnp
from jax.nn import sigmoid
from jax.scipy.special import gammaln


def forward(w, steps):
    before, counts = steps[:, :, :16], steps[:, :, 21]
    mean = jnp.sum(counts * jnp.abs(before[:, :, 0]), 1) / jnp.maximum(jnp.sum(counts, 1), 1)
    scale = jnp.where(mean > 0, mean, 1)[:, None]  # (n, 1)
    x = steps.at[:, :, :16].divide(scale[:, :, None]).at[:, :, 21].set(jnp.log(scale)).swapaxes(0, 1)
    for layer in ("lstm1", "lstm2"):
        x = lstm(x, w[layer + ".kernel"], w[layer + ".recurrent_kernel"], w[layer + ".bias"])
    outputs = (x @ w["output.kernel"].T + w["output.bias"]).swapaxes(0, 1)
    freedom, width = softplus(outputs[:, :, 0]), softplus(outputs[:, :, 2])
    return jnp.stack([2 + freedom, scale * outputs[:, :, 1], scale * width], 2)


def lstm(x, kernel, recurrent_kernel, bias):
    """All outputs of a layer, (steps, n, 40), starting from a zero state."""

    def step(state, x):
        h, c = state
        gates = x @ kernel.T + h @ recurrent_kernel.T + bias
        c = sigmoid(gates[:, 40:80]) * c + sigmoid(gates[:, :40]) * jnp.tanh(gates[:, 80:120])
        h = sigmoid(gates[:, 120:]) * jnp.tanh(c)
        return (h, c), h

    start = jnp.zeros((x.shape[1], 40), x.dtype)
    return lax.scan(step, (start, start), x)[1]


def softplus(x):
    """log(1 + exp(x)), as the logarithm of a sum of two exponentials."""
    return jnp.logaddexp(x, 0)


def loss(logits, labels):
    """Mean over the batch's observed values of -log of Student's density."""
    freedom, location, width = logits[:, :, 0], logits[:, :, 1], logits[:, :, 2]
    off = (labels[:, :, 0] - location) / width
    tail = (1 + freedom) / 2 * jnp.log1p(off * off / freedom)
    constant = gammaln(freedom / 2) - gammaln(freedom / 2 + 0.5) + jnp.log(freedom * jnp.pi) / 2
    weights = labels[:, :, 1]
    return jnp.sum(weights * (tail + constant + jnp.log(width))) / jnp.maximum(jnp.sum(weights), 1)
