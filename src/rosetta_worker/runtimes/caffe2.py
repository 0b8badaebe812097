"""Caffe2's runtime: its start, its threads, and properties of its nets."""

import ctypes
import sys

from caffe2.python import core, workspace
from caffe2.python.recurrent import set_rnn_executor_config

RECURRENT = ("RecurrentNetwork", "RecurrentNetworkGradient")
"""Operators with threads of their own."""


def begin(setting):
    """Start Caffe2 with the threads of the setting. Only the first call in a process has an effect."""
    flags = ["caffe2", "--caffe2_log_level=1", "--caffe2_omp_num_threads=%d" % setting.threads]
    workspace.GlobalInit(flags + ["--caffe2_mkl_num_threads=%d" % setting.threads])


def give_threads(net, threads):
    """Give the recurrent operators of a net `threads` threads; by default they use four."""
    for op in net.Proto().op:
        if op.type in RECURRENT:
            set_rnn_executor_config(op, num_threads=threads)


def learning_rate(net):
    """Return the rate of a net's steps, from the operator that computes it, where it may be negative."""
    rates = [arg.f for op in net.Proto().op if op.type == "LearningRate" for arg in op.arg if arg.name == "base_lr"]
    return abs(rates[0])


def layout(net):
    """Return the layout of images for a net's convolutions; None without any."""
    orders = {arg.s.decode() for op in net.Proto().op if op.type == "Conv" for arg in op.arg if arg.name == "order"}
    return " and ".join(sorted({"NCHW": "channels_first", "NHWC": "channels_last"}[one] for one in orders)) or None


def apart(operator, inputs, output):
    """Return a net of a single operator, ready to run."""
    net = core.Net(operator.lower())
    net.__getattr__(operator)(inputs, output)
    workspace.CreateNet(net)
    return net


def threads():
    """Return the number of threads that OpenMP gives to an operator."""
    return library().omp_get_max_threads()


def library():
    """Return Caffe2 as a C library, with all libraries that it is linked with."""
    return ctypes.CDLL(sys.modules[workspace.C.Workspace.__module__].__file__)
