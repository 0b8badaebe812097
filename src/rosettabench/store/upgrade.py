"""Upgrade a store of an older schema by the migrations of this folder, in one transaction.

Alembic runs them, and is imported only here. The version stands in the store's own table, and not in Alembic's: older
releases of Rosettabench read it, too, and refuse what they do not know.
"""

from __future__ import annotations

import os
import sqlite3
import warnings
from contextlib import closing
from itertools import count
from pathlib import Path

from sqlalchemy import Connection, Engine, func, insert, select

from rosettabench.errors import StoreError
from rosettabench.store.database import lock
from rosettabench.store.schema import SCHEMA_VERSION, Version

MIGRATIONS = Path(__file__).parent / "migrations"


class StoreUpgraded(UserWarning):
    """A store was upgraded when it was opened."""


def found_version(connection: Connection) -> int:
    """Return the version of the schema of a store; 0 if it has none."""
    return connection.scalar(select(func.max(Version.version))) or 0


def check_version(engine: Engine, name: str) -> None:
    """Upgrade the tables of an older store, once even if two processes try. Raises StoreError for a newer one."""
    with engine.connect() as connection:
        found = found_version(connection)
    if found == SCHEMA_VERSION:
        return
    if not 0 < found < SCHEMA_VERSION:
        raise StoreError(
            f"the store {name} has schema {found}, this Rosettabench reads {SCHEMA_VERSION}",
            hint="Name another with --store, or use the release of Rosettabench that wrote it.",
        )
    with engine.connect() as connection:
        lock(connection)
        found = found_version(connection)
        if found == SCHEMA_VERSION:  # another process was faster
            return
        kept = back_up(engine, found)
        migrate(connection, found)
        connection.commit()
    what = f"the store {name} was upgraded from schema {found} to {SCHEMA_VERSION}"
    warnings.warn(StoreUpgraded(f"{what}; as it was, it lies in {kept}" if kept else what), stacklevel=2)


def migrate(connection: Connection, found: int) -> None:
    """Run the migrations after version `found`, and store each version that is reached. The caller commits."""
    from alembic.migration import MigrationContext
    from alembic.operations import Operations
    from alembic.script import ScriptDirectory

    scripts = {int(one.revision): one for one in ScriptDirectory(str(MIGRATIONS)).walk_revisions()}
    with Operations.context(MigrationContext.configure(connection)):
        for version in range(found + 1, SCHEMA_VERSION + 1):
            scripts[version].module.upgrade()
            connection.execute(insert(Version).values(version=version))


def back_up(engine: Engine, found: int) -> Path | None:
    """Copy an SQLite file, with what stands in its write-ahead log, beside it; return where. None for a server."""
    if engine.dialect.name != "sqlite" or not engine.url.database:
        return None
    file = Path(engine.url.database).absolute()
    stem = f"{file.stem}.schema-{found}"
    names = (f"{stem}{'' if number == 1 else f'-{number}'}{file.suffix}" for number in count(1))
    target = next(place for place in map(file.with_name, names) if not place.exists())
    draft = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        with (
            closing(sqlite3.connect(f"{file.as_uri()}?mode=ro", uri=True)) as source,
            closing(sqlite3.connect(draft)) as copy,
        ):
            source.backup(copy)
        draft.replace(target)
    finally:
        draft.unlink(missing_ok=True)
    return target
