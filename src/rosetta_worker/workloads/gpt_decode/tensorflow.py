"""gpt-decode in TensorFlow 2."""

import tensorflow as tf

from rosetta_worker.layers.gpt.tensorflow import PROMPT, TENSORS, Decoder  # noqa: F401


class Model(Decoder):
    """Character ids (n, 64) to the logits of each of the 128 characters that follow, (n, 128, 65)."""

    def call(self, ids):
        def follow(time, logits, caches, written):
            logits, caches = self.step(tf.argmax(logits, axis=-1, output_type="int32"), time, caches)
            return time + 1, logits, caches, written.write(time - PROMPT + 1, logits[:, 0])

        first, caches = self.step(ids, 0, self.empty(tf.shape(ids)[0]))
        written = tf.TensorArray("float32", self.length - PROMPT).write(0, first[:, 0])
        state = PROMPT, first, caches, written
        *_, written = tf.while_loop(lambda time, *_: time < self.length - 1, follow, state)
        return tf.transpose(written.stack(), (1, 0, 2))
