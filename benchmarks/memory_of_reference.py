"""How much memory the reference needs for two steps of a workload, beside the least that a contender needs.

.venv/bin/python benchmarks/memory_of_reference.py WORKLOAD [BATCH]
"""

import resource
import sys
import tempfile
from pathlib import Path

from noise_of_first_steps import take, timed_work

from rosettabench.catalogue.framework import references
from rosettabench.catalogue.workload import find_workload
from rosettabench.plan.estimate import MEMORY_BYTES, least_memory
from rosettabench.plan.plan import PlannedContest


def main(name: str, batch: str = "") -> None:
    """Print both, and how many times as much the reference needs, both without what a worker without work needs."""
    stated = find_workload(name)
    with tempfile.TemporaryDirectory() as folder:
        work = timed_work(name, Path(folder), int(batch or 0) or None)
        take(references(stated)[0], "float64", work, 2, Path(folder) / "reference")
    needed = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
    least = least_memory(PlannedContest(stated, work.setting, (), {}))
    times = (needed - MEMORY_BYTES) / (least - MEMORY_BYTES)
    print(f"{name}, {work.setting.batch_size} samples: {needed / 1e9:.2f} GB, {times:.1f} times {least / 1e9:.2f} GB")


if __name__ == "__main__":
    main(*sys.argv[1:])
