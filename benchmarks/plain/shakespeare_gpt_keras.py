"""shakespeare-gpt in Keras as one would write it without a laboratory: one file, one loop.

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


class GPT(keras.Model):
    """Character ids (n, 64) to logits (n, 64, 65)."""

    def __init__(self):
        super().__init__()
        self.token = layers.ReversibleEmbedding(65, 128)
        self.position = layers.Embedding(64, 128)
        self.blocks = [Block(128, 4) for _ in range(4)]
        self.norm = layers.LayerNormalization(epsilon=1e-5, center=False)

    def call(self, ids):
        """Return the logits."""
        x = self.token(ids) + self.position(ops.arange(64))
        for block in self.blocks:
            x = block(x)
        return self.token(self.norm(x), reverse=True)


inputs, labels, batches = (np.load(path) for path in sys.argv[1:4])
model = GPT()
optimizer = keras.optimizers.AdamW(1e-3, weight_decay=0.1, beta_1=0.9, beta_2=0.99, epsilon=1e-8, global_clipnorm=1.0)
optimizer.exclude_from_weight_decay(var_names=["gamma"])
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
