"""gpt-decode:prefill in TensorFlow 2."""

import tensorflow as tf

from rosetta_worker.layers.gpt.tensorflow import TENSORS, Decoder  # noqa: F401


class Model(Decoder):
    """Character ids (n, 64) to the logits of the character that follows, (n, 1, 65)."""

    def call(self, ids):
        return self.step(ids, 0, self.empty(tf.shape(ids)[0]))[0]
