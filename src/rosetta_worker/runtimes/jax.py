"""JAX's runtime, below Flax and below Keras."""

import os
import pathlib

import jax

from rosetta_worker.surroundings import readable
from rosetta_worker.traces import attribute
from rosetta_worker.xplane import host_events, instructions


def start(setting):
    """Apply the setting's device and precision. XLA's threads follow the processors of the process."""
    jax.config.update("jax_default_device", jax.devices(setting.device)[0])
    jax.config.update("jax_default_matmul_precision", "tensorfloat32" if setting.precision == "tf32" else "float32")


def synchronize():
    """Wait for every array that is alive: the parameters, the optimiser's state, the last results.

    JAX has no function that waits for the device. But each step reads the results of the step before it, so the last
    state implies all earlier ones.
    """
    jax.block_until_ready(jax.live_arrays())


def settings(tensor):
    """Return the settings in force for an array."""
    device = next(iter(tensor.devices())).platform.replace("gpu", "cuda")
    found = {
        "threads": eigen_threads(),
        "device": device,
        "matmul_precision": jax.config.jax_default_matmul_precision,
        "x64": jax.config.jax_enable_x64,
    }
    found.update(
        readable(
            tf32=lambda: tensor_float32() if device == "cuda" else None,
            xla_flags=lambda: os.environ.get("XLA_FLAGS"),
        )
    )
    return found


def tensor_float32():
    """Return whether XLA may round float32 to TF32 on a GPU, which is its default."""
    return jax.config.jax_default_matmul_precision not in ("float32", "highest")


def eigen_threads():
    """Return the number of XLA's computing threads on the CPU, counted in /proc; None if that is not available."""
    names = [path.read_text() for path in pathlib.Path("/proc/self/task").glob("*/comm")]
    return sum(name.startswith("tf_XLAEigen") for name in names) or None


def profile(work, folder):
    """Profile with jax.profiler. The compiled programs tell the source and the fused operations of instructions."""
    options = jax.profiler.ProfileOptions()
    options.python_tracer_level = 0  # it would trace every Python call, which is slow
    with jax.profiler.trace(folder, profiler_options=options):
        elapsed = work()
    known = instructions(folder)
    running = [(event[:3], (event[4], event[3])) for event in host_events(folder)]
    operations = attribute(moment + (key,) for moment, key in running if key in known)
    for one in operations:
        source, one["within"] = known[one["name"]]
        one["name"] = ("%s %s" % (one["name"][1], source)).strip()
    return elapsed, operations
