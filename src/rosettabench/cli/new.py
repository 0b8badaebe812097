"""``rosetta new``: make a folder for the user's own model."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from rosettabench.cli.options import split
from rosettabench.errors import UsageError

Name = Annotated[str, typer.Argument(help="The folder to make: my-gpt, or a path.", show_default=False)]
Ports = Annotated[
    list[str] | None,
    typer.Option("-f", "--frameworks", help="Frameworks of the files, separated by commas; PyTorch is the original."),
]
From = Annotated[str | None, typer.Option("--from", help="The model: a file and its class, my_model.py:GPT.")]
Shapes = Annotated[
    list[str] | None,
    typer.Option(
        "--inputs", help="The input of a sample: 'float[3,32,32]', 'int[64]<65'; of several, each: 'user=int[]<50'."
    ),
]
Interpreter = Annotated[
    Path | None, typer.Option("--python", help="A Python with PyTorch, in place of the managed environment.")
]


def new(
    name: Name,
    frameworks: Ports = None,
    source: From = None,
    inputs: Shapes = None,
    python: Interpreter = None,
) -> None:
    """Make a folder for a model of your own and its ports.

    The model of --from, a PyTorch class that needs no arguments, becomes pytorch.py, the original. workload.toml states
    its tensors, and its initial weights are kept in a file. Each other framework gets a file in which you port Model;
    the ties of its tensors are filled in as far as the kinds of layers determine them. Without --from, the original is
    a small example that runs at once.

    Example: rosetta new my-gpt --from my_model.py:GPT
    Example: rosetta new my-net -f pytorch,jax,keras --from net.py:UNet --inputs 'float[1,64,64]'
    Example: rosetta new my-net --from net.py:Towers --inputs 'user=int[]<50' --inputs 'item=float[16]'
    """
    from rosettabench.catalogue.framework import find_framework
    from rosettabench.environments.environment import Environments, external
    from rosettabench.environments.lock import load_lock
    from rosettabench.places import cache_dir
    from rosettabench.port.description import read_inputs
    from rosettabench.port.folder import check_new, make_folder

    ports = split(frameworks) or ("pytorch", "jax")
    place = Path(name)
    check_new(place, ports)
    stated = read_inputs(inputs) if inputs else None
    model = read_source(source) if source else None
    if python is not None:
        environment = external(python)
    else:
        environments = Environments(cache_dir() / "environments")
        environment = environments.make(
            load_lock(find_framework("pytorch").locks[0]), lambda line: typer.echo(line, err=True)
        )
    described = make_folder(place, ports, model, environment, stated)
    trained = sum(tensor.trained for tensor in described.tensors)
    named = {name: list(one.shape) for name, one in described.inputs.items()}
    taken = ", ".join(f"{name} {shape}" if len(named) > 1 else f"inputs {shape}" for name, shape in named.items())
    typer.echo(f"{place}: {trained} trained tensors, {taken} to {list(described.output)}")
    for step in next_steps(place, ports, ported=model is None):
        typer.echo(step)


def read_source(word: str) -> tuple[Path, str]:
    """Return file and class of a text such as ``my_model.py:GPT``. Raises UsageError for another form."""
    file, colon, name = word.rpartition(":")
    if not colon or not name.isidentifier():
        raise UsageError(f"--from {word!r} names no file and class", "Write --from my_model.py:GPT")
    return Path(file), name


def next_steps(place: Path, ports: tuple[str, ...], *, ported: bool) -> list[str]:
    """Return the next steps for the user, one per line."""
    folder = f"./{place}" if not place.is_absolute() else str(place)
    files = [f"{name.replace('-', '_')}.py" for name in ports if name != "pytorch"]
    port = [] if ported or not files else [f"Port Model in {' and '.join(str(place / file) for file in files)}. Then:"]
    return [*port, f"  rosetta prove {folder}", f"  rosetta run {folder}"]
