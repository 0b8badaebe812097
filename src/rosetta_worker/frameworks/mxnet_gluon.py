"""MXNet Gluon: eager by default, compiled with hybridize."""

import os
import sys

import numpy as np

if not hasattr(np, "bool"):  # removed in NumPy 1.24, but MXNet uses it at import
    np.bool = np.bool_

import mxnet as mx
from mxnet import autograd
from mxnet.gluon import Block, nn
from mxnet.gluon.utils import clip_global_norm

from rosetta_worker.framework import Framework, resolve
from rosetta_worker.runtimes import mxnet as runtime
from rosetta_worker.runtimes.glibc import keep_freed_memory
from rosetta_worker.surroundings import openblas, readable

DESCRIPTION = {
    "title": "MXNet Gluon",
    "modes": {
        "eager": "op by op, as its guides begin",
        "compiled": "hybridize() of the model, and of a loss of many operations",
        "tuned": "hybridize(static_alloc=True, static_shape=True), SGD's updates in groups of 60 parameters, freed "
        "memory kept; on the CPU, MXNET_ENGINE_TYPE=NaiveEngine",
    },
    "mode": "eager",
    "packages": ["mxnet"],
    "locks": ["mxnet@1.9.1", "mxnet@1.4.0", "mxnet@1.0.0"],
    "lacks": {
        "mxnet@1.4.0": {"tuned": "its optimisers update one parameter after the other: aggregate_num came later"},
        "mxnet@1.0.0": {"tuned": "its hybridize plans no memory beforehand: static_alloc came later"},
    },
}


class Adapter(Framework):
    """MXNet 1.0 and newer, on the CPU or one CUDA device."""

    lacks = runtime.lacks(**{"precision=tf32": runtime.NO_TF32})
    rate_within_momentum = True

    def build(self, weights):
        if self.model is None:
            if self.setting.mode == "tuned":
                self.tune()
            self.context = mx.cpu() if self.setting.device == "cpu" else mx.gpu()
            if self.setting.precision == "bfloat16":
                from mxnet.contrib import amp  # since 1.5

                amp.init("bfloat16")  # casts the operands of products in models that are made from now on
            self.model = self.implementation.Model()
            if self.setting.embedding_gradient == "sparse":
                self.model.apply(hand_out_rows)
            self.model.initialize(ctx=self.context)
            if not self.dropout:
                for block in blocks(self.model):
                    keep_everything(block)
            if self.setting.mode != "eager":
                self.compile()
        self.set_parameters(weights)
        if self.trains:
            self.trainer = self.implementation.optimizer(self.model, self.setting.optimizer)
            if self.setting.mode == "tuned" and self.trainer.optimizer.aggregate_num:
                self.trainer.optimizer.aggregate_num = 60  # the largest value that it accepts

    def tune(self):
        """Keep freed memory and, on the CPU, choose the engine without threads, which compete with those of OpenMP.

        It must be chosen before the first array, which starts the engine. An engine that the user has chosen stays.
        """
        keep_freed_memory()
        if self.setting.device == "cpu":
            os.environ.setdefault("MXNET_ENGINE_TYPE", "NaiveEngine")

    def compile(self):
        """Hybridize the model and a loss that is a block."""
        for block in filter(is_block, (self.model, getattr(self.implementation, "loss", None))):
            block.hybridize(**HYBRIDIZED[self.setting.mode])

    def get(self, own):
        return resolve(self.model, own).data().asnumpy()

    def set(self, own, array):
        resolve(self.model, own).set_data(mx.nd.array(array, dtype=array.dtype))

    def load(self, inputs, labels):
        return self.to_device(inputs), self.to_device(labels.astype("float32"))  # its losses take classes as float32

    def to_device(self, array):
        return mx.nd.array(array, self.context, array.dtype)

    def batch(self, dataset, ids):
        inputs, labels = dataset
        index = self.to_device(ids.astype("int32"))
        return inputs.take(index), labels.take(index)

    def loader(self, source):
        from rosetta_worker.loaders.mxnet_gluon import Loader

        return Loader(source, self.setting.workers, self.context)

    def train(self, dataset, batches):
        total = mx.nd.zeros(1, self.context)
        for inputs, labels in self.feed(dataset, batches):
            _, loss = self.differentiate_fetched(inputs, labels)
            self.update()
            total += loss
        return total / len(batches)

    def differentiate(self, dataset, ids):
        return self.differentiate_fetched(*self.batch(dataset, ids))

    def differentiate_fetched(self, inputs, labels):
        with autograd.record():
            logits = in_float32(self.model(inputs))
            loss = self.loss(self.model, logits, labels)
        loss.backward()
        return logits, loss

    def update(self):
        """Let the trainer apply the gradients, after clipping if the workload states it.

        Gluon's clipping checks that the norm is a number, and so waits for the device; mode `tuned` does not check.
        """
        if self.clip_norm is not None:
            trained = [one for one in self.model.collect_params().values() if one.grad_req != "null"]
            gradients = [gradient for one in trained for gradient in one.list_grad()]
            clip_global_norm(gradients, self.clip_norm, check_isfinite=self.setting.mode != "tuned")
        self.trainer.step(1)  # the loss is already a mean: no division by the batch size

    def set_learning_rate(self, rate):
        self.trainer.set_learning_rate(rate)

    def gradients(self, dataset, ids):
        logits, loss = self.differentiate(dataset, ids)
        return logits, loss, self.canonical(lambda own: resolve(self.model, own).grad().asnumpy())

    def evaluate(self, dataset, batches):
        return mx.nd.concat(*[in_float32(self.model(self.batch(dataset, ids)[0])) for ids in batches], dim=0)

    def infer(self, batches):
        return np.concatenate([self.model(self.to_device(batch)).asnumpy() for batch in batches])

    def forecast(self, batches, lags, horizon, paths, seed):
        mx.random.seed(seed)
        lags = mx.nd.array(lags, self.context)
        steps = map(self.to_device, batches)
        drawn = [self.implementation.sample(self.model, one, lags, horizon, paths).asnumpy() for one in steps]
        return np.concatenate(drawn)

    def synchronize(self):
        mx.nd.waitall()

    def linger(self, size, repeats):
        matrix = mx.nd.full((size, size), 1.0 / size, self.context)
        product = matrix
        for _ in range(repeats):
            product = mx.nd.dot(product, matrix)
        return product

    def number(self, scalar):
        return float(scalar.asscalar())

    def array(self, tensor):
        return tensor.asnumpy()

    def learning_rate(self):
        return self.trainer.learning_rate

    def updates(self):
        return self.trainer._optimizer.num_update

    def settings(self):
        first = next(iter(self.model.collect_params().values())).data()
        found = {
            "threads": mx.base._LIB.omp_get_max_threads(),
            "device": first.context.device_type.replace("gpu", "cuda"),
            "precision": np.dtype(first.dtype).name,
            "mode": mode(self.model),
            "loader_workers": 0,
        }
        found.update(
            readable(
                oneDNN=runtime.has_onednn,
                blas=lambda: openblas(mx.base._LIB),
                autocast=lambda: self.setting.precision if mixed() else False,
                deterministic=lambda: bool(int(mx.util.getenv("MXNET_ENFORCE_DETERMINISM") or 0)),
                engine=lambda: mx.util.getenv("MXNET_ENGINE_TYPE") or "ThreadedEnginePerDevice",
                isa=lambda: built_for(),
                layout=lambda: layout(self.model),
                embedding_gradient=lambda: kind_of_gradient(self.model),
                compiler=lambda: "hybridize" if self.model._active else None,
                graphs=lambda: int(bool(self.model._cached_graph)) if self.model._active else None,
            )
        )
        return found

    def train_fetched(self, fetched, steps):
        total = mx.nd.zeros(1, self.context)
        for step in range(steps):
            _, loss = self.differentiate_fetched(*fetched[step % len(fetched)])
            self.update()
            total += loss
        return total / steps

    def backpropagate(self, fetched, steps):
        for step in range(steps):
            self.differentiate_fetched(*fetched[step % len(fetched)])

    def keep_gradients(self, inputs, labels):
        self.differentiate_fetched(inputs, labels)
        trained = [one for one in self.model.collect_params().values() if one.grad_req != "null"]
        self.weights = [array for one in trained for array in one.list_data()]

    def apply_gradients(self, steps):
        for _ in range(steps):
            for array in self.weights:
                array._fresh_grad = True  # a Trainer refuses to apply the same gradients twice
            self.update()

    def profile(self, work, folder):
        return runtime.profile(work, folder)

    def product(self, matrix, precision):
        return runtime.product(self.to_device, matrix, precision)

    def copies(self, array):
        source = self.to_device(array)
        target = mx.nd.zeros_like(source)
        ways = {"memory": runtime.copier(source, target)}
        if self.setting.device != "cpu":
            host = mx.nd.array(array, mx.cpu_pinned())
            ways["to_device"], ways["from_device"] = runtime.copier(host, target), runtime.copier(source, host)
        return ways


HYBRIDIZED = {"compiled": {}, "tuned": {"static_alloc": True, "static_shape": True}}
"""{mode: arguments of hybridize}."""


def is_block(thing):
    """Return whether something is a Gluon block. A loss may be one, or a function of arrays."""
    return isinstance(thing, Block)


def built_for():
    """Return the widest instruction set that MXNet was built for."""
    features = mx.runtime.Features()
    widest = ("CPU_AVX2", "CPU_AVX", "CPU_SSE4_2", "CPU_SSE3", "CPU_SSE2")
    return next((name[len("CPU_") :] for name in widest if name in features and features.is_enabled(name)), None)


def mode(model):
    """Return the mode of a model, from the arguments of its hybridization."""
    if not model._active:
        return "eager"
    return "tuned" if dict(getattr(model, "_flags", ())).get("static_shape") else "compiled"


def layout(model):
    """Return the layout of images for the model's convolutions; None without any."""
    found = {getattr(child, "_kwargs", {}).get("layout") for child in model._children.values()} - {None}
    return " and ".join(LAYOUTS.get(one, one) for one in sorted(found)) or None


LAYOUTS = {"NCHW": "channels_first", "NHWC": "channels_last"}
"""{MXNet's name of a layout: the common name}."""


def mixed():
    """Return whether AMP casts the operands of products, which no public name tells."""
    return getattr(sys.modules.get("mxnet.contrib.amp.amp"), "_amp_initialized", False)


def in_float32(logits):
    """Return logits as float32, in whatever precision the layers compute."""
    return logits if logits.dtype == np.float32 else logits.astype("float32")


def hand_out_rows(block):
    """Let an embedding's gradient hold only the rows of the batch, like nn.Embedding(sparse_grad=True).

    Gluon has no public way to change that later.
    """
    if isinstance(block, nn.Embedding):
        block._kwargs["sparse_grad"] = True
        block.weight._grad_stype = "row_sparse"


def kind_of_gradient(model):
    """Return whether the gradients of a model's embeddings are dense or sparse arrays; None without any."""
    found = {child.weight.grad().stype for child in model._children.values() if isinstance(child, nn.Embedding)}
    return " and ".join(sorted("dense" if stype == "default" else "sparse" for stype in found)) or None


def blocks(block):
    """Return a block and all blocks within it: those that its `apply` visits, which came after 1.0."""
    children = block._children
    within = children if isinstance(children, list) else children.values()  # in 1.0 it is a list
    return [block] + [one for child in within for one in blocks(child)]


def keep_everything(block):
    """Make a dropout layer drop nothing, and ignore other blocks. Gluon has no public name for the rate."""
    if isinstance(block, nn.Dropout):
        block._rate = 0.0
