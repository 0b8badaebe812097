"""shakespeare-gpt in TensorFlow as one would write it without a laboratory: one file, one loop.

For the comparison it takes turns: it reads a number of steps from standard input, trains them, and prints the seconds.
Arguments: the .npy files of inputs, labels and batches (sample ids, one row a step), and the number of threads.
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
        self.norm1 = layers.LayerNormalization(epsilon=1e-5, center=False)
        self.attention = layers.MultiHeadAttention(heads, width // heads, use_bias=False)
        self.norm2 = layers.LayerNormalization(epsilon=1e-5, center=False)
        self.up = layers.Dense(4 * width, activation="gelu", use_bias=False)
        self.down = layers.Dense(width, use_bias=False)

    def call(self, x):
        """Return what goes into the next block."""
        y = self.norm1(x)
        x = x + self.attention(y, y, use_causal_mask=True)
        return x + self.down(self.up(self.norm2(x)))


class GPT(tf.keras.Model):
    """Character ids (n, 64) to logits (n, 64, 65)."""

    def __init__(self):
        super().__init__()
        self.token = layers.Embedding(65, 128)
        self.position = layers.Embedding(64, 128)
        self.blocks = [Block(128, 4) for _ in range(4)]
        self.norm = layers.LayerNormalization(epsilon=1e-5, center=False)

    def call(self, ids):
        """Return the logits."""
        x = self.token(ids) + self.position(tf.range(64))
        for block in self.blocks:
            x = block(x)
        return tf.matmul(self.norm(x), self.token.embeddings, transpose_b=True)


inputs, labels, batches = (np.load(path) for path in sys.argv[1:4])
tf.config.threading.set_intra_op_parallelism_threads(int(sys.argv[4]))
tf.config.threading.set_inter_op_parallelism_threads(int(sys.argv[4]))
inputs, labels = tf.constant(inputs), tf.constant(labels)
model = GPT()
optimizer = tf.keras.optimizers.AdamW(
    1e-3, weight_decay=0.1, beta_1=0.9, beta_2=0.99, epsilon=1e-8, global_clipnorm=1.0
)
optimizer.exclude_from_weight_decay(var_names=["gamma"])


@tf.function
def train_step(ids):
    """Take one optimiser step on the samples `ids`; return the loss."""
    with tf.GradientTape() as tape:
        logits = model(tf.gather(inputs, ids), training=True)
        losses = tf.nn.sparse_softmax_cross_entropy_with_logits(tf.gather(labels, ids), logits)
        loss = tf.reduce_mean(losses)
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
    return loss


done = 0
for line in sys.stdin:
    steps = int(line)
    start = perf_counter()
    total = tf.zeros(())
    for ids in batches[done : done + steps]:
        total += train_step(ids)
    mean = float(total / steps)
    print(perf_counter() - start, mean, flush=True)
    done += steps
