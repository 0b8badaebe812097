"""tinygrad: lazy by default, captured with TinyJit."""

import numpy as np
from tinygrad import Tensor, TinyJit
from tinygrad.helpers import Context
from tinygrad.nn.state import get_parameters

from rosetta_worker.framework import Framework, labels_as, resolve
from rosetta_worker.optimizers.powers import updates_of
from rosetta_worker.runtimes import tinygrad as runtime
from rosetta_worker.surroundings import readable

DESCRIPTION = {
    "title": "tinygrad",
    "modes": {
        "eager": "lazy: kernels are made, and realized, at the end of each step, as its guides begin",
        "compiled": "TinyJit of the whole step: forward and backward pass, and the optimiser",
    },
    "mode": "eager",
    "packages": ["tinygrad"],
    "locks": ["tinygrad@0.14.0"],
    "most_threads": 1,
}


class Adapter(Framework):
    """tinygrad on the CPU, whose kernels clang compiles.

    Its tensors are lazy: a step says what is to be computed, and `realize` computes it.
    """

    lacks = {
        "embedding_gradient": "tinygrad has no sparse gradients",
        "precision": runtime.NO_BFLOAT16,
        "precision=tf32": runtime.NO_TF32,
    }

    def build(self, weights):
        runtime.start(self.setting)
        if self.model is None:
            self.model = self.implementation.Model()
        self.set_parameters(weights)
        if self.trains:
            self.optimizer = self.implementation.optimizer(self.model, self.setting.optimizer)
            self.total, self.taken = (Tensor.zeros(1).contiguous().realize() for _ in range(2))
        self.compile()

    def compile(self):
        """Wrap what is timed as the mode requires. A captured function changes the tensors that it has captured."""
        self.step, self.differentiate, self.answer = self.update, self.slopes, self.model
        if self.setting.mode == "compiled":
            timed = (self.step, self.differentiate, self.answer)
            self.step, self.differentiate, self.answer = map(Captured, timed)

    def passes(self, inputs, labels):
        """Forward and backward pass, not yet computed. Return (loss, logits); each parameter has its gradient.

        `loss.backward()` would add to the gradients of the inputs, too, from step to step.
        """
        with Context(TRAINING=int(self.dropout)):  # dropout has no other switch
            logits = self.model(inputs)
        loss = self.loss(self.model, logits, labels)
        for parameter, slope in zip(self.optimizer.params, loss.gradient(*self.optimizer.params)):
            parameter.grad = slope
        return loss, logits

    def update(self, inputs, labels):
        loss, _ = self.passes(inputs, labels)
        self.total.assign(self.total + loss).realize(*self.changed())

    def changed(self):
        """Return what an update computes: with the gradients, after clipping if the workload states it.

        Gradient descent keeps nothing that tells the number of its steps, so they are counted.
        """
        if self.clip_norm is not None:
            clip(self.optimizer.params, self.clip_norm)
        counted = [] if self.adam() else [self.taken.assign(self.taken + 1)]
        return self.optimizer.schedule_step() + counted

    def adam(self):
        """Return the optimiser, or the first of a group, if it is an Adam, which keeps a power of its second beta."""
        first = self.optimizers()[0]
        return first if hasattr(first, "b2_t") else None

    def slopes(self, inputs, labels):
        loss, logits = self.passes(inputs, labels)
        found = [loss, logits] + [parameter.grad for parameter in self.optimizer.params]
        Tensor.realize(*found)
        return found

    def get(self, own):
        return resolve(self.model, own).numpy()

    def set(self, own, array):
        resolve(self.model, own).assign(Tensor(array)).realize()

    def load(self, inputs, labels):
        return inputs, labels_as(labels, "int32")

    def batch(self, dataset, ids):
        inputs, labels = (Tensor(part[ids]) for part in dataset)
        Tensor.realize(inputs, labels)
        return inputs, labels

    def train(self, dataset, batches):
        return self.run(self.feed(dataset, batches), len(batches))

    @Context(TRAINING=1)
    def run(self, feed, steps):
        """Take a step on each batch of `feed`. Return the mean of the losses."""
        self.total.assign(Tensor.zeros(1)).realize()
        for inputs, labels in feed:
            self.step(inputs, labels)
        return (self.total / steps).realize()

    def set_learning_rate(self, rate):
        for optimizer in self.optimizers():
            optimizer.lr.assign(Tensor([rate])).realize()

    def optimizers(self):
        """Return the optimisers of a group, or the only one."""
        return getattr(self.optimizer, "optimizers", [self.optimizer])

    @Context(TRAINING=1)
    def gradients(self, dataset, ids):
        loss, logits, *slopes = self.differentiate(*self.batch(dataset, ids))
        found = {id(parameter): slope for parameter, slope in zip(self.optimizer.params, slopes)}
        canonical = self.canonical(lambda own: found[id(resolve(self.model, own))].numpy())
        return logits.numpy(), loss, canonical  # the next call of a captured function overwrites what it has returned

    def evaluate(self, dataset, batches):
        return np.concatenate([self.model(self.batch(dataset, ids)[0]).numpy() for ids in batches])

    def infer(self, batches):
        return np.concatenate([self.answer(Tensor(batch).realize()).numpy() for batch in batches])

    def synchronize(self):
        runtime.synchronize()

    def linger(self, size, repeats):
        return chain(Tensor.full((size, size), 1.0 / size).contiguous().realize(), repeats)

    def number(self, scalar):
        return scalar.item()

    def array(self, tensor):
        return tensor if isinstance(tensor, np.ndarray) else tensor.numpy()

    def learning_rate(self):
        return self.optimizers()[0].lr.item()

    def updates(self):
        adam = self.adam()
        return updates_of(adam.b2_t.item(), adam.b2, begins=1.0) if adam else int(self.taken.item())

    def settings(self):
        timed = self.step if self.trains else self.answer
        compiled = isinstance(timed, Captured) and runtime.captures()
        found = {
            "precision": str(get_parameters(self.model)[0].numpy().dtype),
            "mode": "compiled" if compiled else "eager",
            "loader_workers": 0,
        }
        found.update(runtime.settings())
        found.update(readable(layout=lambda: layout(self.model)))
        return dict(found, compiler="TinyJit, " + found["compiler"], graphs=timed.graphs) if compiled else found

    def train_fetched(self, fetched, steps):
        return self.run((fetched[step % len(fetched)] for step in range(steps)), steps)

    @Context(TRAINING=1)
    def backpropagate(self, fetched, steps):
        for step in range(steps):
            self.differentiate(*fetched[step % len(fetched)])

    @Context(TRAINING=1)
    def keep_gradients(self, inputs, labels):
        if self.setting.mode == "compiled":
            raise NotImplementedError("the captured step of tinygrad is one piece: its update does not run by itself")
        _, _, *self.kept = self.differentiate(inputs, labels)

    @Context(TRAINING=1)
    def apply_gradients(self, steps):
        for _ in range(steps):
            for parameter, slope in zip(self.optimizer.params, self.kept):
                parameter.grad = slope
            Tensor.realize(*self.changed())

    def product(self, matrix, precision):
        if precision == "tf32":
            raise NotImplementedError(runtime.NO_TF32)
        if precision == "bfloat16":
            raise NotImplementedError(runtime.NO_BFLOAT16_PRODUCT)
        right = Tensor(matrix).cast(precision).realize()
        return lambda times: chain(right, times)

    def copies(self, array):
        source = Tensor(array).realize()

        def copy(times):
            for _ in range(times):
                target = source.clone().realize()
            return target

        return {"memory": copy}


class Captured(object):
    """A function captured with TinyJit: one program for each shape of its arguments.

    The first call computes kernel by kernel, the second one captures them, and all others run what was captured.

    Parameters
    ----------
    function : callable
        Takes and returns tensors.

    """

    def __init__(self, function):
        self.function = function
        self.programs = {}

    @property
    def graphs(self):
        """The number of programs that have been captured."""
        return sum(program.captured is not None for program in self.programs.values())

    def __call__(self, *tensors):
        shapes = tuple(tensor.shape for tensor in tensors)
        if shapes not in self.programs:
            self.programs[shapes] = TinyJit(self.function)
        return self.programs[shapes](*tensors)


def clip(parameters, greatest):
    """Clip the gradients of all parameters together to a norm. tinygrad has no function for it."""
    squares = [parameter.grad.square().sum() for parameter in parameters]
    norm = Tensor.stack(*squares).sum().sqrt().contiguous()
    factor = (greatest / norm).minimum(1.0)
    for parameter in parameters:
        parameter.grad = parameter.grad * factor


def chain(matrix, times):
    """Return the last of so many products with a matrix, each with the one before."""
    product = matrix
    for _ in range(times):
        product = (product @ matrix).realize()
    return product


def layout(model):
    """Return the layout of images for the model's convolutions, which tinygrad has in one order only; None without."""
    return "channels_first" if any(one.ndim == 4 for one in get_parameters(model)) else None
