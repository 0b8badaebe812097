"""CNTK's runtime: what its functions and its libraries tell."""

import ctypes
import os

import cntk as C


def dropouts(function):
    """Return the dropout layers in a function."""
    return nodes(function, "Dropout")


def layout(function):
    """Return how a function's convolutions take their images; None where it has none: CNTK's take channels first."""
    return "channels_first" if nodes(function, "Convolution") else None


def nodes(function, name):
    """Return the operations of a name in a function and in the layers that it is made of, without the layers."""
    return C.logging.graph.depth_first_search(
        function, lambda node: isinstance(node, C.Function) and node.op_name == name and not node.is_block, depth=-1
    )


def blas():
    """Return MKL's version, which CNTK brings in a small form of its own."""
    words = ctypes.create_string_buffer(200)
    library = ctypes.CDLL(os.path.join(os.path.dirname(C.__file__), "libs", "libmklml_intel.so"))
    library.MKL_Get_Version_String(words, len(words))
    return words.value.decode().strip()
