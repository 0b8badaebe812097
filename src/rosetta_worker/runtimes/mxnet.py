"""The runtime that Gluon and Module share."""

import os

import mxnet as mx

from rosetta_worker.traces import attribute, chrome_events

NO_TF32 = (
    "MXNet has no switch for TF32: CUDA's libraries decide on it, and the switch that MXNet "
    "has for tensor cores (MXNET_CUDA_TENSOR_OP_MATH_ALLOW_CONVERSION) means float16"
)
"""Why precision=tf32 is not supported."""

RELEASE = tuple(int(part) for part in mx.__version__.split(".")[:2])
"""The installed release as numbers: (1, 9)."""

SINCE = {
    "precision": ((1, 7), "its mixed precision in bfloat16 came with a later release of MXNet"),
    "embedding_gradient": ((1, 4), "the Embedding of this release has no sparse gradients: they came later"),
    "input": ((1, 4), "the loaders of this project are written for MXNet 1.4 and newer"),
}
"""{axis: (first release that supports other values than the default, why earlier ones do not)}."""


def lacks(**others):
    """Return {axis: why only the default is supported}: `others`, which hold for every release, and what came later."""
    return dict({axis: why for axis, (since, why) in SINCE.items() if since > RELEASE}, **others)


def has_onednn():
    """Return whether MXNet computes with oneDNN. Raises AttributeError before 1.5, which cannot tell."""
    return mx.runtime.Features().is_enabled("MKLDNN")


def profile(work, folder):
    """Return (seconds, operations) of `work` from mxnet.profiler, without operations that only wait for others."""
    path = os.path.join(folder, "trace.json")
    mx.profiler.set_config(profile_symbolic=True, profile_imperative=True, aggregate_stats=True, filename=path)
    mx.profiler.set_state("run")
    elapsed = work()
    mx.profiler.set_state("stop")
    mx.profiler.dump()
    return elapsed, attribute(event for _, event in chrome_events(path) if event[3] != "WaitForVar")


def product(to_device, matrix, precision):
    """Return a function that multiplies a matrix with itself a number of times, in `precision`."""
    if precision not in ("float32", "float64"):
        raise NotImplementedError("the dot of MXNet multiplies no %s" % precision)
    right = to_device(matrix.astype(precision))

    def multiply(times):
        left = right
        for _ in range(times):
            left = mx.nd.dot(left, right)
        return left

    return multiply


def copier(source, target):
    """Return a function that copies one array into the other a number of times."""

    def copy(times):
        for _ in range(times):
            source.copyto(target)
        return target

    return copy
