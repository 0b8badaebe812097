"""tf.data: threads that cut batches beside the step."""

import tensorflow as tf

from rosetta_worker.loaders import AHEAD
from rosetta_worker.loaders.rows import ENDLESS, Rows


class Loader(object):
    """TensorFlow 2. One pipeline runs on from block to block, with the threads that it has started."""

    def __init__(self, source, workers):
        self.rows = Rows()
        self.source = source
        self.specs = [tf.TensorSpec((None,) + part.shape[1:], part.dtype) for part in source.batch(source.plain(1))]
        numbers = tf.data.Dataset.range(ENDLESS)
        self.cut = numbers.map(self.fetch, num_parallel_calls=workers or None)  # which keeps their order
        ahead = (AHEAD - 1) * workers  # and as many as it has calls
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
        calls = getattr(self.cut, "_num_parallel_calls", None)  # no public name tells
        return {"loader": "tf.data", "loader_workers": 0 if calls is None else int(calls)}

    def close(self):
        self.rows.close()


def options(workers):
    """Return what keeps the pipeline's threads, which may wait for rows, apart from those that compute."""
    chosen = tf.data.Options()
    chosen.threading.private_threadpool_size = max(1, workers)
    chosen.autotune.enabled = False  # every number is given: nothing is left to tune
    return chosen
