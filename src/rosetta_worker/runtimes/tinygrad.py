"""tinygrad's runtime on the CPU: its device, threads and compiler."""

from tinygrad import Device
from tinygrad.helpers import BEAM, DEV, JIT, NUM_CPU_THREADS, db_connection

from rosetta_worker.surroundings import readable

NO_TF32 = "tinygrad has no switch for TF32 on processors: its own is for NVIDIA's GPUs"
"""Why precision=tf32 is not supported."""

NO_BFLOAT16 = "tinygrad has no mixed precision: a model in bfloat16 keeps its parameters in it, too"
"""Why precision=bfloat16 is not supported."""

NO_BFLOAT16_PRODUCT = "tinygrad writes bfloat16 as a type of C in which clang 14 does not compute"
"""Why no product in bfloat16 is measured."""

TABLES = "SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE 'compile_clang%'"
"""What asks tinygrad's cache for its tables of compiled kernels."""


def programs():
    """Return the number of programs that clang has made of kernels and tinygrad keeps for later processes."""
    cursor = db_connection().cursor()
    names = [name for (name,) in cursor.execute(TABLES).fetchall()]
    return sum(cursor.execute("SELECT COUNT(*) FROM '%s'" % name).fetchone()[0] for name in names)  # noqa: S608


PROGRAMS = programs()
"""The number of programs that were there when the process began."""


def start(setting):
    """Apply the setting's device. There is no setting for threads, and no search for faster kernels."""
    if setting.device != "cpu":
        raise NotImplementedError("tinygrad's builds for GPUs have not been tried: it is run on the CPU alone")
    DEV.value = "CPU"
    BEAM.value = 0
    NUM_CPU_THREADS.value = 1  # more of them cut a kernel into parts, which the one worker computes in turn


def synchronize():
    """Return when the CPU has computed everything."""
    Device["CPU"].synchronize()


def captures():
    """Return whether TinyJit captures. If not, it calls the function itself."""
    return JIT.value > 0


def settings():
    """Return the settings in force. One thread computes: it takes one kernel after the other."""
    found = {"device": Device.DEFAULT.lower(), "autocast": False, "threads": 1, "programs_kept": PROGRAMS}
    found.update(readable(compiler=compiler))
    return found


def compiler():
    """Return the name of what compiles the kernels."""
    return type(Device["CPU"].renderer).__name__.replace("Renderer", "").lower()
