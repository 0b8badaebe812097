"""The tables. Rows are only added, never changed, and a killed run loses nothing.

Run ─< Contest ─< Entry ─< Block, Figure, Certification
Run ─< Event, Failure

Triggers refuse UPDATE and DELETE, and on PostgreSQL also TRUNCATE, so that neither a bug nor another tool can rewrite a
result. A change of the tables needs a new SCHEMA_VERSION and a file in store/migrations/versions.
"""

from __future__ import annotations

from functools import cached_property
from math import isnan
from typing import Any

from sqlalchemy import DDL, JSON, BigInteger, Dialect, Double, ForeignKey, Integer, String, TypeDecorator, event
from sqlalchemy.orm import DeclarativeBase, Mapped, MappedAsDataclass, mapped_column, relationship

from rosettabench.store.digest import digest

SCHEMA_VERSION = 2
"""Stored in the database. An older store is upgraded, a newer one is refused, never partly read."""

UNSTORABLE = {0: "\ufffd", **dict.fromkeys(range(0xD800, 0xE000), "\ufffd")}
"""Characters that PostgreSQL (NUL) or no database (surrogates) can hold: they become the replacement character."""


class StoredText(TypeDecorator[str]):
    """Text that every database can hold. Output of a crashed worker may contain anything."""

    impl = String
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        """Return the text without characters that a database refuses."""
        return value.translate(UNSTORABLE) if isinstance(value, str) else value


class StoredNumber(TypeDecorator[float]):
    """A number of 64 bits. NaN is stored as NULL: SQLite does that anyway."""

    impl = Double
    cache_ok = True

    def process_bind_param(self, value: float | None, dialect: Dialect) -> float | None:
        """Return the number, or None for NaN."""
        return None if value is None or isnan(value) else value


class Base(MappedAsDataclass, DeclarativeBase, kw_only=True):
    """Common base of all tables. Times (`at`) are UTC, ISO 8601, with microseconds."""

    type_annotation_map = {  # noqa: RUF012 (SQLAlchemy's own name)
        str: StoredText,
        float: StoredNumber,
        int: BigInteger().with_variant(Integer(), "sqlite"),  # SQLite counts up INTEGER keys alone
        dict[str, Any]: JSON,
        list[str]: JSON,
    }


class Version(Base):
    """The versions that this schema has had: an upgrade adds a row, and the highest one counts."""

    __tablename__ = "schema_version"
    version: Mapped[int] = mapped_column(primary_key=True)


class Run(Base):
    """One invocation of a command that makes a run, with everything needed to resume it."""

    __tablename__ = "runs"
    id: Mapped[str] = mapped_column(primary_key=True)
    at: Mapped[str] = mapped_column(index=True)
    version: Mapped[str]
    """Version of Rosettabench."""
    command: Mapped[list[str]]
    """The words of the command that repeats it."""
    request: Mapped[dict[str, Any]]
    machine: Mapped[dict[str, Any]]
    contests: Mapped[list[Contest]] = relationship(init=False, order_by="Contest.id", back_populates="run")
    events: Mapped[list[Event]] = relationship(init=False, order_by="Event.id")
    failures: Mapped[list[Failure]] = relationship(init=False, order_by="Failure.id")


class Contest(Base):
    """One workload and setting, with the contenders that are compared on it."""

    __tablename__ = "contests"
    id: Mapped[int] = mapped_column(init=False, primary_key=True)
    run_id: Mapped[str] = mapped_column(ForeignKey("runs.id"), index=True)
    workload: Mapped[str]
    setting: Mapped[dict[str, Any]]
    """batch_size, device, precision, seed, threads."""
    stopping: Mapped[dict[str, Any]]
    run: Mapped[Run] = relationship(init=False, back_populates="contests")
    entries: Mapped[list[Entry]] = relationship(init=False, order_by="Entry.id", back_populates="contest")


class Entry(Base):
    """One contender in one contest."""

    __tablename__ = "entries"
    id: Mapped[int] = mapped_column(init=False, primary_key=True)
    contest_id: Mapped[int] = mapped_column(ForeignKey("contests.id"), index=True)
    label: Mapped[str]
    framework: Mapped[str]
    mode: Mapped[str]
    lock: Mapped[str | None]
    python: Mapped[str | None]
    control_of: Mapped[str | None]
    """For the second entry of the A/A control: the label of the first."""
    contest: Mapped[Contest] = relationship(init=False, back_populates="entries")
    blocks: Mapped[list[Block]] = relationship(init=False, order_by="Block.id")
    figures: Mapped[list[Figure]] = relationship(init=False, order_by="Figure.id")
    certifications: Mapped[list[Certification]] = relationship(init=False, order_by="Certification.id")


class Block(Base):
    """One timed block: `steps` steps from step `first` on; the device is idle at both clock readings."""

    __tablename__ = "blocks"
    id: Mapped[int] = mapped_column(init=False, primary_key=True)
    entry_id: Mapped[int] = mapped_column(ForeignKey("entries.id"), index=True)
    at: Mapped[str]
    session: Mapped[int]
    """The process of this entry, counted from 1."""
    phase: Mapped[str]
    """``warm-up`` (recorded, not counted) or ``turn``."""
    round: Mapped[int]
    position: Mapped[int]
    """Place within the round's random order, from 0."""
    first: Mapped[int]
    steps: Mapped[int]
    samples: Mapped[int]
    elapsed_s: Mapped[float]
    cpu_s: Mapped[float]
    loss: Mapped[float | None]
    """Mean training loss over the block."""
    learning_rate: Mapped[float | None]


class Figure(Base):
    """One measured number that is not a block; FigureName of store/record.py has the names.

    The `detail` of an evaluation and its scores has samples, correct and epoch; that of mean_auc also labels (how many
    labels the mean covers) and of (how many there are). The `detail` of resources that all blocks of a session used has
    windows, seconds, and where it applies resolution and idle power (docs/reference/resources.md).
    """

    __tablename__ = "figures"
    id: Mapped[int] = mapped_column(init=False, primary_key=True)
    entry_id: Mapped[int] = mapped_column(ForeignKey("entries.id"), index=True)
    at: Mapped[str]
    session: Mapped[int]
    name: Mapped[str]
    value: Mapped[float]
    detail: Mapped[dict[str, Any]]


class Certificate(Base):
    """The evidence that one contender did equal work; shared by every entry with this `key`."""

    __tablename__ = "certificates"
    id: Mapped[int] = mapped_column(init=False, primary_key=True)
    key: Mapped[str] = mapped_column(index=True)
    """sha256 of everything that the proof depends on."""
    at: Mapped[str]
    passed: Mapped[bool]
    body: Mapped[dict[str, Any]]
    digest: Mapped[str]
    """sha256 of `body`, which reveals damage."""

    @cached_property
    def intact(self) -> bool:
        """Whether its content matches its digest."""
        return digest(self.body) == self.digest


class Certification(Base):
    """The certificate with which an entry was measured."""

    __tablename__ = "certifications"
    id: Mapped[int] = mapped_column(init=False, primary_key=True)
    entry_id: Mapped[int] = mapped_column(ForeignKey("entries.id"), index=True)
    certificate_id: Mapped[int] = mapped_column(ForeignKey("certificates.id"))
    session: Mapped[int]
    certificate: Mapped[Certificate] = relationship(init=False)


class Event(Base):
    """Something that happened in a run: data prepared, settings read back, interrupted, finished, ….

    Each kind is a class in store/record.py, or in the room it belongs to.
    """

    __tablename__ = "events"
    id: Mapped[int] = mapped_column(init=False, primary_key=True)
    run_id: Mapped[str] = mapped_column(ForeignKey("runs.id"), index=True)
    contest_id: Mapped[int | None] = mapped_column(ForeignKey("contests.id"))
    entry_id: Mapped[int | None] = mapped_column(ForeignKey("entries.id"))
    at: Mapped[str]
    kind: Mapped[str]
    payload: Mapped[dict[str, Any]]


class Failure(Base):
    """The failure of a contender, with its cause: it crashed, hung, ran out of memory or could not be installed."""

    __tablename__ = "failures"
    id: Mapped[int] = mapped_column(init=False, primary_key=True)
    run_id: Mapped[str] = mapped_column(ForeignKey("runs.id"), index=True)
    contest_id: Mapped[int | None] = mapped_column(ForeignKey("contests.id"))
    entry_id: Mapped[int | None] = mapped_column(ForeignKey("entries.id"))
    at: Mapped[str]
    stage: Mapped[str]
    """What was done: a `FailureStage`."""
    kind: Mapped[str]
    """The cause: a `FailureKind`."""
    what: Mapped[str]
    hint: Mapped[str]
    details: Mapped[str]


REFUSAL = "results are append-only"
"""What the triggers say."""

event.listen(
    Base.metadata,
    "before_create",
    DDL(  # type: ignore[no-untyped-call]
        "CREATE OR REPLACE FUNCTION rosetta_append_only() RETURNS trigger LANGUAGE plpgsql AS "
        f"$$ BEGIN RAISE EXCEPTION '{REFUSAL}'; END $$"
    ).execute_if(dialect="postgresql"),
)

for table in Base.metadata.tables.values():
    for verb in ("UPDATE", "DELETE"):
        event.listen(
            table,
            "after_create",
            DDL(  # type: ignore[no-untyped-call]
                f"CREATE TRIGGER {table.name}_no_{verb.lower()} BEFORE {verb} ON {table.name} "
                f"BEGIN SELECT RAISE(ABORT, '{REFUSAL}'); END"
            ).execute_if(dialect="sqlite"),
        )
    event.listen(
        table,
        "after_create",
        DDL(  # type: ignore[no-untyped-call]
            f"CREATE TRIGGER {table.name}_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON {table.name} "
            "FOR EACH STATEMENT EXECUTE FUNCTION rosetta_append_only()"
        ).execute_if(dialect="postgresql"),
    )
