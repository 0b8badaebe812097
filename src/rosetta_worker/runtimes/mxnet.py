"""What Gluon and Module share of MXNet."""

import os

import mxnet as mx

from rosetta_worker.traces import attribute, chrome_events

NO_TF32 = (
    "MXNet has no switch for TF32: CUDA's libraries decide on it, and the switch that MXNet "
    "has for tensor cores (MXNET_CUDA_TENSOR_OP_MATH_ALLOW_CONVERSION) means float16"
)
"""Why precision=tf32 cannot be had."""

RELEASE = tuple(int(part) for part in mx.__version__.split(".")[:2])
"""The release that this is, as numbers: (1, 9)."""

SINCE = {
    "precision": ((1, 7), "its mixed precision in bfloat16 came with a later release of MXNet"),
    "embedding_gradient": ((1, 4), "the Embedding of this release has no sparse gradients: they came later"),
    "input": ((1, 4), "the loaders of this project are written for MXNet 1.4 and newer"),
}
"""By axis: the release that other values than the default are to be had with, and why there are none before."""


def lacks(**others):
    """Return {axis: why no other value than the default can be had}: of every release `others`, and what is too new."""
    return dict({axis: why for axis, (since, why) in SINCE.items() if since > RELEASE}, **others)


def has_onednn():
    """Return whether MXNet computes with oneDNN; AttributeError before 1.5, which cannot tell."""
    return mx.runtime.Features().is_enabled("MKLDNN")


def profile(work, folder):
    """Return (seconds, operations) of `work` by mxnet.profiler; an operation that waits for another is none."""
    path = os.path.join(folder, "trace.json")
    mx.profiler.set_config(profile_symbolic=True, profile_imperative=True, aggregate_stats=True, filename=path)
    mx.profiler.set_state("run")
    elapsed = work()
    mx.profiler.set_state("stop")
    mx.profiler.dump()
    return elapsed, attribute(event for _, event in chrome_events(path) if event[3] != "WaitForVar")


def product(to_device, matrix, precision):
    """Return a function that multiplies a matrix with itself so many times, in `precision`."""
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
    """Return a function that copies one array into the other so many times."""

    def copy(times):
        for _ in range(times):
            source.copyto(target)
        return target

    return copy
