"""Record the original in float64, with hooks on its modules."""

from rosetta_worker.frameworks import original_pytorch
from rosetta_worker.recorders.pytorch import recorded


class Adapter(original_pytorch.Adapter):
    """The original's adapter that records the modules."""

    def gradients(self, dataset, ids):
        logits, loss, _ = original_pytorch.Adapter.gradients(self, dataset, ids)
        return logits, loss, recorded(self.model, self.original, self.batch(dataset, ids)[0])
