"""``rosetta env check --synchronisation``: show when a long computation was requested, finished and fetched."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from rosettabench.cli.console import console
from rosettabench.errors import RosettaError

if TYPE_CHECKING:
    from rosettabench.environments.lock import Lock
    from rosettabench.lab.synchronisation import Wait


def print_waits(locks: Iterable[Lock], device: str) -> bool:
    """Print for every framework in the made environments among `locks` whether its timed region waits for `device`.

    Return whether all of them wait.
    """
    from rosettabench.catalogue.framework import competing_frameworks
    from rosettabench.environments.environment import Environments
    from rosettabench.lab.synchronisation import check_wait
    from rosettabench.places import cache_dir
    from rosettabench.report.formats.layout import print_table
    from rosettabench.report.tables.table import listing, plain_columns
    from rosettabench.report.words import figures

    rows: list[tuple[str, ...]] = []
    environments, hold = Environments(cache_dir() / "environments"), True
    for lock in locks:
        environment = environments.find(lock)
        for entry in competing_frameworks().values() if environment else ():
            if lock.name not in entry.locks or environment is None:
                continue
            try:
                with tempfile.TemporaryDirectory(prefix="rosetta-") as folder:
                    wait = check_wait(entry, environment, device, cache_dir(), Path(folder))
            except RosettaError as error:
                hold = False
                rows.append((entry.name, device, "–", "–", "–", f"cannot be checked: {error.what}"))
                continue
            hold = hold and wait.holds
            times = map(figures.seconds, (wait.asked_s, wait.done_s, wait.read_s))
            rows.append((entry.name, wait.device, *times, describe_wait(wait)))
    headings = ("framework", "device", "asked", "done", "fetched", "the timed region")
    print_table(listing("", plain_columns(*headings), rows), console())
    return hold


def describe_wait(wait: Wait) -> str:
    """Return in words what the times show."""
    if not wait.finite:
        return "is unproven: the result is not finite"
    if not wait.holds:
        return "DOES NOT WAIT: fetching the result took part of the work"
    return f"waits: calls return {'before' if wait.asynchronous else 'after'} the work is done"
