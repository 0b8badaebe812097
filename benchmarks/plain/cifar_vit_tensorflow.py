"""cifar-vit in TensorFlow as one would write it without a laboratory: one file, one loop.

For the comparison it takes turns: it reads a number of steps from standard input, trains them, and prints the seconds.
Arguments: the .npy files of inputs, labels and batches (sample ids, one row a step), and the number of threads.
"""

import sys
from time import perf_counter

import numpy as np
import tensorflow as tf
from tensorflow.keras import layers


class Block(layers.Layer):
    """Self-attention and an MLP, each behind a normalisation and beside a shortcut."""

    def __init__(self, width, heads):
        super().__init__()
        self.norm1 = layers.LayerNormalization(epsilon=1e-6)
        self.attention = layers.MultiHeadAttention(heads, width // heads)
        self.norm2 = layers.LayerNormalization(epsilon=1e-6)
        self.up = layers.Dense(4 * width, activation="gelu")
        self.down = layers.Dense(width)

    def call(self, x):
        """Return what goes into the next block."""
        y = self.norm1(x)
        x = x + self.attention(y, y)
        return x + self.down(self.up(self.norm2(x)))


class ViT(tf.keras.Model):
    """Images (n, 32, 32, 3) to logits (n, 10)."""

    def __init__(self):
        super().__init__()
        self.patch = layers.Conv2D(192, 4, strides=4)
        small = tf.keras.initializers.RandomNormal(stddev=0.02)
        self.position = layers.Embedding(64, 192, embeddings_initializer=small)
        self.blocks = [Block(192, 3) for _ in range(6)]
        self.norm = layers.LayerNormalization(epsilon=1e-6)
        self.classify = layers.Dense(10)

    def call(self, images):
        """Return the logits."""
        x = tf.reshape(self.patch(images), (-1, 64, 192)) + self.position(tf.range(64))
        for block in self.blocks:
            x = block(x)
        x = self.norm(x)
        return self.classify(tf.reduce_mean(x, axis=1))


inputs, labels, batches = (np.load(path) for path in sys.argv[1:4])
tf.config.threading.set_intra_op_parallelism_threads(int(sys.argv[4]))
tf.config.threading.set_inter_op_parallelism_threads(int(sys.argv[4]))
inputs, labels = tf.constant(inputs.transpose(0, 2, 3, 1)), tf.constant(labels)
model = ViT()
optimizer = tf.keras.optimizers.AdamW(1e-3, weight_decay=0.05, beta_1=0.9, beta_2=0.999, epsilon=1e-8)
optimizer.exclude_from_weight_decay(var_names=["bias", "gamma", "beta", "embeddings"])


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
