"""``rosetta convert``: convert weights from one framework to another, proven by their outputs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rosettabench.cli.completion import complete_workloads
from rosettabench.cli.options import DataDir, Offline, Timeout

if TYPE_CHECKING:
    from rosettabench.convert.arrival import Arrival
    from rosettabench.convert.conversion import Conversion

Source = Annotated[
    tuple[str, Path],
    typer.Option("--from", help="The framework of the weights, and their file.", metavar="FRAMEWORK FILE"),
]
Target = Annotated[
    tuple[str, Path],
    typer.Option("--to", help="The framework to convert them to, and the file to write.", metavar="FRAMEWORK FILE"),
]


def convert(
    workload: Annotated[str, typer.Argument(help="The workload.", autocompletion=complete_workloads)],
    source: Source,
    target: Target,
    data_dir: DataDir = None,
    offline: Offline = False,
    timeout: Timeout = 900.0,
) -> None:
    """Carry weights over from one framework to another.

    Files are .safetensors or .npz, with the names and layouts of each framework; in PyTorch, those of state_dict().
    Before the new file is written, both frameworks evaluate the same samples, and their outputs are compared with a
    float64 reference.

    Example: rosetta convert fashion-cnn --from pytorch model.safetensors --to jax model-jax.safetensors
    """
    from rosettabench.catalogue.contender import parse_contender
    from rosettabench.catalogue.workload import find_workload
    from rosettabench.cli.progress import display
    from rosettabench.convert.conversion import Means, convert_weights
    from rosettabench.lab.scratch import scratch_folder
    from rosettabench.places import cache_dir

    found = find_workload(workload)
    ends = [(parse_contender(framework), path) for framework, path in (source, target)]
    with scratch_folder() as scratch, display() as shown:
        means = Means(cache_dir(), scratch, shown.doing, data_dir, offline, timeout)
        done = convert_weights(found, ends[0], ends[1], means)
    tell(found.name, done)
    typer.echo(f"written: {target[1]}")


def tell(workload: str, done: Conversion) -> None:
    """Print what was converted, and the deviation of the outputs."""
    carried = f"{done.tensors} tensors, {done.numbers:,} numbers"
    typer.echo(f"{workload}: {carried}, from {done.source.label} to {done.target.label}.")
    if done.passed_over:
        counters = done.passed_over
        typer.echo(
            f"Not carried: {counters[0]}" + (f" and {len(counters) - 1} more counters." if counters[1:] else ".")
        )
    typer.echo(f"{done.data.name}: {done.data.note}")
    typer.echo(f"Outputs for {done.source.samples} samples, compared with {done.reference} in float64:")
    for arrival in (done.source, done.target):
        typer.echo(f"  {off_words(arrival)}")


def off_words(arrival: Arrival) -> str:
    """Return the deviation of a framework's outputs in words, with its tolerance."""
    check = arrival.outputs
    return f"{arrival.label} is off by {check.deviation:.1e}; {check.tolerance:.1e} is allowed."
