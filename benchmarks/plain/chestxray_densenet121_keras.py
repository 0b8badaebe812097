"""chestxray-densenet121 in Keras as one would write it without a laboratory: one file, one loop.

For the comparison it takes turns: it reads a number of steps from standard input, trains them, and prints the seconds.
Arguments: the .npy files of inputs, labels and batches (sample ids, one row a step), and the number of threads.
KERAS_BACKEND names what Keras runs on, and the number of threads comes by the environment, too. A callback reads the
clock, within `fit`: what a call costs before its first step and after its last is left out.
"""

import sys
from time import perf_counter

import keras
import numpy as np
from keras import layers


class Clock(keras.callbacks.Callback):
    """Measures an epoch."""

    def on_epoch_begin(self, epoch, logs=None):
        """Read the clock before the first step."""
        self.start = perf_counter()

    def on_epoch_end(self, epoch, logs=None):
        """Read it again when the mean loss is there, which the last step has gone into."""
        self.seconds = perf_counter() - self.start


def norm():
    """Return a batch normalisation."""
    return layers.BatchNormalization(momentum=0.9, epsilon=1e-5)


def layer(x):
    """What comes in, and beside it 32 maps more."""
    y = layers.Conv2D(128, 1, use_bias=False)(layers.ReLU()(norm()(x)))
    y = layers.Conv2D(32, 3, padding="same", use_bias=False)(layers.ReLU()(norm()(y)))
    return layers.concatenate([x, y])


def transition(x):
    """Half as many maps, of half the height and width."""
    y = layers.Conv2D(x.shape[-1] // 2, 1, use_bias=False)(layers.ReLU()(norm()(x)))
    return layers.AveragePooling2D(2)(y)


inputs, labels, batches = (np.load(path) for path in sys.argv[1:4])
inputs = np.ascontiguousarray(inputs.transpose(0, 2, 3, 1))
images = layers.Input((224, 224, 3))
x = layers.Conv2D(64, 7, strides=2, use_bias=False)(layers.ZeroPadding2D(3)(images))
x = layers.ReLU()(norm()(x))
x = layers.MaxPooling2D(3, strides=2)(layers.ZeroPadding2D(1)(x))
for depth in (6, 12, 24, 16):
    if x.shape[-1] > 64:
        x = transition(x)
    for _ in range(depth):
        x = layer(x)
x = layers.GlobalAveragePooling2D()(layers.ReLU()(norm()(x)))
logits = layers.Dense(14)(x)
model = keras.Model(images, logits)
model.compile(
    keras.optimizers.Adam(1e-4, beta_1=0.9, beta_2=0.999, epsilon=1e-8),
    loss=keras.losses.BinaryCrossentropy(from_logits=True),
)
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
