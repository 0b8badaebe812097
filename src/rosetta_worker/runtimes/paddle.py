"""PaddlePaddle's runtime: its device, threads, libraries and profiler."""

import ctypes
import os

import paddle

from rosetta_worker.runtimes.mkl import mkl_cpu_type
from rosetta_worker.surroundings import readable
from rosetta_worker.traces import attribute, chrome_events, marked

NO_TF32 = "PaddlePaddle as documented has no switch for TF32, nor a use for one in its build for the CPU"
"""Why precision=tf32 is not supported."""

NO_BFLOAT16 = "PaddlePaddle has no kernels for bfloat16 on the CPU: its auto_cast leaves float32 as it is there"
"""Why precision=bfloat16 is not supported."""


def start(setting):
    """Apply the setting's device. Threads follow OMP_NUM_THREADS, which PaddlePaddle reads at its import."""
    paddle.device.set_device(setting.device.replace("cuda", "gpu"))


def synchronize():
    """Wait for the GPU, if there is one. On the CPU every call waits."""
    if paddle.is_compiled_with_cuda():
        paddle.device.synchronize()


def settings(tensor):
    """Return the settings in force for a tensor."""
    found = {"device": "cpu" if tensor.place.is_cpu_place() else "cuda", "autocast": autocast()}
    found.update(readable(threads=threads, oneDNN=one_dnn, blas=blas, mkl_cpu_type=mkl_cpu_type))
    return found


def autocast():
    """Return the precision that operations use instead of that of the parameters; False if they do not."""
    return paddle.get_autocast_cpu_dtype() if paddle.is_autocast_enabled() else False


def threads():
    """Return the threads of the OpenMP that PaddlePaddle's libraries share. It has no function for that."""
    return ctypes.CDLL(paddle.base.libpaddle.__file__).omp_get_max_threads()


def one_dnn():
    """Return whether graphs compute with oneDNN (docs/findings.md). Operations outside of a graph never do."""
    [enabled] = paddle.get_flags("FLAGS_use_onednn").values()
    return enabled


def blas():
    """Return the version of the MKL in PaddlePaddle's wheel; None if it is built with another library."""
    path = os.path.join(os.path.dirname(paddle.__file__), "libs", "libmklml_intel.so")
    if not os.path.exists(path):
        return None
    said = ctypes.create_string_buffer(200)
    ctypes.CDLL(path).MKL_Get_Version_String(said, len(said))
    return said.value.decode().partition(" Product Build")[0]


def profile(work, folder):
    """Profile with paddle.profiler. The operations of the optimiser's step get a prefix."""
    path = os.path.join(folder, "trace.json")

    def export(profiler):
        profiler.export(path, format="json")

    with paddle.profiler.Profiler(targets=[paddle.profiler.ProfilerTarget.CPU], on_trace_ready=export):
        elapsed = work()
    found = [(kind, event[:3] + (plain(event[3]),)) for kind, event in chrome_events(path)]
    updates = [event for kind, event in found if kind == "Optimization"]
    operations = [event for kind, event in found if kind == "Operator"]
    return elapsed, attribute(marked(operations, updates, "optimizer/"))


def plain(name):
    """Return an operation's name without its duration: ``matmul`` for ``matmul dygraph[2.138 ms]``."""
    return name.partition("[")[0].replace(" dygraph", "")
