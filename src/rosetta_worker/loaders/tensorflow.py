"""tf.data: threads that cut out batches while the model trains."""

import tensorflow as tf

from rosetta_worker.loaders import AHEAD
from rosetta_worker.loaders.rows import ENDLESS, Rows


class Loader(object):
    """TensorFlow 2. One pipeline continues from block to block, with the same threads."""

    def __init__(self, source, workers):
        self.rows = Rows()
        self.source = source
        self.specs = [tf.TensorSpec((None,) + part.shape[1:], part.dtype) for part in source.batch(source.plain(1))]
        numbers = tf.data.Dataset.range(ENDLESS)
        self.cut = numbers.map(self.fetch, num_parallel_calls=workers or None)  # keeps their order
        ahead = (AHEAD - 1) * workers  # in addition to one for each call
        self.batches = iter((self.cut.prefetch(ahead) if ahead else self.cut).with_options(options(workers)))

    def fetch(self, number):
        batch = tf.numpy_function(self.take, [number], [spec.dtype for spec in self.specs])
        for part, spec in zip(batch, self.specs):
            part.set_shape(spec.shape)
        return tuple(batch)

    def take(self, number):
        return self.source.batch(self.rows[number])

    def read(self, rows):
        self.rows.ask(rows)
        return (next(self.batches) for _ in rows)

    def settings(self):
        calls = getattr(self.cut, "_num_parallel_calls", None)  # it has no public name
        return {"loader": "tf.data", "loader_workers": 0 if calls is None else int(calls)}

    def close(self):
        self.rows.close()


def options(workers):
    """Return options that separate the pipeline's threads, which may wait for rows, from those that compute."""
    chosen = tf.data.Options()
    chosen.threading.private_threadpool_size = max(1, workers)
    chosen.autotune.enabled = False  # all numbers are given, so nothing is left to tune
    return chosen
