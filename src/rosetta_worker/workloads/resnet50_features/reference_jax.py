"""resnet50-features as formulas, on JAX arrays."""

from jax import lax
from jax import numpy as jnp


def forward(w, images):
    """The means of all 2,048 channels. Running means and variances are constants here."""
    x = largest_of_nine(relu(normalised_convolution(w, "stem", "norm", images, 2)))
    number = 0
    for stage, blocks in enumerate((3, 4, 6, 3)):
        for block in range(blocks):
            number += 1
            stride = 2 if stage > 0 and block == 0 else 1
            name = f"block{number}."
            y = relu(normalised_convolution(w, name + "conv1", name + "norm1", x, 1))
            y = relu(normalised_convolution(w, name + "conv2", name + "norm2", y, stride))
            y = normalised_convolution(w, name + "conv3", name + "norm3", y, 1)
            if block == 0:
                x = normalised_convolution(w, name + "shortcut", name + "shortcut_norm", x, stride)
            x = relu(x + y)
    return x.mean((2, 3))


def relu(x):
    return jnp.where(x > 0, x, 0)


def normalised_convolution(w, conv, norm, x, stride):
    """A cross-correlation with padding for its kernel, and normalisation by the running statistics."""
    kernel = w[conv + ".kernel"]
    border = (kernel.shape[-1] // 2, kernel.shape[-1] // 2)
    x = lax.conv_general_dilated(x, kernel, window_strides=(stride, stride), padding=(border, border))
    standard = (x - w[norm + ".mean"][:, None, None]) / jnp.sqrt(w[norm + ".variance"] + 1e-5)[:, None, None]
    return standard * w[norm + ".scale"][:, None, None] + w[norm + ".shift"][:, None, None]


def largest_of_nine(x):
    """The maximum of each pixel in every second row and column and its eight neighbours, if inside the image."""
    height, width = x.shape[2:]
    wide = jnp.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)), constant_values=-jnp.inf)
    places = [(row, column) for row in range(3) for column in range(3)]
    return jnp.stack([wide[:, :, i : i + height : 2, j : j + width : 2] for i, j in places]).max(0)
