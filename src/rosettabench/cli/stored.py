"""The user's store, if it exists."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rosettabench.store.schema import Run
    from rosettabench.store.store import Store


def stored_runs(store: str | None) -> Sequence[Run]:
    """Return the runs in the store at the URL `store`, or in the user's; empty if its file does not exist yet."""
    found = existing_store(store)
    return found.runs() if found else []


def existing_store(store: str | None) -> Store | None:
    """Return the store at the URL `store`, or the user's; None if its file does not exist yet, which is not created."""
    from rosettabench.places import store_url
    from rosettabench.store.address import file_of
    from rosettabench.store.store import Store

    url = store or store_url()
    file = file_of(url)
    return Store(url) if file is None or file.exists() else None
