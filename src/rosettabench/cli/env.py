"""``rosetta env``: the environments that frameworks run in."""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING, Annotated

import typer

from rosettabench.errors import EnvironmentFault, UsageError

if TYPE_CHECKING:
    from rosettabench.environments.environment import Environments
    from rosettabench.environments.lock import Lock

app = typer.Typer(
    name="env",
    no_args_is_help=True,
    help="List, make, check and remove the environments that frameworks run in.\n\nExample: rosetta env make pytorch",
)

Names = Annotated[
    list[str] | None,
    typer.Argument(help="Environments (pytorch@2.13.0) or frameworks (pytorch: its default one).", show_default=False),
]


@app.command("list")
def list_environments() -> None:
    """List environments, and which are made.

    Example: rosetta env list
    """
    from rosettabench.cli.console import console
    from rosettabench.environments.lock import all_locks
    from rosettabench.report.formats.layout import print_table
    from rosettabench.report.tables.table import Column, listing, plain_columns

    environments, locks = made_ones(), all_locks()
    rows = []
    for lock in locks:
        size = f"{environments.size(lock) / 1e9:.2f} GB" if environments.find(lock) else "not made"
        rows.append((lock.name, lock.title, lock.python, size))
    columns = (*plain_columns("environment", "holds", "Python"), Column("on disk", numeric=True))
    print_table(listing("", columns, rows), console())
    for version in sorted({lock.python for lock in locks}, key=lambda word: int(word.partition(".")[2])):
        typer.echo(f"Python {version}: {interpreter(version)}")
    typer.echo(f"In {environments.folder}. Files are shared with uv's cache if it is on the same disk.")


@app.command()
def make(
    names: Names = None,
    every: Annotated[bool, typer.Option("--all", help="Make all that are not made yet.")] = False,
) -> None:
    """Make environments that are not there yet.

    Example: rosetta env make pytorch jax
    """
    from rosettabench.environments.lock import all_locks

    if every == bool(names):
        raise UsageError("name the environments to make, or give --all", "Example: rosetta env make pytorch jax")
    environments, failed = made_ones(), False
    for lock in all_locks() if every else choose_locks(names or []):
        start = perf_counter()
        typer.echo(f"{lock.name}: {len(lock.requirements)} packages on Python {lock.python}")
        try:
            made = environments.make(lock, lambda line: typer.echo(f"  {line}", err=True))
        except EnvironmentFault as fault:
            failed = True
            typer.echo(f"{lock.name} is not made: {fault.what}\n  {fault.hint}", err=True)
        else:
            typer.echo(f"  ready after {perf_counter() - start:.1f} s: {made.python}")
    if failed:
        raise typer.Exit(EnvironmentFault.exit_code)


@app.command()
def check(
    names: Names = None,
    synchronisation: Annotated[
        bool, typer.Option("--synchronisation", help="Show that timing waits for the device, with a long computation.")
    ] = False,
    device: Annotated[str, typer.Option(help="The device for --synchronisation: cpu or cuda.")] = "cpu",
) -> None:
    """Check versions and imports: of the named environments, or of all that are made.

    Example: rosetta env check mxnet-gluon
    Example: rosetta env check --synchronisation
    """
    from rosettabench.catalogue.names import nearest
    from rosettabench.environments.lock import all_locks

    device = nearest("device", device, ("cpu", "cuda"))
    environments, failed = made_ones(), False
    for lock in choose_locks(names) if names else all_locks():
        environment = environments.find(lock)
        if environment is None:
            if names:
                failed = True
                typer.echo(f"{lock.name} is not made. Run: rosetta env make {lock.name}", err=True)
            continue
        modules = imported_by(lock)
        findings = environments.check(environment, modules, found_by(lock))
        for finding in findings:
            typer.echo(f"{lock.name}: {finding.subject} {finding.what}", err=True)
        if findings:
            failed = True
            typer.echo(f"  Run: rosetta env remove {lock.name} && rosetta env make {lock.name}", err=True)
        else:
            typer.echo(f"{lock.name}: as its lock says" + (f"; imports {', '.join(modules)}" if modules else ""))
    if synchronisation:
        from rosettabench.cli.synchronisation import print_waits

        failed = not print_waits(choose_locks(names) if names else all_locks(), device) or failed
    if failed:
        raise typer.Exit(EnvironmentFault.exit_code)


@app.command()
def remove(names: Annotated[list[str], typer.Argument(help="Environments (pytorch@2.13.0) or frameworks.")]) -> None:
    """Remove environments. They can be made again.

    Example: rosetta env remove chainer@7.8.1
    """
    environments = made_ones()
    leftover = {place.name.rpartition("-py")[0] for place in environments.made_folders()}
    unknown = [name for name in names if name not in leftover]
    for name in [*(name for name in names if name in leftover), *(lock.name for lock in choose_locks(unknown))]:
        places = environments.remove(name)
        typer.echo(f"{name}: removed {', '.join(map(str, places))}" if places else f"{name}: was not made")


def made_ones() -> Environments:
    """Return the environments in the cache folder."""
    from rosettabench.environments.environment import Environments
    from rosettabench.places import cache_dir

    return Environments(cache_dir() / "environments")


def choose_locks(names: list[str]) -> list[Lock]:
    """Return the locks of the names, each once. A name is a lock's own, or a framework's for its default lock."""
    from rosettabench.catalogue.framework import competing_frameworks
    from rosettabench.catalogue.names import nearest
    from rosettabench.environments.lock import all_locks, load_lock

    defaults = {name: entry.locks[0] for name, entry in competing_frameworks().items() if entry.locks}
    locks = all_locks()
    with_python = {lock.path.stem for lock in locks}
    known = {*defaults, *(lock.name for lock in locks)}
    meant = [name if name in with_python else nearest("environment", name, known) for name in names]
    return list(dict.fromkeys(load_lock(defaults.get(name, name)) for name in meant))


def imported_by(lock: Lock) -> list[str]:
    """Return the modules that must be importable in the lock's environment: those of the frameworks that run in it."""
    from rosettabench.catalogue.framework import competing_frameworks

    entries = [entry for entry in competing_frameworks().values() if lock.name in entry.locks]
    return list(dict.fromkeys(module for entry in entries for module in entry.imports or entry.packages))


def found_by(lock: Lock) -> dict[str, str]:
    """Return the environment variables by which programs in the environment of a lock find their back end."""
    from rosettabench.catalogue.framework import competing_frameworks
    from rosettabench.client.machine import backend_variables

    backends = [entry.backend for entry in competing_frameworks().values() if lock.name in entry.locks]
    return {name: value for backend in backends for name, value in backend_variables(backend).items()}


def interpreter(version: str) -> str:
    """Return the path of the Python of `version`, or a text on how to get it."""
    from rosettabench.environments.interpreter import find_interpreter

    try:
        return str(find_interpreter(version))
    except EnvironmentFault as fault:
        return f"not found. {fault.hint}"
