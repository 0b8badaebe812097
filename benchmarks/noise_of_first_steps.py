"""How far honest float32 is from float64 after the first steps of a workload, at the extents that are timed.

    .venv/bin/python benchmarks/noise_of_first_steps.py WORKLOAD … [--steps 6] [-f pytorch]

The reference takes the steps in float64 and in float32, and a framework takes them, too. Prints as Markdown how far the
parameters are apart, relative to how far they moved, in the median tensor; and how far the mean loss from the second
step on is, relative to itself. Only workloads without dropout.
"""

import argparse
import sys
import tempfile
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from laboratory import environment, make_work, open_session

from rosettabench.catalogue.framework import FrameworkEntry, all_frameworks, references
from rosettabench.catalogue.workload import find_workload
from rosettabench.client.session import Work
from rosettabench.plan.proof_steps import STEPS
from rosettabench.watch.exact import TakenSteps
from rosettabench.watch.moves import Move, compare_moves, moved_tensors


def timed_work(workload: str, folder: Path, batch_size: int | None = None, steps: int = 3 * STEPS) -> Work:
    """Return the work of a workload at the extents that are timed, and at the stated batch size unless one is named."""
    stated = find_workload(workload)
    assert stated.training is not None, f"{workload} trains nothing"
    whole = stated.model_copy(update={"proof": type(stated.proof)()})
    return make_work(whole, folder, batch_size or stated.training.batch_size, steps)


def take(entry: FrameworkEntry, precision: str, work: Work, steps: int, folder: Path) -> TakenSteps:
    """Return the first steps as a framework takes them."""
    session = open_session(entry, entry.mode, environment(entry.locks[0]), work, folder / "session", precision)
    try:
        losses = tuple(session.train(step, 1).loss or 0.0 for step in range(steps))
        return TakenSteps(Move(work.weights, session.ask("parameters", folder=str(folder / "after"))["files"]), losses)
    finally:
        session.process.close()


def row(workload: str, framework: str, steps: int, folder: Path) -> str:
    """Return a row of the table."""
    stated = find_workload(workload)
    work = timed_work(workload, folder)
    who = {
        "exact": (references(stated)[0], "float64"),
        "rounded": (references(stated)[0], "float32"),
        "framework": (all_frameworks()[framework], "float32"),
    }
    taken = {name: take(*one, work, steps, folder / name) for name, one in who.items()}
    trained = [tensor.name for tensor in stated.tensors if tensor.trained]
    moves = {name: one.move for name, one in taken.items()}
    apart = compare_moves(moves, moved_tensors(moves["exact"], trained)).distance
    late = {name: np.mean(one.losses[1:]) for name, one in taken.items()}
    off = {name: abs(late[name] - late["exact"]) / abs(late["exact"]) for name in ("rounded", "framework")}
    figures = [apart["exact", name] for name in off] + list(off.values())
    return f"| `{workload}` | {' | '.join(f'{figure:.1e}' for figure in figures)} |"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("workloads", nargs="+")
    parser.add_argument("--steps", type=int, default=6)
    parser.add_argument("-f", dest="framework", default="pytorch")
    asked = parser.parse_args()
    print(f"| workload | parameters: reference | {asked.framework} | loss: reference | {asked.framework} |")
    print("|---|---|---|---|---|")
    for workload in asked.workloads:
        with tempfile.TemporaryDirectory() as folder:
            print(row(workload, asked.framework, asked.steps, Path(folder)), flush=True)


if __name__ == "__main__":
    main()
