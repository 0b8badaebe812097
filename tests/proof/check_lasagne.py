"""What Lasagne and Theano do by themselves, and what is made of it here; run in their environment, it prints JSON.

python check_lasagne.py WORKER_FOLDER
"""

import json
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(sys.argv[1]).parent))

from rosetta_worker.runtimes.lasagne import theano  # before Lasagne itself

# isort: split
from lasagne import layers, nonlinearities
from theano import tensor

from rosetta_worker.layers.lasagne import MaxPool2DLayer, rectify


def slope(function, array):
    """The derivative of the sum of what comes out, by each number of `array`."""
    x = theano.shared(np.array(array, "float32"))
    return theano.function([], theano.grad(function(x).sum(), x))()


def of_equals(pool):
    """What comes back to each of four equal numbers through a pooling of two by two."""
    layer = pool(layers.InputLayer((1, 1, 2, 2)), 2)
    return slope(layer.get_output_for, np.ones((1, 1, 2, 2))).ravel().tolist()


def trained_by(layer, **more):
    """The names of what a recurrent layer trains."""
    network = layer(layers.InputLayer((1, 2, 3)), 4, name="layer", **more)
    return [parameter.name for parameter in layers.get_all_params(network, trainable=True)]


print(
    json.dumps(
        {
            "compiledir": theano.config.compiledir,
            "blas": theano.config.blas.ldflags,
            "rectify": {
                "own": slope(nonlinearities.rectify, [0]).tolist(),
                "theano": slope(tensor.nnet.relu, [0]).tolist(),
                "here": slope(rectify, [0]).tolist(),
            },
            "pool": {"own": of_equals(layers.MaxPool2DLayer), "here": of_equals(MaxPool2DLayer)},
            "gru": trained_by(layers.GRULayer),
        }
    )
)
