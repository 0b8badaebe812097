"""Grain: threads that cut out batches while the model trains."""

import grain
import jax

from rosetta_worker.loaders import AHEAD
from rosetta_worker.loaders.rows import ENDLESS, Rows


class Loader(object):
    """Grain 0.2 and newer. One iterator continues from block to block, with the same threads."""

    def __init__(self, source, workers):
        self.rows = Rows()
        self.reading = grain.ReadOptions(num_threads=workers, prefetch_buffer_size=AHEAD * workers)
        numbers = grain.MapDataset.range(ENDLESS)
        self.batches = iter(numbers.map(lambda number: source.batch(self.rows[number])).to_iter_dataset(self.reading))

    def read(self, rows):
        self.rows.ask(rows)
        return (jax.device_put(next(self.batches)) for _ in rows)

    def settings(self):
        return {"loader": "Grain", "loader_workers": self.reading.num_threads}

    def close(self):
        self.rows.close()
