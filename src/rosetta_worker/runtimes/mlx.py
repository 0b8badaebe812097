"""MLX's runtime on the CPU: its device, threads and libraries."""

import os
import pathlib
import tempfile

import mlx.core as mx

from rosetta_worker.surroundings import readable

NO_TF32 = "MLX has a switch for TF32 on GPUs alone"
"""Why precision=tf32 is not supported."""

NO_BFLOAT16 = "MLX has no mixed precision: a model in bfloat16 keeps its parameters in it, too"
"""Why precision=bfloat16 is not supported."""

KEPT = pathlib.Path(tempfile.gettempdir()) / "mlx" / mx.__version__ / "cpu"
"""The folder in which MLX keeps the programs that g++ has made of its fused operations, for later processes."""

PROGRAMS = len(list(KEPT.glob("*.so")))
"""The number of programs that were there when the process began."""


def start(setting):
    """Apply the setting's device. There is no setting for threads."""
    mx.set_default_device(mx.gpu if setting.device == "cuda" else mx.cpu)


def settings():
    """Return the settings in force. One thread computes: it takes one operation after the other, undivided."""
    device = "cpu" if mx.default_device() == mx.Device(mx.cpu) else "cuda"
    found = {"device": device, "autocast": False, "threads": 1, "programs_kept": PROGRAMS}
    found.update(readable(blas=blas))
    return found


def compiles():
    """Return whether mx.compile compiles. If not, it calls the function itself."""
    return "MLX_DISABLE_COMPILE" not in os.environ


def blas():
    """Return the BLAS in MLX's wheel; None if it is built with another library."""
    files = sorted(pathlib.Path(mx.__file__).parents[1].glob("mlx_cpu.libs/libblas-*.so.*"))
    return "Netlib's reference BLAS %s" % files[0].name.partition(".so.")[2] if files else None
