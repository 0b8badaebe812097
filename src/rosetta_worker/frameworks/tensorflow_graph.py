"""TensorFlow 1: a graph of tf.layers and tf.nn, run by a session or by an Estimator's training loop."""

from functools import partial

import numpy as np
import tensorflow as tf

from rosetta_worker.framework import Framework, Setting, labels_as
from rosetta_worker.runtimes import tensorflow1 as runtime
from rosetta_worker.runtimes.estimator import Loop
from rosetta_worker.surroundings import readable

DESCRIPTION = {
    "title": "TensorFlow 1",
    "modes": {
        "compiled": "a graph that is made once and fed at each step",
        "estimator": "the same graph in the training loop of tf.estimator.Estimator, fed by tf.data",
    },
    "mode": "compiled",
    "packages": ["tensorflow"],
    "locks": ["tensorflow@1.13.1"],
}

CLASSES = (tf.int32, (None,))
"""Dtype and shape of labels, if a sample has one class."""


def labels_of(model):
    """Return dtype and shape of a model's labels."""
    return getattr(model, "labels", CLASSES)


class Adapter(Framework):
    """TensorFlow 1.13 to 1.15, on the CPU or one CUDA device."""

    lacks = {
        "embedding_gradient": "an embedding's gradient comes sparse as it is (tf.IndexedSlices), but the Adam of "
        "tf.train is not lazy: it does the work of embedding_gradient=dense",
        "precision": "TensorFlow 1 has no bfloat16 in the kernels of its CPUs and GPUs",
        "precision=tf32": "TensorFlow 1 has no switch for TF32",
    }
    loop = None
    """The Estimator's loop, in that mode."""
    session = None
    watched = None
    """The list of traces while `profile` traces the runs of a session; otherwise None."""

    def build(self, weights):
        if self.model is None:
            if self.loop is not None:
                self.loop.close()
            elif self.session is not None:
                self.session.close()
            if self.setting.mode == "estimator":
                self.begin_loop()
            else:
                self.begin_session()
        self.session.run(self.initialize)
        self.set_parameters(weights)

    def begin_session(self):
        """Build the graph between placeholders, and open a session for it."""
        self.graph = tf.Graph()
        with self.graph.as_default():
            model = self.implementation.Model()
            labels = tf.placeholder(*labels_of(model)) if self.trains else None
            self.draw(model, tf.placeholder(*model.inputs), labels)
        self.graph.finalize()
        self.session = tf.Session(graph=self.graph, config=runtime.configuration(self.setting))

    def begin_loop(self):
        """Let an Estimator build the graph, fed by tf.data, and open its session."""
        model = self.implementation.Model()

        def draw(inputs, labels):
            self.graph = tf.get_default_graph()
            self.draw(model, inputs, labels)
            return self.step, self.mean_loss

        config = runtime.configuration(self.setting)
        self.loop = Loop(draw, model.inputs, labels_of(model), config)
        self.session = self.loop.session

    def draw(self, model, inputs, labels):
        """Build the graph of the model and, if it trains, of the loss, the gradients and the update."""
        self.model, self.inputs, self.labels = model, inputs, labels
        # `training` is the only switch of a dropout: no workload in this framework has dropout and running means
        self.training = tf.placeholder_with_default(self.dropout, ()) if self.trains else False
        self.logits = model(inputs, self.training)
        if self.trains:
            self.draw_update()
        self.variables = {variable.op.name: variable for variable in tf.global_variables()}
        self.initialize = tf.global_variables_initializer()

    def draw_update(self):
        """Build the loss, the gradients and the update."""
        self.mean_loss = self.loss(self.model, self.logits, self.labels)
        hyper = self.setting.optimizer
        self.rate = tf.Variable(hyper.learning_rate, trainable=False, name="learning_rate")
        self.optimizer = self.implementation.optimizer(
            self.model, Setting(**dict(vars(hyper), learning_rate=self.rate))
        )
        pairs = self.optimizer.compute_gradients(self.mean_loss)
        self.slopes = [gradient for gradient, _ in pairs]
        self.dense_slopes = {variable.op.name: tf.convert_to_tensor(slope) for slope, variable in pairs}
        self.steps = tf.train.get_or_create_global_step()
        self.update = self.optimizer.apply_gradients(self.clipped(pairs), self.steps)
        self.step = tf.group(self.update, *tf.get_collection(tf.GraphKeys.UPDATE_OPS))  # updates of running means

    def clipped(self, pairs):
        """Return pairs of gradient and variable, with all gradients clipped together if the workload states it."""
        if self.clip_norm is None:
            return pairs
        clipped, _ = tf.clip_by_global_norm([gradient for gradient, _ in pairs], self.clip_norm)
        return [(gradient, variable) for gradient, (_, variable) in zip(clipped, pairs)]

    def run(self, fetches, inputs, labels):
        """Run `fetches` on one batch, in training mode. Return their values."""
        fed = {self.inputs: inputs, self.labels: labels}
        if self.watched is None:
            return self.session.run(fetches, fed)
        options, told = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE), tf.RunMetadata()
        self.watched.append(told)
        return self.session.run(fetches, fed, options, told)

    def get(self, own):
        return self.session.run(self.variables[own])

    def set(self, own, array):
        self.variables[own].load(array, self.session)

    def parameters(self):
        held = self.session.run(self.variables)  # all in one run, since each other set of fetches is planned anew
        return dict(self.canonical(held.get), **self.state_of(held))

    def state(self):
        return self.state_of(self.session.run(self.kept()))

    def kept(self):
        """Return {own name: variable} of the kept variables."""
        names = [own for tie in getattr(self.implementation, "STATE", ()) for own in tie.own]
        return {own: self.variables[own] for own in names}

    def state_of(self, held):
        """Return {canonical name: array} of the kept tensors, from {own name: array}."""
        tensors = {}
        for tie in getattr(self.implementation, "STATE", ()):
            tensors.update(tie.to_canonical({own: np.array(held[own]) for own in tie.own}))
        return tensors

    def write(self, table, tensors):
        arrays = {own: array for tie in table for own, array in tie.to_own(tensors).items()}
        assigned = [self.variables[own].initializer for own in arrays]  # the operations of Variable.load, run together
        self.session.run(assigned, {one.inputs[1]: array for one, array in zip(assigned, arrays.values())})

    def load(self, inputs, labels):
        return inputs, labels_as(labels, "int32")

    def batch(self, dataset, ids):
        inputs, labels = dataset
        return inputs[ids], labels[ids]

    def train(self, dataset, batches):
        if self.loop is not None:
            rows = self.counted(iter(batches), partial(self.labels_at, dataset))
            return self.loop.train([partial(self.batch, dataset, ids) for ids in rows]) / len(batches)
        total = 0.0
        for inputs, labels in self.feed(dataset, batches):
            _, loss = self.run((self.step, self.mean_loss), inputs, labels)
            total += loss
        return total / len(batches)

    def set_learning_rate(self, rate):
        self.rate.load(rate, self.session)

    def gradients(self, dataset, ids):
        fetches = (self.logits, self.mean_loss, self.dense_slopes)
        logits, loss, gradients = self.run(fetches, *self.batch(dataset, ids))
        return logits, loss, self.canonical(gradients.get)

    def evaluate(self, dataset, batches):
        return self.infer(self.batch(dataset, ids)[0] for ids in batches)

    def infer(self, batches):
        fed = {self.training: False} if self.trains else {}
        return np.concatenate([self.session.run(self.logits, {**fed, self.inputs: batch}) for batch in batches])

    def synchronize(self):
        """Do nothing: a run of a session returns when the device has finished."""

    def linger(self, size, repeats):
        return self.product(np.full((size, size), 1.0 / size, "float32"), "float32")(repeats)

    def array(self, tensor):
        return tensor.eval(self.aside) if isinstance(tensor, tf.Variable) else np.asarray(tensor)

    def learning_rate(self):
        rates = [getattr(self.optimizer, name) for name in RATES if hasattr(self.optimizer, name)]
        return float(self.session.run(rates[0]))

    def updates(self):
        return int(self.session.run(self.steps))

    def settings(self):
        first = self.graph.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES)[0]
        found = dict(runtime.settings(self.session), precision=first.dtype.base_dtype.name, loader_workers=0)
        found.update(readable(layout=lambda: runtime.layout(self.graph)))
        return dict(found, mode=self.setting.mode, compiler="Session" if self.loop is None else "Estimator")

    def train_fetched(self, fetched, steps):
        batches = [fetched[step % len(fetched)] for step in range(steps)]
        if self.loop is not None:
            return self.loop.train([lambda batch=batch: batch for batch in batches]) / steps
        total = 0.0
        for inputs, labels in batches:
            _, loss = self.run((self.step, self.mean_loss), inputs, labels)
            total += loss
        return total / steps

    def backpropagate(self, fetched, steps):
        targets = [slope.op for slope in self.slopes]  # computed, but not fetched from the session
        for step in range(steps):
            self.run(targets, *fetched[step % len(fetched)])

    def keep_gradients(self, inputs, labels):
        self.kept_slopes = self.run(self.slopes, inputs, labels)

    def apply_gradients(self, steps):
        fed = dict(zip(self.slopes, self.kept_slopes))  # fed values are not computed
        for _ in range(steps):
            self.session.run(self.update, fed)

    def profile(self, work, folder):
        """Profile with a session's own trace of each run."""
        self.watch([])
        try:
            return work(), runtime.operations(self.watched)
        finally:
            self.watch(None)

    def watch(self, watched):
        """Append traces of the session's runs to a list, or stop that, with None."""
        self.watched = watched
        if self.loop is not None:
            self.loop.turnstile.watched = watched

    def product(self, matrix, precision):
        if precision not in ("float32", "float64"):
            raise NotImplementedError("the kernels of TensorFlow 1 multiply no %s" % precision)
        with tf.Graph().as_default():
            right = tf.Variable(matrix.astype(precision))
            times = tf.placeholder(tf.int32, ())
            _, last = tf.while_loop(
                lambda step, left: step < times,
                lambda step, left: (step + 1, tf.matmul(left, right)),
                (0, right.initialized_value()),
                back_prop=False,
            )
            session = self.apart()
        return lambda count: session.run(last, {times: count})

    def copies(self, array):
        with tf.Graph().as_default():
            source, target = tf.Variable(array), tf.Variable(np.zeros_like(array))
            assigned = target.assign(source).op
            self.aside = self.apart()

        def copy(times):
            for _ in range(times):
                self.aside.run(assigned)
            return target

        return {"memory": copy}

    def apart(self):
        """Return a session of the graph under construction, with its variables at their initial values."""
        session = tf.Session(config=runtime.configuration(self.setting))
        session.run(tf.global_variables_initializer())
        return session


RATES = ("_lr_t", "_learning_rate_tensor")
"""Names of the tensor from which the updates of tf.train's optimisers take the learning rate."""
