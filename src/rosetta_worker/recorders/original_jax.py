"""The original in float64: Flax calls a module by its class, which is given another call while one pass is recorded."""

from rosetta_worker.frameworks import original_jax
from rosetta_worker.recorders.jax import recorded


class Adapter(original_jax.Adapter):
    """The original's adapter that records the modules."""

    def gradients(self, dataset, ids):
        logits, loss, _ = original_jax.Adapter.gradients(self, dataset, ids)
        model = self.implementation.holding(dict(self.tensors, **self.kept))
        return logits, loss, recorded(model, self.original, self.batch(dataset, ids)[0])
