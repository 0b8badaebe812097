"""imagenet-resnet56 in Keras as one would write it without a laboratory: one file, one loop.

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


def convolution(channels, size, stride=1):
    """Return a convolution with a penalty on its kernel."""
    penalty = keras.regularizers.L2(1e-4)
    return layers.Conv2D(channels, size, strides=stride, padding="same", kernel_regularizer=penalty)


def norm():
    """Return a batch normalisation."""
    return layers.BatchNormalization(momentum=0.99, epsilon=1e-3)


def block(x, channels, stride):
    """Two convolutions beside a shortcut, which is a convolution itself where the image gets smaller."""
    y = layers.ReLU()(norm()(convolution(channels, 3, stride)(x)))
    y = norm()(convolution(channels, 3)(y))
    if stride == 2:
        x = convolution(channels, 1, stride)(x)
    return layers.ReLU()(layers.add([x, y]))


inputs, labels, batches = (np.load(path) for path in sys.argv[1:4])
inputs = np.divide(inputs, 255, dtype="float32")  # from 0 to 1
inputs = np.ascontiguousarray(inputs.transpose(0, 2, 3, 1))
images = layers.Input((256, 256, 3))
x = layers.ReLU()(norm()(convolution(16, 3)(images)))
for channels in (16, 32, 64):
    for number in range(9):
        x = block(x, channels, 2 if number == 0 and channels > 16 else 1)
x = layers.Flatten()(layers.AveragePooling2D(8)(x))
logits = layers.Dense(1000, kernel_regularizer=keras.regularizers.L2(1e-4))(x)
model = keras.Model(images, logits)
model.compile(
    keras.optimizers.Adam(1e-3, beta_1=0.9, beta_2=0.999, epsilon=1e-8),
    loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True),
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
