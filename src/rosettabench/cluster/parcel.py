"""Rows of the store on their way between the controller and a node, as JSON.

A node keeps the ids of the user's store: so what it adds refers to the right contest and entry there, too. Only
certificates get new ids, since two nodes may make some at the same time.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from sqlalchemy import Engine, insert

from rosettabench.store.content import columns_of, identity_of
from rosettabench.store.database import portable_json
from rosettabench.store.schema import Base, Certificate, Certification, Contest, Run
from rosettabench.store.store import Store

TABLES: dict[str, type[Base]] = {str(one.class_.__tablename__): one.class_ for one in Base.registry.mappers}
"""{name of a table: its class}."""


def write_row(row: Base) -> str:
    """Return a row as JSON: the name of its table, and its columns."""
    return portable_json([type(row).__tablename__, columns_of(row)])


def pack(run: Run, contest: Contest) -> str:
    """Return what a node needs to begin or resume a contest: the plan of the run, and all rows of this contest."""
    rows = {(type(row), columns_of(row)["id"]): row for row in rows_for(run, contest)}  # a certificate may be shared
    return portable_json([[type(row).__tablename__, columns_of(row)] for row in rows.values()])


def rows_for(run: Run, contest: Contest) -> Iterator[Base]:
    """Yield the rows of the plan, and everything of one contest."""
    yield run
    for one in run.contests:
        yield one
        yield from one.entries
    for entry in contest.entries:
        for certification in entry.certifications:
            yield certification.certificate
        yield from (*entry.blocks, *entry.figures, *entry.certifications)
    yield from (event for event in run.events if event.contest_id == contest.id)


def unpack(parcel: str, engine: Engine) -> None:
    """Write the rows of a parcel into an empty store, with their ids."""
    rows: dict[str, list[dict[str, Any]]] = {}
    for table, values in json.loads(parcel):
        rows.setdefault(table, []).append(values)
    with engine.begin() as connection:
        for table in Base.metadata.sorted_tables:  # a row comes after those that it refers to
            if table.name in rows:
                connection.execute(insert(table), rows[table.name])


class Inbox:
    """Adds rows that nodes have sent to the user's store."""

    def __init__(self, store: Store) -> None:
        """`store` is the user's store. Certificates have other ids there; the inbox remembers them by attempt."""
        self._store = store
        self._certificates: dict[tuple[str, int], int] = {}

    def add(self, sent: Sequence[tuple[str, str]]) -> None:
        """Add rows, each with its attempt to measure a contest. They are on disk when this returns.

        They share one transaction: a hundred nodes send more rows than a disk can confirm one at a time.
        """
        rows = [self._read(attempt, text) for attempt, text in sent]
        self._store.add_all([row for row in rows if row is not None])

    def _read(self, attempt: str, text: str) -> Base | None:
        """Return a row as it is to be added; None for a certificate, which is added at once: others need its id."""
        table, values = json.loads(text)
        kind, there = TABLES[table], values.pop("id")
        if kind is Certificate:
            self._certificates[attempt, there] = self._certificate(Certificate(**values))
            return None
        if kind is Certification:  # one that came with the parcel has the id of the user's store
            number = values["certificate_id"]
            values["certificate_id"] = self._certificates.get((attempt, number), number)
        return kind(**values)

    def _certificate(self, sent: Certificate) -> int:
        """Return the id of a certificate in the user's store; add it if it is not there."""
        known = self._store.certificate(sent.key)
        if known is not None and identity_of(known) == identity_of(sent):
            return known.id
        return self._store.add(sent).id
