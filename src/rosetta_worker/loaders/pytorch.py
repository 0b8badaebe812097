"""PyTorch's DataLoader: processes that cut out and join samples. They live as long as the loader."""

from torch.utils.data import DataLoader

from rosetta_worker.children import tie_children
from rosetta_worker.loaders import AHEAD
from rosetta_worker.loaders.rows import Rows


class Loader(object):
    """PyTorch 1.7 and newer. For the DataLoader, every block is an epoch, with the block's rows as its batches."""

    def __init__(self, source, workers, device):
        self.rows = Rows()
        self.device = device
        processes = {}
        if workers:
            tie_children()
            processes = {"persistent_workers": True, "prefetch_factor": AHEAD, "multiprocessing_context": "fork"}
        pinned = device.type == "cuda"
        self.loader = DataLoader(source, batch_sampler=self.rows, num_workers=workers, pin_memory=pinned, **processes)

    def read(self, rows):
        self.rows.ask(rows)
        for inputs, labels in self.loader:
            yield inputs.to(self.device, non_blocking=True), labels.to(self.device, non_blocking=True)

    def settings(self):
        return {"loader": type(self.loader).__name__, "loader_workers": self.loader.num_workers}

    def close(self):
        self.loader = None  # this ends its processes
