"""OpenVINO: it runs what PyTorch exports, from arrays of the host to arrays of the host."""

import re

import numpy as np
import openvino

from rosetta_worker.framework import Framework
from rosetta_worker.runtimes.onnx import OnnxModel, answer, chain, even, loaded

DESCRIPTION = {
    "title": "OpenVINO",
    "modes": {"compiled": "core.compile_model, with the default hint, LATENCY"},
    "mode": "compiled",
    "packages": ["openvino", "onnx"],
    "locks": ["openvino@2026.4.1"],
    "exported": {"framework": "pytorch", "lock": "pytorch-onnx@2.13.0"},
}

PRECISION = "INFERENCE_PRECISION_HINT"
"""The property that says what a model is computed in: on processors that have bfloat16, that by itself."""

TYPES = {"f32": "float32", "bf16": "bfloat16", "f16": "float16"}


class Adapter(Framework):
    """OpenVINO on the CPU, in float32. It only infers; of a workload that trains it evaluates the model."""

    def build(self, weights):
        if self.setting.device != "cpu":
            raise NotImplementedError("OpenVINO's GPUs are Intel's: it is run on the CPU alone")
        if self.model is None:
            self.model = OnnxModel(self.implementation.MODEL)
            self.core = openvino.Core()
        self.set_parameters(weights)

    def set_parameters(self, weights):
        """Write the weights into the model and compile it, which reads them only then."""
        super().set_parameters(weights)
        self.compiled = self.compile(self.model.content())

    def compile(self, content):
        """Return a compiled model. The precision is stated, because the work is that of float32."""
        wanted = {PRECISION: "f32", "INFERENCE_NUM_THREADS": self.setting.threads}
        return self.core.compile_model(self.core.read_model(content), "CPU", wanted)

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
        return list(self.compiled(inputs).values())

    def synchronize(self):
        """Nothing is left to wait for: a call has ended when it returns its outputs."""

    def linger(self, size, repeats):
        return self.compile(chain(size, repeats))(even(size))[0]

    def settings(self):
        read = self.compiled.get_property
        devices = read("EXECUTION_DEVICES")
        found = {
            "device": "cpu" if devices == ["CPU"] else " and ".join(devices),
            "threads": read("INFERENCE_NUM_THREADS"),
            "streams": read("NUM_STREAMS"),
            "autocast": reduced(name_of(read(PRECISION))),
            "precision_by_itself": name_of(self.core.get_property("CPU", PRECISION)),
            "computed_in": computed_in(self.compiled.get_runtime_model()),
            "mode": "compiled",
            "compiler": "OpenVINO, %s" % read("PERFORMANCE_HINT"),
            "isa": isa(read("RUNTIME_REQUIREMENTS")),
            "loader_workers": 0,
        }
        return dict(found, **self.model.settings())


def name_of(kind):
    """Return one of OpenVINO's types by NumPy's name, ``float32``, or its own where it has none of these."""
    return TYPES.get(kind.get_type_name(), kind.get_type_name())


def reduced(precision):
    """Return the precision that operations choose in place of float32; False where they choose none."""
    return False if precision == "float32" else precision


def computed_in(model):
    """Return the types that the kernels of a compiled model compute in, from the model as it is executed."""
    kinds = {node.get_rt_info()["runtimePrecision"] for node in model.get_ordered_ops()}
    return " and ".join(sorted(str(getattr(kind, "value", kind)) for kind in kinds))


def isa(requirements):
    """Return the instruction set that kernels are chosen for, from a line such as ``…;isa=Intel AVX2``."""
    found = re.search(r"isa=([^;]+)", requirements)
    return found.group(1) if found else None
