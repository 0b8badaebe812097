"""MLX: lazy by default, compiled with mx.compile."""

import mlx.core as mx
import numpy as np
from mlx import nn
from mlx.utils import tree_flatten, tree_map

from rosetta_worker.framework import Framework, labels_as, resolve
from rosetta_worker.runtimes import mlx as runtime
from rosetta_worker.surroundings import readable

DESCRIPTION = {
    "title": "MLX",
    "modes": {
        "eager": "op by op, evaluated at the end of each step, as its guides begin",
        "compiled": "mx.compile of the whole step: forward and backward pass, and the optimiser",
    },
    "mode": "eager",
    "packages": ["mlx.core"],
    "locks": ["mlx@0.32.4"],
    "most_threads": 1,
}


class Adapter(Framework):
    """MLX on the CPU; its builds for GPUs have not been tried.

    Its arrays are lazy: a step says what is to be computed, and mx.eval computes it.
    """

    lacks = {
        "embedding_gradient": "MLX has no sparse gradients",
        "precision": runtime.NO_BFLOAT16,
        "precision=tf32": runtime.NO_TF32,
    }

    def build(self, weights):
        runtime.start(self.setting)
        if self.model is None:
            self.model = self.implementation.Model()
            for layer in self.model.modules():
                if isinstance(layer, nn.Dropout) and not self.dropout:
                    layer._p_1 = 1.0  # the share that it keeps
        self.set_parameters(weights)
        self.held = [self.model.state, mx.random.state]
        if self.trains:
            self.optimizer = self.implementation.optimizer(self.model, self.setting.optimizer)
            self.optimizer.init(self.model.trainable_parameters())
            self.held.append(self.optimizer.state)
        self.compile()

    def compile(self):
        """Wrap what is timed as the mode requires. A compiled function has everything that it changes as its output."""
        self.passes = nn.value_and_grad(self.model, self.with_loss)
        self.step, self.differentiate, self.answer = self.update, self.passes, self.model
        if self.setting.mode == "compiled":
            timed = (self.step, self.differentiate, self.answer)
            self.step, self.differentiate, self.answer = (Compiled(function, self.held) for function in timed)

    def with_loss(self, inputs, labels):
        logits = self.model(inputs)
        return self.loss(self.model, logits, labels), logits

    def update(self, inputs, labels):
        (loss, _), gradients = self.passes(inputs, labels)
        self.apply(gradients)
        return loss

    def apply(self, gradients):
        """Let the optimiser apply the gradients, after clipping if the workload states it."""
        if self.clip_norm is not None:
            gradients = clip(gradients, self.clip_norm)
        self.optimizer.update(self.model, gradients)

    def get(self, own):
        return np.array(resolve(self.model, own))

    def set(self, own, array):
        self.model.load_weights([(own, mx.array(array))], strict=False)

    def load(self, inputs, labels):
        return mx.array(inputs), mx.array(labels_as(labels, "int32"))

    def batch(self, dataset, ids):
        inputs, labels = dataset
        index = mx.array(ids)
        return inputs[index], labels[index]

    def train(self, dataset, batches):
        return self.run(self.feed(dataset, batches)) / len(batches)

    def run(self, feed):
        """Take a step on each batch of `feed`. Return the sum of the losses."""
        self.model.train()
        total = mx.zeros([])
        for inputs, labels in feed:
            total = total + self.step(inputs, labels)
            mx.eval(total, self.held)
        return total

    def set_learning_rate(self, rate):
        self.optimizer.learning_rate = rate

    def gradients(self, dataset, ids):
        self.model.train()
        (loss, logits), gradients = self.differentiate(*self.batch(dataset, ids))
        found = dict(tree_flatten(gradients))
        return logits, loss, self.canonical(lambda own: np.array(found[own]))

    def evaluate(self, dataset, batches):
        self.model.eval()
        return mx.concatenate([evaluated(self.model(self.batch(dataset, ids)[0])) for ids in batches])

    def infer(self, batches):
        self.model.eval()
        return np.concatenate([np.array(self.answer(mx.array(batch))) for batch in batches])

    def synchronize(self):
        mx.synchronize()

    def linger(self, size, repeats):
        return started(chain(mx.full([size, size], 1.0 / size), repeats))

    def array(self, tensor):
        return np.array(tensor.astype(mx.float32) if tensor.dtype == mx.bfloat16 else tensor)  # NumPy lacks bfloat16

    def learning_rate(self):
        return self.optimizer.learning_rate.item()

    def updates(self):
        first = getattr(self.optimizer, "optimizers", [self.optimizer])[0]
        return first.step.item()

    def settings(self):
        _, first = tree_flatten(self.model.parameters())[0]
        timed = self.step if self.trains else self.answer
        compiled = isinstance(timed, Compiled) and runtime.compiles()
        found = {
            "precision": str(first.dtype).replace("mlx.core.", ""),
            "mode": "compiled" if compiled else "eager",
            "loader_workers": 0,
        }
        found.update(runtime.settings())
        found.update(readable(layout=lambda: layout(self.model)))
        return dict(found, compiler="mx.compile", graphs=timed.graphs) if compiled else found

    def train_fetched(self, fetched, steps):
        return self.run(fetched[step % len(fetched)] for step in range(steps)) / steps

    def backpropagate(self, fetched, steps):
        self.model.train()
        for step in range(steps):
            mx.eval(self.differentiate(*fetched[step % len(fetched)]), self.model.state)

    def keep_gradients(self, inputs, labels):
        if self.setting.mode == "compiled":
            raise NotImplementedError("the compiled step of MLX is one piece: its update does not run by itself")
        self.model.train()
        _, self.kept = evaluated(self.differentiate(inputs, labels))

    def apply_gradients(self, steps):
        for _ in range(steps):
            self.apply(self.kept)
            mx.eval(self.held)

    def product(self, matrix, precision):
        if precision == "tf32":
            raise NotImplementedError(runtime.NO_TF32)
        right = mx.array(matrix, getattr(mx, precision))
        return lambda times: started(chain(right, times))

    def copies(self, array):
        source = mx.array(array)

        def copy(times):
            for _ in range(times):
                target = evaluated(mx.array(source))
            return target

        return {"memory": copy}


class Compiled(object):
    """A function compiled with mx.compile, and the number of graphs made of it: one for each shape of its arguments.

    Parameters
    ----------
    function : callable
        Takes and returns arrays.
    held : list
        The states that it reads and changes besides.

    """

    def __init__(self, function, held):
        self.function = function
        self.graphs = 0
        self.program = mx.compile(self.trace, inputs=held, outputs=held)

    def trace(self, *arrays):
        """Call the function itself. mx.compile does that once for a graph."""
        self.graphs += 1
        return self.function(*arrays)

    def __call__(self, *arrays):
        return self.program(*arrays)


def clip(gradients, most):
    """Return gradients whose global norm is `most` or less.

    Not by clip_grad_norm, whose sum over a whole array is one loop in float32 (docs/findings.md).
    """
    squares = [mx.square(one).sum(-1).sum() for _, one in tree_flatten(gradients)]
    scale = mx.minimum(most / mx.sqrt(sum(squares)), 1.0)
    return tree_map(lambda one: one * scale, gradients)


def evaluated(arrays):
    """Return arrays when they are computed."""
    mx.eval(arrays)
    return arrays


def started(array):
    """Return an array whose computation has begun."""
    mx.async_eval(array)
    return array


def chain(matrix, times):
    """Return the last of so many products with a matrix, each with the one before."""
    product = matrix
    for _ in range(times):
        product = product @ matrix
    return product


def layout(model):
    """Return the layout of images for the model's convolutions, which MLX has in one order only; None without any."""
    return "channels_last" if any(isinstance(layer, nn.Conv2d) for layer in model.modules()) else None
