"""fashion-cnn as formulas, on JAX arrays."""

from jax import lax
from jax import numpy as jnp


def forward(w, images):
    x = relu(convolve(images, w["conv1.kernel"], w["conv1.bias"]))
    x = relu(convolve(x, w["conv2.kernel"], w["conv2.bias"]))
    return x.reshape(len(x), -1) @ w["output.kernel"].T + w["output.bias"]


def relu(x):
    """ReLU with the derivative 0 at 0, as in every framework; that of ``jnp.maximum`` is ½."""
    return jnp.where(x > 0, x, 0)


def convolve(x, kernel, bias):
    """Cross-correlation without padding, of (n, channels, height, width) with (out, in, height, width)."""
    out = lax.conv_general_dilated(x, kernel, window_strides=(1, 1), padding="VALID")
    return out + bias[:, None, None]
