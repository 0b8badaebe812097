"""cifar-vgg in Keras as one would write it without a laboratory: one file, one loop.

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


inputs, labels, batches = (np.load(path) for path in sys.argv[1:4])
inputs = np.ascontiguousarray(inputs.transpose(0, 2, 3, 1))
model = keras.Sequential(
    [
        layers.Input((32, 32, 3)),
        layers.Conv2D(50, kernel_size=3, padding="same", activation="relu"),
        layers.Conv2D(50, kernel_size=3, padding="same"),
        layers.MaxPooling2D(2),
        layers.ReLU(),
        layers.Dropout(0.25),
        layers.Conv2D(100, kernel_size=3, padding="same", activation="relu"),
        layers.Conv2D(100, kernel_size=3, padding="same"),
        layers.MaxPooling2D(2),
        layers.ReLU(),
        layers.Dropout(0.25),
        layers.Flatten(),
        layers.Dense(512, activation="relu"),
        layers.Dropout(0.5),
        layers.Dense(10),
    ]
)
model.compile(
    keras.optimizers.SGD(0.01, momentum=0.9),
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
