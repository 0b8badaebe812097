"""Keras' PyDataset: threads that cut out batches while the model trains, with two workers or more."""

import keras
from keras.src.trainers.data_adapters.py_dataset_adapter import PyDatasetAdapter  # for `fit`; no public name

from rosetta_worker.loaders import AHEAD
from rosetta_worker.loaders.rows import Rows


class Loader(object):
    """Keras 3, on any back end. Its epoch never ends: at the end of one, Keras waits 0.1 s for its empty queue."""

    def __init__(self, source, workers, endless):
        self.rows = Rows()
        self.adapter = PyDatasetAdapter(Batches(source, self.rows, workers))
        self.endless = endless
        self.batches = None

    def read(self, rows):
        """Return the endless iterator itself, which Keras' training function takes in `fit`."""
        self.rows.ask(rows)
        if self.batches is None:  # on TensorFlow, making it reads two batches
            self.batches = self.endless(self.adapter)
        return self.batches

    def settings(self):
        queue = self.adapter.enqueuer
        return {"loader": "PyDataset", "loader_workers": queue.py_dataset.workers if queue else 0}

    def close(self):
        self.rows.close()


class Batches(keras.utils.PyDataset):
    """An endless data set, in which batch k is that of row k."""

    num_batches = None

    def __init__(self, source, rows, workers):
        super().__init__(workers=workers, max_queue_size=max(1, AHEAD * workers))
        self.source = source
        self.rows = rows

    def __getitem__(self, number):
        return self.source.batch(self.rows[number])
