"""fashion-diffusion in Keras as one would write it without a laboratory: one file, one loop.

For the comparison it takes turns: it reads a number of steps from standard input, trains them, and prints the seconds.
Arguments: the .npy files of inputs (a noisy image and its time step a row), labels (the noise) and batches (sample ids,
one row a step), and the number of threads.
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


def convolution(channels, stride=1):
    """Return a convolution of 3×3."""
    return layers.Conv2D(channels, 3, strides=stride, padding="same")


def norm():
    """Return a group normalisation."""
    return layers.GroupNormalization(8, epsilon=1e-6)


def block(x, time, channels):
    """Two convolutions, between them the time, beside a shortcut."""
    y = convolution(channels)(layers.Activation("silu")(norm()(x)))
    shift = layers.Dense(channels)(layers.Activation("silu")(time))
    y = layers.add([y, layers.Reshape((1, 1, channels))(shift)])
    y = convolution(channels)(layers.Activation("silu")(norm()(y)))
    if x.shape[-1] != channels:
        x = layers.Conv2D(channels, 1)(x)
    return layers.add([x, y])


def attention(x, heads):
    """Self-attention of all pixels, beside a shortcut."""
    width = x.shape[-1]
    y = layers.Reshape((x.shape[1] * x.shape[2], width))(norm()(x))
    y = layers.MultiHeadAttention(heads, width // heads)(y, y)
    return layers.add([x, layers.Reshape(x.shape[1:])(y)])


class Waves(layers.Layer):
    """Time steps (n, 1) to 64 sines and 64 cosines of each."""

    def call(self, times):
        """Return them."""
        angles = times * 10000 ** (-ops.arange(64.0) / 63)
        return ops.concatenate([ops.sin(angles), ops.cos(angles)], axis=1)


inputs, labels, batches = (np.load(path) for path in sys.argv[1:4])
noisy, steps_of_noise = inputs[:, :784].reshape(-1, 28, 28, 1), inputs[:, 784:]
noise = labels.reshape(-1, 28, 28, 1)
images, times = layers.Input((28, 28, 1)), layers.Input((1,))
time = layers.Dense(128)(layers.Dense(128, activation="silu")(Waves()(times)))
x1 = block(convolution(32)(images), time, 32)
x2 = block(x1, time, 32)
x = block(convolution(32, stride=2)(x2), time, 32)
x = block(attention(x, 4), time, 32)
x = convolution(32)(layers.UpSampling2D(2)(x))
x = block(layers.concatenate([x, x2]), time, 32)
x = block(layers.concatenate([x, x1]), time, 32)
model = keras.Model([images, times], convolution(1)(layers.Activation("silu")(norm()(x))))
model.compile(keras.optimizers.Adam(2e-4, beta_1=0.9, beta_2=0.999, epsilon=1e-8), loss=keras.losses.MeanSquaredError())
clock = Clock()
done = 0
for line in sys.stdin:
    steps = int(line)
    ids = batches[done : done + steps].ravel()
    epoch = model.fit(
        [noisy[ids], steps_of_noise[ids]],
        noise[ids],
        batch_size=batches.shape[1],
        shuffle=False,
        verbose=0,
        callbacks=[clock],
    )
    print(clock.seconds, epoch.history["loss"][0], flush=True)
    done += steps
