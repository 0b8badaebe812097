"""Lasagne on Theano: layers form an expression, which theano.function optimises and compiles to C."""

import numpy as np

from rosetta_worker.framework import Framework, Setting, labels_as
from rosetta_worker.runtimes import theano as runtime
from rosetta_worker.runtimes.lasagne import theano  # before Lasagne itself

# isort: split
from lasagne.layers import Conv2DLayer, get_all_layers, get_all_params, get_output
from theano import tensor

DESCRIPTION = {
    "title": "Lasagne",
    "modes": {"compiled": "theano.function: a graph that Theano optimises and compiles to C, it knows no other mode"},
    "mode": "compiled",
    "packages": ["lasagne", "theano"],
    "imports": ["theano"],  # Lasagne 0.1 needs a module that Theano no longer has: runtimes/lasagne.py
    "locks": ["lasagne@0.1"],
}


class Adapter(Framework):
    """Lasagne 0.1 on Theano 1.0, on the CPU."""

    lacks = {
        "embedding_gradient": "the updates of Lasagne are of whole parameters: they know no sparse gradients",
        "precision": "Theano has no bfloat16",
        "precision=tf32": "Theano has no switch for TF32",
    }
    rate_within_momentum = True
    differentiate = backward = update = None
    """Functions that not every trial needs, compiled on first use."""

    def build(self, weights):
        if self.setting.device != "cpu":
            raise NotImplementedError("Theano reaches a GPU through libgpuarray, which its environment here lacks")
        if self.model is None:
            self.compile()
        self.set_parameters(weights)
        for variable, start in self.starts.items():
            variable.set_value(start)

    def compile(self):
        """Make the model, and compile its evaluation and, if it trains, its step."""
        self.model = self.implementation.Model()
        self.inputs = get_all_layers(self.model.network)[0].input_var
        self.variables = {variable.name: variable for variable in get_all_params(self.model.network)}
        self.predict = theano.function([self.inputs], get_output(self.model.network, deterministic=True))
        self.starts = {}
        if not self.trains:
            return
        self.logits = get_output(self.model.network, deterministic=not self.dropout)
        self.labels = tensor.ivector()
        self.mean_loss = self.loss(self.model, self.logits, self.labels)
        trained = get_all_params(self.model.network, trainable=True)
        self.slopes = theano.grad(self.mean_loss, trained)
        self.names = [variable.name for variable in trained]
        hyper = self.setting.optimizer
        self.rate = theano.shared(np.float32(hyper.learning_rate))
        updated = self.implementation.optimizer(self.model, Setting(**dict(vars(hyper), learning_rate=self.rate)))
        self.changes = updated(self.slopes, trained)
        self.count = next((one for one in self.changes if one.ndim == 0), theano.shared(0))  # Adam has one
        self.changes.setdefault(self.count, self.count + 1)
        self.starts = {one: one.get_value() for one in [self.rate, *self.changes] if one.name not in self.variables}
        self.step = self.of_a_batch(self.mean_loss, updates=self.changes)
        self.differentiate = self.backward = self.update = None

    def of_a_batch(self, outputs, **more):
        """Compile a function of a batch, (inputs, labels), that returns `outputs`."""
        return theano.function([self.inputs, self.labels], outputs, **more)

    def get(self, own):
        return self.variables[own].get_value()

    def set(self, own, array):
        self.variables[own].set_value(array)

    def load(self, inputs, labels):
        return inputs, labels_as(labels, "int32")

    def batch(self, dataset, ids):
        inputs, labels = dataset
        return inputs[ids], labels[ids]

    def train(self, dataset, batches):
        total = 0.0
        for inputs, labels in self.feed(dataset, batches):
            total += self.step(inputs, labels)
        return total / len(batches)

    def set_learning_rate(self, rate):
        self.rate.set_value(np.float32(rate))

    def gradients(self, dataset, ids):
        if self.differentiate is None:
            self.differentiate = self.of_a_batch([self.logits, self.mean_loss, *self.slopes])
        logits, loss, *slopes = self.differentiate(*self.batch(dataset, ids))
        return logits, loss, self.canonical(dict(zip(self.names, slopes)).get)

    def evaluate(self, dataset, batches):
        return self.infer(self.batch(dataset, ids)[0] for ids in batches)

    def infer(self, batches):
        return np.concatenate([self.predict(batch) for batch in batches])

    def synchronize(self):
        """Do nothing: a Theano function returns when the processor has finished."""

    def linger(self, size, repeats):
        return self.product(np.full((size, size), 1.0 / size, "float32"), "float32")(repeats)

    def learning_rate(self):
        return float(self.rate.get_value())

    def updates(self):
        return int(self.count.get_value())

    def settings(self):
        first = next(iter(self.variables.values()))
        found = dict(runtime.settings(), precision=first.dtype, loader_workers=0, mode="compiled")
        if any(isinstance(layer, Conv2DLayer) for layer in get_all_layers(self.model.network)):
            found["layout"] = "channels_first"
        return found

    def train_fetched(self, fetched, steps):
        total = 0.0
        for step in range(steps):
            total += self.step(*fetched[step % len(fetched)])
        return total / steps

    def backpropagate(self, fetched, steps):
        if self.backward is None:
            self.backward = self.of_a_batch(self.slopes)
        for step in range(steps):
            self.backward(*fetched[step % len(fetched)])

    def keep_gradients(self, inputs, labels):
        if self.update is None:  # given as inputs, the gradients are not computed
            self.update = theano.function(self.slopes, updates=self.changes)
        if self.backward is None:
            self.backward = self.of_a_batch(self.slopes)
        self.kept_slopes = self.backward(inputs, labels)

    def apply_gradients(self, steps):
        for _ in range(steps):
            self.update(*self.kept_slopes)

    def product(self, matrix, precision):
        if precision not in ("float32", "float64"):
            raise NotImplementedError("Theano multiplies no %s" % precision)
        right, left = theano.shared(matrix.astype(precision)), tensor.matrix(dtype=precision)
        times_right = theano.function([left], tensor.dot(left, right))

        def multiply(times):
            last = matrix.astype(precision)
            for _ in range(times):
                last = times_right(last)
            return last

        return multiply
