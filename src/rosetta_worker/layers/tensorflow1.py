"""TensorFlow 1's batch normalisation, with the running variance that its own documentation describes."""

import tensorflow as tf


class BatchNormalization(tf.layers.BatchNormalization):
    """Keeps a running mean of the variance that it normalises by; TensorFlow's own is n / (n - 1) times that, if fused.

    Not fused it has what this one has (docs/findings.md). TensorFlow has the correction, and leaves it out.
    """

    def __init__(self, **arguments):
        super(BatchNormalization, self).__init__(**arguments)
        self._bessels_correction_test_only = False
