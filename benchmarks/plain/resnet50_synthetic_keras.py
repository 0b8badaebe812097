"""resnet50-synthetic in Keras as one would write it without a laboratory: one file, one loop.

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
    return layers.BatchNormalization(momentum=0.99, epsilon=1e-3)


def block(x, channels, stride):
    """Three convolutions, the outer ones 1×1, beside a shortcut; a stage's first block has a convolution there, too."""
    y = layers.ReLU()(norm()(layers.Conv2D(channels, 1, strides=stride)(x)))
    y = layers.ReLU()(norm()(layers.Conv2D(channels, 3, padding="same")(y)))
    y = norm()(layers.Conv2D(4 * channels, 1)(y))
    if x.shape[-1] != 4 * channels:
        x = norm()(layers.Conv2D(4 * channels, 1, strides=stride)(x))
    return layers.ReLU()(layers.add([x, y]))


inputs, labels, batches = (np.load(path) for path in sys.argv[1:4])
inputs = np.ascontiguousarray(inputs.transpose(0, 2, 3, 1))
images = layers.Input((256, 256, 3))
x = layers.ZeroPadding2D(3)(images)  # padding "same" has one row less in front than behind, at stride 2
x = layers.ReLU()(norm()(layers.Conv2D(64, 7, strides=2)(x)))
x = layers.MaxPooling2D(3, strides=2)(layers.ZeroPadding2D(1)(x))
for channels, count in ((64, 3), (128, 4), (256, 6), (512, 3)):
    for number in range(count):
        x = block(x, channels, 2 if number == 0 and channels > 64 else 1)
x = layers.GlobalAveragePooling2D()(x)
logits = layers.Dense(1000)(x)
model = keras.Model(images, logits)
model.compile(
    keras.optimizers.RMSprop(1e-4, rho=0.9, epsilon=1e-7),
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
