"""The reference in PyTorch for workloads that AdamW trains: its formulas, and that optimiser's written out."""

import torch

from rosetta_worker.framework import Setting
from rosetta_worker.frameworks.reference_pytorch import Adapter as Formulas

DESCRIPTION = {
    "title": "Reference on PyTorch, with AdamW",
    "modes": {"eager": "formulas written out"},
    "mode": "eager",
    "packages": ["torch"],
    "locks": ["pytorch@2.13.0"],
    "reference": True,
    "files": "reference-pytorch",
    "optimizers": ["adamw"],
}


class Adapter(Formulas):
    """Takes AdamW apart: what is left without its decay is Adam."""

    def __init__(self, implementation, setting):
        optimizer = setting.optimizer
        if optimizer is not None and optimizer.name == "adamw":
            self.decay = optimizer.weight_decay
            setting.optimizer = Setting(**dict(vars(optimizer), weight_decay=0.0))
        super().__init__(implementation, setting)

    def adamw(self, gradients):
        """Loshchilov and Hutter (2019), algorithm 2: Adam's step, and each weight less rate · decay of itself."""
        with torch.no_grad():
            for name, weight in self.tensors.items():
                if self.decays(name, weight):
                    weight *= 1 - self.rate * self.decay
        self.adam(gradients)

    def decays(self, name, weight):
        """Whether a tensor is among those that the workload lets decay."""
        stated = self.setting.optimizer.decays
        return name.endswith("kernel") if stated == "kernels" else stated == "all" or weight.dim() > 1
