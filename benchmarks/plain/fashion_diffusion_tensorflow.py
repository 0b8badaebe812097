"""fashion-diffusion in TensorFlow as one would write it without a laboratory: one file, one loop.

For the comparison it takes turns: it reads a number of steps from standard input, trains them, and prints the seconds.
Arguments: the .npy files of inputs (a noisy image and its time step a row), labels (the noise) and batches (sample ids,
one row a step), and the number of threads.
"""

import sys
from time import perf_counter

import numpy as np
import tensorflow as tf
from tensorflow.keras import layers


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
        angles = times * 10000 ** (-tf.range(64.0) / 63)
        return tf.concat([tf.sin(angles), tf.cos(angles)], axis=1)


inputs, labels, batches = (np.load(path) for path in sys.argv[1:4])
tf.config.threading.set_intra_op_parallelism_threads(int(sys.argv[4]))
tf.config.threading.set_inter_op_parallelism_threads(int(sys.argv[4]))
noisy, steps_of_noise = tf.constant(inputs[:, :784].reshape(-1, 28, 28, 1)), tf.constant(inputs[:, 784:])
noise = tf.constant(labels.reshape(-1, 28, 28, 1))
images, times = layers.Input((28, 28, 1)), layers.Input((1,))
time = layers.Dense(128)(layers.Dense(128, activation="silu")(Waves()(times)))
x1 = block(convolution(32)(images), time, 32)
x2 = block(x1, time, 32)
x = block(convolution(32, stride=2)(x2), time, 32)
x = block(attention(x, 4), time, 32)
x = convolution(32)(layers.UpSampling2D(2)(x))
x = block(layers.concatenate([x, x2]), time, 32)
x = block(layers.concatenate([x, x1]), time, 32)
model = tf.keras.Model([images, times], convolution(1)(layers.Activation("silu")(norm()(x))))
optimizer = tf.keras.optimizers.Adam(2e-4, beta_1=0.9, beta_2=0.999, epsilon=1e-8)


@tf.function
def train_step(ids):
    """Take one optimiser step on the samples `ids`; return the loss."""
    with tf.GradientTape() as tape:
        found = model([tf.gather(noisy, ids), tf.gather(steps_of_noise, ids)], training=True)
        loss = tf.reduce_mean(tf.math.squared_difference(found, tf.gather(noise, ids)))
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
