"""ResNet-56 without its last pool and output layer as formulas, on JAX arrays."""

from jax import lax
from jax import numpy as jnp

KEPT = (".mean", ".variance")


def features(w, images, kept):
    """Return the input of the last pool. In training, `kept`, a dictionary, receives the new running statistics."""
    x = relu(normalised_convolution(w, "stem", "norm", images, 1, kept))
    for stage in range(3):
        for block in range(9):
            stride = 2 if stage > 0 and block == 0 else 1
            name = f"block{9 * stage + block + 1}."
            y = relu(normalised_convolution(w, name + "conv1", name + "norm1", x, stride, kept))
            y = normalised_convolution(w, name + "conv2", name + "norm2", y, 1, kept)
            if stride == 2:  # a 1×1 convolution of every second row and column
                mixed = jnp.einsum("oi,nihw->nohw", w[name + "shortcut.kernel"][:, :, 0, 0], x[:, :, ::2, ::2])
                x = mixed + w[name + "shortcut.bias"][:, None, None]
            x = relu(x + y)
    return x


def penalty(w):
    kernels = jnp.concatenate([w[name].ravel() for name in w if w[name].ndim > 1])
    return 1e-4 * (kernels @ kernels)


def relu(x):
    """ReLU with the derivative 0 at 0, as in every framework; that of ``jnp.maximum`` is ½."""
    return jnp.where(x > 0, x, 0)


def normalised_convolution(w, conv, norm, x, stride, kept):
    """A 3×3 cross-correlation with its bias, and batch normalisation.

    In training the normalisation cancels the bias, so it is left out, and its gradient is exactly zero. The running
    mean includes it.
    """
    border = (1, 1) if stride == 1 else (0, 1)
    x = lax.conv_general_dilated(x, w[conv + ".kernel"], window_strides=(stride, stride), padding=(border, border))
    bias, mean, variance = w[conv + ".bias"], w[norm + ".mean"], w[norm + ".variance"]
    if kept is not None:
        pixels = x.transpose(1, 0, 2, 3).reshape(x.shape[1], -1)
        batch_mean, batch_variance = pixels.mean(1), pixels.var(1)  # divided by n
        kept[norm + ".mean"] = mean + 0.01 * (lax.stop_gradient(batch_mean) + bias - mean)
        kept[norm + ".variance"] = variance + 0.01 * (lax.stop_gradient(batch_variance) - variance)
        mean, variance, bias = batch_mean, batch_variance, jnp.zeros_like(bias)
    standard = (x + (bias - mean)[:, None, None]) / jnp.sqrt(variance + 1e-3)[:, None, None]
    return standard * w[norm + ".scale"][:, None, None] + w[norm + ".shift"][:, None, None]
