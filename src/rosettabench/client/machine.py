"""The machine that a run was made on, and the one policy by which all workers use it."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rosettabench.places import cache_dir
from rosettabench.resources.gpu import gpu_names
from rosettabench.resources.processors import usable_cores

THREAD_VARIABLES = (
    "OMP_NUM_THREADS",
    "MKL_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "NUMEXPR_NUM_THREADS",
    "TF_NUM_INTRAOP_THREADS",
    "TF_NUM_INTEROP_THREADS",
)
"""What the numerical libraries of the frameworks read before they start their threads."""

PROGRAMS = "JAX_COMPILATION_CACHE_DIR"
"""Where JAX keeps what XLA has compiled (https://docs.jax.dev/en/latest/persistent_compilation_cache.html)."""

SHORTEST_KEPT = "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS"
"""Seconds of compiling from which on JAX keeps a program. By itself it keeps none of below one, which are all those of
a step that is done op by op."""

COMPILED = "ROSETTA_COMPILED"
"""Where a framework that keeps what it compiles whatever it is told does so: Theano (runtimes/theano.py)."""

DECISIVE = (
    "BLIS_", "CUBLAS_", "CUDA_", "CUDNN_", "DNNL_", "GLIBC_TUNABLES", "GOMP_", "JAX_", "KERAS_", "KMP_", "LD_PRELOAD",
    "LIBXSMM_", "MALLOC_", "MKL_", "MXNET_", "NCCL_", "NPY_", "NUMEXPR_", "NVIDIA_", "OMP_", "ONEDNN_", "OPENBLAS_",
    "PYTORCH_", "TF_", "THEANO_", "TORCH", "XLA_",
)  # fmt: skip
"""How variables begin by which users, or their systems, change what frameworks compute and how fast."""

OURS = {PROGRAMS, SHORTEST_KEPT, "CUDA_DEVICE_ORDER", "TF_CPP_MIN_LOG_LEVEL", "KERAS_BACKEND", "KERAS_HOME"}
"""Variables of these that are part of the policy, or change nothing that is computed."""

PRIVATE = ("PYTHONPATH", "PYTHONHOME", "PYTHONSTARTUP", "VIRTUAL_ENV", "__PYVENV_LAUNCHER__")
"""Variables of the controller's own interpreter, which would mislead another one."""


def describe_machine() -> dict[str, Any]:
    """Return what a reader must know of this machine to judge the numbers."""
    import psutil

    return {
        "processor": processor_name(),
        "cores": usable_cores(),
        "cores_in_machine": os.cpu_count(),
        "memory_bytes": psutil.virtual_memory().total,
        "system": f"{platform.system()} {platform.release()}",
        "python": platform.python_version(),
        "gpus": gpu_names(),
    }


def processor_name() -> str:
    """Return the processor's name as the system gives it."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


@contextmanager
def kept_programs(folder: Path) -> Iterator[None]:
    """Let workers that are started inside keep what they compile in a folder, and find there what others have kept.

    Only for what is neither timed nor profiled: a first step would cost less than it does, and of a program that was
    kept the profiler knows no operation's name. JAX does it where it is told the folder, and keys a program by all that
    it is compiled from; PyTorch and Theano do so unasked, for what is timed, too; the other frameworks do not.
    """
    if PROGRAMS in os.environ:
        yield
        return
    wanted = {PROGRAMS: str(folder), SHORTEST_KEPT: "0"}
    variables = {name: value for name, value in wanted.items() if name not in os.environ}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name in variables:
            del os.environ[name]


def decisive_variables(variables: Mapping[str, str]) -> dict[str, str]:
    """Return those variables that change what frameworks compute, or how fast, and are not part of the policy."""
    policy = {*OURS, *THREAD_VARIABLES}
    return {name: variables[name] for name in sorted(variables) if name.startswith(DECISIVE) and name not in policy}


def backend_variables(backend: str | None) -> dict[str, str]:
    """Return the environment variables by which a framework finds its back end when it is imported: Keras' one."""
    return {} if backend is None else {"KERAS_BACKEND": backend}


def worker_variables(threads: int, backend: str | None, managed: bool, folder: Path) -> Mapping[str, str]:
    """Return the environment variables of a worker that works in `folder`.

    The policy: every worker may use the same processors (`worker_processors`), as many as threads, and every numerical
    library is told that number. What each framework makes of it is read back and compared (lab/fairness.py).
    """
    variables = {name: value for name, value in os.environ.items() if name not in PRIVATE}
    variables.update(dict.fromkeys(THREAD_VARIABLES, str(threads)))
    variables.setdefault(COMPILED, str(cache_dir() / "compiled"))
    variables["TF_CPP_MIN_LOG_LEVEL"] = "2"
    variables["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"  # the order in which the driver counts, which is asked for energy
    if managed:
        variables["PYTHONNOUSERSITE"] = "1"
    variables.update(backend_variables(backend))
    if backend is not None:
        variables["KERAS_HOME"] = str(folder)  # the user's keras.json may change the precision
    return variables
