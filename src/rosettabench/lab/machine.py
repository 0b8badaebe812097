"""The machine that a run was made on, and the one policy by which all workers use it."""

from __future__ import annotations

import os
import platform
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rosettabench.places import cache_dir
from rosettabench.resources.gpu import gpu_names

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

TOPOLOGY = Path("/sys/devices/system/cpu")
"""Where Linux tells which processors are threads of one core (Documentation/admin-guide/cputopology.rst)."""

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


def usable_cores() -> int:
    """Return how many processors this process may use: the affinity, which its workers inherit."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def worker_processors(threads: int) -> list[int]:
    """Return the processors that every worker of a contest is held to: `threads` of those that this process may use.

    One of each core first, and second threads of cores only when all cores are taken. Fewer than `threads` if there
    are no more; none where the system has no affinity.
    """
    return sorted(processors_in_turn()[:threads])


def lane_processors(threads: int, lane: int) -> list[int]:
    """Return the processors of one of several workers that compute at the same time, counted from 0.

    They are the `threads` ones after those of the lanes before it, and from the first one on again when all are given
    away. None where the system has no affinity.
    """
    every = processors_in_turn()
    return sorted({every[(lane * threads + number) % len(every)] for number in range(threads)}) if every else []


def processors_in_turn() -> list[int]:
    """Return the processors of this process, one of each core first; none where the system has no affinity."""
    if not hasattr(os, "sched_getaffinity"):
        return []
    cores: dict[str, list[int]] = {}
    for processor in sorted(os.sched_getaffinity(0)):
        cores.setdefault(core_of(processor), []).append(processor)
    deepest = max(map(len, cores.values()))
    return [core[place] for place in range(deepest) for core in cores.values() if place < len(core)]


def core_of(processor: int, root: Path = TOPOLOGY) -> str:
    """Return what names the core that a processor belongs to: its siblings; itself where the system does not tell."""
    try:
        return (root / f"cpu{processor}" / "topology" / "thread_siblings_list").read_text().strip()
    except OSError:
        return str(processor)


@contextmanager
def confined(processors: Collection[int]) -> Iterator[None]:
    """Let whatever is started inside inherit these processors, and none besides: the worker, its threads and children.

    Inherited at birth, it holds for a worker in any language and before the first library is loaded, and for a
    framework that asks no variable how many threads it may have. Only the calling thread is moved, and moved back.
    """
    if not processors:
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, processors)
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


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
