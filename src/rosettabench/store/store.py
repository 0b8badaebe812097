"""The store: open it, add rows, read runs."""

from __future__ import annotations

import json
import re
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any, Self, TypeVar

from sqlalchemy import URL, Engine, Select, create_engine, event, func, insert, inspect, select
from sqlalchemy.engine import make_url
from sqlalchemy.engine.interfaces import DBAPIConnection, DBAPICursor
from sqlalchemy.exc import ArgumentError, DatabaseError, SQLAlchemyError
from sqlalchemy.orm import Session, selectinload

from rosettabench.errors import StoreError, UsageError
from rosettabench.store.kind import RunKind, kind_of
from rosettabench.store.record import Dropped, Stopped, Unbegun
from rosettabench.store.schema import (
    SCHEMA_VERSION,
    Base,
    Certificate,
    Certification,
    Contest,
    Entry,
    Event,
    Run,
    Version,
)

Row = TypeVar("Row", bound=Base)


def later(moment: str) -> str:
    """Return the moment a microsecond later."""
    return (datetime.fromisoformat(moment) + timedelta(microseconds=1)).isoformat(timespec="microseconds")


def now() -> str:
    """Return the current time as the store writes it: UTC, ISO 8601, microseconds."""
    return datetime.now(UTC).isoformat(timespec="microseconds")


class Store:
    """Results in any database that SQLAlchemy supports; an SQLite file by default.

    Every `add` is committed, and on disk, before it returns. Raises StoreError if the database cannot be opened, read
    or written.
    """

    def __init__(self, url: str) -> None:
        """Open it. `url` is an SQLAlchemy URL, or the path of an SQLite file; `name` is `url` without its password."""
        self.name = without_password(url)
        self._together: Session | None = None
        with explain_database_errors(self.name):
            self.engine = open_engine(url)
            self._create_or_check()

    @classmethod
    def existing(cls, url: str) -> Self:
        """Open an existing store, for reading. Raises StoreError if its file is missing."""
        file = file_of(url)
        if file is not None and not file.exists():
            raise StoreError(
                f"there is no results store at {file}",
                "rosetta run makes one; --store, or the variable ROSETTA_STORE, names another.",
            )
        return cls(url)

    def _create_or_check(self) -> None:
        """Create the tables of a new store; refuse a store of another version."""
        if not inspect(self.engine).has_table(Version.__tablename__):
            create(self.engine)
        with Session(self.engine) as session:
            found = session.scalars(select(Version.version)).all()
        if found != [SCHEMA_VERSION]:
            raise StoreError(
                f"the store {self.name} has schema {found}, this Rosettabench reads {SCHEMA_VERSION}",
                hint="Name another with --store, or use the release of Rosettabench that wrote it.",
            )

    def add(self, row: Row) -> Row:
        """Write one row durably and return it with its id. Passwords in a run's command are removed."""
        if isinstance(row, Run):
            row.command = [without_password(word) for word in row.command]
        if self._together is not None:
            with explain_database_errors(self.name):
                self._together.add(row)
                self._together.flush()
                return row
        with explain_database_errors(self.name), Session(self.engine, expire_on_commit=False) as session:
            session.add(row)
            session.commit()
            return row

    @contextmanager
    def together(self) -> Iterator[None]:
        """Store all rows that are added inside, or none: they are on disk when it ends without an error.

        No other process can write to the store until then.
        """
        with explain_database_errors(self.name), Session(self.engine, expire_on_commit=False) as session:
            self._together = session
            try:
                yield
                session.commit()
            finally:
                self._together = None

    def moment(self) -> str:
        """Return the time of a new run: now, or just after the newest run if the clock has gone back since.

        The time decides which run is the newest.
        """
        with explain_database_errors(self.name), Session(self.engine) as session:
            newest = session.scalar(select(func.max(Run.at)))
        just_after = later(newest) if newest else ""
        return max(now(), just_after)

    def runs(self, workload: str | None = None) -> Sequence[Run]:
        """Return all runs, or those with a contest of `workload`, newest first, without their contents."""
        wanted = select(Run).order_by(Run.at.desc())
        if workload is not None:
            wanted = wanted.where(Run.contests.any(Contest.workload == workload))
        with explain_database_errors(self.name), Session(self.engine) as session:
            return session.scalars(wanted).all()

    def run(self, run_id: str | None = None) -> Run:
        """Return a run with all its contents; without an id, the newest run that has contenders.

        An unambiguous beginning of an id is enough. Raises UsageError if there is no such run.
        """
        wanted = select(Run).order_by(Run.at.desc()).options(*EVERYTHING)
        with explain_database_errors(self.name), Session(self.engine) as session:
            newest = self._newest(session, lambda kind: kind.has_contenders) if run_id is None else None
            wanted = wanted.where(Run.id.startswith(run_id or newest or "", autoescape=True))
            found = session.scalars(wanted.limit(2)).all() if run_id or newest else []
        if not found:
            raise UsageError(
                f"there is no run {run_id!r} in {self.name}" if run_id else f"there is no run in {self.name} yet",
                hint="rosetta list runs shows what there is; rosetta run makes one.",
            )
        if run_id is not None and len(found) > 1:
            raise UsageError(f"{run_id!r} is the beginning of more than one run", hint="Type more of it.")
        return found[0]

    def newest_measured(self) -> str | None:
        """Return the id of the newest run that timed contenders; None if there is none."""
        with explain_database_errors(self.name), Session(self.engine) as session:
            return self._newest(session, lambda kind: kind.is_timed)

    def _newest(self, session: Session, fits: Callable[[RunKind], bool]) -> str | None:
        """Return the id of the newest run whose kind fits.

        The requests are parsed here: SQLite's JSON functions fail for all if one has a number that is not finite.
        """
        requests = session.execute(select(Run.id, Run.request).order_by(Run.at.desc()))
        return next((run for run, request in requests if fits(kind_of(request))), None)

    def marks(self) -> dict[str, tuple[int, int]]:
        """Return {run: (number of its events, the last one's id)}: a run to which nothing was added has the same.

        Everything that is added to a run ends with an event, so a finished run needs nothing else.
        """
        wanted = select(Event.run_id, func.count(), func.max(Event.id)).group_by(Event.run_id)
        with explain_database_errors(self.name), Session(self.engine) as session:
            return {run: (count, last) for run, count, last in session.execute(wanted)}

    def intact_certificates(self) -> tuple[list[Certificate], list[str]]:
        """Return the certificates whose content matches their digests, the oldest first, and the keys of the others."""
        with explain_database_errors(self.name), Session(self.engine) as session:
            found = session.scalars(select(Certificate).order_by(Certificate.id)).all()
        checked = [(one, digest(one.body) == one.digest) for one in found]
        return [one for one, holds in checked if holds], [one.key for one, holds in checked if not holds]

    def certificate(self, key: str) -> Certificate | None:
        """Return the newest certificate for `key`, or None. Raises StoreError if it is damaged."""
        newest = select(Certificate).where(Certificate.key == key).order_by(Certificate.id.desc()).limit(1)
        found = self._read(newest)
        return found[0] if found else None

    def certificates(self) -> Sequence[Certificate]:
        """Return all certificates, the oldest first. Raises StoreError if one is damaged."""
        return self._read(select(Certificate).order_by(Certificate.id))

    def _read(self, wanted: Select[Any]) -> Sequence[Certificate]:
        """Return certificates after checking that their content matches their digests."""
        with explain_database_errors(self.name), Session(self.engine) as session:
            found: Sequence[Certificate] = session.scalars(wanted).all()
        for one in found:
            if digest(one.body) != one.digest:
                raise StoreError(
                    f"certificate {one.key[:12]} in {self.name} is damaged: its content does not match its digest",
                    hint="rosetta run --prove-again makes a new one.",
                )
        return found


def events_of(run: Run, contest: Contest) -> list[Event]:
    """Return the events of a contest and its entries, in order."""
    return [event for event in run.events if event.contest_id == contest.id]


def dropped_rounds(run: Run, contest: Contest) -> set[int]:
    """Return the rounds of a contest that do not count, by its events."""
    return {one.round for one in Dropped.all_of(events_of(run, contest))}


def unbegun(run: Run, contest: Contest) -> bool:
    """Return whether a contest was not begun because the budget was used up, and nothing happened since."""
    kinds = [event.kind for event in events_of(run, contest)]
    return kinds[-1:] == [Unbegun.KIND] and Stopped.KIND not in kinds


EVERYTHING = (
    selectinload(Run.events),
    selectinload(Run.failures),
    selectinload(Run.contests).selectinload(Contest.entries).selectinload(Entry.blocks),
    selectinload(Run.contests).selectinload(Contest.entries).selectinload(Entry.figures),
    selectinload(Run.contests)
    .selectinload(Contest.entries)
    .selectinload(Entry.certifications)
    .selectinload(Certification.certificate),
)
"""Options that load a run with all its contents, so that it can be read after the session is closed."""


def digest(body: dict[str, Any]) -> str:
    """Return the sha256 of a JSON object, whatever the order of its keys."""
    return sha256(json.dumps(body, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def without_password(text: str) -> str:
    """Return a text with the passwords of all URLs replaced by ***."""
    return re.sub(r"(://[^:/@\s]*):[^/\s]*@", r"\1:***@", text)


def is_path(text: str) -> bool:
    """Return whether the name of a store is the path of a file: it contains a folder, or ends like a database."""
    return "://" not in text and ("/" in text or text.endswith((".db", ".sqlite", ".sqlite3")))


def address_of(url: str) -> URL:
    """Return the address of a store from its URL, or from the path of an SQLite file."""
    return URL.create("sqlite", database=str(Path(url).expanduser().absolute())) if is_path(url) else make_url(url)


def file_of(url: str) -> Path | None:
    """Return the SQLite file of a store, which need not exist; None for another database or an invalid URL."""
    try:
        address = address_of(url)
    except ArgumentError:
        return None
    own = address.get_backend_name() == "sqlite" and address.database not in (None, "", ":memory:")
    return Path(str(address.database)) if own else None


def open_engine(url: str) -> Engine:
    """Return an engine for a URL or a path; SQLite gets WAL, durable commits and foreign keys."""
    address = address_of(url)
    if address.get_backend_name() == "sqlite" and address.database:
        Path(address.database).parent.mkdir(parents=True, exist_ok=True)
    engine = create_engine(address)
    if address.get_backend_name() == "sqlite":
        event.listen(engine, "connect", prepare_sqlite)
    return engine


def create(engine: Engine) -> None:
    """Create all tables or none, even if two processes find none at the same moment."""
    with engine.connect() as connection:
        if engine.dialect.name == "sqlite":
            connection.exec_driver_sql("BEGIN IMMEDIATE")  # the second process waits here, and finds the tables made
        if not inspect(connection).has_table(Version.__tablename__):
            Base.metadata.create_all(connection)
            connection.execute(insert(Version).values(version=SCHEMA_VERSION))
        connection.commit()


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


BUSY_MS = 10_000
"""Milliseconds that a connection waits for another process that writes."""


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


TO_DO = {
    "full": "Free some space, then continue with: rosetta resume",
    "readonly": "Give yourself permission to write there, or name another place with --store.",
    "unable to open": "Give yourself permission to write there, or name another place with --store.",
    "disk I/O": "Free some space if the disk is full; if it is damaged, name another place with --store.",
    "locked": "Another process writes into it for long: try again when that has ended.",
}
"""The hint for an error of SQLite, by words in its message."""

OTHERWISE = "Move the file away, or name another place with --store; nothing was overwritten."
"""The hint for any other error, such as a damaged file or one that is not a database."""


@contextmanager
def explain_database_errors(url: str) -> Iterator[None]:
    """Turn the errors of a database driver into StoreError or UsageError with a sentence for the user."""
    try:
        yield
    except ArgumentError as error:
        raise UsageError(f"{url!r} is not the URL of a store", "Write sqlite:////folder/file.sqlite.") from error
    except ImportError as error:
        raise StoreError(f"the store {url} needs a driver: {error}", hint=f"pip install {error.name}") from error
    except OSError as error:
        raise StoreError(
            f"the store {url} cannot be opened: {error}", hint="Name another place with --store."
        ) from error
    except DatabaseError as error:
        reason = str(error.orig)
        hint = next((hint for words, hint in TO_DO.items() if words in reason), OTHERWISE)
        raise StoreError(f"the store {url} cannot be used: {reason}", hint=hint) from error
    except SQLAlchemyError as error:
        raise StoreError(f"the store {url} cannot be used: {error}", hint="Check the URL given to --store.") from error
