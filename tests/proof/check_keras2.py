"""What Keras 2 does by itself on a back end, and what is made of it here; run in its environment, it prints JSON.

python check_keras2.py WORKER_FOLDER (with the variable KERAS_BACKEND)
"""

import json
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(sys.argv[1]).parent))

from rosetta_worker.runtimes import keras2  # noqa: F401 (before Keras: see there)

# isort: split
import keras

from rosetta_worker.layers.keras2 import CHANNELS, BatchNormalization, arranged, image
from rosetta_worker.optimizers.keras2 import Adam


def model_of(*layers):
    """A model of some layers, ready to be trained, but with a rate of 0."""
    model = keras.models.Sequential(layers)
    model.compile(keras.optimizers.SGD(0.0), "mse")
    return model


def wait():
    """Wait for the device, as the worker does behind every block: MXNet counts running means as written too early."""
    if keras.backend.backend() == "mxnet":
        import mxnet

        mxnet.nd.waitall()


def normalisation(kind):
    """What a normalisation keeps of the batch 0 and 2, a tenth of it in place of 0 and 1; and 3 times 1 by weights."""
    images = arranged(np.array([0.0, 2.0]).reshape(2, 1, 1, 1))
    model = model_of(kind(axis=CHANNELS, momentum=0.9, epsilon=1e-3, input_shape=image(1, 1, 1)))
    model.train_on_batch(images, images)
    wait()
    mean, variance = model.get_weights()[2:]
    model.set_weights([np.full(1, value) for value in (3.0, 0.0, 0.0, 1.0)])
    return {"mean": float(mean), "variance": float(variance), "scaled": float(model.predict(images / 2).ravel()[1])}


def padded():
    """How often a convolution of ones, "same" and with stride 2, reads the third pixel of four by four, counted."""
    images = np.zeros((1, 1, 4, 4))
    images[0, 0, 2, 2] = 1
    layer = keras.layers.Conv2D(
        1, 3, strides=2, padding="same", use_bias=False, kernel_initializer="ones", input_shape=image(1, 4, 4)
    )
    return float(model_of(layer).predict(arranged(images)).sum())


def correlated():
    """The product of 0, 1, 2 with a kernel of the same numbers: 5, or with a kernel that is turned around 1."""
    kernel = np.zeros((3, 3, 1, 1))
    kernel[:, 1, 0, 0] = range(3)
    layer = keras.layers.Conv2D(1, 3, use_bias=False, data_format="channels_last", input_shape=(3, 3, 1))
    model = model_of(layer)
    model.set_weights([kernel])
    return float(model.predict(kernel.reshape(1, 3, 3, 1)).ravel()[0])


def recurrence():
    """What a GRU returns whose weights are all 0.1."""
    model = model_of(keras.layers.GRU(2, input_shape=(3, 2)))
    model.set_weights([np.full(weight.shape, 0.1) for weight in model.get_weights()])
    return float(model.predict(np.ones((2, 3, 2)))[0, 0])


def first_steps(optimizer):
    """By how much a first step moves 20,000 weights that have one gradient, of five models: the least, the most."""
    found = []
    for _ in range(5):
        inputs = keras.layers.Input((10,))
        hidden = keras.layers.Dense(2000, use_bias=False)(inputs)
        output = keras.layers.Dense(1, use_bias=False, kernel_initializer="ones")(hidden)
        model = keras.Model(inputs, output)
        model.compile(optimizer(10.0), loss=lambda labels, outputs: outputs - labels)
        before = model.get_weights()[0]
        model.train_on_batch(np.ones((8, 10)), np.zeros((8, 1)))
        moved = before - model.get_weights()[0]
        found += [float(moved.min()), float(moved.max())]
    return [min(found), max(found)]


found = {
    "own": normalisation(keras.layers.BatchNormalization),
    "here": normalisation(BatchNormalization),
    "padded": padded(),
    "correlated": correlated() if keras.backend.backend() != "mxnet" else None,
    "recurrence": recurrence(),
    "steps": first_steps(Adam),
}
print("\n" + json.dumps(found))
