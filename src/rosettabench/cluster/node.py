"""What runs on a node: it describes itself, and measures one contest with the ordinary laboratory."""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from rosettabench import __version__
from rosettabench.client.machine import describe_machine
from rosettabench.cluster.parcel import unpack, write_row
from rosettabench.errors import RosettaError, StoreError
from rosettabench.lab.display import Silent
from rosettabench.lab.place import settle
from rosettabench.lab.run import Laboratory
from rosettabench.places import cache_dir, data_dir_default
from rosettabench.statistics.verdict import Verdict
from rosettabench.store.content import copy_of
from rosettabench.store.schema import Certificate
from rosettabench.store.store import Row, Store

NodeFault = tuple[str, str, str]
"""An error on a node: the name of its class in errors.py, what was wrong, and the hint."""


def describe_node() -> dict[str, Any]:
    """Return what decides whether a node fits the controller, and the facts of its machine. A task of Ray."""
    return {
        "rosettabench": __version__,
        "python": platform.python_version(),
        "clock": time.time(),
        "niceness": os.getpriority(os.PRIO_PROCESS, 0),
        "machine": describe_machine(),
    }


def measure(parcel: str, run_id: str, contest: int, attempt: str, node: str, mailbox: Any) -> NodeFault | None:  # noqa: ANN401 (an actor of Ray, imported late)
    """Measure one contest on this node. A task of Ray, with a process of its own.

    Return why the whole run must stop; None if the contest has ended. `mailbox` takes its rows.
    """
    ray = import_module("ray")

    def send(row: str) -> None:
        """Send a row, and wait until it is in the user's store."""
        if not ray.get(mailbox.put.remote(attempt, row)):
            raise StoreError("this contest goes on on another node")

    def say(words: str, lasting: bool) -> None:
        """Say what happens here; nobody waits for it."""
        mailbox.say.remote(attempt, words, lasting)

    folder = cache_dir() / "ray"
    file = folder / f"{run_id}-{attempt}.sqlite"
    try:
        store = NodeStore(file, Store(str(folder / "certificates.sqlite")), send)
        unpack(parcel, store.engine)
        measure_contest(store, contest, node, NodeDisplay(say))
    except RosettaError as error:
        return type(error).__name__, error.what, error.hint
    store.engine.dispose()
    for ending in ("", "-wal", "-shm"):  # all of it is in the user's store
        Path(f"{file}{ending}").unlink(missing_ok=True)
    return None


def measure_contest(store: Store, contest: int, node: str, display: Silent) -> None:
    """Measure the contest of this number in the run of a node's store."""
    (run,) = store.runs()
    run = store.run(run.id)
    settle(store, run, next(one for one in run.contests if one.id == contest), node, describe_machine())
    run = store.run(run.id)
    row = next(one for one in run.contests if one.id == contest)
    Laboratory(store, cache_dir(), display).measure_one(run, row, own_data(run.request.get("data_dir")))


def own_data(asked: str | None) -> Path | None:
    """Return this node's folder of original data: its ROSETTA_DATA, or else the one asked for, if it is here, too."""
    return data_dir_default() or (Path(asked) if asked and Path(asked).is_dir() else None)


class NodeStore(Store):
    """The store of a node for one contest. A row is finished when it is here and in the user's store."""

    def __init__(self, file: Path, shelf: Store, send: Callable[[str], None]) -> None:
        """Open the SQLite file `file`, and create it if it is missing. `send` waits until the user's store has the row.

        `shelf` keeps the certificates of this machine: what was proven in one contest need not be proven in the next.
        """
        super().__init__(str(file))
        self._shelf = shelf
        self._send = send

    def add(self, row: Row) -> Row:
        """Write a row here, then send it; return when the user's store has it."""
        added = super().add(row)
        if isinstance(added, Certificate):
            self._shelf.add(copy_of(added))
        self._send(write_row(added))
        return added

    def certificate(self, key: str) -> Certificate | None:
        """Return the newest certificate of the contest or of this machine for `key`; None if there is none."""
        known = super().certificate(key)
        if known is not None:
            return known
        shelved = self._shelf.certificate(key)
        if shelved is None:
            return None
        copied: Certificate = super().add(copy_of(shelved))
        self._send(write_row(copied))
        return copied


class NodeDisplay(Silent):
    """The display of a node: it says everything to the controller, which shows all contests together."""

    def __init__(self, say: Callable[[str, bool], None]) -> None:
        """`say` sends a message to the controller, and whether it stays on the screen."""
        self._say = say
        self._last = ""

    def preparing(self, message: str, done: int, begun: int, total: int) -> None:
        """Say what is prepared."""
        if message:
            self._do(message)

    def doing(self, message: str, done: int | None = None, total: int | None = None) -> None:
        """Say a new activity; nothing for the progress of a known one."""
        self._do(message)

    def turns(self, rounds: int, most: int, verdicts: Sequence[Verdict]) -> None:
        """Say the number of rounds."""
        self._do(f"round {rounds}{f' of at most {most}' if most else ''}")

    def tell(self, what: str) -> None:
        """Say something that stays on the screen."""
        self._say(what, True)

    def _do(self, message: str) -> None:
        """Say an activity once."""
        if message != self._last:
            self._last = message
            self._say(message, False)
