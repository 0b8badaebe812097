"""``rosetta export``: a model as a file that other programs run, proven by its outputs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rosettabench.cli.completion import complete_workloads
from rosettabench.cli.options import DataDir, Offline, Timeout

if TYPE_CHECKING:
    from rosettabench.convert.onnx_file import WrittenModel

Target = Annotated[
    Path | None,
    typer.Argument(help="The file to write, which must not be there yet.", show_default="the workload's name"),
]
Source = Annotated[str, typer.Option("--framework", "-f", help="The framework whose implementation is exported.")]
Form = Annotated[str, typer.Option("--format", help="The format: onnx.")]
Weights = Annotated[
    Path | None,
    typer.Option(help="A file of the framework's own weights.", show_default="the first values that are drawn"),
]


def export(
    workload: Annotated[str, typer.Argument(help="The workload.", autocompletion=complete_workloads)],
    file: Target = None,
    framework: Source = "pytorch",
    form: Form = "onnx",
    weights: Weights = None,
    data_dir: DataDir = None,
    offline: Offline = False,
    timeout: Timeout = 900.0,
) -> None:
    """Export a model to ONNX.

    The model is exported in evaluation mode, for batches of any size. Weights keep their names. Before the file is
    written, ONNX Runtime runs it, and its outputs are compared with a float64 reference, beside those of the framework.
    Files of weights are .safetensors or .npz, as rosetta convert reads them.

    Example: rosetta export resnet50-features -f pytorch --format onnx resnet50.onnx
    Example: rosetta export ./my-gpt --weights trained.safetensors my-gpt.onnx
    """
    from rosettabench.catalogue.contender import parse_contender
    from rosettabench.catalogue.workload import find_workload
    from rosettabench.cli.progress import display
    from rosettabench.convert.conversion import Means
    from rosettabench.convert.onnx_file import export_to_file
    from rosettabench.lab.scratch import scratch_folder
    from rosettabench.places import cache_dir

    found, contender = find_workload(workload), parse_contender(framework)
    path = file or Path(f"{found.name.replace(':', '-')}.{form}")
    with scratch_folder() as scratch, display() as shown:
        means = Means(cache_dir(), scratch, shown.doing, data_dir, offline, timeout)
        done = export_to_file(found, contender, form, path, weights, means)
    tell(found.name, done)


def tell(workload: str, done: WrittenModel) -> None:
    """Print what was exported, and how far off the outputs are."""
    from rosettabench.cli.convert import off_words

    typer.echo(f"{workload}: {done.tensors} tensors, {done.numbers:,} numbers, from {done.source.label} to ONNX.")
    if done.passed_over:
        typer.echo(f"Not carried, as they are counters: {', '.join(done.passed_over)}.")
    typer.echo(f"{done.data.name}: {done.data.note}")
    typer.echo(f"Outputs for {done.source.samples} samples, compared with {done.reference} in float64:")
    for arrival in (done.source, done.target):
        typer.echo(f"  {off_words(arrival)}")
    typer.echo(f"written: {done.path} ({done.size / 1e6:.1f} MB)")
