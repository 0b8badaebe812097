"""Commands that a hint tells the user to type next: they must open the store in which the run is."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from rosettabench.places import store_url
from rosettabench.store.address import without_password

if TYPE_CHECKING:
    from rosettabench.store.store import Store


def resume(store: Store, run_id: str, cluster: str | None = None) -> str:
    """Return the command that continues a run: in its store, and on the same cluster, by its address."""
    return on_store(f"rosetta resume {run_id}", store) + (f" --on {cluster}" if cluster else "")


def on_store(command: str, store: Store) -> str:
    """Return a command that opens this store: with ``--store``, unless it does so without."""
    return command if is_usual(store.name) else f"{command} --store {shlex.quote(store.name)}"


def is_usual(name: str) -> bool:
    """Return whether a command without ``--store`` opens the store of this name."""
    return name == without_password(store_url())
