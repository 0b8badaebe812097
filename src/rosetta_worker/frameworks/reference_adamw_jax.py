"""The second reference, in JAX, for workloads that AdamW trains: its formulas, and that optimiser's written out."""

from rosetta_worker.framework import Setting
from rosetta_worker.frameworks.reference_jax import Adapter as Formulas

DESCRIPTION = {
    "title": "Reference on JAX, with AdamW",
    "modes": {"eager": "formulas written out"},
    "mode": "eager",
    "packages": ["jax"],
    "locks": ["jax@0.10.2"],
    "reference": True,
    "files": "reference-jax",
    "optimizers": ["adamw"],
}

DECAYING = {
    "all": lambda name, weight: True,
    "matrices": lambda name, weight: weight.ndim > 1,
    "kernels": lambda name, weight: name.endswith("kernel"),
}
"""Which tensors the workload lets decay, by their canonical names."""


class Adapter(Formulas):
    """Takes AdamW apart: what is left without its decay is Adam."""

    def __init__(self, implementation, setting):
        optimizer = setting.optimizer
        if optimizer is not None and optimizer.name == "adamw":
            self.decay = optimizer.weight_decay
            setting.optimizer = Setting(**dict(vars(optimizer), weight_decay=0.0))
        super().__init__(implementation, setting)

    def adamw(self, gradients):
        """Loshchilov and Hutter (2019), algorithm 2: the weights shrink by rate · decay beside Adam's step."""
        decaying = DECAYING[self.setting.optimizer.decays]
        before = {name: weight for name, weight in self.tensors.items() if decaying(name, weight)}
        self.adam(gradients)
        for name, weight in before.items():
            self.tensors[name] -= self.rate * self.decay * weight
