"""cifar-resnet56:halves as formulas, on JAX arrays."""

from jax import numpy as jnp

from rosetta_worker.workloads.cifar_resnet56.reference_jax import KEPT, penalty  # noqa: F401
from rosetta_worker.workloads.cifar_resnet56.reference_jax import forward as forward_together


def forward(w, images, kept=None):
    """Logits. In training each half of a batch is normalised apart, and `kept` receives the mean of what both keep."""
    if kept is None:
        return forward_together(w, images)
    first, second = {}, {}
    above, below = jnp.split(images, 2)
    logits = jnp.concatenate([forward_together(w, above, first), forward_together(w, below, second)])
    kept.update({name: (first[name] + second[name]) / 2 for name in first})
    return logits
