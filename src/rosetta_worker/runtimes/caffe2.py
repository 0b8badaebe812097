"""Caffe2's runtime: its start, its threads, and what its nets tell."""

import ctypes
import sys

from caffe2.python import core, workspace
from caffe2.python.recurrent import set_rnn_executor_config

RECURRENT = ("RecurrentNetwork", "RecurrentNetworkGradient")
"""Operators that bring threads of their own."""


def begin(setting):
    """Start Caffe2 with the threads of the setting; it is done once in a process, a second time says that it was."""
    flags = ["caffe2", "--caffe2_log_level=1", "--caffe2_omp_num_threads=%d" % setting.threads]
    workspace.GlobalInit(flags + ["--caffe2_mkl_num_threads=%d" % setting.threads])


def give_threads(net, threads):
    """Let the recurrent operators of a net have so many threads; by themselves they take four."""
    for op in net.Proto().op:
        if op.type in RECURRENT:
            set_rnn_executor_config(op, num_threads=threads)


def learning_rate(net):
    """Return the rate of a net's steps, from the operator that computes it; those that subtract have it negative."""
    rates = [arg.f for op in net.Proto().op if op.type == "LearningRate" for arg in op.arg if arg.name == "base_lr"]
    return abs(rates[0])


def layout(net):
    """Return how a net's convolutions take their images; None where it has none."""
    orders = {arg.s.decode() for op in net.Proto().op if op.type == "Conv" for arg in op.arg if arg.name == "order"}
    return " and ".join(sorted({"NCHW": "channels_first", "NHWC": "channels_last"}[one] for one in orders)) or None


def apart(operator, inputs, output):
    """Return a net of a single operator, ready to run."""
    net = core.Net(operator.lower())
    net.__getattr__(operator)(inputs, output)
    workspace.CreateNet(net)
    return net


def threads():
    """Return the threads that OpenMP gives to an operator."""
    return library().omp_get_max_threads()


def library():
    """Return Caffe2 as a library of C, and with it all that it is linked with."""
    return ctypes.CDLL(sys.modules[workspace.C.Workspace.__module__].__file__)
