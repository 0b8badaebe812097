"""The machine that a run was made on, and the one policy by which all workers use it."""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping
from pathlib import Path
from typing import Any

THREAD_VARIABLES = (
    "OMP_NUM_THREADS",
    "MKL_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "NUMEXPR_NUM_THREADS",
    "TF_NUM_INTRAOP_THREADS",
)
"""What the numerical libraries of the frameworks read before they start their threads."""

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
        "gpus": [],
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


def worker_variables(threads: int, backend: str | None, managed: bool, folder: Path) -> Mapping[str, str]:
    """Return the environment variables of a worker that works in `folder`.

    The policy: every worker inherits the same processors, and every numerical library is told the same number of
    threads. What each framework makes of it is read back and reported.
    """
    variables = {name: value for name, value in os.environ.items() if name not in PRIVATE}
    variables.update(dict.fromkeys(THREAD_VARIABLES, str(threads)))
    variables["TF_CPP_MIN_LOG_LEVEL"] = "2"
    if managed:
        variables["PYTHONNOUSERSITE"] = "1"
    if backend is not None:
        variables["KERAS_BACKEND"] = backend
        variables["KERAS_HOME"] = str(folder)  # the user's keras.json may change the precision
    return variables
