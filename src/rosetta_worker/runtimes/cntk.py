"""CNTK's runtime: properties of its functions and its libraries."""

import ctypes
import os

import cntk as C


def dropouts(function):
    """Return the dropout layers in a function."""
    return nodes(function, "Dropout")


def layout(function):
    """Return the layout of images for a function's convolutions, in CNTK always channels first; None without any."""
    return "channels_first" if nodes(function, "Convolution") else None


def nodes(function, name):
    """Return the operations with a name in a function and in the layers within it, without the layers themselves."""
    return C.logging.graph.depth_first_search(
        function, lambda node: isinstance(node, C.Function) and node.op_name == name and not node.is_block, depth=-1
    )


def blas():
    """Return the version of MKL, of which CNTK contains a small variant."""
    words = ctypes.create_string_buffer(200)
    library = ctypes.CDLL(os.path.join(os.path.dirname(C.__file__), "libs", "libmklml_intel.so"))
    library.MKL_Get_Version_String(words, len(words))
    return words.value.decode().strip()
