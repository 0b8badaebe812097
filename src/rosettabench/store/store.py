"""The store: open it, add rows to it, read runs from it."""

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
    """Return the present moment as the store writes it: UTC, ISO 8601, microseconds."""
    return datetime.now(UTC).isoformat(timespec="microseconds")


class Store:
    """Results, in any database that SQLAlchemy speaks to; an SQLite file by default.

    Every `add` is committed, and on disk, before it returns. Raises StoreError with a sentence when the database cannot
    be opened, read or written.
    """

    def __init__(self, url: str) -> None:
        """Open it; `url` is an SQLAlchemy URL, or the path of an SQLite file. `name` is what one may tell of it."""
        self.name = without_password(url)
        self._together: Session | None = None
        with explain_database_errors(self.name):
            self.engine = open_engine(url)
            self._create_or_check()

    @classmethod
    def existing(cls, url: str) -> Self:
        """Open one that is there already, for who only reads. Raises StoreError where its file is missing."""
        file = file_of(url)
        if file is not None and not file.exists():
            raise StoreError(
                f"there is no results store at {file}",
                "rosetta run makes one; --store, or the variable ROSETTA_STORE, names another.",
            )
        return cls(url)

    def _create_or_check(self) -> None:
        """Make the tables of a new store; refuse one of another version."""
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
        """Write one row durably and return it with its id. Of a run's command, passwords are left out."""
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
        """Keep all rows that are added meanwhile, or none of them: they are on disk when it ends without an error.

        Nobody else can write into the store until then.
        """
        with explain_database_errors(self.name), Session(self.engine, expire_on_commit=False) as session:
            self._together = session
            try:
                yield
                session.commit()
            finally:
                self._together = None

    def moment(self) -> str:
        """Return a moment for a new run: now, or just after the newest run, where the clock has gone back since.

        The newest run is found by its moment.
        """
        with explain_database_errors(self.name), Session(self.engine) as session:
            newest = session.scalar(select(func.max(Run.at)))
        just_after = later(newest) if newest else ""
        return max(now(), just_after)

    def runs(self, workload: str | None = None) -> Sequence[Run]:
        """Return all runs, or those that have a contest of `workload`, newest first, without their contents."""
        wanted = select(Run).order_by(Run.at.desc())
        if workload is not None:
            wanted = wanted.where(Run.contests.any(Contest.workload == workload))
        with explain_database_errors(self.name), Session(self.engine) as session:
            return session.scalars(wanted).all()

    def run(self, run_id: str | None = None) -> Run:
        """Return a run with everything below it; where no id is given, the newest that did not measure the machine.

        An unambiguous beginning of an id will do. Raises UsageError when there is no such run.
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
        """Return the id of the newest run that measured contenders, not only proved them; None if there is none."""
        with explain_database_errors(self.name), Session(self.engine) as session:
            return self._newest(session, lambda kind: kind.is_timed)

    def _newest(self, session: Session, fits: Callable[[RunKind], bool]) -> str | None:
        """Return the id of the newest run whose kind fits; the requests are read here, and not by the database.

        To SQLite, one number that is not finite makes all of them unreadable.
        """
        requests = session.execute(select(Run.id, Run.request).order_by(Run.at.desc()))
        return next((run for run, request in requests if fits(kind_of(request))), None)

    def certificate(self, key: str) -> Certificate | None:
        """Return the newest certificate for `key`, or None. A damaged one raises StoreError."""
        newest = select(Certificate).where(Certificate.key == key).order_by(Certificate.id.desc()).limit(1)
        found = self._read(newest)
        return found[0] if found else None

    def certificates(self) -> Sequence[Certificate]:
        """Return all certificates, the oldest first. A damaged one raises StoreError."""
        return self._read(select(Certificate).order_by(Certificate.id))

    def _read(self, wanted: Select[Any]) -> Sequence[Certificate]:
        """Return certificates, once their content was seen to match their digests."""
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
    """Return what happened in a contest and to its entries, in order."""
    return [event for event in run.events if event.contest_id == contest.id]


def dropped_rounds(run: Run, contest: Contest) -> set[int]:
    """Return the rounds of a contest that do not count, because something happened in them: see its events."""
    return {one.round for one in Dropped.all_of(events_of(run, contest))}


def unbegun(run: Run, contest: Contest) -> bool:
    """Return whether a contest waits: the budget was spent when its turn came, and nothing has happened since."""
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
"""Loader options that bring a run with all that hangs on it, so that it can be read after the session is closed."""


def digest(body: dict[str, Any]) -> str:
    """Return the sha256 of a JSON object, independent of the order of its keys."""
    return sha256(json.dumps(body, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def without_password(text: str) -> str:
    """Return a text in which every URL has lost its password."""
    return re.sub(r"(://[^:/@\s]*):[^/\s]*@", r"\1:***@", text)


def is_path(text: str) -> bool:
    """Whether a text that names a store is the path of a file: it has a folder in it, or a database's ending."""
    return "://" not in text and ("/" in text or text.endswith((".db", ".sqlite", ".sqlite3")))


def address_of(url: str) -> URL:
    """Return the address of a store that is named by its URL, or by the path of an SQLite file."""
    return URL.create("sqlite", database=str(Path(url).expanduser().absolute())) if is_path(url) else make_url(url)


def file_of(url: str) -> Path | None:
    """Return the SQLite file of a store, which need not exist; None of another database, and of what is no URL."""
    try:
        address = address_of(url)
    except ArgumentError:
        return None
    own = address.get_backend_name() == "sqlite" and address.database not in (None, "", ":memory:")
    return Path(str(address.database)) if own else None


def open_engine(url: str) -> Engine:
    """Return an engine for `url`, or a path; for SQLite with WAL, durable commits and foreign keys."""
    address = address_of(url)
    if address.get_backend_name() == "sqlite" and address.database:
        Path(address.database).parent.mkdir(parents=True, exist_ok=True)
    engine = create_engine(address)
    if address.get_backend_name() == "sqlite":
        event.listen(engine, "connect", prepare_sqlite)
    return engine


def create(engine: Engine) -> None:
    """Create the tables, all or none of them, even where two processes find none at the same moment."""
    with engine.connect() as connection:
        if engine.dialect.name == "sqlite":
            connection.exec_driver_sql("BEGIN IMMEDIATE")  # whoever comes second waits here, and finds them made
        if not inspect(connection).has_table(Version.__tablename__):
            Base.metadata.create_all(connection)
            connection.execute(insert(Version).values(version=SCHEMA_VERSION))
        connection.commit()


def prepare_sqlite(connection: DBAPIConnection, _record: object) -> None:
    """Set up a new SQLite connection: readers never block the writer, and a commit survives a power cut.

    Raises StoreError, before anything is written, where another program has its tables there.
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
"""How many milliseconds a connection waits for another process that writes."""


def _write_ahead(cursor: DBAPICursor) -> None:
    """Switch the file to its write-ahead log, once nobody else is at it.

    SQLite's own time to wait does not hold here: whoever meets another process that switches, too, is refused at once.
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
"""What to do about what SQLite says, by words of it."""

OTHERWISE = "Move the file away, or name another place with --store; nothing was overwritten."
"""What to do about a file that is damaged, or no database."""


@contextmanager
def explain_database_errors(url: str) -> Iterator[None]:
    """Turn what a database driver says into a sentence for the user."""
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
