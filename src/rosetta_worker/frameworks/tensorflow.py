"""TensorFlow 2 with a custom training loop: GradientTape, op by op or through tf.function."""

import functools
import itertools
import os

os.environ["KERAS_BACKEND"] = "tensorflow"  # tf.keras is Keras 3, for which the user may have set another back end
os.environ["KERAS_HOME"] = os.getcwd()  # the user's keras.json may change the precision

import numpy as np
import tensorflow as tf

from rosetta_worker.framework import Framework, labels_as, resolve
from rosetta_worker.optimizers.keras import start_afresh, summed
from rosetta_worker.runtimes import tensorflow as runtime
from rosetta_worker.surroundings import readable

DESCRIPTION = {
    "title": "TensorFlow 2",
    "modes": {
        "eager": "op by op",
        "compiled": "tf.function of the whole step: forward, backward, update",
        "tuned": "one tf.function of all steps of a block; on the CPU recurrences through XLA (jit_compile)",
    },
    "mode": "compiled",
    "packages": ["tensorflow"],
    "locks": ["keras-tensorflow@3.15.1"],
    "not_exported": "tf2onnx joins the weights of layers and renames them, so that nobody could put others in by name",
}


class Adapter(Framework):
    """TensorFlow 2.16 and newer: layers of tf.keras, in the loop of TensorFlow's guides."""

    lacks = {
        "embedding_gradient": "an embedding's gradient comes sparse as it is (tf.IndexedSlices), but the Adam of "
        "tf.keras is not lazy: it does the work of embedding_gradient=dense"
    }
    rate_within_momentum = True
    whole = False
    """Whether all steps of a block are one graph."""

    def build(self, weights):
        if self.model is None:
            runtime.start(self.setting)
            if self.setting.precision == "bfloat16":
                tf.keras.mixed_precision.set_global_policy("mixed_bfloat16")
            self.model = self.implementation.Model()
            for layer in self.model.layers:
                if isinstance(layer, tf.keras.layers.Dropout) and not self.dropout:
                    layer.rate = 0.0
            self.variables = self.model.trainable_variables
            if self.trains:
                self.optimizer = self.implementation.optimizer(self.model, self.setting.optimizer)
                self.optimizer.build(self.variables)
            self.compile(MODES[self.setting.mode])
            if self.setting.mode == "tuned":
                self.tune()
        self.set_parameters(weights)
        if self.trains:
            new = self.implementation.optimizer(self.model, self.setting.optimizer)
            start_afresh(self.optimizer, new, self.variables)

    def compile(self, function):
        """Wrap each function that works on the device as the mode requires."""
        self.function = function
        self.step = function(self.take_step)
        self.held = self.on_held = None
        self.differentiate = function(self.with_gradients)
        self.update = function(self.apply)
        self.predict = function(self.answer)

    def tune(self):
        """Make the steps of a block one graph, without Python between them, if the data are in memory."""
        if self.setting.device == "cpu" and has_recurrence(self.model):
            self.step = tf.function(self.take_step, jit_compile=True)
        self.whole = self.setting.input == "memory"

    def step_on(self, dataset):
        """Return the step on samples of `dataset`. If it is a graph, cutting out the samples is part of it.

        It is made once and holds the data set: passing it in every step would cost a tenth of a short one.
        """
        if self.held is not dataset:
            self.held, self.on_held = dataset, self.function(lambda ids: self.take_step(*self.batch(dataset, ids)))
        return self.on_held

    def steps_on(self, dataset, batches):
        """Return a function for all steps of a block, of any number: a graph with a loop."""
        if self.held is not dataset:

            def take_steps(batches):
                total = tf.zeros(())
                for ids in batches:
                    total += self.step(*self.batch(dataset, ids))
                return total

            blocks = tf.TensorSpec((None,) + batches.shape[1:], batches.dtype)
            self.held, self.on_held = dataset, tf.function(take_steps, input_signature=[blocks])
        return self.on_held

    def take_step(self, inputs, labels):
        _, loss, gradients = self.with_gradients(inputs, labels)
        self.apply(gradients)
        return loss

    def with_gradients(self, inputs, labels):
        with tf.GradientTape() as tape:
            logits = tf.cast(self.model(inputs, training=True), "float32")
            loss = self.loss(self.model, logits, labels)
        return logits, loss, tape.gradient(loss, self.variables)

    def apply(self, gradients):
        if self.clip_norm is not None:
            gradients, _ = tf.clip_by_global_norm(gradients, self.clip_norm)
        self.optimizer.apply_gradients(zip(gradients, self.variables))

    def answer(self, inputs):
        return tf.cast(self.model(inputs, training=False), "float32")

    def get(self, own):
        return resolve(self.model, own).numpy()

    def set(self, own, array):
        resolve(self.model, own).assign(array)

    def load(self, inputs, labels):
        return tf.constant(inputs), tf.constant(labels_as(labels, "int32"))

    def batch(self, dataset, ids):
        inputs, labels = dataset
        return tf.gather(inputs, ids), tf.gather(labels, ids)

    def loader(self, source):
        from rosetta_worker.loaders.tensorflow import Loader

        return Loader(source, self.setting.workers)

    def train(self, dataset, batches):
        if self.whole:
            return self.steps_on(dataset, batches)(tf.constant(batches)) / len(batches)
        total = tf.zeros(())
        if self.setting.input == "memory":
            step = self.step_on(dataset)
            for ids in self.counted(iter(batches), functools.partial(self.labels_at, dataset)):
                total += step(ids)
        else:
            for inputs, labels in self.feed(dataset, batches):
                total += self.step(inputs, labels)
        return total / len(batches)

    def set_learning_rate(self, rate):
        self.optimizer.learning_rate = rate

    def gradients(self, dataset, ids):
        logits, loss, gradients = self.differentiate(*self.batch(dataset, ids))
        found = {id(variable): summed(gradient) for variable, gradient in zip(self.variables, gradients)}
        return logits, loss, self.canonical(lambda own: found[id(resolve(self.model, own))].numpy())

    def evaluate(self, dataset, batches):
        return tf.concat([self.predict(self.batch(dataset, ids)[0]) for ids in batches], 0)

    def infer(self, batches):
        return np.concatenate([self.predict(tf.constant(batch)).numpy() for batch in batches])

    def forecast(self, batches, lags, horizon, paths, seed):
        sample = functools.partial(self.implementation.sample, self.model, lags=tf.constant(lags), horizon=horizon)
        draw = self.function(functools.partial(sample, paths=paths))
        seeds = (tf.constant([seed, number]) for number in itertools.count())
        drawn = [draw(tf.constant(batch), seed=one).numpy() for batch, one in zip(batches, seeds)]
        return np.concatenate(drawn)

    def synchronize(self):
        runtime.synchronize()

    def linger(self, size, repeats):
        matrix = tf.fill((size, size), 1.0 / size)
        product = matrix
        for _ in range(repeats):
            product = product @ matrix
        return product

    def array(self, tensor):
        return tensor.numpy()

    def learning_rate(self):
        return float(self.optimizer.learning_rate.numpy())

    def updates(self):
        return int(self.optimizer.iterations.numpy())

    def settings(self):
        steps = [step for step in (self.step, self.on_held) if step] if self.trains else [self.predict]
        compiled = hasattr(steps[0], "get_concrete_function")
        found = {
            "precision": self.variables[0].dtype,
            "autocast": computed_in(self.model.dtype_policy),
            "mode": ("tuned" if self.setting.mode == "tuned" else "compiled") if compiled else "eager",
            "loader_workers": 0,
        }
        found.update(readable(layout=lambda: layout(self.model)))
        found.update(runtime.settings(self.variables[0].value))
        if compiled:
            found.update(compiler="tf.function", graphs=max(step.experimental_get_tracing_count() for step in steps))
        return found

    def train_fetched(self, fetched, steps):
        total = tf.zeros(())
        for step in range(steps):
            total += self.step(*fetched[step % len(fetched)])
        return total / steps

    def backpropagate(self, fetched, steps):
        for step in range(steps):
            self.differentiate(*fetched[step % len(fetched)])

    def keep_gradients(self, inputs, labels):
        _, _, self.kept = self.differentiate(inputs, labels)

    def apply_gradients(self, steps):
        for _ in range(steps):
            self.update(self.kept)

    def profile(self, work, folder):
        return runtime.profile(work, folder)

    def product(self, matrix, precision):
        kind = "float32" if precision == "tf32" else precision
        right = tf.cast(matrix, kind)

        def multiply(times):
            tf.config.experimental.enable_tensor_float_32_execution(precision == "tf32")
            left = right
            for _ in range(times):
                left = left @ right
            return left

        return multiply

    def copies(self, array):
        source = tf.constant(array)

        def copy(times):
            last = source
            for _ in range(times):
                last = tf.raw_ops.DeepCopy(x=last)  # tf.identity, and assigning to a variable, would only refer to it
            return last

        return {"memory": copy}


def computed_in(policy):
    """Return the precision that layers compute in, if it is not that of their variables; otherwise False."""
    return policy.compute_dtype if policy.compute_dtype != policy.variable_dtype else False


def has_recurrence(model):
    """Return whether the model has a recurrent layer."""
    return any(isinstance(layer, tf.keras.layers.RNN) for layer in model.layers)


def layout(model):
    """Return the layout of images for the model's convolutions; None without any."""
    layouts = {getattr(layer, "data_format", None) for layer in model.layers} - {None}
    return " and ".join(sorted(layouts)) or None


def untouched(function):
    """Return `function`: the wrapper of eager mode."""
    return function


MODES = {"eager": untouched, "compiled": tf.function, "tuned": tf.function}
"""{mode: wrapper of functions}."""
