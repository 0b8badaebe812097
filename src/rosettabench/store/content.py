"""The content of a run without the ids of its database: to compare runs of two stores, and to copy them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import Enum
from typing import Any

from sqlalchemy import inspect
from sqlalchemy.orm import Session

from rosettabench.store.database import portable_json
from rosettabench.store.schema import UNSTORABLE, Base, Certificate, Event, Failure, Run

Lines = Mapping[str, list[str]]
"""The rows of a run as JSON, in order: {which rows: rows}."""

IDS = ("id", "run_id", "contest_id", "entry_id", "certificate_id")
"""The columns that are others in another database."""


class Relation(Enum):
    """How a run in one store relates to the run of the same id in another."""

    SAME = "the same"
    BEHIND = "the beginning of the other"
    AHEAD = "the other, continued"
    OTHER = "another content"


def columns_of(row: Base) -> dict[str, Any]:
    """Return the values of a row by column."""
    return {column.key: getattr(row, column.key) for column in inspect(row).mapper.column_attrs}


def line_of(row: Base, **place: int | str | None) -> str:
    """Return the values of a row, without ids, and its place in the run, as JSON."""
    values = {name: value for name, value in columns_of(row).items() if name not in IDS}
    texts = {name: value.translate(UNSTORABLE) for name, value in values.items() if isinstance(value, str)}
    return portable_json(values | texts | place, sort_keys=True)


def identity_of(certificate: Certificate) -> tuple[str, str, str]:
    """Return what identifies a certificate. Its body need not be compared: the digest is that of the body."""
    return certificate.key, certificate.at, certificate.digest


def places(run: Run) -> tuple[dict[int, int], dict[int, int]]:
    """Return the places of contests and entries within a run: {id: place}, {id: place}."""
    contests = {contest.id: place for place, contest in enumerate(run.contests)}
    entries = [entry for contest in run.contests for entry in contest.entries]
    return contests, {entry.id: place for place, entry in enumerate(entries)}


def lines_of(run: Run) -> Lines:
    """Return the content of a run that was read completely."""
    contests, entries = places(run)
    lines = {"run": [run.id, line_of(run)], "contests": [line_of(contest) for contest in run.contests]}
    for happened in ("events", "failures"):
        rows: list[Event | Failure] = getattr(run, happened)
        lines[happened] = [
            line_of(row, contest=contests.get(row.contest_id or 0), entry=entries.get(row.entry_id or 0))
            for row in rows
        ]
    for contest in run.contests:
        lines[f"entries of {contests[contest.id]}"] = [line_of(entry) for entry in contest.entries]
        for entry in contest.entries:
            of = entries[entry.id]
            lines[f"blocks of {of}"] = [line_of(row) for row in entry.blocks]
            lines[f"figures of {of}"] = [line_of(row) for row in entry.figures]
            lines[f"certifications of {of}"] = [
                line_of(row, certificate=" ".join(identity_of(row.certificate))) for row in entry.certifications
            ]
    return lines


def relate(one: Lines, other: Lines) -> Relation:
    """Return how the content of one run relates to that of another."""
    begins, is_begun = _is_beginning(one, other), _is_beginning(other, one)
    if begins and is_begun:
        return Relation.SAME
    return Relation.BEHIND if begins else Relation.AHEAD if is_begun else Relation.OTHER


def _is_beginning(one: Lines, other: Lines) -> bool:
    """Return whether all rows of one run are the first rows of the other."""
    return all(rows == list(other.get(which, ()))[: len(rows)] for which, rows in one.items())


def rows_of(run: Run) -> Iterator[Base]:
    """Yield all rows of a run that was read completely, certificates included, in an order in which they can be added.

    A certificate that several entries share is yielded several times.
    """
    yield run
    for contest in run.contests:
        yield contest
        for entry in contest.entries:
            yield entry
            for certification in entry.certifications:
                yield certification.certificate
            yield from (*entry.blocks, *entry.figures, *entry.certifications)
    yield from (*run.events, *run.failures)


def copy_of(row: Base, **changes: int | None) -> Any:  # noqa: ANN401 (a row of the same class)
    """Return a row with the same content and no id, except for a run, whose id is its own."""
    values = columns_of(row) | changes
    return type(row)(**{name: value for name, value in values.items() if name != "id" or isinstance(row, Run)})


def append_run(session: Session, run: Run, there: Run | None, certificates: Mapping[int, int]) -> None:
    """Add a run, or what it has beyond the same run that is `there`, with new ids.

    `certificates` are the new ids of the certificates that it uses, by the old ones. Nothing is committed.
    """
    if there is None:
        session.add(copy_of(run))
        session.flush()
    contests = _append(session, run.contests, there.contests if there else [])
    entries: dict[int, int] = {}
    for place, contest in enumerate(run.contests):
        old = there.contests[place].entries if there and place < len(there.contests) else []
        entries |= _append(session, contest.entries, old, contest_id=contests[contest.id])
        for number, entry in enumerate(contest.entries):
            before = old[number] if number < len(old) else None
            at = {"entry_id": entries[entry.id]}
            _append(session, entry.blocks, before.blocks if before else [], **at)
            _append(session, entry.figures, before.figures if before else [], **at)
            for row in entry.certifications[len(before.certifications) if before else 0 :]:
                session.add(copy_of(row, certificate_id=certificates[row.certificate_id], **at))
    for happened in ("events", "failures"):
        for row in getattr(run, happened)[len(getattr(there, happened)) if there else 0 :]:
            where = {"contest_id": contests.get(row.contest_id), "entry_id": entries.get(row.entry_id)}
            session.add(copy_of(row, **where))
    session.flush()


def _append(session: Session, rows: list[Any], there: list[Any], **changes: int) -> dict[int, int]:
    """Add the rows that are not there yet; return the new ids of all of them by the old ones."""
    added = [copy_of(row, **changes) for row in rows[len(there) :]]
    session.add_all(added)
    session.flush()
    return {row.id: new.id for row, new in zip(rows, [*there, *added], strict=True)}
