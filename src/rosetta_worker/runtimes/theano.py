"""Theano's runtime: what it is imported with, where it keeps what it compiles, and what is in force.

Import this before Theano: what THEANO_FLAGS does not say by then, Theano chooses.
"""

import ctypes
import glob
import hashlib
import os
import platform
import sys

import numpy as np

from rosetta_worker.surroundings import openblas, read

KEPT = "ROSETTA_COMPILED"
"""The variable that names the folder in which frameworks keep what they have compiled."""


def flags():
    """Return THEANO_FLAGS, as Theano reads them: later ones go before earlier ones.

    The user's own stand between what may be chosen, the library of matrix products, and what may not.
    """
    chosen = [numpy_blas(), os.environ.get("THEANO_FLAGS"), "device=cpu", "floatX=float32"]
    words = ",".join(word for word in chosen if word)
    return "%s,base_compiledir=%s" % (words, os.path.join(kept(), "theano-%s" % digest(words)))


def numpy_blas():
    """Return the flag that links Theano with the OpenBLAS that NumPy's wheel holds; None if this NumPy has none.

    Left alone, Theano looks for a library where NumPy was built, and for the system's; without any it multiplies
    through NumPy, one call of Python for each product, and convolves without a product of matrices.
    """
    folder = os.path.join(os.path.dirname(np.__file__), ".libs")
    found = glob.glob(os.path.join(folder, "libopenblas*.so"))
    name = os.path.basename(found[0])[len("lib") : -len(".so")] if found else None
    return name and "blas.ldflags=-L%s -l%s" % (folder, name)


def kept():
    """Return the folder of what is compiled: the laboratory's, or Theano's own where nobody names one."""
    return os.environ.get(KEPT) or os.path.join(os.path.expanduser("~"), ".theano")


def digest(words):
    """Return what tells machines and flags apart: code that was compiled for others is not found under it."""
    lines = read("/proc/cpuinfo").splitlines()
    processor = sorted({line for line in lines if line.startswith(("model name", "flags", "Features"))})
    parts = processor + [platform.machine(), platform.libc_ver()[1], sys.version, np.__version__, words]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:12]


os.environ["THEANO_FLAGS"] = flags()
os.environ["THEANORC"] = os.devnull  # the user's file may change the precision

import theano  # noqa: E402 (it reads the two)

PROGRAMS = len(glob.glob(os.path.join(theano.config.compiledir, "tmp*")))
"""How many compiled programs were there when this process began: 0, and everything is compiled now."""


def settings():
    """Return what is in force, by the keys of docs/explanation/fairness.md."""
    library = ctypes.CDLL(np.core._multiarray_umath.__file__)  # its BLAS is Theano's, too: see `numpy_blas`
    found = {
        "device": theano.config.device,
        "autocast": False,
        "compiler": "theano.function, %s, by %s"
        % (theano.config.linker, os.path.basename(theano.config.cxx) or "none"),
        "openmp": theano.config.openmp,
        "programs_kept": PROGRAMS,
    }
    if "openblas" in theano.config.blas.ldflags and hasattr(library, "openblas_get_num_threads"):
        found.update(threads=library.openblas_get_num_threads(), blas=openblas(library))
    return found
