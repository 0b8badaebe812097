"""The parts of Theano that Lasagne 0.1 needs and that Theano no longer has.

Import this before Lasagne.
"""

import sys
import types

from rosetta_worker.runtimes.theano import theano

# isort: split
from theano.tensor import signal
from theano.tensor.signal.pool import pool_2d


def max_pool_2d(input, ds, ignore_border=None, st=None, padding=(0, 0), mode="max"):
    """Pool as ``theano.tensor.signal.downsample.max_pool_2d`` did until Theano 0.8, with the same arguments."""
    return pool_2d(input, ws=ds, ignore_border=ignore_border, stride=st, pad=padding, mode=mode)


downsample = types.ModuleType("theano.tensor.signal.downsample")
downsample.max_pool_2d = max_pool_2d
signal.downsample = sys.modules[downsample.__name__] = downsample

__all__ = ["theano"]
