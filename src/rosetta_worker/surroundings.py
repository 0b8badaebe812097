"""The surroundings of a worker's process in any framework: processors, threads, numerical libraries.

They are read from the system, not from the request. What the system does not report is absent.
"""

import ctypes
import os
import re

LIBRARIES = re.compile(r"/(?:lib)?((?:scipy_)?openblas|mkl_rt|blis|dnnl|mkldnn|gomp|iomp5|omp)[-_.\w]*\.so[.\d]*$")
"""Files of a separate BLAS, oneDNN or OpenMP. A library that is built into a framework's has no such file."""

CONFIGURATIONS = (
    "openblas_get_config",
    "openblas_get_config64_",
    "scipy_openblas_get_config",
    "scipy_openblas_get_config64_",
)
"""Names, by builder, of the function with which an OpenBLAS reports its version and its kernels."""

INSTRUCTIONS = (("amx_tile", "AMX"), ("avx512f", "AVX512"), ("avx2", "AVX2"), ("avx", "AVX"), ("sse4_2", "SSE4.2"))
"""(flag in /proc/cpuinfo, name of the instruction set), the widest first."""


def surroundings():
    """Return the surroundings in force for this process, by the keys of docs/explanation/fairness.md."""
    found = {
        "processors": processors(),
        "process_threads": count("/proc/self/task"),
        "child_processes": child_processes(),
        "processor_isa": processor_isa(),
        "libraries": libraries(),
    }
    return {name: value for name, value in found.items() if value is not None}


def processors():
    """Return the numbers of the processors that this process may use; None if the system does not report them."""
    return sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else None


def count(folder):
    """Return the number of entries of a folder; None if there is none."""
    return len(os.listdir(folder)) if os.path.isdir(folder) else None


def child_processes():
    """Return the number of child processes of this process; None if the kernel does not list them."""
    total = 0
    for thread in os.listdir("/proc/self/task") if os.path.isdir("/proc/self/task") else ():
        path = "/proc/self/task/%s/children" % thread
        if not os.path.exists(path):
            return None
        total += len(read(path).split())
    return total


def processor_isa():
    """Return the widest instruction set of the processor, which a library may use or not."""
    match = re.search(r"^flags\s*:(.*)$", read("/proc/cpuinfo"), re.MULTILINE)
    flags = match.group(1).split() if match else ()
    return next((name for flag, name in INSTRUCTIONS if flag in flags), None)


def libraries():
    """Return a sentence for each numerical library among the mapped files of this process."""
    paths = {line.split(None, 5)[5] for line in read("/proc/self/maps").splitlines() if len(line.split(None, 5)) == 6}
    return sorted(described(path) for path in paths if LIBRARIES.search(path))


def described(path):
    """Return a library's file, its package, and for an OpenBLAS its own description."""
    owner = re.search(r"/site-packages/([^/]+?)(?:\.libs)?/", path)
    words = os.path.basename(path) + (" of %s" % owner.group(1) if owner else "")
    said = openblas(ctypes.CDLL(path)) if "openblas" in path else None
    return "%s: %s" % (words, said) if said else words


def openblas(library):
    """Return the configuration of a loaded OpenBLAS, e.g. ``OpenBLAS 0.3.20 DYNAMIC_ARCH Zen``; None for others."""
    for name in CONFIGURATIONS:
        if hasattr(library, name):
            function = getattr(library, name)
            function.restype = ctypes.c_char_p
            words = function().decode().split()
            return " ".join(word for word in words if not word.startswith(("MAX_THREADS", "NO_", "USE")))
    return None


def readable(**readers):
    """Return {key: reader()} for the readers that work in this release of a framework; other keys are absent.

    In a release without a setting, its attribute or module is missing. The value None means that there is nothing to
    report.
    """
    found = {}
    for key, reader in readers.items():
        try:
            value = reader()
        except (AttributeError, ImportError):
            continue
        if value is not None:
            found[key] = value
    return found


def read(path):
    """Return a file of /proc as text; "" if it does not exist."""
    if not os.path.exists(path):
        return ""
    with open(path) as file:
        return file.read()
