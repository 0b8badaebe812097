"""The largest loss of one sample while PyTorch trains from the canonical weights, at the extents that are timed.

    .venv/bin/python benchmarks/largest_losses.py WORKLOAD … [--looks 10] [--steps 2]

Some libraries have a loss with a limit: MXNet's counts no sample above 18.4, that of Keras 2 on MXNet and Theano none
above 16.1 (docs/findings.md). A look at a batch, some steps, another look: prints the largest loss of a sample in any
look, in nats, as Markdown. Only workloads whose labels are classes.
"""

import argparse
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from laboratory import environment, open_session
from noise_of_first_steps import timed_work

from rosettabench.catalogue.framework import find_framework
from rosettabench.proof.walk import read_array
from rosettabench.statistics.metrics import sample_losses


def largest_losses(workload: str, looks: int, steps: int, folder: Path) -> Iterator[float]:
    """Yield the largest loss of a sample of each batch that is looked at, with `steps` steps between two looks."""
    work = timed_work(workload, folder, steps=looks * steps)
    entry = find_framework("pytorch")
    session = open_session(entry, entry.mode, environment(entry.locks[0]), work, folder / "session")
    try:
        session.build(work.weights, dropout=False)
        for step in range(0, looks * steps, steps):
            labels = read_array(session.ask("batch", step=step, folder=str(folder / "batch"))["files"], "labels")
            found = session.ask("gradients", step=step, folder=str(folder / "gradients"))["files"]
            yield float(sample_losses(read_array(found, "logits"), labels).max())
            session.train(step, steps)
    finally:
        session.process.close()


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("workloads", nargs="+")
    parser.add_argument("--looks", type=int, default=10)
    parser.add_argument("--steps", type=int, default=2)
    asked = parser.parse_args()
    print("| workload | first look | all looks |")
    print("|---|---|---|")
    for workload in asked.workloads:
        with tempfile.TemporaryDirectory() as folder:
            found = list(largest_losses(workload, asked.looks, asked.steps, Path(folder)))
        print(f"| `{workload}` | {found[0]:.1f} | {max(found):.1f} |", flush=True)


if __name__ == "__main__":
    main()
