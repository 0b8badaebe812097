"""Keras 2: a graph that each of its back ends compiles, and Keras' own training step."""

import numpy as np

from rosetta_worker.framework import Framework, labels_as, resolve
from rosetta_worker.runtimes.keras2 import BACKENDS  # before Keras, see there

# isort: split
from keras import backend as K
from keras import layers
from keras.models import clone_model

from rosetta_worker.surroundings import readable

DESCRIPTION = {
    "title": "Keras 2",
    "modes": {"compiled": "a graph that its back end compiles, it knows no other mode"},
    "mode": "compiled",
    "packages": ["keras"],
    "locks": [],
    "backends": {
        "tensorflow": {
            "title": "Keras 2 on TensorFlow 1",
            "packages": ["keras", "tensorflow"],
            "locks": ["keras-tensorflow@2.2.4"],
        },
        "theano": {
            "title": "Keras 2 on Theano",
            "packages": ["keras", "theano"],
            "locks": ["keras-theano@2.2.4"],
        },
        "cntk": {
            "title": "Keras 2 on CNTK",
            "packages": ["keras", "cntk"],
            "locks": ["keras-cntk@2.2.4"],
        },
        "mxnet": {
            "title": "Keras 2 on MXNet",
            "packages": ["keras", "mxnet"],
            "locks": ["keras-mxnet@2.2.4.1"],
        },
    },
}


class Adapter(Framework):
    """Keras 2.2, on the CPU. The differences between its back ends are in the classes of BACKENDS."""

    lacks = {
        "embedding_gradient": "the optimisers of Keras 2 are not lazy: whatever a gradient's form, they do the work of "
        "embedding_gradient=dense",
        "precision": "Keras 2 has no bfloat16",
        "precision=tf32": "Keras 2 has no switch for TF32",
    }
    rate_within_momentum = True
    shape = None
    """The shape of a sample, once data are loaded: most back ends need the size of images."""

    def build(self, weights):
        if self.model is None:
            self.backend = BACKENDS[in_force(self.setting.backend)](self.setting)
            self.draw()
        self.weights = weights
        self.start()

    def start(self):
        """Start from the given weights, with a new state of the optimiser."""
        self.set_parameters(self.weights)
        if self.trains:
            self.backend.restart(self.model, self.new_optimizer)

    def draw(self):
        """Build the model and, if it trains, compile it."""
        self.backend.clear()
        self.model, self.differentiate = self.drawn(), None
        if self.trains:
            self.model.compile(
                self.new_optimizer(),
                loss=lambda labels, logits: self.implementation.loss(logits, labels),
                **self.backend.compiling,
            )
        self.backend.adopt(self.model)

    def drawn(self):
        """Return the model for samples of the data's shape, with dropout as required."""
        model = self.implementation.Model()
        first, dropping = model.layers[0], [one for one in model.layers if isinstance(one, layers.Dropout)]
        shape = (None,) + (self.shape or first.batch_input_shape[1:])
        if shape == first.batch_input_shape and (self.dropout or not dropping):
            return model
        first.batch_input_shape = shape
        for layer in dropping:
            layer.rate = layer.rate if self.dropout else NOTHING
        return clone_model(model)  # the graph of the first model exists already

    def new_optimizer(self):
        return self.implementation.optimizer(self.model, self.setting.optimizer)

    def get(self, own):
        return K.batch_get_value([self.weight(own)])[0]  # on MXNet get_value returns untrained values

    def set(self, own, array):
        K.batch_set_value([(self.weight(own), array)])

    def parameters(self):
        return dict(self.canonical(self.held(self.implementation.TENSORS).get), **self.state())

    def state(self):
        table, tensors = getattr(self.implementation, "STATE", []), {}
        held = self.held(table)
        for tie in table:
            tensors.update(tie.to_canonical({own: np.array(held[own]) for own in tie.own}))
        return tensors

    def held(self, table):
        """Return {own name: array} of a table's tensors, read in one run: TensorFlow plans each set of reads anew."""
        names = [own for tie in table for own in tie.own]
        return dict(zip(names, K.batch_get_value([self.weight(own) for own in names]) if names else []))

    def weight(self, own):
        """Return Keras' variable for ``layer.path``."""
        layer, _, path = own.partition(".")
        return resolve(self.model.get_layer(layer), path)

    def write(self, table, tensors):
        arrays = {own: array for tie in table for own, array in tie.to_own(tensors).items()}
        K.batch_set_value([(self.weight(own), array) for own, array in arrays.items()])  # in one run of a session

    def load(self, inputs, labels):
        if inputs.shape[1:] != self.model.input_shape[1:]:
            self.shape = inputs.shape[1:]
            self.draw()
            self.start()
        return inputs, labels_as(labels, "int32")

    def batch(self, dataset, ids):
        inputs, labels = dataset
        return inputs[ids], labels[ids]

    def train(self, dataset, batches):
        total = 0.0
        for inputs, labels in self.feed(dataset, batches):
            total += self.model.train_on_batch(inputs, labels)
        return total / len(batches)

    def set_learning_rate(self, rate):
        K.set_value(self.model.optimizer.lr, rate)  # as its callback LearningRateScheduler does

    def gradients(self, dataset, ids):
        """Return the gradients of `train_on_batch`, computed in its graph with its inputs."""
        if self.differentiate is None:
            self.differentiate = self.backend.differentiation(self.model)
        inputs, labels, counts = self.model._standardize_user_data(*self.batch(dataset, ids))
        phase = [1.0] if self.model._uses_dynamic_learning_phase() else []
        loss, logits, slopes = self.differentiate(inputs + labels + counts + phase)
        by_weight = {id(weight): slope for weight, slope in zip(self.model.trainable_weights, slopes)}
        return logits, loss, self.canonical(lambda own: by_weight[id(self.weight(own))])

    def evaluate(self, dataset, batches):
        return self.infer(self.batch(dataset, ids)[0] for ids in batches)

    def infer(self, batches):
        return np.concatenate([self.model.predict_on_batch(batch) for batch in batches])

    def synchronize(self):
        self.backend.synchronize()

    def linger(self, size, repeats):
        return self.backend.linger(size, repeats)

    def array(self, tensor):
        return tensor.asnumpy() if hasattr(tensor, "asnumpy") else np.asarray(tensor)

    def learning_rate(self):
        return float(K.get_value(self.model.optimizer.lr))

    def updates(self):
        return self.backend.updates(self.model)

    def settings(self):
        found = {"backend": K.backend(), "precision": K.dtype(self.model.weights[0]), "loader_workers": 0}
        found.update(readable(layout=lambda: layout(self.model)))
        return dict(found, mode="compiled", **self.backend.settings())

    def train_fetched(self, fetched, steps):
        total = 0.0
        for step in range(steps):
            total += self.model.train_on_batch(*fetched[step % len(fetched)])
        return total / steps


NOTHING = 1e-30
"""A dropout rate for which 1 - rate is 1, so that everything is kept. With rate 0, Keras on MXNet cannot build the
layer."""


def layout(model):
    """Return the layout of images for the model's convolutions; None without any."""
    formats = {layer.data_format for layer in model.layers if isinstance(layer, layers.Conv2D)}
    return " and ".join(sorted(formats)) or None


def in_force(backend):
    """Return `backend` after checking that Keras runs on it: Keras chooses its back end once, at import."""
    if K.backend() != backend:
        raise ImportError(
            "Keras runs on %s, not on %s: set the variable KERAS_BACKEND before it is imported" % (K.backend(), backend)
        )
    return backend
