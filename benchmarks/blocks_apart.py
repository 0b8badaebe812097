"""How often the proof would refuse an honest contender because its blocks differ.

    .venv/bin/python benchmarks/blocks_apart.py [WORKLOAD] [--blocks 600]

PyTorch on the CPU takes the block of a proof many times, and round-off that is drawn anew is added to its gradients, as
in tests/proof/test_passes.py. Data are stand-ins or real ones, as for the tests.

Prints as Markdown, for each number of further blocks, the tensor for which the rule of the proof errs most often, and
how often: its block ends further from the reference than is allowed, and further than ten times what the furthest of
the others ends from it. The others are drawn with replacement from all.
"""

import argparse
import sys
import tempfile
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tests" / "proof")]

from laboratory import environment, open_session, reference, small_work, tamper
from test_passes import RESTLESS

from rosettabench.catalogue.framework import all_frameworks
from rosettabench.plan.proof_steps import pace_of, steps_of
from rosettabench.proof.tolerance import GUIDES, SAFETY


def ends_of(workload, blocks, folder):
    """Return for each tensor where every block ends, as offsets from the reference relative to its move."""
    work = small_work(workload, folder / "work")
    exact = reference(work, folder / "reference")
    entry = all_frameworks()["pytorch"]
    restless = entry.model_copy(update={"path": tamper(entry.path, RESTLESS, folder / "adapters" / entry.path.name)})
    session = open_session(restless, entry.mode, environment(entry.locks[0]), work, folder / "session")
    last = exact.steps[-1]
    ends = {name: [] for name in last.ways}
    try:
        for _ in range(blocks):
            session.build(exact.start, dropout=not work.workload.dropout, pace=pace_of(work.workload))
            session.train(0, steps_of(work.workload))
            files = session.ask("parameters", folder=str(folder / "block"))["files"]
            for name, way in last.ways.items():
                off = np.load(files[name]).astype(np.float64) - np.load(last.parameters[name])
                ends[name].append(off.ravel() / way)
    finally:
        session.process.close()
    return {name: np.array(offsets) for name, offsets in ends.items()}


def refusals(offsets, most=5):
    """Return how often a block is refused beside 0 to `most` further ones."""
    products = offsets @ offsets.T
    squares = np.diag(products)
    size, apart = np.sqrt(squares), np.sqrt(np.maximum(0.0, squares[:, None] + squares - 2 * products))
    near = SAFETY * apart < size[:, None]
    np.fill_diagonal(near, False)
    alike = near.sum(axis=1) / (len(size) - 1)
    return [float(np.mean((size > GUIDES["block parameter"]) * alike**further)) for further in range(most + 1)]


def main():
    """Take the blocks and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("workload", nargs="?", default="fashion-mlp")
    parser.add_argument("--blocks", type=int, default=600)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        ends = ends_of(asked.workload, asked.blocks, Path(folder))
    often = {name: refusals(offsets) for name, offsets in ends.items()}
    print("| further blocks | refused | at |\n|---|---|---|")
    for further, shares in enumerate(zip(*often.values(), strict=True)):
        worst = max(zip(shares, often, strict=True))
        print(f"| {further} | {worst[0]:.2g} | {worst[1]} |")


if __name__ == "__main__":
    main()
