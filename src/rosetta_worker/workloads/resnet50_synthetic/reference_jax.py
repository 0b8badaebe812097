"""resnet50-synthetic as formulas, on JAX arrays."""

from jax import lax
from jax import numpy as jnp

KEPT = (".mean", ".variance")


def forward(w, images, kept=None):
    """Logits. In training, `kept`, a dictionary, receives the new running means and variances."""
    x = largest_of_nine(relu(normalised_convolution(w, "stem", "norm", images, 2, kept)))
    number = 0
    for stage, blocks in enumerate((3, 4, 6, 3)):
        for block in range(blocks):
            number += 1
            stride = 2 if stage > 0 and block == 0 else 1
            name = f"block{number}."
            y = relu(normalised_convolution(w, name + "conv1", name + "norm1", x, stride, kept))
            y = relu(normalised_convolution(w, name + "conv2", name + "norm2", y, 1, kept))
            y = normalised_convolution(w, name + "conv3", name + "norm3", y, 1, kept)
            if block == 0:
                x = normalised_convolution(w, name + "shortcut", name + "shortcut_norm", x, stride, kept)
            x = relu(x + y)
    return x.mean((2, 3)) @ w["output.kernel"].T + w["output.bias"]


def relu(x):
    """ReLU with the derivative 0 at 0, as in every framework; that of ``jnp.maximum`` is ½."""
    return jnp.where(x > 0, x, 0)


def normalised_convolution(w, conv, norm, x, stride, kept):
    """A cross-correlation with padding for its kernel, its bias, and batch normalisation.

    In training the normalisation cancels the bias, so it is left out, and its gradient is exactly zero. The running
    mean includes it.
    """
    kernel = w[conv + ".kernel"]
    border = (kernel.shape[-1] // 2, kernel.shape[-1] // 2)
    x = lax.conv_general_dilated(x, kernel, window_strides=(stride, stride), padding=(border, border))
    bias, mean, variance = w[conv + ".bias"], w[norm + ".mean"], w[norm + ".variance"]
    if kept is not None:
        pixels = x.transpose(1, 0, 2, 3).reshape(x.shape[1], -1)
        batch_mean, batch_variance = pixels.mean(1), pixels.var(1)  # divided by n
        kept[norm + ".mean"] = mean + 0.01 * (lax.stop_gradient(batch_mean) + bias - mean)
        kept[norm + ".variance"] = variance + 0.01 * (lax.stop_gradient(batch_variance) - variance)
        mean, variance, bias = batch_mean, batch_variance, jnp.zeros_like(bias)
    standard = (x + (bias - mean)[:, None, None]) / jnp.sqrt(variance + 1e-3)[:, None, None]
    return standard * w[norm + ".scale"][:, None, None] + w[norm + ".shift"][:, None, None]


def largest_of_nine(x):
    """The maximum of each pixel in every second row and column and its eight neighbours, if inside the image."""
    height, width = x.shape[2:]
    wide = jnp.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)), constant_values=-jnp.inf)
    places = [(row, column) for row in range(3) for column in range(3)]
    nine = jnp.stack([wide[:, :, i : i + height : 2, j : j + width : 2] for i, j in places], axis=-1)
    return jnp.take_along_axis(nine, nine.argmax(-1, keepdims=True), -1)[..., 0]
