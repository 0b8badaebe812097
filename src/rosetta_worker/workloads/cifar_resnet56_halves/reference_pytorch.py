"""cifar-resnet56:halves as formulas, on PyTorch arrays."""

import torch

from rosetta_worker.workloads.cifar_resnet56.reference_pytorch import KEPT, penalty  # noqa: F401
from rosetta_worker.workloads.cifar_resnet56.reference_pytorch import forward as forward_together


def forward(w, images, kept=None):
    """Logits. In training each half of a batch is normalised apart, and `kept` receives the mean of what both keep."""
    if kept is None:
        return forward_together(w, images)
    halves = [({}, half) for half in images.tensor_split(2)]
    logits = torch.cat([forward_together(w, half, own) for own, half in halves])
    (first, _), (second, _) = halves
    kept.update({name: (first[name] + second[name]) / 2 for name in first})
    return logits
