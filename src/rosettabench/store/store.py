"""The store: open it, add rows, read runs."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Lock
from typing import Any, Self, TypeVar

from sqlalchemy import Select, func, or_, select
from sqlalchemy.orm import Session, selectinload
from sqlalchemy.orm.interfaces import ORMOption

from rosettabench.errors import StoreError, UsageError
from rosettabench.store.address import file_of, secrets_of, without_password
from rosettabench.store.database import create, has_tables, hold_lock, holder_of, lock, open_engine
from rosettabench.store.faults import DatabaseAway, explain_database_errors
from rosettabench.store.kind import RunKind, kind_of
from rosettabench.store.record import Dropped, MeasuredOn, Stopped, Unbegun
from rosettabench.store.rescue import RunCopy
from rosettabench.store.schema import (
    Base,
    Block,
    Certificate,
    Certification,
    Contest,
    Entry,
    Event,
    Failure,
    Figure,
    Run,
)
from rosettabench.store.upgrade import check_version

Row = TypeVar("Row", bound=Base)
Result = TypeVar("Result")

NEWEST_FIRST = Run.at.desc(), Run.id.desc()
"""The order of runs. Two machines may begin one in the same microsecond."""


def microsecond_later(moment: str) -> str:
    """Return the moment a microsecond later."""
    return (datetime.fromisoformat(moment) + timedelta(microseconds=1)).isoformat(timespec="microseconds")


def now() -> str:
    """Return the current time as the store writes it: UTC, ISO 8601, microseconds."""
    return datetime.now(UTC).isoformat(timespec="microseconds")


class Store:
    """Results in an SQLite file, in PostgreSQL, or in another database that SQLAlchemy supports.

    Every `add` is committed, and on disk, before it returns. Raises StoreError if the database cannot be opened, read
    or written; DatabaseAway, which is one, if its server cannot be reached.
    """

    def __init__(self, url: str) -> None:
        """Open it. `url` is an SQLAlchemy URL, or the path of an SQLite file; `name` is `url` without its password."""
        self.name = without_password(url)
        self.left: str | None = None
        """The name of the database that went away, while a run goes on in a local file."""
        self._secrets = secrets_of(url)
        self._together: Session | None = None
        self._copy: RunCopy | None = None
        self._moving = Lock()
        with self._explain_errors():
            self.engine = open_engine(url)
            if not has_tables(self.engine):
                create(self.engine)
            check_version(self.engine, self.name)

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

    @property
    def is_shared(self) -> bool:
        """Whether other machines may write to it, too: it is on a server."""
        return self.engine.dialect.name != "sqlite"

    @contextmanager
    def _explain_errors(self) -> Iterator[None]:
        """Turn the errors of the driver into sentences without passwords."""
        with explain_database_errors(self.name, self._secrets):
            yield

    def _do(self, work: Callable[[Session], Result]) -> Result:
        """Return what `work` does in a session of its own.

        If the database goes away during a run that is protected, the run moves to a local file, and `work` is done
        there.
        """
        engine = self.engine
        try:
            return self._do_here(work)
        except DatabaseAway as away:
            with self._moving:
                if self._copy is None:
                    raise
                if self.engine is engine:  # no other thread was faster
                    self._move(self._copy, away)
        return self._do_here(work)

    def _do_here(self, work: Callable[[Session], Result]) -> Result:
        """Return what `work` does in a session of its own, in the database as it is."""
        with self._explain_errors(), Session(self.engine, expire_on_commit=False) as session:
            return work(session)

    def _move(self, copy: RunCopy, away: DatabaseAway) -> None:
        """Go on in a local file that has all that is known of the protected run."""
        file = copy.new_file()
        with explain_database_errors(str(file)):
            engine = open_engine(str(file))
            create(engine)
            copy.write(engine)
        self.left, self.name, self.engine = self.name, str(file), engine
        copy.tell(f"{away.what}. The run goes on in {file}")

    @contextmanager
    def protect_run(self, run_id: str, folder: Path, tell: Callable[[str], None]) -> Iterator[None]:
        """Let a run go on in a file below `folder` if its database goes away.

        `tell` is called once if that happens. The store is this file from then on. An SQLite file cannot go away.
        """
        if not self.is_shared:
            yield
            return
        self._copy = RunCopy(self.run(run_id), folder, tell)
        try:
            yield
        finally:
            self._copy = None

    @contextmanager
    def own_run(self, run_id: str) -> Iterator[None]:
        """Own a run among all machines that use this store. Raises UsageError with the name of another owner."""
        with ExitStack() as stack:
            with self._explain_errors():  # only the lock: an error of the work inside is not one of the database
                stack.enter_context(hold_lock(self.engine, f"run {run_id}"))
            yield

    def owner(self, run_id: str) -> str | None:
        """Return which process on any machine owns a run in this store; None if none does. SQLite does not know."""
        with self._explain_errors():
            return holder_of(self.engine, f"run {run_id}")

    def add(self, row: Row) -> Row:
        """Write one row durably and return it with its id. Passwords in a run's command are removed."""
        if isinstance(row, Run):
            row.command = [without_password(word) for word in row.command]
        if self._together is not None:
            with self._explain_errors():
                self._together.add(row)
                self._together.flush()
                return row

        self.add_all([row])
        return row

    def add_all(self, rows: Sequence[Base]) -> None:
        """Write several rows durably, in one transaction. No row may need the id of another."""

        def write(session: Session) -> None:
            """Write the rows."""
            session.add_all(rows)
            session.commit()

        self._do(write)
        if self._copy is not None:
            for row in rows:
                self._copy.note(row)

    @contextmanager
    def together(self) -> Iterator[None]:
        """Store all rows that are added inside, or none: they are on disk when it ends without an error.

        No other process can write to an SQLite file until then; PostgreSQL lets others write.
        """
        with self._explain_errors(), Session(self.engine, expire_on_commit=False) as session:
            self._together = session
            try:
                yield
                session.commit()
            finally:
                self._together = None

    @contextmanager
    def alone(self) -> Iterator[Session]:
        """Return a session beside which nobody else merges. Everything in it is committed at the end, or nothing."""
        with self._explain_errors(), Session(self.engine, expire_on_commit=False) as session:
            lock(session.connection())
            yield session
            session.commit()

    def read(self, work: Callable[[Session], Result]) -> Result:
        """Return what `work` reads in one session."""
        return self._do(work)

    def moment(self) -> str:
        """Return the time of a new run: now, or just after the newest run if the clock has gone back since.

        The time decides which run is the newest.
        """
        newest = self._do(lambda session: session.scalar(select(func.max(Run.at))))
        just_after = microsecond_later(newest) if newest else ""
        return max(now(), just_after)

    def runs(self, workload: str | None = None) -> Sequence[Run]:
        """Return all runs, or those with a contest of `workload`, newest first, without their contents."""
        wanted = select(Run).order_by(*NEWEST_FIRST)
        if workload is not None:
            wanted = wanted.where(Run.contests.any(Contest.workload == workload))
        return self._do(lambda session: session.scalars(wanted).all())

    def run(self, run_id: str | None = None) -> Run:
        """Return a run with all its contents; without an id, the newest run that has contenders.

        An unambiguous beginning of an id is enough. Raises UsageError if there is no such run.
        """

        def read(session: Session) -> Sequence[Run]:
            """Read the runs that fit, two at most."""
            beginning = self._newest(session, lambda kind: kind.has_contenders) if run_id is None else run_id
            if not beginning:
                return []
            wanted = runs_with_contents(beginning).limit(2)
            exact = session.scalars(wanted.where(Run.id == beginning)).all()
            return exact or session.scalars(wanted).all()

        found = self._do(read)
        if not found:
            raise UsageError(
                f"there is no run {run_id!r} in {self.name}" if run_id else f"there is no run in {self.name} yet",
                hint="rosetta list runs shows what there is; rosetta run makes one.",
            )
        if run_id is not None and len(found) > 1:
            raise UsageError(f"{run_id!r} is the beginning of more than one run", hint="Type more of it.")
        return found[0]

    def runs_of(self, names: Collection[str]) -> Sequence[Run]:
        """Return the runs of these ids with all their contents, the newest first; what they share is read once."""
        wanted = runs_with_contents().where(Run.id.in_(names))
        return self._do(lambda session: session.scalars(wanted).all())

    def run_around(self, contest: int) -> Run:
        """Return the run of a contest: its whole plan, but what was measured or happened in this contest alone.

        A sweep asks for it after each contest. The contents of all others would make that slower each time.
        """
        wanted = select(Run).where(Run.contests.any(Contest.id == contest)).options(*contents_of_contest(contest))
        return self._do(lambda session: session.scalars(wanted).one())

    def newest_measured(self) -> str | None:
        """Return the id of the newest run that timed contenders; None if there is none."""
        return self._do(lambda session: self._newest(session, lambda kind: kind.is_timed))

    def _newest(self, session: Session, fits: Callable[[RunKind], bool]) -> str | None:
        """Return the id of the newest run whose kind fits.

        The requests are parsed here: SQLite's JSON functions fail for all if one has a number that is not finite.
        """
        requests = session.execute(select(Run.id, Run.request).order_by(*NEWEST_FIRST))
        return next((run for run, request in requests if fits(kind_of(request))), None)

    def placed_runs(self) -> set[str]:
        """Return the runs with a contest whose machine is not simply that of the run."""
        wanted = select(Event.run_id).where(Event.kind == MeasuredOn.KIND).distinct()
        return self._do(lambda session: {*session.scalars(wanted)})

    def marks(self) -> dict[str, tuple[int, int]]:
        """Return {run: (number of its events, the last one's id)}: a run to which nothing was added has the same.

        Everything that is added to a run ends with an event, so a finished run needs nothing else.
        """
        wanted = select(Event.run_id, func.count(), func.max(Event.id)).group_by(Event.run_id)
        with explain_database_errors(self.name), Session(self.engine) as session:
            return {run: (count, last) for run, count, last in session.execute(wanted)}

    def count_blocks(self) -> dict[str, int]:
        """Return {run: number of its blocks} of all runs that have any."""
        wanted = select(Contest.run_id, func.count()).join(Entry, Entry.contest_id == Contest.id)
        wanted = wanted.join(Block, Block.entry_id == Entry.id).group_by(Contest.run_id)
        return self._do(lambda session: dict(session.execute(wanted).tuples().all()))

    def intact_certificates(self) -> tuple[list[Certificate], list[str]]:
        """Return the certificates whose content matches their digests, the oldest first, and the keys of the others."""
        with explain_database_errors(self.name), Session(self.engine) as session:
            found = session.scalars(select(Certificate).order_by(Certificate.id)).all()
        return [one for one in found if one.intact], [one.key for one in found if not one.intact]

    def certificate(self, key: str) -> Certificate | None:
        """Return the newest certificate for `key`, or None. Raises StoreError if it is damaged."""
        newest = select(Certificate).where(Certificate.key == key)
        newest = newest.order_by(Certificate.at.desc(), Certificate.id.desc()).limit(1)
        found = self._read(newest)
        return found[0] if found else None

    def certificates(self) -> Sequence[Certificate]:
        """Return all certificates, the oldest first. Raises StoreError if one is damaged."""
        return self._read(select(Certificate).order_by(Certificate.at, Certificate.id))

    def _read(self, wanted: Select[Any]) -> Sequence[Certificate]:
        """Return certificates after checking that their content matches their digests."""
        found: Sequence[Certificate] = self._do(lambda session: session.scalars(wanted).all())
        for one in found:
            if self._copy is not None:
                self._copy.note(one)
            if not one.intact:
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


def machine_of(run: Run, contest: Contest) -> dict[str, Any]:
    """Return the facts of the machine on which a contest was measured last."""
    found = MeasuredOn.last_of(events_of(run, contest))
    return found.machine if found else run.machine


def unbegun(run: Run, contest: Contest) -> bool:
    """Return whether a contest was not begun because not enough was left of the budget, and nothing happened since."""
    kinds = [event.kind for event in events_of(run, contest)]
    return kinds[-1:] == [Unbegun.KIND] and Stopped.KIND not in kinds


PLAN = selectinload(Run.contests).selectinload(Contest.entries)
"""The option that loads the contests of a run, and their entries."""

EVERYTHING = (
    selectinload(Run.events),
    selectinload(Run.failures),
    PLAN.selectinload(Entry.blocks),
    PLAN.selectinload(Entry.figures),
    PLAN.selectinload(Entry.certifications).selectinload(Certification.certificate),
)
"""Options that load a run with all its contents, so that it can be read after the session is closed."""


def contents_of_contest(contest: int) -> tuple[ORMOption, ...]:
    """Return the options that load a run with its plan, and the contents of one contest alone."""
    own = select(Entry.id).where(Entry.contest_id == contest)
    certifications = PLAN.selectinload(Entry.certifications.and_(Certification.entry_id.in_(own)))
    return (
        selectinload(Run.events.and_(or_(Event.contest_id == contest, Event.contest_id.is_(None)))),
        selectinload(Run.failures.and_(or_(Failure.contest_id == contest, Failure.contest_id.is_(None)))),
        PLAN.selectinload(Entry.blocks.and_(Block.entry_id.in_(own))),
        PLAN.selectinload(Entry.figures.and_(Figure.entry_id.in_(own))),
        certifications.selectinload(Certification.certificate),
    )


def runs_with_contents(beginning: str = "") -> Select[Run]:
    """Return the query for all runs whose ids begin so, the newest first, with all their contents."""
    wanted = select(Run).where(Run.id.startswith(beginning, autoescape=True))
    return wanted.order_by(*NEWEST_FIRST).options(*EVERYTHING)
