"""What a store holds, in numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import func, select, text
from sqlalchemy.orm import Session

from rosettabench.store.schema import Base, Run
from rosettabench.store.store import Store
from rosettabench.store.upgrade import found_version

COUNTED = ("runs", "contests", "entries", "blocks", "figures", "certificates", "events", "failures")
"""The tables whose rows are counted."""

DATABASES = {"sqlite": "SQLite", "postgresql": "PostgreSQL"}
"""The names of databases by those that SQLAlchemy gives them."""


@dataclass(frozen=True)
class StoreInfo:
    """Facts of a store: its name without a password, its database, and what it holds."""

    name: str
    database: str
    """SQLite or PostgreSQL, with its version."""
    schema: int
    size_bytes: int
    rows: Mapping[str, int]
    first_run: str | None
    """When it began, UTC; None for a store without runs."""
    last_run: str | None


def describe(store: Store) -> StoreInfo:
    """Return the facts of a store."""
    return store.read(lambda session: _read(session, store))


def _read(session: Session, store: Store) -> StoreInfo:
    """Read the facts of a store in one transaction."""
    tables = Base.metadata.tables
    rows = {name: session.scalar(select(func.count()).select_from(tables[name])) or 0 for name in COUNTED}
    first, last = session.execute(select(func.min(Run.at), func.max(Run.at))).one()
    return StoreInfo(
        name=store.name,
        database=_database(session),
        schema=found_version(session.connection()),
        size_bytes=_size(session),
        rows=rows,
        first_run=first,
        last_run=last,
    )


def _database(session: Session) -> str:
    """Return the kind of the database with its version."""
    dialect = session.get_bind().dialect
    version = ".".join(map(str, dialect.server_version_info or ()))
    return f"{DATABASES.get(dialect.name, dialect.name)} {version}"


def _size(session: Session) -> int:
    """Return the bytes on disk: of the file and its log, or of the tables with their indexes; 0 if not known."""
    engine = session.get_bind().engine
    if engine.dialect.name == "sqlite":
        file = Path(str(engine.url.database))
        return sum(part.stat().st_size for part in (file, Path(f"{file}-wal")) if part.exists())
    if engine.dialect.name != "postgresql":
        return 0
    size = text("SELECT pg_total_relation_size(CAST(:name AS regclass))")
    return sum(session.scalar(size, {"name": name}) or 0 for name in Base.metadata.tables)
