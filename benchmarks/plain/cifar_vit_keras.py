"""cifar-vit in Keras as one would write it without a laboratory: one file, one loop.

For the comparison it takes turns: it reads a number of steps from standard input, trains them, and prints the seconds.
Arguments: the .npy files of inputs, labels and batches (sample ids, one row a step), and the number of threads.
KERAS_BACKEND names what Keras runs on, and the number of threads comes by the environment, too. A callback reads the
clock, within `fit`: what a call costs before its first step and after its last is left out.
"""

import sys
from time import perf_counter

import keras
import numpy as np
from keras import layers, ops


class Clock(keras.callbacks.Callback):
    """Measures an epoch."""

    def on_epoch_begin(self, epoch, logs=None):
        """Read the clock before the first step."""
        self.start = perf_counter()

    def on_epoch_end(self, epoch, logs=None):
        """Read it again when the mean loss is there, which the last step has gone into."""
        self.seconds = perf_counter() - self.start


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


class ViT(keras.Model):
    """Images (n, 32, 32, 3) to logits (n, 10)."""

    def __init__(self):
        super().__init__()
        self.patch = layers.Conv2D(192, 4, strides=4)
        small = keras.initializers.RandomNormal(stddev=0.02)
        self.position = layers.Embedding(64, 192, embeddings_initializer=small)
        self.blocks = [Block(192, 3) for _ in range(6)]
        self.norm = layers.LayerNormalization(epsilon=1e-6)
        self.classify = layers.Dense(10)

    def call(self, images):
        """Return the logits."""
        x = ops.reshape(self.patch(images), (-1, 64, 192)) + self.position(ops.arange(64))
        for block in self.blocks:
            x = block(x)
        x = self.norm(x)
        return self.classify(ops.mean(x, axis=1))


inputs, labels, batches = (np.load(path) for path in sys.argv[1:4])
inputs = np.ascontiguousarray(inputs.transpose(0, 2, 3, 1))
model = ViT()
optimizer = keras.optimizers.AdamW(1e-3, weight_decay=0.05, beta_1=0.9, beta_2=0.999, epsilon=1e-8)
optimizer.exclude_from_weight_decay(var_names=["bias", "gamma", "beta", "embeddings"])
model.compile(optimizer, loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True))
clock = Clock()
done = 0
for line in sys.stdin:
    steps = int(line)
    ids = batches[done : done + steps].ravel()
    epoch = model.fit(
        inputs[ids], labels[ids], batch_size=batches.shape[1], shuffle=False, verbose=0, callbacks=[clock]
    )
    print(clock.seconds, epoch.history["loss"][0], flush=True)
    done += steps
