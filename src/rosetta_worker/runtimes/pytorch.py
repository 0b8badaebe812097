"""PyTorch's runtime, below its own API and below Keras."""

import re

import torch

from rosetta_worker.surroundings import readable
from rosetta_worker.traces import attribute, chrome_events, marked

RELEASE = tuple(int(part) for part in torch.__version__.split(".")[:2])
"""The installed release as numbers: (2, 13)."""

SINCE = {
    "precision": ((1, 10), "its mixed precision, torch.autocast, came to the CPU with PyTorch 1.10"),
    "input": ((1, 7), "before PyTorch 1.7 the processes of a DataLoader end with every epoch, which a block is to it"),
}
"""{axis: (first release that supports other values than the default, why earlier ones do not)}."""


def lacks():
    """Return {axis: why only the default is supported} for this release."""
    return {axis: why for axis, (since, why) in SINCE.items() if since > RELEASE}


def start(setting):
    """Apply the setting's threads, and compute float32 exactly unless TF32 is asked for."""
    torch.set_num_threads(setting.threads)
    if hasattr(torch.backends.cuda, "matmul"):  # since 1.7
        torch.backends.cuda.matmul.allow_tf32 = setting.precision == "tf32"
        torch.backends.cudnn.allow_tf32 = setting.precision == "tf32"


def synchronize():
    """Wait for the GPU, if it was used. On the CPU every call waits."""
    if torch.cuda.is_initialized():
        torch.cuda.synchronize()


def settings(tensor):
    """Return the settings in force for a tensor."""
    device = tensor.device.type
    found = {"threads": torch.get_num_threads(), "device": device}
    found.update(
        readable(
            inter_op_threads=lambda: torch.get_num_interop_threads(),
            oneDNN=lambda: torch.backends.mkldnn.is_available() and torch.backends.mkldnn.enabled,
            blas=lambda: built_with("Math Kernel Library Version|OpenBLAS"),
            oneDNN_version=lambda: built_with("MKL-DNN|oneDNN"),
            isa=lambda: torch.backends.cpu.get_cpu_capability(),
            matmul_precision=lambda: torch.get_float32_matmul_precision(),
            tf32=lambda: tensor_float32() if device == "cuda" else None,
            autocast=lambda: autocast(device),
            debug=lambda: torch.version.debug,
            deterministic=lambda: torch.are_deterministic_algorithms_enabled(),
            cudnn_benchmark=lambda: torch.backends.cudnn.benchmark if device == "cuda" else None,
        )
    )
    return found


def tensor_float32():
    """Return whether a GPU may round float32 to TF32: True, False, or the operations that may."""
    products, others = torch.backends.cuda.matmul.allow_tf32, torch.backends.cudnn.allow_tf32
    return products if products == others else "matrix products only" if products else "cuDNN only"


def autocast(device):
    """Return the precision that operations on `device` use instead of that of the parameters; False if they do not."""
    if hasattr(torch.amp, "is_autocast_available"):  # since 2.4, one function serves all devices
        chosen = str(torch.get_autocast_dtype(device)).replace("torch.", "")
        return chosen if torch.is_autocast_enabled(device) else False
    return torch.is_autocast_cpu_enabled() if device == "cpu" else torch.is_autocast_enabled()


def compilation():
    """Return what torch.compile has made of the step so far: graphs, graph breaks, and functions that it gave up."""
    from torch._dynamo.utils import counters  # it has no public name

    frames = counters["frames"]
    return {
        "compiler": "torch.compile",
        "graphs": counters["stats"]["unique_graphs"],
        "graph_breaks": sum(counters["graph_break"].values()),
        "fallbacks": frames["total"] - frames["ok"],
    }


def built_with(names):
    """Return the line of PyTorch's build description that names a library, without commit and date."""
    lines = [line.strip(" -") for line in torch.__config__.show().splitlines() if re.search(names, line)]
    return re.sub(r"-Product Build.*| \(Git.*", "", lines[0]) if lines else None


def profile(work, folder):
    """Profile with torch.profiler. Where PyTorch annotates optimisers, their operations get a prefix."""
    with torch.profiler.profile() as profiler:
        elapsed = work()
    path = folder + "/trace.json"
    profiler.export_chrome_trace(path)
    found = list(chrome_events(path))
    kinds = {"kernel", "gpu_memcpy", "gpu_memset"} if torch.cuda.is_initialized() else {"cpu_op"}
    operations = [event for kind, event in found if kind in kinds]
    updates = [event for _, event in found if event[3].startswith("Optimizer.step")]
    return elapsed, attribute(marked(operations, updates, "optimizer/"))
