"""Describe the machine of a run, and apply the one policy by which all workers use it."""

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
"""Variables from which the numerical libraries of the frameworks read their number of threads."""

PROGRAMS = "JAX_COMPILATION_CACHE_DIR"
"""Where JAX caches compiled programs (https://docs.jax.dev/en/latest/persistent_compilation_cache.html)."""

SHORTEST_KEPT = "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS"
"""JAX caches a program only if compiling it took at least this many seconds. The default, one second, excludes all
programs of a step that runs op by op."""

COMPILED = "ROSETTA_COMPILED"
"""Where Theano, which always caches what it compiles, does so (runtimes/theano.py)."""

SHARED_GPU = {"XLA_PYTHON_CLIENT_PREALLOCATE": "false", "TF_FORCE_GPU_ALLOW_GROWTH": "true"}
"""Variables by which JAX and TensorFlow allocate a GPU's memory as they need it. By default the first worker of either
takes most of it at its start, and a second one on the same GPU fails
(https://docs.jax.dev/en/latest/gpu_memory_allocation.html, https://www.tensorflow.org/guide/gpu). Values that the user
has set stay, and are then among the decisive variables."""

KEPT_MEMORY = {"MALLOC_MMAP_THRESHOLD_": str(32 << 20), "MALLOC_TRIM_THRESHOLD_": str(1 << 40)}
"""Variables by which a reference keeps the memory of freed arrays. By default glibc returns it to the system, which
clears the pages of the next array: a third of the time of imdb-gru's reference. The first is the highest threshold that
glibc accepts. No contender gets them."""

DECISIVE = (
    "ATEN_", "BEAM", "BLIS_", "CHAINER_", "CUBLAS_", "CUDA_", "CUDNN_", "CUPY_", "DNNL_", "FLAGS_",
    "GLIBC_TUNABLES", "GOMP_", "JAX_", "JIT", "KERAS_", "KMP_", "LD_PRELOAD", "LIBXSMM_", "MALLOC_", "MKL_",
    "MLX_", "MXNET_", "NCCL_", "NOOPT", "NPY_", "NUMEXPR_", "NVIDIA_", "OMP_", "ONEDNN_", "OPENBLAS_", "PYTORCH_",
    "TF_", "THEANO_", "TORCH", "XLA_",
)  # fmt: skip
"""Prefixes of the variables by which users, or their systems, change what frameworks compute and how fast."""

OURS = {PROGRAMS, SHORTEST_KEPT, "CUDA_DEVICE_ORDER", "TF_CPP_MIN_LOG_LEVEL", "KERAS_BACKEND", "KERAS_HOME"}
"""Variables with these prefixes that are part of the policy, or do not change what is computed."""

LABELS = {"CUDA_VERSION", "NCCL_VERSION", "NVIDIA_DRIVER_CAPABILITIES", "NVIDIA_PRODUCT_NAME", "NVIDIA_REQUIRE_CUDA"}
"""Variables by which NVIDIA's container images describe themselves, one of them in two thousand characters. The
versions that frameworks use are read from the frameworks."""

TERRAFORM = (
    "TF_ACC", "TF_APPEND_USER_AGENT", "TF_CLI_", "TF_CLOUD_", "TF_DATA_DIR", "TF_ENCRYPTION", "TF_HTTP_", "TF_IGNORE",
    "TF_INPUT", "TF_IN_AUTOMATION", "TF_LOG", "TF_PLUGIN_", "TF_REATTACH_PROVIDERS", "TF_REGISTRY_", "TF_STATE_",
    "TF_TOKEN_", "TF_VAR_", "TF_WORKSPACE",
)  # fmt: skip
"""Prefixes of Terraform's variables, which TensorFlow does not read
(https://developer.hashicorp.com/terraform/cli/config/environment-variables)."""

SECRET = ("API_KEY", "CREDENTIAL", "PASSWORD", "SECRET", "TOKEN")
"""Parts of the names of variables that hold secrets, like NVIDIA_API_KEY. Reports and certificates would show them."""

PRIVATE = ("PYTHONPATH", "PYTHONHOME", "PYTHONSTARTUP", "VIRTUAL_ENV", "__PYVENV_LAUNCHER__")
"""Variables of the controller's own interpreter, which would mislead the worker's."""


def describe_machine() -> dict[str, Any]:
    """Return the facts of this machine that a reader needs to judge the numbers."""
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
    """Return the processor's name as the system reports it."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


@contextmanager
def kept_programs(folder: Path) -> Iterator[None]:
    """Let the workers started inside share a cache of compiled programs in a folder.

    Use it only if nothing is timed or profiled: it shortens the first step, and the profiler does not know the names of
    the operations in a cached program. Only JAX obeys; it keys a program by all its inputs. PyTorch and Theano always
    use a cache, also while they are timed; the other frameworks have none.
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
    """Return the variables that change what frameworks compute or how fast.

    Those of the policy, labels, Terraform's and secrets are not among them.
    """
    without = {*OURS, *LABELS, *THREAD_VARIABLES}
    return {
        name: variables[name]
        for name in sorted(variables)
        if name.startswith(DECISIVE) and not name.startswith(TERRAFORM)
        if name not in without and not any(part in name for part in SECRET)
    }


def backend_variables(backend: str | None) -> dict[str, str]:
    """Return the environment variable by which Keras finds its back end at import; none for other frameworks."""
    return {} if backend is None else {"KERAS_BACKEND": backend}


def worker_variables(threads: int, backend: str | None, managed: bool, folder: Path) -> Mapping[str, str]:
    """Return the environment variables of a worker that works in `folder`.

    The policy: all workers may use the same processors (`worker_processors`), as many as threads, and every numerical
    library is given that number. The settings in force are read back and compared (lab/fairness.py).
    """
    variables = {name: value for name, value in os.environ.items() if name not in PRIVATE}
    variables.update(dict.fromkeys(THREAD_VARIABLES, str(threads)))
    variables.setdefault(COMPILED, str(cache_dir() / "compiled"))
    for name, value in SHARED_GPU.items():
        variables.setdefault(name, value)
    variables["TF_CPP_MIN_LOG_LEVEL"] = "2"
    variables["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"  # the order of the driver, which reports the energy
    if managed:
        variables["PYTHONNOUSERSITE"] = "1"
        variables.pop("PYTHONDONTWRITEBYTECODE", None)  # else each worker would compile its framework's code again
    variables.update(backend_variables(backend))
    if backend is not None:
        variables["KERAS_HOME"] = str(folder)  # the user's keras.json may change the precision
    return variables
