"""What a switch of a framework gains: a contender beside itself with one text of its adapter replaced, in turns.

    .venv/bin/python benchmarks/changed_adapter.py fashion-mlp -f pytorch:tuned --old 'fused=True' --new 'foreach=True'

The ratio is the time of a step as changed over the time as it is, paired within rounds: 1.2 means that the change makes
a step 1.2 times as long. Both processes live side by side, on the same batches. Nothing is proven here.
"""

import argparse
import sys
import tempfile
from pathlib import Path

import numpy as np
from turns import NO_PROOF, PROBES, WARM_UP, alternate, in_mode, in_words, length_of_turn, make_work, tamper, worker

from rosettabench.catalogue.contender import parse_contender
from rosettabench.catalogue.workload import all_workloads
from rosettabench.resources.processors import usable_cores
from rosettabench.statistics.interval import ratio_interval


def main() -> int:
    """Measure the chosen workloads and print a line for each."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("workloads", nargs="+", help="name, or name=samples of a step")
    options.add_argument("-f", "--framework", required=True)
    options.add_argument("--old", required=True, help="the text of the adapter that is replaced, where it occurs")
    options.add_argument("--new", required=True)
    options.add_argument("--rounds", type=int, default=12)
    chosen = options.parse_args()
    contender = parse_contender(chosen.framework)
    entry = in_mode(contender)
    print(f"{'':30} changed / as it is         ms/step, and changed   {usable_cores()} threads")
    with tempfile.TemporaryDirectory() as scratch:
        adapter = tamper(entry.path, [(chosen.old, chosen.new)], Path(scratch) / entry.path.name)
        for asked in chosen.workloads:
            name, _, size = asked.partition("=")
            workload = all_workloads()[name].model_copy(update={"proof": NO_PROOF})
            entries = {"as it is": entry, "changed": entry.model_copy(update={"path": adapter})}
            measure(workload, int(size or workload.batch_size), entries, chosen.rounds)
    return 0


def measure(workload, size, entries, rounds):
    """Let both take turns with batches of `size` samples, and print the ratio of their times."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        work = make_work(workload, folder / "work", size, PROBES, usable_cores())
        with (
            worker(entries["as it is"], work, folder / "1") as usual,
            worker(entries["changed"], work, folder / "2") as other,
        ):
            steps = min(PROBES // 2, length_of_turn(usual, PROBES))
            other.block(0, steps)
            times = alternate({"as it is": usual, "changed": other}, steps, range(WARM_UP + rounds))
    usual, changed = (np.array(times[name][WARM_UP:]) for name in ("as it is", "changed"))
    interval = ratio_interval(changed / usual)
    steps_ms = ", ".join(f"{1e3 * np.median(one):.3g}" for one in (usual, changed))
    print(f"{workload.name:20} {size:8}  {in_words(interval):26} {steps_ms}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
