"""Theano's runtime: its flags at import, the folder of compiled code, and the settings in force.

Import this before Theano: Theano chooses everything that THEANO_FLAGS does not set by then.
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
"""The variable with the folder in which frameworks keep compiled code."""


def flags():
    """Return THEANO_FLAGS, in which later flags override earlier ones.

    The user's own flags come after the library of matrix products, which may be changed, and before flags that must not
    be.
    """
    chosen = [numpy_blas(), os.environ.get("THEANO_FLAGS"), "device=cpu", "floatX=float32"]
    words = ",".join(word for word in chosen if word)
    return "%s,base_compiledir=%s" % (words, os.path.join(kept(), "theano-%s" % digest(words)))


def numpy_blas():
    """Return the flag that links Theano with the OpenBLAS in NumPy's wheel; None if this NumPy has none.

    By default, Theano looks for a library where NumPy was built, and for the system's. Without any, it multiplies
    through NumPy, with one Python call for each product, and convolves without matrix products.
    """
    folder = os.path.join(os.path.dirname(np.__file__), ".libs")
    found = glob.glob(os.path.join(folder, "libopenblas*.so"))
    name = os.path.basename(found[0])[len("lib") : -len(".so")] if found else None
    return name and "blas.ldflags=-L%s -l%s" % (folder, name)


def kept():
    """Return the folder of compiled code: the laboratory's, or Theano's own if none is given."""
    return os.environ.get(KEPT) or os.path.join(os.path.expanduser("~"), ".theano")


def digest(words):
    """Return a digest of the machine and the flags, so that code compiled for others is not reused."""
    lines = read("/proc/cpuinfo").splitlines()
    processor = sorted({line for line in lines if line.startswith(("model name", "flags", "Features"))})
    parts = processor + [platform.machine(), platform.libc_ver()[1], sys.version, np.__version__, words]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:12]


os.environ["THEANO_FLAGS"] = flags()
os.environ["THEANORC"] = os.devnull  # the user's file may change the precision

import theano  # noqa: E402 (it reads the two variables)

PROGRAMS = len(glob.glob(os.path.join(theano.config.compiledir, "tmp*")))
"""The number of compiled programs at the start of this process; with 0, everything is compiled now."""


def settings():
    """Return the settings in force, by the keys of docs/explanation/fairness.md."""
    library = ctypes.CDLL(np.core._multiarray_umath.__file__)  # its BLAS is Theano's, too; see `numpy_blas`
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
