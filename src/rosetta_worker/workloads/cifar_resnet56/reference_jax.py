"""cifar-resnet56 as formulas, on JAX arrays."""

from rosetta_worker.layers.resnet56.reference_jax import KEPT, features, penalty  # noqa: F401


def forward(w, images, kept=None):
    """Logits. In training, `kept`, a dictionary, receives the new running means and variances."""
    x = features(w, images, kept)
    return x.mean((2, 3)) @ w["output.kernel"].T + w["output.bias"]
