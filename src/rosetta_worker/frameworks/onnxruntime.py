"""ONNX Runtime: it runs what PyTorch exports, from arrays of the host to arrays of the host."""

import numpy as np
import onnxruntime

from rosetta_worker.framework import Framework
from rosetta_worker.runtimes.onnx import OnnxModel, answer, chain, even, loaded

DESCRIPTION = {
    "title": "ONNX Runtime",
    "modes": {"compiled": "a session, whose graph is optimised as a whole before the first batch, as by default"},
    "mode": "compiled",
    "packages": ["onnxruntime", "onnx"],
    "locks": ["onnxruntime@1.31.1"],
    "exported": {"framework": "pytorch", "lock": "pytorch-onnx@2.13.0"},
}

FAST_MATH = "mlas.enable_gemm_fastmath_arm64_bfloat16"
"""The entry of a session's configuration by which products on ARM are computed in bfloat16."""


class Adapter(Framework):
    """ONNX Runtime on the CPU. It only infers; of a workload that trains it evaluates the model."""

    def build(self, weights):
        if self.setting.device != "cpu":
            raise NotImplementedError("this release of ONNX Runtime was built for the CPU alone")
        if self.model is None:
            self.model = OnnxModel(self.implementation.MODEL)
        self.set_parameters(weights)

    def set_parameters(self, weights):
        """Write the weights into the model and make a session of it, which reads them only then."""
        super().set_parameters(weights)
        self.session = self.start(self.model.content())

    def start(self, content):
        """Return a session of a model, which runs one operation after the other, each in all threads."""
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = self.setting.threads
        options.inter_op_num_threads = 1
        return onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])

    def get(self, own):
        return self.model.get(own)

    def set(self, own, array):
        self.model.set(own, array)

    def load(self, inputs, labels):
        return loaded(inputs)

    def evaluate(self, dataset, batches):
        return self.infer(dataset[ids] for ids in batches)

    def infer(self, batches):
        return np.concatenate([answer(self.run, batch, self.implementation) for batch in batches])

    def run(self, inputs):
        """Run the model once: {name: array} to the list of what it returns."""
        return self.session.run(None, inputs)

    def synchronize(self):
        """Nothing is left to wait for: a run has ended when it returns its outputs."""

    def linger(self, size, repeats):
        session, matrix = self.start(chain(size, repeats)), even(size)
        return session.run(["outputs"], {"inputs": matrix})[0]

    def settings(self):
        options, providers = self.session.get_session_options(), self.session.get_providers()
        level = options.graph_optimization_level
        found = {
            "device": "cpu" if providers == ["CPUExecutionProvider"] else " and ".join(providers),
            "provider": " and ".join(providers),
            "threads": options.intra_op_num_threads,
            "inter_op_threads": options.inter_op_num_threads,
            "autocast": "bfloat16" if fast_math(options) else False,
            "mode": "eager" if level == onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL else "compiled",
            "compiler": "ONNX Runtime, %s" % level.name,
            "deterministic": options.use_deterministic_compute,
            "loader_workers": 0,
        }
        return dict(found, **self.model.settings())


def fast_math(options):
    """Whether products may be computed in bfloat16; an entry that nobody has made is not there."""
    try:
        return options.get_session_config_entry(FAST_MATH) == "1"
    except RuntimeError:
        return False
