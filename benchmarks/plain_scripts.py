"""Each implementation beside a plain script that a good user of its framework would write for the same model, in turns.

    .venv/bin/python benchmarks/plain_scripts.py [-w fashion-mlp] [-f pytorch,jax:tuned] [--rounds 30] [--batch 8]

Both processes live side by side, as contenders do, with the same environment, variables, processors and batches. The
ratio is script over implementation, paired within rounds: 1 and more means that the implementation is at least as fast.
A cell whose whole interval lies below 0.97 is a defect, and the exit code is 1.
"""

import argparse
import sys
import tempfile
from pathlib import Path

import numpy as np
from turns import (
    NO_PROOF,
    PROBES,
    WARM_UP,
    in_mode,
    in_words,
    length_of_turn,
    make_work,
    plain_script,
    script_of,
    take_turns,
    worker,
)

from rosettabench.catalogue.contender import parse_contender
from rosettabench.catalogue.framework import competing_frameworks
from rosettabench.catalogue.workload import all_workloads
from rosettabench.client.batches import draw_batches
from rosettabench.resources.processors import usable_cores
from rosettabench.statistics.interval import ratio_interval

GOAL = 1.0
DEFECT = 0.97


def main() -> int:
    """Measure the chosen cells, print a line for each, and return 1 if one of them is a defect."""
    workloads = {name: one for name, one in all_workloads().items() if has_script(one)}
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("-w", "--workloads", default=",".join(workloads))
    options.add_argument("-f", "--frameworks", default=",".join(competing_frameworks()))
    options.add_argument("--rounds", type=int, default=30)
    options.add_argument("--batch", type=int, help="samples of a step, instead of the workload's own batch")
    chosen = options.parse_args()
    unknown = set(chosen.workloads.split(",")) - set(workloads)
    if unknown:
        options.error(f"no plain script for {', '.join(sorted(unknown))}; there are scripts for {', '.join(workloads)}")
    contenders = [parse_contender(label) for label in chosen.frameworks.split(",")]
    cells = [
        (workloads[name], contender)
        for name in chosen.workloads.split(",")
        for contender in contenders
        if script_of(workloads[name], contender.entry).exists()
    ]
    print(f"{'':36}  script / implementation     middle half   ms/step  losses           {usable_cores()} threads")
    defects = [measure(workload, contender, chosen.rounds, chosen.batch) for workload, contender in cells]
    print(f"{len(cells)} cells, {sum(defects)} defects")
    return 1 if any(defects) else 0


def has_script(workload):
    """Return whether there is a plain script for the workload in any framework."""
    return any(script_of(workload, entry).exists() for entry in competing_frameworks().values())


def measure(workload, contender, rounds, batch):
    """Measure one cell, print its line, and return whether it is a defect."""
    entry = in_mode(contender)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        timed = workload.model_copy(update={"proof": NO_PROOF})  # at its own extents
        work = make_work(timed, folder, batch or workload.batch_size, PROBES, usable_cores())
        with worker(entry, work, folder / "session") as session:
            steps = length_of_turn(session, PROBES)
            draw(work, steps * (WARM_UP + rounds))
            session.ask("batches", path=str(work.batches))
            with plain_script(entry, work, folder / "script") as script:
                ours, plain, _, loss = take_turns(session, script, steps, rounds)
                losses = loss, script.loss  # on the same batches
    ratios = np.array(plain) / np.array(ours)
    interval = ratio_interval(ratios)
    low, high = np.quantile(ratios, [0.25, 0.75])
    step = 1e3 * np.median(ours) / steps
    print(
        f"{workload.name:14}  {contender.label:20}  {in_words(interval):26}  {low:.3f} to {high:.3f}  {step:7.3f}  "
        f"{' '.join(f'{loss:.4f}' for loss in losses if loss is not None):13}  {judge(interval)}",
        flush=True,
    )
    return interval is not None and interval.high < DEFECT


def draw(work, steps):
    """Draw so many batches for both processes; what is inferred, goes through them as they lie."""
    samples, size = work.data.train.samples, work.setting.batch_size
    if work.workload.inference is None:
        rows = draw_batches(samples, size, steps, work.setting.seed)
    else:
        rows = np.arange(steps * size).reshape(steps, size) % samples
    np.save(work.batches, rows)


def judge(interval):
    """Return in words what an interval says."""
    if interval is None:
        return "open"
    if interval.high < DEFECT:
        return "DEFECT: slower than a plain script"
    if interval.low >= GOAL:
        return "faster"
    return "as fast, or open" if interval.high >= GOAL else "slower, no defect for certain"


if __name__ == "__main__":
    sys.exit(main())
