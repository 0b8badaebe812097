"""Keras 3: its own training step, eager or through the graphs of its back end."""

import itertools
import re

import keras
import numpy as np
from keras import ops

from rosetta_worker.framework import Framework, resolve
from rosetta_worker.optimizers.keras import summed
from rosetta_worker.surroundings import readable
from rosetta_worker.traces import attribute
from rosetta_worker.xplane import host_events

DESCRIPTION = {
    "title": "Keras",
    "modes": {
        "eager": "compile(run_eagerly=True)",
        "compiled": "Keras' default: tf.function, with XLA where Keras chooses it (on a GPU)",
    },
    "mode": "compiled",
    "packages": ["keras"],
    "locks": [],
    "backends": {
        "tensorflow": {
            "title": "Keras on TensorFlow",
            "packages": ["keras", "tensorflow"],
            "locks": ["keras-tensorflow@3.15.1"],
        },
    },
}


class Adapter(Framework):
    """Keras 3. What its back ends do differently is in the classes of BACKENDS."""

    def build(self, weights):
        if self.model is None:
            self.backend = BACKENDS[in_force(self.setting.backend)](self.setting)
            self.spectator = None
            self.model = self.compile(self.implementation.optimizer)
            self.model.optimizer.build(self.model.trainable_variables)
        self.twin = None
        self.set_parameters(weights)
        self.reset()

    def compile(self, optimizer, metrics=()):
        """Return a new model, ready to train in this setting's mode."""
        model = self.implementation.Model()
        for layer in model.layers:
            if isinstance(layer, keras.layers.Dropout) and not self.dropout:
                layer.rate = 0.0
        model.compile(
            optimizer(model, self.setting.optimizer),
            loss=lambda labels, logits: self.implementation.loss(logits, labels),
            metrics=list(metrics),
            run_eagerly=self.setting.mode == "eager",
        )
        return model

    def reset(self):
        """Give the optimiser the state of a new one: the new one itself would have to be compiled again."""
        new = self.implementation.optimizer(self.model, self.setting.optimizer)
        new.build(self.model.trainable_variables)
        for variable, fresh in zip(self.model.optimizer.variables, new.variables):
            variable.assign(fresh)

    def get(self, own):
        return ops.convert_to_numpy(resolve(self.model, own))

    def set(self, own, array):
        resolve(self.model, own).assign(array)

    def load(self, inputs, labels):
        return inputs, labels.astype("int32")

    def batch(self, dataset, ids):
        inputs, labels = dataset
        return inputs[ids], labels[ids]

    def train(self, dataset, batches):
        """Take the steps that `fit` takes, through the function that it calls for each batch.

        `fit` itself costs 40 ms a call, whatever it trains: of an epoch that is nothing, of a short block a tenth.
        """
        self.model.make_train_function()
        self.model.reset_metrics()
        feed = (self.batch(dataset, ids) for ids in batches)
        for _ in batches:
            logs = self.model.train_function(feed)
        return logs["loss"]  # Keras keeps the mean since reset_metrics

    def gradients(self, dataset, ids):
        """Let a twin of the model take the step: its optimiser and its metric only write down what `fit` hands them."""
        inputs, labels = self.batch(dataset, ids)
        if self.twin is None:
            self.logits = Logits((len(ids),) + tuple(self.model(inputs[:1]).shape[1:]))
            self.twin = self.compile(lambda model, hyper: Gradients(), [self.logits])
        self.twin.set_weights(self.model.get_weights())
        history = self.twin.fit(inputs, labels, batch_size=len(ids), shuffle=False, verbose=0)
        gradients = self.canonical(lambda own: self.twin.optimizer.gradient_of(resolve(self.twin, own)))
        return self.logits.seen, history.history["loss"][0], gradients

    def evaluate(self, dataset, batches):
        inputs, _ = self.batch(dataset, np.concatenate(batches))
        return self.model.predict(inputs, batch_size=len(batches[0]), verbose=0)

    def synchronize(self):
        self.backend.synchronize()

    def linger(self, size, repeats):
        matrix = ops.full((size, size), 1.0 / size)
        product = matrix
        for _ in range(repeats):
            product = ops.matmul(product, matrix)
        return product

    def array(self, tensor):
        return ops.convert_to_numpy(tensor)

    def learning_rate(self):
        return float(ops.convert_to_numpy(self.model.optimizer.learning_rate))

    def settings(self):
        found = {
            "backend": keras.backend.backend(),
            "precision": self.model.trainable_variables[0].dtype,
            "autocast": self.model.dtype_policy.compute_dtype != self.model.dtype_policy.variable_dtype,
            "mode": "eager" if self.model.run_eagerly else "compiled",
            "xla": self.model.jit_compile,
            "loader_workers": 0,
        }
        found.update(readable(layout=lambda: layout(self.model)))
        found.update(self.backend.settings(self.model))
        return found

    def fetch(self, dataset, ids):
        """Return tensors: handing NumPy's arrays over to the back end is part of the input pipeline."""
        return tuple(map(ops.convert_to_tensor, self.batch(dataset, ids)))

    def train_fetched(self, fetched, steps):
        return run_steps(self.model, fetched, steps)

    def backpropagate(self, fetched, steps):
        if self.spectator is None:
            self.spectator = self.compile(lambda model, hyper: Spectator())
        run_steps(self.spectator, fetched, steps)

    def keep_gradients(self, inputs, labels):
        raise NotImplementedError("the training step of Keras is one piece: its update does not run by itself")

    def apply_gradients(self, steps):
        raise NotImplementedError("the training step of Keras is one piece: its update does not run by itself")

    def profile(self, work, folder):
        return self.backend.profile(work, folder)

    def product(self, matrix, precision):
        if precision == "tf32":
            raise NotImplementedError("Keras has no switch for TF32")
        right = ops.convert_to_tensor(matrix, precision)

        def multiply(times):
            left = right
            for _ in range(times):
                left = ops.matmul(left, right)
            return left

        return multiply

    def copies(self, array):
        source = ops.convert_to_tensor(array)

        def copy(times):
            last = source
            for _ in range(times):
                last = ops.add(last, 0.0)  # its ops.copy may return what it was given
            return last

        return {"memory": copy}


def run_steps(model, fetched, steps):
    """Let `model` take `steps` of its own training steps on the batches of `fetched`, in turn; return the mean loss."""
    model.make_train_function()
    model.reset_metrics()
    feed = itertools.cycle(fetched)
    for _ in range(steps):
        logs = model.train_function(feed)
    return logs["loss"]


class Spectator(keras.optimizers.Optimizer):
    """Stands where an optimiser stands, and looks at a number of each gradient: a graph leaves out what nobody sees."""

    def __init__(self):
        super().__init__(learning_rate=0.0)

    def build(self, variables):
        super().build(variables)
        self.seen = self.add_variable((), initializer="zeros", name="seen")

    def apply(self, grads, trainable_variables=None):
        if not self.built:
            self.build(trainable_variables)
        parts = [gradient.values if hasattr(gradient, "indices") else gradient for gradient in grads]
        self.seen.assign(sum(part[(0,) * len(part.shape)] for part in parts))


def layout(model):
    """Return how the model's convolutions take their images; None where it has none."""
    layouts = {getattr(layer, "data_format", None) for layer in model.layers} - {None}
    return " and ".join(sorted(layouts)) or None


class Gradients(keras.optimizers.Optimizer):
    """Stands where an optimiser stands, and keeps the gradients instead of applying them."""

    def __init__(self):
        super().__init__(learning_rate=0.0)

    def build(self, variables):
        super().build(variables)
        self.seen = self.add_optimizer_variables(variables, "gradient")

    def update_step(self, gradient, variable, learning_rate):
        self.assign(self.seen[self._get_variable_index(variable)], summed(gradient))

    def gradient_of(self, variable):
        """Return the gradient of one of the model's variables, as an array."""
        return ops.convert_to_numpy(self.seen[self._get_variable_index(variable)])


class Logits(keras.metrics.Metric):
    """Stands where a metric stands, and keeps what the model answered."""

    def __init__(self, shape):
        super().__init__()
        self.seen = self.add_variable(shape, "zeros")

    def update_state(self, labels, logits, sample_weight=None):
        self.seen.assign(logits)

    def result(self):
        return ops.max(self.seen)


class TensorFlow(object):
    """What Keras leaves to TensorFlow: threads, devices, waiting."""

    def __init__(self, setting):
        import tensorflow

        self.tensorflow = tensorflow
        tensorflow.config.threading.set_intra_op_parallelism_threads(setting.threads)
        tensorflow.config.threading.set_inter_op_parallelism_threads(setting.threads)
        tensorflow.config.experimental.enable_tensor_float_32_execution(False)
        if setting.device == "cpu":
            tensorflow.config.set_visible_devices([], "GPU")

    def synchronize(self):
        self.tensorflow.test.experimental.sync_devices()

    def settings(self, model):
        from tensorflow.python.framework.config import is_op_determinism_enabled  # there is only a public way to set it
        from tensorflow.python.util import _pywrap_util_port  # no public name tells whether oneDNN computes

        config = self.tensorflow.config
        found = {
            "threads": config.threading.get_intra_op_parallelism_threads(),
            "inter_op_threads": config.threading.get_inter_op_parallelism_threads(),
            "device": "cuda" if ":GPU:" in model.trainable_variables[0].value.device else "cpu",
            "oneDNN": _pywrap_util_port.IsMklEnabled(),
            "deterministic": is_op_determinism_enabled(),
        }
        if found["device"] == "cuda":
            found["tf32"] = config.experimental.tensor_float_32_execution_enabled()
        if not model.run_eagerly:
            functions = functions_within(model.train_function)
            traces = [function.experimental_get_tracing_count() for function in functions]
            found.update(compiler="tf.function", graphs=max(traces, default=0))
        return found

    def profile(self, work, folder):
        """TensorFlow's profiler, of whose many events OPERATION names those that compute."""
        profiler = self.tensorflow.profiler.experimental
        profiler.start(folder, options=profiler.ProfilerOptions(python_tracer_level=0))
        elapsed = work()
        profiler.stop()
        return elapsed, attribute(event[:4] for event in host_events(folder) if OPERATION.match(event[3]))


def functions_within(function):
    """Return the tf.functions that Keras keeps inside its training function, which hides them in its closure."""
    found, waiting, seen = [], [function], set()
    while waiting:
        one = waiting.pop()
        if id(one) in seen:
            continue
        seen.add(id(one))
        if hasattr(one, "experimental_get_tracing_count"):
            found.append(one)
        inner = getattr(one, "python_function", one)
        waiting += [cell.cell_contents for cell in getattr(inner, "__closure__", None) or () if callable_within(cell)]
    return found


def callable_within(cell):
    """Whether a cell of a closure holds a function."""
    try:
        return callable(cell.cell_contents)
    except ValueError:  # nothing was put into it yet
        return False


OPERATION = re.compile(r"[^: ]+:[A-Za-z_]\w*$|EagerLocalExecute: (?!__inference_|SyncDevice)\w+$")
"""How TensorFlow writes an operation into a trace: ``node:Type`` in a graph, ``EagerLocalExecute: Type`` outside."""

BACKENDS = {"tensorflow": TensorFlow}
"""What stands behind Keras, by the name that Keras itself has for it."""


def in_force(backend):
    """Return `backend`, once it is certain that Keras runs on it: Keras chooses when it is imported, and for good."""
    if keras.backend.backend() != backend:
        raise ImportError(
            "Keras runs on %s, not on %s: set the variable KERAS_BACKEND before it is imported"
            % (keras.backend.backend(), backend)
        )
    return backend
