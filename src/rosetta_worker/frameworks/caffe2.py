"""Caffe2 from PyTorch 1.0.0: nets of operators, which run on the blobs of a workspace."""

import numpy as np
from caffe2.python import brew, core, workspace
from caffe2.python.model_helper import ModelHelper

from rosetta_worker.framework import Framework, labels_as
from rosetta_worker.runtimes import caffe2 as runtime
from rosetta_worker.runtimes.mkl import mkl_cpu_type
from rosetta_worker.surroundings import readable

DESCRIPTION = {
    "title": "Caffe2",
    "modes": {"compiled": "nets that are made once and run at each step, it knows no other mode"},
    "mode": "compiled",
    "packages": ["torch", "caffe2"],
    "locks": ["pytorch@1.0.0"],
}


class Adapter(Framework):
    """Caffe2 of PyTorch 1.0, on the CPU."""

    lacks = {
        "embedding_gradient": "Caffe2's SparseAdam takes a row as often as a batch names it, which is no lazy Adam: "
        "docs/findings.md",
        "precision": "Caffe2 has no bfloat16",
        "precision=tf32": "Caffe2 has no switch for TF32",
        "schedule": "Caffe2 writes its policy for the learning rate into the net: it stays as it is",
    }
    rate_within_momentum = True

    def build(self, weights):
        if self.setting.device != "cpu":
            raise NotImplementedError("the Caffe2 of PyTorch 1.0.0 was built for GPUs of 2018: it is run on CPUs alone")
        if self.model is None:
            runtime.begin(self.setting)
            workspace.ResetWorkspace()
            self.draw()
        workspace.RunNetOnce(self.evaluation.param_init_net)
        if self.trains:
            workspace.RunNetOnce(self.training.param_init_net)
        self.set_parameters(weights)
        for net in self.nets:
            workspace.CreateNet(net, overwrite=True, input_blobs=["inputs", "labels"])

    def draw(self):
        """Build the nets: `forward`; `backward`, with gradients; `step`, with gradients and update; `update` alone."""
        self.model = self.implementation.Model()
        self.evaluation, self.logits = self.drawn("evaluation", is_test=True)
        self.forward = self.evaluation.net
        self.nets = [self.forward]
        if not self.trains:
            return
        self.training, logits = self.drawn("training", is_test=False)
        self.mean_loss = self.loss(self.training, logits, "labels")
        self.training.AddGradientOperators([self.mean_loss])
        self.slopes = self.training.param_to_grad
        self.step = self.training.net
        self.backward = self.step.Clone("backward")
        self.implementation.optimizer(self.training, self.setting.optimizer)
        before, behind = len(self.backward.Proto().op), len(self.step.Proto().op)
        self.update = self.step.Clone("update", op_id_mask=list(range(before, behind)), update_external_list=True)
        self.nets += [self.backward, self.step, self.update]
        for net in self.nets:
            runtime.give_threads(net, self.setting.threads)

    def drawn(self, name, is_test):
        """Return a helper with the net of the model, and the output blob."""
        helper = ModelHelper(name, arg_scope={"use_cudnn": False})
        keeps_all = is_test or not self.dropout
        with brew.arg_scope([brew.spatial_bn], is_test=is_test), brew.arg_scope([brew.dropout], is_test=keeps_all):
            return helper, self.model(helper, "inputs")

    def run(self, net, inputs, labels):
        """Run a net on one batch."""
        workspace.FeedBlob("inputs", inputs)
        workspace.FeedBlob("labels", labels)
        workspace.RunNet(net)

    def get(self, own):
        return workspace.FetchBlob(own)

    def set(self, own, array):
        workspace.FeedBlob(own, array)

    def load(self, inputs, labels):
        return inputs, labels_as(labels, "int32")

    def batch(self, dataset, ids):
        inputs, labels = dataset
        return inputs[ids], labels[ids]

    def train(self, dataset, batches):
        total = 0.0
        for inputs, labels in self.feed(dataset, batches):
            self.run(self.step, inputs, labels)
            total += workspace.FetchBlob(self.mean_loss)
        return total / len(batches)

    def gradients(self, dataset, ids):
        self.run(self.backward, *self.batch(dataset, ids))
        logits, loss = workspace.FetchBlobs([str(self.logits), str(self.mean_loss)])
        return logits, loss, self.canonical(lambda own: workspace.FetchBlob(self.slopes[own]))

    def evaluate(self, dataset, batches):
        return self.infer(self.batch(dataset, ids)[0] for ids in batches)

    def infer(self, batches):
        outputs = []
        for batch in batches:
            workspace.FeedBlob("inputs", batch)
            workspace.RunNet(self.forward)
            outputs.append(workspace.FetchBlob(self.logits))
        return np.concatenate(outputs)

    def synchronize(self):
        """Do nothing: on a CPU, a net is done when its run returns."""

    def linger(self, size, repeats):
        return self.product(np.full((size, size), 1.0 / size, "float32"), "float32")(repeats)

    def array(self, tensor):
        return workspace.FetchBlob(tensor) if isinstance(tensor, core.BlobReference) else np.asarray(tensor)

    def learning_rate(self):
        return runtime.learning_rate(self.step)

    def updates(self):
        return int(workspace.FetchBlob("optimizer_iteration")[0])

    def settings(self):
        names = [own for tie in self.implementation.TENSORS for own in tie.own]
        found = {
            "device": "cpu",
            "precision": workspace.FetchBlob(names[0]).dtype.name,
            "autocast": False,
            "oneDNN": False,  # its operators belong to a device of their own, IDEEP, which is not used here
            "mode": "compiled",
            "compiler": "%s net" % (self.forward.Proto().type or "simple"),
            "loader_workers": 0,
        }
        found.update(
            readable(threads=runtime.threads, layout=lambda: runtime.layout(self.forward), mkl_cpu_type=mkl_cpu_type)
        )
        return found

    def train_fetched(self, fetched, steps):
        total = 0.0
        for step in range(steps):
            self.run(self.step, *fetched[step % len(fetched)])
            total += workspace.FetchBlob(self.mean_loss)
        return total / steps

    def backpropagate(self, fetched, steps):
        for step in range(steps):
            self.run(self.backward, *fetched[step % len(fetched)])

    def keep_gradients(self, inputs, labels):
        self.run(self.backward, inputs, labels)

    def apply_gradients(self, steps):
        workspace.RunNet(self.update, steps)

    def product(self, matrix, precision):
        if precision != "float32":
            raise NotImplementedError("on a CPU, Caffe2 multiplies no %s" % precision)
        workspace.FeedBlob("matrix", matrix)
        workspace.FeedBlob("even", matrix)
        there, back = (
            runtime.apart("MatMul", ["even", "matrix"], "odd"),
            runtime.apart("MatMul", ["odd", "matrix"], "even"),
        )

        def multiply(times):
            workspace.FeedBlob("even", matrix)
            for count in range(times):
                workspace.RunNet(back if count % 2 else there)
            return core.BlobReference("odd" if times % 2 else "even")

        return multiply

    def copies(self, array):
        workspace.FeedBlob("source", array)
        copied = runtime.apart("Copy", ["source"], "target")

        def copy(times):
            workspace.RunNet(copied, times)
            return core.BlobReference("target")

        return {"memory": copy}
