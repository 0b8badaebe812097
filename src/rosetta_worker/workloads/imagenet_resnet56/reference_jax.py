"""imagenet-resnet56 as formulas, on JAX arrays."""

from rosetta_worker.layers.resnet56.reference_jax import KEPT, features, penalty  # noqa: F401


def forward(w, images, kept=None):
    """Logits. In training, `kept`, a dictionary, receives the new running means and variances."""
    x = features(w, images, kept)
    n, channels, height, width = x.shape
    squares = x.reshape(n, channels, height // 8, 8, width // 8, 8)
    return squares.mean((3, 5)).reshape(n, -1) @ w["output.kernel"].T + w["output.bias"]
