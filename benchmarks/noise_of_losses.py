"""How far the losses of honest contenders drift apart while they train.

    .venv/bin/python benchmarks/noise_of_losses.py WORKLOAD [-f pytorch] [--batch 256] [--copies 6] [--steps 120]

Copies of a contender begin with weights that are moved by one unit in the last place. They train the same batches, one
step a block. What training makes of that is what it makes of the round-off of any honest contender.

Prints as Markdown, for every pair of copies, the first block in which they differ by more than 1e-3 and by more than
10%, the largest difference in a block, and that of the means over all blocks and over the later half, in percent.
Differences are relative. The losses are written to --results; --steps 0 prints those of an earlier time.
"""

import argparse
import json
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from laboratory import environment, open_session
from noise_of_first_steps import timed_work

from rosettabench.catalogue.framework import all_frameworks
from rosettabench.proof.weights import draw_weights, perturb, save_weights
from rosettabench.resources.processors import usable_cores


def losses_of(copy, asked, work, folder):
    """Return the mean loss of each step of one copy; copy 0 begins with the canonical weights."""
    drawn = draw_weights(work.workload, work.setting.seed)
    begin = perturb(drawn, copy) if copy else drawn
    entry = all_frameworks()[asked.framework]
    work = replace(work, weights=save_weights(begin, folder / f"weights-{copy}"))
    session = open_session(entry, entry.mode, environment(entry.locks[0]), work, folder / f"session-{copy}")
    try:
        return [session.train(step, 1).loss for step in range(asked.steps)]
    finally:
        session.process.close()


def measure(asked):
    """Yield the losses of each copy; as many copies train at a time as there are processors."""
    with tempfile.TemporaryDirectory() as place, ThreadPoolExecutor(usable_cores()) as pool:
        work = timed_work(asked.workload, Path(place) / "work", asked.batch, asked.steps)
        yield from pool.map(lambda copy: losses_of(copy, asked, work, Path(place)), range(asked.copies))


def first_over(apart, limit):
    """Return the first block, from 1, in which a pair is apart by more than `limit`."""
    found = np.flatnonzero(apart > limit)
    return str(found[0] + 1) if len(found) else "never"


def main():
    """Measure what is asked, and print the table of everything in the file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("workload")
    parser.add_argument("-f", dest="framework", default="pytorch")
    parser.add_argument("--batch", type=int, help="samples of a step, instead of the workload's own batch")
    parser.add_argument("--copies", type=int, default=6)
    parser.add_argument("--steps", type=int, default=120)
    parser.add_argument("--results", type=Path, default=Path("losses.json"))
    asked = parser.parse_args()
    if asked.steps:
        asked.results.write_text(json.dumps(list(measure(asked))))
    losses = np.array(json.loads(asked.results.read_text()))
    print("| pair | above 1e-3 | above 10% | largest, % | means, % | of the later half, % |\n|---|---|---|---|---|---|")
    for one, other in combinations(range(len(losses)), 2):
        signed = (losses[one] - losses[other]) / np.maximum(abs(losses[one]), abs(losses[other]))
        late = signed[len(signed) // 2 :]
        figures = (100 * abs(signed).max(), 100 * signed.mean(), 100 * late.mean())
        firsts = [first_over(abs(signed), limit) for limit in (1e-3, 0.1)]
        print(f"| {one}, {other} | {' | '.join(firsts)} | {' | '.join(f'{figure:.1f}' for figure in figures)} |")


if __name__ == "__main__":
    main()
