"""How much memory the reference needs for two steps of a workload, beside the least that a contender needs.

.venv/bin/python benchmarks/memory_of_reference.py WORKLOAD [BATCH]
"""

import resource
import sys
import tempfile
from pathlib import Path

from noise_of_first_steps import take

from rosettabench.catalogue.framework import references
from rosettabench.catalogue.workload import find_workload
from rosettabench.plan.estimate import MEMORY_BYTES, least_memory
from rosettabench.plan.plan import PlannedContest
from rosettabench.plan.setting import Setting

from laboratory import make_work  # isort: skip - noise_of_first_steps says where it is


def main(name: str, batch: str = "") -> None:
    """Print both, and how many times as much the reference needs beyond a worker without work."""
    stated = find_workload(name)
    assert stated.training is not None, f"{name} trains nothing"
    size = int(batch or stated.training.batch_size)
    with tempfile.TemporaryDirectory() as folder:
        work = make_work(stated.model_copy(update={"proof": type(stated.proof)()}), Path(folder), size)
        take(references(stated)[0], "float64", work, 2, Path(folder) / "reference")
    needed = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
    least = least_memory(PlannedContest(stated, Setting(size, "cpu", "float32", 0, 1), (), {}))
    times = (needed - MEMORY_BYTES) / (least - MEMORY_BYTES)
    print(f"{name}, {size} samples: {needed / 1e9:.2f} GB, least {least / 1e9:.2f} GB: {times:.1f} times")


if __name__ == "__main__":
    main(*sys.argv[1:])
