"""How far float32 moves the units that are nearest to their edges, with sums in pairs and with sums in a loop.

    .venv/bin/python benchmarks/reach_of_sums.py WORKLOAD …

For the first step of a workload's proof: the margin that it states; how near the nearest unit of the batch comes to its
edge; and how far the reference in float32 moves the nearest unit of a sample, if its sums over several axes add in
pairs, and in a loop. All relative to the root mean square of the layer. Prints Markdown.
"""

import argparse
import sys
import tempfile
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from laboratory import environment, make_work, open_session

from rosettabench.catalogue.framework import references
from rosettabench.catalogue.workload import find_workload
from rosettabench.client.session import Session, Work
from rosettabench.proof.decoded import give_rows
from rosettabench.proof.margins import Chooser, margins_of
from rosettabench.proof.walk import Array, Files
from rosettabench.proof.weights import proof_weights, save_weights


def open_reference(work: Work, folder: Path, begin: Files, rounded: str | None = None) -> Session:
    """Return the reference with some weights: in float64, or in float32 with something `rounded`."""
    entry = references(work.workload)[0]
    precision = "float32" if rounded else "float64"
    session = open_session(entry, entry.mode, environment(entry.locks[0]), work, folder, precision, rounded)
    session.build(begin)
    return session


def moved(work: Work, folder: Path, begin: Files, rows: Path, nearest: Array, rounded: str) -> float:
    """Return how far float32 moves the nearest unit of a sample."""
    session = open_reference(work, folder / "session", begin, rounded)
    try:
        give_rows(session, rows)
        return float(np.abs(margins_of(session, 0, folder / "margins") - nearest).max())
    finally:
        session.process.close()


def row(workload: str, folder: Path) -> str:
    """Return a row of the table."""
    stated = find_workload(workload)
    assert stated.proof.margin is not None, f"{workload} states no margin"
    work = make_work(stated, folder / "work")
    begin = save_weights(proof_weights(work.workload, work.setting.seed), folder / "begin")
    exact = open_reference(work, folder / "float64", begin)
    try:
        chooser = Chooser(exact, stated.proof.margin, folder / "chosen")
        chooser.choose(0)
    finally:
        exact.process.close()
    nearest = chooser.nearest[0]
    reach = [moved(work, folder / one, begin, chooser.path, nearest, one) for one in ("corrections", "weights")]
    figures = [stated.proof.margin, float(nearest.min()), *reach]
    return f"| `{workload}` | {' | '.join(f'{figure:.1e}' for figure in figures)} |"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("workloads", nargs="+")
    print("| workload | margin | nearest unit | moved, sums in pairs | moved, sums in a loop |")
    print("|---|---|---|---|---|")
    for workload in parser.parse_args().workloads:
        with tempfile.TemporaryDirectory() as folder:
            print(row(workload, Path(folder)), flush=True)


if __name__ == "__main__":
    main()
