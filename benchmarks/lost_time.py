"""How much of the controller's time honest workers leave out: what a request takes beyond its timed region.

    .venv/bin/python benchmarks/lost_time.py [-w fashion-mlp,imdb-gru] [-f pytorch,keras[jax]] [--blocks 15]

Each worker is alone, trains (or infers) at the workload's own extents, and does blocks of about 0.3 s, or of one step
if that takes longer. Prints as Markdown, for each cell, the median block by the controller's clock, how many
milliseconds of it the worker does not report, and that as a share of it. The rule for it is in
src/rosettabench/watch/clock.py.
"""

import argparse
import tempfile
from pathlib import Path
from statistics import median

from plain_scripts import PROBES, draw
from turns import NO_PROOF, WARM_UP, length_of_turn, make_work, worker

from rosettabench.catalogue.framework import competing_frameworks
from rosettabench.catalogue.workload import all_workloads
from rosettabench.errors import RosettaError
from rosettabench.resources.processors import usable_cores


def main():
    """Measure the chosen cells and print a line for each."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("-w", "--workloads", default="fashion-mlp,fashion-cnn,imdb-gru,shakespeare-gpt,gpt-decode")
    options.add_argument("-f", "--frameworks", default=",".join(competing_frameworks()))
    options.add_argument("--blocks", type=int, default=15)
    chosen = options.parse_args()
    workloads, frameworks = all_workloads(), competing_frameworks()
    print("| workload | contender | block, s | not reported, ms | at most, ms | share |\n|---|---|---|---|---|---|")
    for workload in (workloads[name] for name in chosen.workloads.split(",")):
        for entry in (frameworks[name] for name in chosen.frameworks.split(",")):
            if workload.implementation(entry.implementation_name) is not None:
                print(measure(workload, entry, chosen.blocks), flush=True)


def measure(workload, entry, blocks):
    """Return the line of one cell; of one that does not run here, with the reason."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        timed = workload.model_copy(update={"proof": NO_PROOF})  # at its own extents
        try:
            work = make_work(timed, folder, workload.batch_size, PROBES, usable_cores())
            with worker(entry, work, folder / "session") as session:
                steps = length_of_turn(session, PROBES)
                draw(work, steps * (WARM_UP + blocks))
                session.ask("batches", path=str(work.batches))
                turns = [session.block(number * steps, steps) for number in range(WARM_UP + blocks)][WARM_UP:]
        except RosettaError as error:
            return f"| {workload.name} | {entry.name} | {error.what} | | | |"
    lost = [1e3 * (turn.wall_s - turn.elapsed_s) for turn in turns]
    share = median(one / 1e3 / turn.wall_s for one, turn in zip(lost, turns, strict=True))
    wall = median(turn.wall_s for turn in turns)
    cells = (f"{wall:.2f}", f"{median(lost):.1f}", f"{max(lost):.1f}", f"{share:.1%}")
    return f"| {workload.name} | {entry.name} | {' | '.join(cells)} |"


if __name__ == "__main__":
    main()
