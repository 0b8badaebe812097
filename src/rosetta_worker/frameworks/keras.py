"""Keras 3: its own training step on each of its back ends, eager or compiled by Keras."""

import itertools

import keras
import numpy as np
from keras import ops

from rosetta_worker.framework import Framework, labels_as, resolve
from rosetta_worker.optimizers.keras import start_afresh
from rosetta_worker.optimizers.keras_witnesses import Gradients, Logits
from rosetta_worker.runtimes.keras import BACKENDS
from rosetta_worker.surroundings import readable

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
        "jax": {
            "title": "Keras on JAX",
            "modes": {
                "eager": "compile(run_eagerly=True) (a scan is compiled all the same, and again in every step)",
                "compiled": "Keras' default: jax.jit of the whole step",
                "tuned": "Keras' default with freed memory kept",
            },
            "packages": ["keras", "jax"],
            "locks": ["keras-jax@3.15.1"],
        },
        "torch": {
            "title": "Keras on PyTorch",
            "modes": {
                "eager": "Keras' default: op by op (torch.compile takes minutes for a recurrence that it unrolls)",
                "tuned": "op by op, freed memory kept, and on the CPU recurrent layers with use_cudnn=False",
            },
            "mode": "eager",
            "packages": ["keras", "torch"],
            "locks": ["keras-torch@3.15.1"],
        },
    },
}


class Adapter(Framework):
    """Keras 3. The differences between its back ends are in the classes of BACKENDS."""

    lacks = {
        "embedding_gradient": "Keras 3 has no lazy Adam: whatever a gradient's form, it does the work of "
        "embedding_gradient=dense"
    }
    rate_within_momentum = True

    def build(self, weights):
        if self.model is None:
            self.backend = BACKENDS[in_force(self.setting.backend)](self.setting)
            if self.setting.precision == "bfloat16":
                keras.config.set_dtype_policy("mixed_bfloat16")  # the loss is still computed in float32
            self.spectator = self.twin = None
            self.model = self.compile(self.implementation.optimizer) if self.trains else self.compile_to_predict()
        self.set_parameters(weights)
        if self.trains:
            new = self.implementation.optimizer(self.model, self.setting.optimizer)
            start_afresh(self.model.optimizer, new, self.model.trainable_variables)

    def compile(self, optimizer, metrics=()):
        """Return a new model, ready to train in this setting's mode."""
        model = self.make()
        model.compile(
            optimizer(model, self.setting.optimizer),
            loss=lambda labels, logits: self.implementation.loss(logits, labels),
            metrics=list(metrics),
            run_eagerly=self.setting.mode == "eager",
        )
        model.optimizer.build(model.trainable_variables)
        return model

    def compile_to_predict(self):
        """Return a new model that predicts in this setting's mode."""
        model = self.make()
        model.compile(run_eagerly=self.setting.mode == "eager")
        return model

    def make(self):
        """Return a new model, with its layers configured for this setting."""
        model = self.implementation.Model()
        for layer in model.layers:
            if isinstance(layer, keras.layers.Dropout) and not self.dropout:
                layer.rate = 0.0
        if self.setting.mode == "tuned":
            self.backend.tune(model)
        return model

    def get(self, own):
        return ops.convert_to_numpy(resolve(self.model, own))

    def set(self, own, array):
        resolve(self.model, own).assign(array)

    def load(self, inputs, labels):
        return inputs, labels_as(labels, "int32")

    def batch(self, dataset, ids):
        inputs, labels = dataset
        return inputs[ids], labels[ids]

    def loader(self, source):
        from rosetta_worker.loaders.keras import Loader

        return Loader(source, self.setting.workers, self.backend.endless)

    def train(self, dataset, batches):
        """Take the steps of `fit`, through the function that `fit` calls for each batch.

        `fit` itself costs 40 ms per call, whatever it trains. That is negligible for an epoch, but a tenth of a short
        block.
        """
        return self.run_steps(self.model, self.feed(dataset, batches), len(batches))

    def feed(self, dataset, batches):
        if self.loads:
            return dataset.read(batches)  # unchanged: on TensorFlow a step recognises its own iterator by the type
        return map(self.backend.fed, super().feed(dataset, batches))

    def run_steps(self, model, feed, steps):
        """Let `model` take `steps` of its training steps on the batches of `feed`. Return the mean loss."""
        model.make_train_function()
        model.reset_metrics()
        return self.backend.run_steps(model, feed, steps)["loss"]  # Keras averages since reset_metrics

    def set_learning_rate(self, rate):
        self.model.optimizer.learning_rate = rate  # as its callback LearningRateScheduler does

    def gradients(self, dataset, ids):
        """Let a twin of the model take the step. Its optimiser and its metric only record what `fit` passes to them."""
        inputs, labels = self.batch(dataset, ids)
        if self.twin is None:
            answers = self.model.compute_output_spec(keras.KerasTensor(inputs.shape, inputs.dtype.name))
            self.logits = Logits(answers.shape)
            self.twin = self.compile(lambda model, hyper: Gradients(), [self.logits])
        self.twin.set_weights(self.model.get_weights())
        history = self.twin.fit(inputs, labels, batch_size=len(ids), shuffle=False, verbose=0)
        gradients = self.canonical(lambda own: self.twin.optimizer.gradient_of(resolve(self.twin, own)))
        return self.logits.seen, history.history["loss"][0], gradients

    def evaluate(self, dataset, batches):
        """A last batch that is short is padded with other samples, since back ends compile a program for each shape."""
        ids, whole = np.concatenate(batches), len(batches[0])
        inputs, _ = self.batch(dataset, np.resize(ids, len(batches) * whole))
        return self.model.predict(inputs, batch_size=whole, verbose=0)[: len(ids)].astype("float32")

    def infer(self, batches):
        """Predict batch by batch: `predict` itself costs tens of ms per call, whatever it predicts (see `train`)."""
        outputs = [self.model.predict_on_batch(batch) for batch in batches]
        return np.asarray(np.concatenate(outputs), "float32")

    def synchronize(self):
        self.backend.runtime.synchronize()

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

    def updates(self):
        return int(ops.convert_to_numpy(self.model.optimizer.iterations))

    def settings(self):
        found = {
            "backend": keras.backend.backend(),
            "precision": self.model.trainable_variables[0].dtype,
            "mode": self.backend.mode(self.model),
            "loader_workers": 0,
        }
        found.update(readable(layout=lambda: layout(self.model)))
        found.update(self.backend.runtime.settings(self.model.trainable_variables[0].value))
        found["autocast"] = computed_in(self.model.dtype_policy)  # Keras', whatever its back end does
        if found["mode"] == "compiled":
            found.update(self.backend.compilation(self.model))
        return found

    def fetch(self, dataset, ids):
        """Return tensors: converting NumPy's arrays for the back end is part of the input pipeline."""
        return tuple(map(ops.convert_to_tensor, self.batch(dataset, ids)))

    def train_fetched(self, fetched, steps):
        return self.run_steps(self.model, itertools.cycle(fetched), steps)

    def backpropagate(self, fetched, steps):
        if self.spectator is None:
            self.spectator = self.compile(lambda model, hyper: self.backend.spectator())
        self.run_steps(self.spectator, itertools.cycle(fetched), steps)

    def keep_gradients(self, inputs, labels):
        raise NotImplementedError("the training step of Keras is one piece: its update does not run by itself")

    def apply_gradients(self, steps):
        raise NotImplementedError("the training step of Keras is one piece: its update does not run by itself")

    def profile(self, work, folder):
        return self.backend.runtime.profile(work, folder)

    def product(self, matrix, precision):
        if precision == "tf32":
            raise NotImplementedError("Keras has no switch for TF32")
        right = ops.convert_to_tensor(matrix, precision)
        kind = keras.backend.standardize_dtype(ops.matmul(right[:1], right).dtype)
        if kind != precision:  # Keras silently makes float32 of float64: on JAX at once, on PyTorch here
            raise NotImplementedError("Keras on %s makes %s of %s" % (keras.backend.backend(), kind, precision))

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
                last = ops.add(last, 0.0)  # its ops.copy may return its argument
            return last

        return {"memory": copy}


def computed_in(policy):
    """Return the precision that layers compute in, if it is not that of their variables; otherwise False."""
    return policy.compute_dtype if policy.compute_dtype != policy.variable_dtype else False


def layout(model):
    """Return the layout of images for the model's convolutions; None without any."""
    layouts = {getattr(layer, "data_format", None) for layer in model.layers} - {None}
    return " and ".join(sorted(layouts)) or None


def in_force(backend):
    """Return `backend` after checking that Keras runs on it: Keras chooses its back end once, at import."""
    if keras.backend.backend() != backend:
        raise ImportError(
            "Keras runs on %s, not on %s: set the variable KERAS_BACKEND before it is imported"
            % (keras.backend.backend(), backend)
        )
    return backend
