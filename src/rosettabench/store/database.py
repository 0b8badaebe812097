"""The databases that can hold a store: how to connect to them, and how to create its tables."""

from __future__ import annotations

import json
import os
import platform
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from hashlib import sha256
from math import isfinite, isnan
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event, insert, inspect, text
from sqlalchemy.engine.interfaces import DBAPIConnection, DBAPICursor

from rosettabench.errors import StoreError, UsageError
from rosettabench.store.address import address_of
from rosettabench.store.schema import SCHEMA_VERSION, Base, Version

BUSY_MS = 10_000
"""Milliseconds that a connection waits for another process that writes an SQLite file."""

PATIENCE = {
    "connect_timeout": 10,  # seconds
    "keepalives_idle": 10,  # seconds
    "keepalives_interval": 5,  # seconds
    "keepalives_count": 3,
    "tcp_user_timeout": 20_000,  # milliseconds
}
"""Parameters of libpq: a server that has vanished without a word is noticed within half a minute, not within hours."""

LONGEST_NAME = 63
"""Bytes of the name under which PostgreSQL lists a program."""

WRITING = "rosettabench: create, upgrade or merge"
"""The name of the lock that creating, upgrading and merging share."""


def open_engine(url: str) -> Engine:
    """Return an engine for a URL or a path. SQLite gets WAL, durable commits and foreign keys."""
    address = address_of(url)
    if address.get_backend_name() == "sqlite":
        if address.database:
            Path(address.database).parent.mkdir(parents=True, exist_ok=True)
        engine = create_engine(address)
        event.listen(engine, "connect", prepare_sqlite)
        return engine
    if address.get_driver_name() != "psycopg":
        return create_engine(address)
    own = {**PATIENCE, "application_name": program_name()}
    given = {name: value for name, value in own.items() if name not in address.query}
    # pre-ping: a connection that broke while nothing was written is replaced unnoticed
    return create_engine(address, connect_args=given, pool_pre_ping=True, json_serializer=portable_json)


def program_name() -> str:
    """Return the name of this process for others who use the same server."""
    return f"rosetta process {os.getpid()} on {platform.node()}".encode()[:LONGEST_NAME].decode(errors="ignore")


# -- JSON that PostgreSQL accepts --------------------------------------------------------------------------------------

INFINITY = "\x00infinity"
"""Stands for an infinite number while JSON is written."""


def portable_json(value: Any, sort_keys: bool = False) -> str:  # noqa: ANN401 (whatever JSON can hold)
    """Return JSON that every database accepts: infinite numbers as 1e999, which is read as infinite, NaN as null."""
    try:
        return json.dumps(value, allow_nan=False, sort_keys=sort_keys)
    except ValueError:
        written = json.dumps(_with_marks(value), sort_keys=sort_keys)
        mark = json.dumps(INFINITY)[1:-1]
        return written.replace(f'"-{mark}"', "-1e999").replace(f'"{mark}"', "1e999")


def _with_marks(value: Any) -> Any:  # noqa: ANN401 (whatever JSON can hold)
    """Return a value with marks in place of numbers that are not finite."""
    if isinstance(value, dict):
        return {key: _with_marks(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_with_marks(one) for one in value]
    if not isinstance(value, float) or isfinite(value):
        return value
    if isnan(value):
        return None
    return INFINITY if value > 0 else f"-{INFINITY}"


# -- tables ------------------------------------------------------------------------------------------------------------


def has_tables(engine: Engine) -> bool:
    """Return whether the tables of a store are there. Raises StoreError if tables of its names belong to others."""
    found = inspect(engine)
    if found.has_table(Version.__tablename__):
        return True
    foreign = sorted({*Base.metadata.tables} & {*found.get_table_names()})
    if foreign:
        raise StoreError(
            f"the store is a database of another program: it has the tables {', '.join(foreign[:3])}",
            "Name another place with --store; nothing was written.",
        )
    return False


def create(engine: Engine) -> None:
    """Create all tables or none, even if two processes find none at the same moment."""
    with engine.connect() as connection:
        lock(connection)  # the second process waits here, and finds the tables made
        if not inspect(connection).has_table(Version.__tablename__):
            Base.metadata.create_all(connection)
            connection.execute(insert(Version).values(version=SCHEMA_VERSION))
        connection.commit()


def lock(connection: Connection) -> None:
    """Begin a transaction beside which nobody else creates, upgrades or merges. SQLite has only one writer anyway."""
    if connection.dialect.name == "sqlite":
        connection.exec_driver_sql("BEGIN IMMEDIATE")
    elif connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": lock_key(WRITING)})


# -- SQLite ------------------------------------------------------------------------------------------------------------


def prepare_sqlite(connection: DBAPIConnection, _record: object) -> None:
    """Set up a new SQLite connection: readers never block the writer, and a commit survives a power cut.

    Raises StoreError, before anything is written, if the file has another program's tables.
    """
    cursor = connection.cursor()
    cursor.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
    tables = {str(name) for (name,) in cursor.fetchall()}
    if tables and Version.__tablename__ not in tables:
        raise StoreError(
            f"the store is a database of another program: it has the tables {', '.join(sorted(tables)[:3])}",
            "Name another place with --store; nothing was written.",
        )
    for pragma in (f"busy_timeout={BUSY_MS}", "synchronous=FULL", "foreign_keys=ON"):
        cursor.execute(f"PRAGMA {pragma}")
    _write_ahead(cursor)
    cursor.close()


def _write_ahead(cursor: DBAPICursor) -> None:
    """Switch the file to its write-ahead log, as soon as no other process uses it.

    SQLite's busy timeout does not apply here: if another process switches too, the call fails at once.
    """
    end = time.monotonic() + BUSY_MS / 1000
    while True:
        try:
            cursor.execute("PRAGMA journal_mode=WAL")
            return
        except sqlite3.OperationalError as refusal:
            if "locked" not in str(refusal) or time.monotonic() > end:
                raise
        time.sleep(0.01)


# -- locks of PostgreSQL -----------------------------------------------------------------------------------------------


def lock_key(name: str) -> int:
    """Return the number of a lock from its name: 64 bits with a sign."""
    return int.from_bytes(sha256(name.encode()).digest()[:8], "big", signed=True)


@contextmanager
def hold_lock(engine: Engine, name: str) -> Iterator[None]:
    """Hold a lock among all processes that use one PostgreSQL; other databases have none, and nothing happens.

    It has a connection of its own, and the server releases it when that ends, even by a crash or a power cut. Raises
    UsageError, with the name of the holder, if another process holds it.
    """
    if engine.dialect.name != "postgresql":
        yield
        return
    with closing(_own_connection(engine)) as connection:
        holder = _try_lock(connection, name)
        if holder is not None:
            raise UsageError(f"{holder} is at work on {name}", "Wait for it, or end it first.")
        yield


def holder_of(engine: Engine, name: str) -> str | None:
    """Return which process holds a lock of PostgreSQL; None if nobody does, and for other databases."""
    if engine.dialect.name != "postgresql":
        return None
    with closing(_own_connection(engine)) as connection:
        return _try_lock(connection, name)


def _own_connection(engine: Engine) -> Any:  # noqa: ANN401 (a connection of psycopg, imported late)
    """Return a connection of the driver outside the pool, which closes silently if the server has gone."""
    with engine.connect():  # errors of a server that is away get their usual form here
        pass
    arguments, parameters = engine.dialect.create_connect_args(engine.url)
    own = {**PATIENCE, "application_name": program_name(), **parameters}
    connection: Any = engine.dialect.connect(*arguments, **own)
    connection.autocommit = True
    return connection


def _try_lock(connection: Any, name: str) -> str | None:  # noqa: ANN401 (a connection of psycopg)
    """Take a lock and return None; return the name of its holder if that is impossible."""
    key = lock_key(name)
    if connection.execute("SELECT pg_try_advisory_lock(%s)", [key]).fetchone()[0]:
        return None
    found = connection.execute(
        "SELECT application_name FROM pg_locks JOIN pg_stat_activity USING (pid) WHERE locktype = 'advisory' "
        "AND objsubid = 1 AND granted AND classid::bigint = %s AND objid::bigint = %s",
        [key >> 32 & 0xFFFFFFFF, key & 0xFFFFFFFF],
    ).fetchone()
    return (found and found[0]) or "another process"
