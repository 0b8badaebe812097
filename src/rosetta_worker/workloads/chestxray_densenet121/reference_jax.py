"""chestxray-densenet121 as formulas, on JAX arrays."""

from jax import lax
from jax import numpy as jnp

KEPT = (".mean", ".variance")


def forward(w, images, kept=None):
    """Logits. In training, `kept`, a dictionary, receives the new running means and variances."""
    x = lax.conv_general_dilated(images, w["stem.kernel"], window_strides=(2, 2), padding=((3, 3), (3, 3)))
    x = pool(relu_of_normalised(w, "norm", x, kept))
    number = 0
    for block, layers in enumerate((6, 12, 24, 16)):
        if block > 0:
            x = relu_of_normalised(w, f"transition{block}.norm", x, kept)
            x = mix(x, w[f"transition{block}.kernel"])
            n, maps, height, width = x.shape
            x = x.reshape(n, maps, height // 2, 2, width // 2, 2).mean((3, 5))
        for _ in range(layers):
            number += 1
            y = mix(relu_of_normalised(w, f"layer{number}.norm1", x, kept), w[f"layer{number}.conv1.kernel"])
            y = relu_of_normalised(w, f"layer{number}.norm2", y, kept)
            y = lax.conv_general_dilated(y, w[f"layer{number}.conv2.kernel"], (1, 1), ((1, 1), (1, 1)))
            x = jnp.concatenate([x, y], 1)
    x = relu_of_normalised(w, "final", x, kept)
    return x.mean((2, 3)) @ w["output.kernel"].T + w["output.bias"]


def loss(logits, labels):
    """Mean over batch and labels of the binary cross-entropy: log(1 + exp z) - z · label."""
    return (jnp.logaddexp(0.0, logits) - labels * logits).mean()


def mix(x, kernel):
    """A 1×1 convolution, which mixes each pixel's channels."""
    return jnp.einsum("oi,nihw->nohw", kernel[:, :, 0, 0], x)


def pool(x):
    """The maximum of each 3×3 square around every second place, without the border."""
    return lax.reduce_window(x, -jnp.inf, lax.max, (1, 1, 3, 3), (1, 1, 2, 2), ((0, 0), (0, 0), (1, 1), (1, 1)))


def relu_of_normalised(w, norm, x, kept):
    """Batch normalisation, and a ReLU with the derivative 0 at 0; that of ``jnp.maximum`` is ½."""
    mean, variance = w[norm + ".mean"], w[norm + ".variance"]
    if kept is not None:
        pixels = x.transpose(1, 0, 2, 3).reshape(x.shape[1], -1)
        batch_mean, batch_variance = pixels.mean(1), pixels.var(1)  # divided by n
        kept[norm + ".mean"] = mean + 0.1 * (lax.stop_gradient(batch_mean) - mean)
        kept[norm + ".variance"] = variance + 0.1 * (lax.stop_gradient(batch_variance) - variance)
        mean, variance = batch_mean, batch_variance
    standard = (x - mean[:, None, None]) / jnp.sqrt(variance + 1e-5)[:, None, None]
    x = standard * w[norm + ".scale"][:, None, None] + w[norm + ".shift"][:, None, None]
    return jnp.where(x > 0, x, 0)
