"""Helpers for Caffe2's recurrent layers, and a max pool whose gradient goes to one input only."""

from caffe2.python import core
from caffe2.python.modeling.initializers import Initializer


def embedded(helper, tokens, name, length, dim_in, dim_out):
    """Return the embeddings (length, n, dim_out) of token ids (n, length), with `dim_in` possible ids.

    Gathering rows has a sparse gradient. EnsureDense makes it dense in the backward pass, and does nothing else.
    """
    table = helper.create_param(name, [dim_in, dim_out], Initializer("GaussianFill", std=0.05))
    table = helper.net.EnsureDense(table, table)
    ids = helper.net.FlattenToVec(helper.net.Transpose(tokens, axes=(1, 0)))
    rows = helper.net.Gather([table, ids])
    steps, _ = helper.net.Reshape(rows, [name + "_steps", name + "_shape"], shape=(length, -1, dim_out))
    return steps


def zeros(helper, name, size):
    """Return a blob with the initial state (size,) of each sequence, which is not a parameter."""
    return helper.param_init_net.ConstantFill([], core.ScopedBlobReference("first_" + name), shape=[size], value=0.0)


def max_pool(helper, x, name, channels, extent):
    """Return the maximum of each 2×2 square of square images (n, channels, extent, extent).

    The gradient goes to the first of several equal maxima, which TopK chooses. Caffe2's own MaxPool passes the whole
    gradient to each of them, and images do have equal neighbours (docs/findings.md).
    """
    half = extent // 2
    pairs_of_rows, _ = helper.net.Reshape(x, [name + "_pairs", name + "_images"], shape=(-1, 2, half, 2))
    windows = helper.net.Transpose(pairs_of_rows, axes=(0, 2, 1, 3))
    rows, _ = helper.net.Reshape(windows, [name + "_rows", name + "_windows"], shape=(-1, 4))
    largest, _ = helper.net.TopK(rows, [name + "_largest", name + "_places"], k=1)
    pooled, _ = helper.net.Reshape(largest, [name, name + "_column"], shape=(-1, channels, half, half))
    return pooled
