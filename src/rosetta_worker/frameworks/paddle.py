"""PaddlePaddle: eager by default, compiled with paddle.jit.to_static."""

import numpy as np
import paddle

from rosetta_worker.framework import Framework, labels_as
from rosetta_worker.optimizers.paddle import counting, updates_of
from rosetta_worker.runtimes import paddle as runtime
from rosetta_worker.surroundings import readable

DESCRIPTION = {
    "title": "PaddlePaddle",
    "modes": {
        "eager": "op by op, as its guides begin",
        "compiled": "paddle.jit.to_static of the forward pass and loss, as one graph",
    },
    "mode": "eager",
    "packages": ["paddle"],
    "locks": ["paddle@3.3.1"],
}


class Adapter(Framework):
    """PaddlePaddle 3, on the CPU; its build for CUDA has not been tried."""

    lacks = {
        "embedding_gradient": "this project's adapter of PaddlePaddle knows no sparse gradients",
        "precision": runtime.NO_BFLOAT16,
        "precision=tf32": runtime.NO_TF32,
    }

    def build(self, weights):
        runtime.start(self.setting)
        if self.model is None:  # a compiled model is reused, since compiling again would change nothing
            self.model = self.implementation.Model()
            self.tensors = self.model.state_dict()
            for layer in self.model.sublayers():
                if isinstance(layer, paddle.nn.Dropout) and not self.dropout:
                    layer.p = 0.0
                if isinstance(layer, paddle.nn.layer.rnn.RNNBase) and not self.dropout:
                    layer.dropout = 0.0
            self.forward, self.answer = self.with_loss, self.model
            if self.setting.mode == "compiled":
                self.compile()
        self.set_parameters(weights)
        if self.trains:
            self.optimizer = counting(self.implementation.optimizer(self.model, self.setting.optimizer))

    def compile(self):
        """Compile what is timed. A full graph leaves nothing to Python; what it cannot contain is an error."""
        if self.trains:
            self.forward = paddle.jit.to_static(WithLoss(self.model, self.loss), full_graph=True)
        else:
            self.answer = paddle.jit.to_static(self.model, full_graph=True)

    def with_loss(self, inputs, labels):
        logits = self.model(inputs)
        return logits, self.loss(self.model, logits, labels)

    def get(self, own):
        return self.tensors[own].numpy()

    def set(self, own, array):
        self.tensors[own].set_value(array)

    def load(self, inputs, labels):
        return paddle.to_tensor(inputs), paddle.to_tensor(labels_as(labels, "int64"))

    def batch(self, dataset, ids):
        inputs, labels = dataset
        index = paddle.to_tensor(ids)
        return paddle.gather(inputs, index), paddle.gather(labels, index)  # inputs[index] takes thirty times as long

    def train(self, dataset, batches):
        self.model.train()
        total = paddle.zeros([])
        for inputs, labels in self.feed(dataset, batches):
            _, loss = self.differentiate(inputs, labels)
            self.optimizer.step()
            total += loss.detach()
        return total / len(batches)

    def differentiate(self, inputs, labels):
        self.optimizer.clear_grad()
        logits, loss = self.forward(inputs, labels)
        loss.backward()
        return logits, loss

    def set_learning_rate(self, rate):
        self.optimizer.set_lr(rate)

    def gradients(self, dataset, ids):
        self.model.train()
        logits, loss = self.differentiate(*self.batch(dataset, ids))
        return logits.detach(), loss, self.canonical(lambda own: self.tensors[own].grad.numpy())

    def evaluate(self, dataset, batches):
        self.model.eval()
        with paddle.no_grad():
            return paddle.concat([self.model(self.batch(dataset, ids)[0]) for ids in batches])

    def infer(self, batches):
        self.model.eval()
        with paddle.no_grad():
            return np.concatenate([self.answer(paddle.to_tensor(batch)).numpy() for batch in batches])

    def synchronize(self):
        runtime.synchronize()

    def linger(self, size, repeats):
        matrix = paddle.full([size, size], 1.0 / size)
        product = matrix
        for _ in range(repeats):
            product = product @ matrix
        return product

    def array(self, tensor):
        return tensor.numpy()

    def learning_rate(self):
        return self.optimizer.get_lr()

    def updates(self):
        return updates_of(self.optimizer, self.setting.optimizer)

    def settings(self):
        first = next(iter(self.tensors.values()))
        found = {"precision": str(first.dtype).replace("paddle.", ""), "loader_workers": 0}
        found.update(runtime.settings(first))
        graphs = self.graphs()
        found["mode"] = "eager" if graphs is None else "compiled"
        found.update(readable(layout=lambda: layout(self.model), graphs=lambda: graphs))
        return dict(found, compiler="paddle.jit.to_static") if graphs else found

    def graphs(self):
        """Return the number of graphs made so far; None if nothing is compiled."""
        compiled = self.forward if self.trains else self.answer
        made = getattr(getattr(compiled, "forward", None), "program_cache", None)
        return None if made is None else len(made)

    def train_fetched(self, fetched, steps):
        self.model.train()
        total = paddle.zeros([])
        for step in range(steps):
            _, loss = self.differentiate(*fetched[step % len(fetched)])
            self.optimizer.step()
            total += loss.detach()
        return total / steps

    def backpropagate(self, fetched, steps):
        self.model.train()
        for step in range(steps):
            self.differentiate(*fetched[step % len(fetched)])

    def keep_gradients(self, inputs, labels):
        self.model.train()
        self.differentiate(inputs, labels)

    def apply_gradients(self, steps):
        for _ in range(steps):
            self.optimizer.step()

    def profile(self, work, folder):
        return runtime.profile(work, folder)

    def product(self, matrix, precision):
        if precision not in ("float32", "float64"):
            raise NotImplementedError("PaddlePaddle multiplies no %s on the CPU" % precision)
        right = paddle.to_tensor(matrix.astype(precision))

        def multiply(times):
            left = right
            for _ in range(times):
                left = left @ right
            return left

        return multiply

    def copies(self, array):
        source = paddle.to_tensor(array)
        target = paddle.empty_like(source)

        def copy(times):
            for _ in range(times):
                paddle.assign(source, output=target)
            return target

        return {"memory": copy}


class WithLoss(paddle.nn.Layer):
    """A model and its loss as one layer, since to_static compiles the methods of layers alone."""

    def __init__(self, model, loss):
        super().__init__()
        self.model, self.loss = model, loss

    def forward(self, inputs, labels):
        logits = self.model(inputs)
        return logits, self.loss(self.model, logits, labels)


def layout(model):
    """Return the layout of images for the model's convolutions; None without any."""
    found = {layer._data_format for layer in model.sublayers() if isinstance(layer, paddle.nn.Conv2D)}
    return " and ".join(LAYOUTS.get(one, one) for one in sorted(found)) or None


LAYOUTS = {"NCHW": "channels_first", "NHWC": "channels_last"}
"""{PaddlePaddle's name of a layout: the common name}."""
