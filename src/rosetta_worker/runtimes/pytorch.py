"""PyTorch's runtime: below its own API, and below Keras."""

import re

import torch

from rosetta_worker.surroundings import readable
from rosetta_worker.traces import attribute, chrome_events, marked

RELEASE = tuple(int(part) for part in torch.__version__.split(".")[:2])
"""The release that this is, as numbers: (2, 13)."""

SINCE = {
    "precision": ((1, 10), "its mixed precision, torch.autocast, came to the CPU with PyTorch 1.10"),
    "input": ((1, 7), "before PyTorch 1.7 the processes of a DataLoader end with every epoch, which a block is to it"),
}
"""By axis: the release that other values than the default came with, and why there are none before."""


def lacks():
    """Return {axis: why no other value than the default can be had} for this release."""
    return {axis: why for axis, (since, why) in SINCE.items() if since > RELEASE}


def start(setting):
    """Obey the setting's threads, and compute float32 as float32, unless it is TF32 that is asked for."""
    torch.set_num_threads(setting.threads)
    if hasattr(torch.backends.cuda, "matmul"):  # since 1.7
        torch.backends.cuda.matmul.allow_tf32 = setting.precision == "tf32"
        torch.backends.cudnn.allow_tf32 = setting.precision == "tf32"


def synchronize():
    """Wait for the GPU, where it was used; on the CPU nothing returns before it is done."""
    if torch.cuda.is_initialized():
        torch.cuda.synchronize()


def settings(tensor):
    """Return what is in force for a tensor."""
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
    """Return whether a GPU may round float32 to TF32: everywhere, nowhere, or where."""
    products, others = torch.backends.cuda.matmul.allow_tf32, torch.backends.cudnn.allow_tf32
    return products if products == others else "matrix products only" if products else "cuDNN only"


def autocast(device):
    """Return the precision that operations on `device` choose instead of the parameters', or that they choose none."""
    if hasattr(torch.amp, "is_autocast_available"):  # since then (2.4) one function knows all devices
        chosen = str(torch.get_autocast_dtype(device)).replace("torch.", "")
        return chosen if torch.is_autocast_enabled(device) else False
    return torch.is_autocast_cpu_enabled() if device == "cpu" else torch.is_autocast_enabled()


def compilation():
    """Return what torch.compile has made of the step so far: its graphs, the breaks between them, frames given up."""
    from torch._dynamo.utils import counters  # no public name tells

    frames = counters["frames"]
    return {
        "compiler": "torch.compile",
        "graphs": counters["stats"]["unique_graphs"],
        "graph_breaks": sum(counters["graph_break"].values()),
        "fallbacks": frames["total"] - frames["ok"],
    }


def built_with(names):
    """Return the part of PyTorch's own description of its build that names a library, without its commit and date."""
    lines = [line.strip(" -") for line in torch.__config__.show().splitlines() if re.search(names, line)]
    return re.sub(r"-Product Build.*| \(Git.*", "", lines[0]) if lines else None


def profile(work, folder):
    """torch.profiler. What the optimiser does is marked by a name that begins so, where PyTorch annotates it."""
    with torch.profiler.profile() as profiler:
        elapsed = work()
    path = folder + "/trace.json"
    profiler.export_chrome_trace(path)
    found = list(chrome_events(path))
    kinds = {"kernel", "gpu_memcpy", "gpu_memset"} if torch.cuda.is_initialized() else {"cpu_op"}
    operations = [event for kind, event in found if kind in kinds]
    updates = [event for _, event in found if event[3].startswith("Optimizer.step")]
    return elapsed, attribute(marked(operations, updates, "optimizer/"))
