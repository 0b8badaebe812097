"""gpt-decode in TensorFlow as one would write it without a laboratory: one file, one loop.

Nothing is trained: a text of 64 characters on the host gets 128 more, each the likeliest, and comes back to the host.
For the comparison it takes turns: it reads a number of batches from standard input, continues them, and prints the
seconds and, in place of a loss, the mean of the new ids. Arguments: the .npy files of inputs, labels (which it leaves
alone) and batches (consecutive sample ids, one row a batch), and the number of threads.
"""

import sys
from time import perf_counter

import numpy as np
import tensorflow as tf
from tensorflow.keras import layers


class Block(layers.Layer):
    """Causal self-attention and an MLP, each behind a normalisation and beside a shortcut."""

    def __init__(self, width, heads):
        super().__init__()
        self.width, self.heads = width, heads
        self.norm1 = layers.LayerNormalization(epsilon=1e-5, center=False)
        self.qkv = layers.Dense(3 * width, use_bias=False)
        self.projection = layers.Dense(width, use_bias=False)
        self.norm2 = layers.LayerNormalization(epsilon=1e-5, center=False)
        self.up = layers.Dense(4 * width, activation="gelu", use_bias=False)
        self.down = layers.Dense(width, use_bias=False)

    def call(self, x, keys, values, shift=None):
        """Return what goes into the next block, and the longer caches of keys and values."""
        n, length = tf.shape(x)[0], tf.shape(x)[1]
        qkv = tf.reshape(self.qkv(self.norm1(x)), (n, length, 3, self.heads, self.width // self.heads))
        q, k, v = tf.unstack(tf.transpose(qkv, (2, 0, 3, 1, 4)))
        keys, values = tf.concat([keys, k], axis=2), tf.concat([values, v], axis=2)
        scores = tf.matmul(q, keys, transpose_b=True) / (self.width // self.heads) ** 0.5
        if shift is not None:
            scores += shift
        y = tf.transpose(tf.matmul(tf.nn.softmax(scores), values), (0, 2, 1, 3))
        x = x + self.projection(tf.reshape(y, (n, length, self.width)))
        return x + self.down(self.up(self.norm2(x))), keys, values


class GPT(tf.keras.Model):
    """Character ids (n, length) to logits of the next character (n, 65)."""

    def __init__(self):
        super().__init__()
        self.token = layers.Embedding(65, 384)
        self.position = layers.Embedding(256, 384)
        self.blocks = [Block(384, 6) for _ in range(6)]
        self.norm = layers.LayerNormalization(epsilon=1e-5, center=False)

    def call(self, ids, keys, values, shift=None):
        """Return the logits and the longer caches."""
        begin = tf.shape(keys[0])[2]
        x = self.token(ids) + self.position(tf.range(begin, begin + tf.shape(ids)[1]))
        longer = []
        for block, known_keys, known_values in zip(self.blocks, keys, values, strict=True):
            x, *both = block(x, known_keys, known_values, shift=shift)
            longer.append(both)
        logits = tf.matmul(self.norm(x[:, -1]), self.token.embeddings, transpose_b=True)
        return logits, *map(list, zip(*longer, strict=True))


inputs, batches = np.load(sys.argv[1]), np.load(sys.argv[3])
tf.config.threading.set_intra_op_parallelism_threads(int(sys.argv[4]))
tf.config.threading.set_inter_op_parallelism_threads(int(sys.argv[4]))
model = GPT()


@tf.function
def generate(ids, count):
    """Return `count` new characters."""
    n, length = ids.shape
    empty = [tf.zeros((n, 6, 0, 64))] * 6
    seen = tf.linalg.band_part(tf.ones((length, length)), -1, 0)
    logits, keys, values = model(ids, empty, empty, shift=1e9 * (seen - 1))
    last = tf.argmax(logits, axis=1, output_type="int32")
    found = tf.TensorArray("int32", count).write(0, last)
    growing = [tf.TensorShape((n, 6, None, 64))] * 6
    for number in tf.range(1, count):
        tf.autograph.experimental.set_loop_options(shape_invariants=[(keys, growing), (values, growing)])
        logits, keys, values = model(last[:, None], keys, values)
        last = tf.argmax(logits, axis=1, output_type="int32")
        found = found.write(number, last)
    return tf.transpose(found.stack())


done = 0
for line in sys.stdin:
    steps = int(line)
    start = perf_counter()
    found = []
    for ids in batches[done : done + steps]:
        found.append(generate(tf.constant(inputs[ids[0] : ids[0] + len(ids)]), 128).numpy())
    texts = np.concatenate(found)
    print(perf_counter() - start, texts.mean(), flush=True)
    done += steps
