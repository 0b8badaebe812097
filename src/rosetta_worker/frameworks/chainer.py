"""Chainer: eager is its only mode."""

import ctypes
from time import perf_counter

import chainer
import numpy as np
from chainer import functions as F

from rosetta_worker.framework import Framework, labels_as, resolve
from rosetta_worker.surroundings import openblas, readable
from rosetta_worker.traces import attribute

DESCRIPTION = {
    "title": "Chainer",
    "modes": {"eager": "define by run"},
    "mode": "eager",
    "packages": ["chainer"],
    "locks": ["chainer@7.8.1"],
}


class Adapter(Framework):
    """Chainer 7, on NumPy or on one CUDA device through CuPy."""

    lacks = {
        "embedding_gradient": "Chainer has no sparse gradients: that of an EmbedID is a dense array",
        "precision": "Chainer has no bfloat16",
        "precision=tf32": "Chainer has no switch for TF32, nor has the CuPy that it computes with (before 8.0)",
    }
    rate_within_momentum = True

    def build(self, weights):
        self.device = chainer.get_device("@numpy" if self.setting.device == "cpu" else "@cupy:0")
        self.device.use()
        self.model = self.implementation.Model()
        self.model.to_device(self.device)
        self.set_parameters(weights)
        if self.trains:
            self.optimizer = self.implementation.optimizer(self.model, self.setting.optimizer)

    def get(self, own):
        return chainer.cuda.to_cpu(chainer.as_array(resolve(self.model, own)))  # kept tensors are arrays already

    def set(self, own, array):
        chainer.as_array(resolve(self.model, own))[...] = self.device.send(array)

    def load(self, inputs, labels):
        return self.device.send(inputs), self.device.send(labels_as(labels, "int32"))

    def batch(self, dataset, ids):
        inputs, labels = dataset
        return inputs[ids], labels[ids]

    def train(self, dataset, batches):
        total = 0.0
        for inputs, labels in self.feed(dataset, batches):
            _, loss = self.differentiate_fetched(inputs, labels)
            self.optimizer.update()
            total += loss.array
        return total / len(batches)

    def differentiate(self, dataset, ids):
        return self.differentiate_fetched(*self.batch(dataset, ids))

    def differentiate_fetched(self, inputs, labels):
        with chainer.using_config("train", self.dropout):  # F.dropout is a function, which has no other switch
            logits = self.model(inputs)
        loss = self.loss(self.model, logits, labels)
        self.model.cleargrads()
        loss.backward()
        return logits, loss

    def set_learning_rate(self, rate):
        setattr(self.optimizer, "alpha" if hasattr(self.optimizer, "alpha") else "lr", rate)

    def gradients(self, dataset, ids):
        logits, loss = self.differentiate(dataset, ids)
        return logits, loss.array, self.canonical(lambda own: chainer.cuda.to_cpu(resolve(self.model, own).grad))

    def evaluate(self, dataset, batches):
        with chainer.using_config("train", False), chainer.no_backprop_mode():
            return F.concat([self.model(self.batch(dataset, ids)[0]) for ids in batches], axis=0)

    def infer(self, batches):
        with chainer.using_config("train", False), chainer.no_backprop_mode():
            return np.concatenate([self.array(self.model(self.device.send(batch))) for batch in batches])

    def synchronize(self):
        if self.device.xp is not np:
            chainer.cuda.Stream.null.synchronize()

    def linger(self, size, repeats):
        matrix = self.device.xp.full((size, size), 1.0 / size, "float32")
        product = matrix
        for _ in range(repeats):
            product = product @ matrix
        return product

    def array(self, tensor):
        return chainer.cuda.to_cpu(chainer.as_array(tensor))

    def learning_rate(self):
        hyper = self.optimizer.hyperparam.get_dict()
        return hyper.get("lr", hyper.get("alpha"))  # Adam calls it alpha; RMSprop uses alpha for something else

    def updates(self):
        return self.optimizer.t

    def settings(self):
        first = next(self.model.params())
        found = {
            "threads": blas_threads(),
            "device": "cpu" if first.xp is np else "cuda",
            "precision": first.dtype.name,
            "autocast": np.dtype(chainer.config.dtype) != first.dtype,
            "iDeep": chainer.config.use_ideep,
            "deterministic": chainer.config.cudnn_deterministic,
            "mode": "eager",
            "loader_workers": 0,
        }
        found.update(
            readable(
                blas=lambda: openblas(ctypes.CDLL(np.core._multiarray_umath.__file__)),
                layout=lambda: layout(self.model),
            )
        )
        return found

    def train_fetched(self, fetched, steps):
        total = 0.0
        for step in range(steps):
            _, loss = self.differentiate_fetched(*fetched[step % len(fetched)])
            self.optimizer.update()
            total += loss.array
        return total / steps

    def backpropagate(self, fetched, steps):
        for step in range(steps):
            self.differentiate_fetched(*fetched[step % len(fetched)])

    def keep_gradients(self, inputs, labels):
        self.differentiate_fetched(inputs, labels)

    def apply_gradients(self, steps):
        for _ in range(steps):
            self.optimizer.update()

    def profile(self, work, folder):
        """Profile with a hook, which sees functions forward and backward, but no optimiser; it is timed separately."""
        if self.device.xp is not np:
            raise NotImplementedError("the functions of Chainer are timed on the CPU only")
        update, hook = self.optimizer.update, Spans()

        def watched():
            hook.begin()
            update()
            hook.end("optimizer/update")

        self.optimizer.update = watched
        try:
            with hook:
                elapsed = work()
        finally:
            del self.optimizer.update  # restores the method of the class
        return elapsed, attribute(hook.events)

    def product(self, matrix, precision):
        if precision not in ("float32", "float64"):
            raise NotImplementedError("Chainer multiplies no %s" % precision)
        right = self.device.send(matrix.astype(precision))

        def multiply(times):
            left = right
            for _ in range(times):
                left = left @ right
            return left

        return multiply

    def copies(self, array):
        source = self.device.send(array)
        target = self.device.xp.empty_like(source)

        def copy(times):
            for _ in range(times):
                self.device.xp.copyto(target, source)
            return target

        return {"memory": copy}


class Spans(chainer.FunctionHook):
    """Records when each function ran. TimerHook records durations, and counts nested functions twice."""

    name = "Spans"

    def __init__(self):
        self.events, self.begun = [], []

    def begin(self):
        self.begun.append(perf_counter())

    def end(self, name):
        self.events.append((0, self.begun.pop(), perf_counter(), name))

    def forward_preprocess(self, function, in_data):
        self.begin()

    def forward_postprocess(self, function, in_data):
        self.end(type(function).__name__)

    def backward_preprocess(self, function, in_data, out_grad):
        self.begin()

    def backward_postprocess(self, function, in_data, out_grad):
        self.end("backward/" + type(function).__name__)


def layout(model):
    """Return the layout of images for the model's convolutions, in Chainer always channels first; None without any."""
    convolutions = [link for link in model.links() if isinstance(link, chainer.links.Convolution2D)]
    return "channels_first" if convolutions else None


def blas_threads():
    """Return the threads of NumPy's own BLAS, which does Chainer's arithmetic; None if it is not OpenBLAS."""
    numpy_core = ctypes.CDLL(np.core._multiarray_umath.__file__)
    return numpy_core.openblas_get_num_threads() if hasattr(numpy_core, "openblas_get_num_threads") else None
