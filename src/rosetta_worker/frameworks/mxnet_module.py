"""MXNet's Module: a network of symbols that is bound once, with an executor that holds its parameters."""

import json
import os

import numpy as np

if not hasattr(np, "bool"):  # removed in NumPy 1.24, but MXNet uses it at import
    np.bool = np.bool_

import mxnet as mx
from mxnet.io import DataBatch

from rosetta_worker.framework import Framework
from rosetta_worker.runtimes import mxnet as runtime
from rosetta_worker.runtimes.glibc import keep_freed_memory
from rosetta_worker.surroundings import openblas, readable

DESCRIPTION = {
    "title": "MXNet Module",
    "modes": {
        "compiled": "symbols: the whole graph is planned when it is bound",
        "tuned": "the same, with freed memory kept; on the CPU, MXNET_ENGINE_TYPE=NaiveEngine",
    },
    "mode": "compiled",
    "packages": ["mxnet"],
    "locks": ["mxnet@1.9.1", "mxnet@1.4.0", "mxnet@1.0.0"],
}


class Adapter(Framework):
    """MXNet 1.0 to 1.9, on the CPU or one CUDA device."""

    lacks = runtime.lacks(
        **{
            "precision": "with AMP, MXNet cannot bind a symbol of layers: InferType pass cannot decide dtypes for the "
            "following arguments, their parameters",
            "precision=tf32": runtime.NO_TF32,
        }
    )
    rate_within_momentum = True

    def build(self, weights):
        if self.model is None:
            if self.setting.mode == "tuned":
                self.tune()
            self.context = mx.cpu() if self.setting.device == "cpu" else mx.gpu()
            self.model = self.implementation.Model()
            if self.trains:
                self.bind(self.model(mx.sym.Variable("inputs")), mx.sym.Variable("labels"))
        if not self.trains:
            self.bind_to_predict(self.model(mx.sym.Variable("inputs")))
        self.set_parameters(weights)
        if self.trains:
            self.optimizer = self.implementation.optimizer(self.model, self.setting.optimizer)
            self.module.init_optimizer(optimizer=self.optimizer, force_init=True)

    def tune(self):
        """Keep freed memory and, on the CPU, choose the engine without threads, which compete with those of OpenMP.

        It must be chosen before the first array, which starts the engine. An engine that the user has chosen stays.
        """
        keep_freed_memory()
        if self.setting.device == "cpu":
            os.environ.setdefault("MXNET_ENGINE_TYPE", "NaiveEngine")

    def bind(self, logits, labels):
        """Make the module for training."""
        self.logits = logits if self.dropout else with_attribute(logits, "Dropout", "p", "0")
        if self.setting.embedding_gradient == "sparse":
            self.logits = with_attribute(self.logits, "Embedding", "sparse_grad", "True")
        # The model consists of the symbols that lead to the logits. The gradient starts at MakeLoss, with 1.
        loss = mx.sym.MakeLoss(self.loss(self.logits, self.logits, labels))
        # Before 1.5, gradients are lost unless the inputs of max pools are read, too (docs/findings.md).
        kept = read_by_max_pools(self.logits) if runtime.RELEASE <= (1, 4) else []
        both = mx.sym.Group([loss] + [mx.sym.BlockGrad(one) for one in [self.logits] + kept])
        size = self.setting.batch_size
        self.inputs = [("inputs", (size,) + self.model.shape)]
        self.module = mx.mod.Module(both, ["inputs"], ["labels"], context=self.context)
        labels = (size,) + getattr(self.model, "labels", ())  # for a sample that has several flags instead of one class
        self.module.bind(self.inputs, [("labels", labels)])
        self.module.init_params(mx.init.Zero())  # all of them are overwritten at once

    def predictor(self):
        """Make a module for prediction from the present parameters. Once bound, it does not notice that they change.

        MXNet fuses a network that is bound for inference, and keeps the kernels of the first batch (docs/findings.md).
        """
        predictor = mx.mod.Module(self.logits, ["inputs"], None, context=self.context)
        predictor.bind(self.inputs, for_training=False, shared_module=self.module)
        return predictor

    def bind_to_predict(self, outputs):
        """Make the only module, for prediction. Like `predictor`, it must be made again for other weights."""
        self.module = mx.mod.Module(outputs, ["inputs"], None, context=self.context)
        self.module.bind([("inputs", (self.setting.batch_size,) + self.model.shape)], for_training=False)
        self.module.init_params(mx.init.Zero())  # all of them are overwritten at once

    def get(self, own):
        return self.tensor(own).asnumpy()

    def set(self, own, array):
        self.tensor(own)[:] = array

    def tensor(self, own):
        """Return the executor's array: a parameter, or an auxiliary state, as MXNet calls what is not trained."""
        held = self.executor.aux_dict if own in self.executor.aux_dict else self.executor.arg_dict
        return held[own]

    @property
    def executor(self):
        """The executor. MXNet's Module gives no other access to gradients, or to a single parameter."""
        return self.module._exec_group.execs[0]

    def load(self, inputs, labels):
        return self.to_device(inputs), self.to_device(labels.astype("float32"))  # its losses take classes as float32

    def to_device(self, array):
        return mx.nd.array(array, self.context, array.dtype)

    def batch(self, dataset, ids):
        inputs, labels = dataset
        index = self.to_device(ids.astype("int32"))
        return inputs.take(index), labels.take(index)

    def loader(self, source):
        from rosetta_worker.loaders.mxnet_module import Loader

        return Loader(source, self.setting.workers, self.context)

    def train(self, dataset, batches):
        total = mx.nd.zeros(1, self.context)
        for inputs, labels in self.feed(dataset, batches):
            total += self.differentiate(inputs, labels)
            self.module.update()
        return total / len(batches)

    def differentiate(self, inputs, labels):
        """Compute loss and gradients. Return the loss."""
        self.module.forward_backward(DataBatch([inputs], [labels]))
        return self.module.get_outputs()[0]

    def set_learning_rate(self, rate):
        self.optimizer.set_learning_rate(rate)

    def gradients(self, dataset, ids):
        loss = self.differentiate(*self.batch(dataset, ids))
        gradients = self.executor.grad_dict
        return self.module.get_outputs()[1], loss, self.canonical(lambda own: gradients[own].asnumpy())

    def evaluate(self, dataset, batches):
        predictor, answers = self.predictor(), []
        for ids in batches:
            predictor.forward(DataBatch([self.batch(dataset, ids)[0]]))
            answers.append(predictor.get_outputs()[0].copy())  # the next batch overwrites it
        return mx.nd.concat(*answers, dim=0)

    def infer(self, batches):
        answers = []
        for batch in batches:
            self.module.forward(DataBatch([self.to_device(batch)]))
            answers.append(self.module.get_outputs()[0].asnumpy())
        return np.concatenate(answers)

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
        return self.optimizer.learning_rate

    def updates(self):
        return self.optimizer.num_update

    def settings(self):
        first = self.executor.arg_dict[self.module._param_names[0]]
        found = {
            "threads": mx.base._LIB.omp_get_max_threads(),
            "device": first.context.device_type.replace("gpu", "cuda"),
            "precision": np.dtype(first.dtype).name,
            "mode": self.setting.mode,
            "loader_workers": 0,
        }
        found.update(
            readable(
                oneDNN=runtime.has_onednn,
                blas=lambda: openblas(mx.base._LIB),
                deterministic=lambda: bool(int(mx.util.getenv("MXNET_ENFORCE_DETERMINISM") or 0)),
                engine=lambda: mx.util.getenv("MXNET_ENGINE_TYPE") or "ThreadedEnginePerDevice",
                embedding_gradient=lambda: kind_of_gradient(self.module.symbol, self.executor.grad_dict),
                layout=lambda: "channels_first" if "Convolution" in operations(self.module.symbol) else None,
            )
        )
        return dict(found, compiler="symbol", graphs=len(self.module._exec_group.execs))

    def train_fetched(self, fetched, steps):
        total = mx.nd.zeros(1, self.context)
        for step in range(steps):
            total += self.differentiate(*fetched[step % len(fetched)])
            self.module.update()
        return total / steps

    def backpropagate(self, fetched, steps):
        for step in range(steps):
            self.differentiate(*fetched[step % len(fetched)])

    def keep_gradients(self, inputs, labels):
        self.differentiate(inputs, labels)

    def apply_gradients(self, steps):
        for _ in range(steps):
            self.module.update()

    def profile(self, work, folder):
        return runtime.profile(work, folder)

    def product(self, matrix, precision):
        return runtime.product(self.to_device, matrix, precision)

    def copies(self, array):
        source = self.to_device(array)
        return {"memory": runtime.copier(source, mx.nd.zeros_like(source))}


def operations(symbol):
    """Return the operations in a symbol."""
    return {node["op"] for node in json.loads(symbol.tojson())["nodes"]}


def with_attribute(symbol, operation, name, value):
    """Return the symbol with another value for an attribute of every `operation`: it cannot be changed in place.

    Examples are the rate of a dropout, or whether an embedding's gradient holds only the rows of the batch.
    """
    graph = json.loads(symbol.tojson())
    for node in graph["nodes"]:
        if node["op"] == operation:
            node["attrs"][name] = value
    return mx.sym.load_json(json.dumps(graph))


def read_by_max_pools(symbol):
    """Return the inputs of a symbol's max pools, which the backward pass compares with their outputs."""
    nodes, inner = json.loads(symbol.tojson())["nodes"], symbol.get_internals()
    pools = [node for node in nodes if node["op"] == "Pooling" and node["attrs"].get("pool_type", "max") == "max"]
    return [inner[nodes[pool["inputs"][0][0]]["name"] + "_output"] for pool in pools]


def kind_of_gradient(symbol, gradients):
    """Return whether the gradients of a symbol's embeddings are dense or sparse arrays; None without any."""
    nodes = json.loads(symbol.tojson())["nodes"]
    weights = [nodes[node["inputs"][1][0]]["name"] for node in nodes if node["op"] == "Embedding"]
    kinds = {"dense" if gradients[name].stype == "default" else "sparse" for name in weights}
    return " and ".join(sorted(kinds)) or None
