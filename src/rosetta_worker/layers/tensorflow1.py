"""TensorFlow 1's batch normalisation, with the running variance that its own documentation describes."""

import tensorflow as tf


class BatchNormalization(tf.layers.BatchNormalization):
    """The running variance averages the normalising variance; TensorFlow's own, if fused, n / (n - 1) times that.

    Without fusion, TensorFlow's is the same as this one (docs/findings.md). TensorFlow has code for the correction, but
    does not use it.
    """

    def __init__(self, **arguments):
        super(BatchNormalization, self).__init__(**arguments)
        self._bessels_correction_test_only = False
