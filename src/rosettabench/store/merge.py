"""Merge stores: all runs of some stores into another one, with new ids, or nothing of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from sqlalchemy import URL, select
from sqlalchemy.orm import Session

from rosettabench.errors import StoreError, UsageError
from rosettabench.store.address import address_of, file_of, secrets_of, without_password
from rosettabench.store.content import Relation, append_run, copy_of, identity_of, lines_of, relate
from rosettabench.store.faults import explain_database_errors
from rosettabench.store.schema import Certificate, Run
from rosettabench.store.store import Store, runs_with_contents

Owner = Callable[[Store, str], str | None]
"""Returns which process is at work on a run of a store, or None."""


class Merged(StrEnum):
    """What a merge did with a run."""

    ADDED = "added"
    CONTINUED = "continued"
    THERE = "there already"
    BUSY = "left out"


@dataclass(frozen=True)
class MergedRun:
    """A run of a source, and what was done with it. `owner` is the process at work on a run that was left out."""

    source: str
    run: str
    how: Merged
    owner: str = ""


def refuse_same(sources: Sequence[str], target: str) -> None:
    """Raise UsageError if a store is to be merged into itself, or if a URL is none."""
    for source in sources:
        if _place(source) == _place(target):
            raise UsageError("a store cannot be merged into itself", "Name another one with --into.")


def _place(url: str) -> URL | Path:
    """Return where a store is: its file, or its address on a server."""
    with explain_database_errors(without_password(url), secrets_of(url)):
        file = file_of(url)
        return file.resolve() if file else address_of(url)


def merge(sources: Sequence[Store], target: Store, owner: Owner) -> list[MergedRun]:
    """Add all runs and certificates of `sources` to `target`, and return what was done with each run.

    A run that is there already is left out. One that is there up to a point is continued: so a run comes back that
    went on in a local file. Runs at work are left out. Raises StoreError, and adds nothing, if a run is there with
    another content, or if anything else fails.
    """
    done: list[MergedRun] = []
    with target.alone() as session:
        for source in sources:
            certificates = _merge_certificates(session, source)
            for run_id in [run.id for run in reversed(source.runs())]:
                done.append(_merge_run(session, source, target, run_id, owner, certificates))
                session.expunge_all()
    return done


def _merge_certificates(session: Session, source: Store) -> Mapping[int, int]:
    """Add the certificates that are not there yet; return the new ids of all by the old ones."""
    there = select(Certificate.key, Certificate.at, Certificate.digest, Certificate.id)
    known = {(key, at, digest): number for key, at, digest, number in session.execute(there)}
    new: dict[int, int] = {}
    for certificate in source.certificates():
        identity = identity_of(certificate)
        if identity not in known:
            added = copy_of(certificate)
            session.add(added)
            session.flush()
            known[identity] = added.id
        new[certificate.id] = known[identity]
    return new


def _merge_run(
    session: Session, source: Store, target: Store, run_id: str, owner: Owner, certificates: Mapping[int, int]
) -> MergedRun:
    """Add one run, or what it has beyond the target's."""
    at_work = owner(source, run_id) or owner(target, run_id)
    if at_work:
        return MergedRun(source.name, run_id, Merged.BUSY, at_work)
    run = source.run(run_id)
    there = session.scalars(runs_with_contents(run_id).where(Run.id == run_id)).one_or_none()
    relation = Relation.AHEAD if there is None else relate(lines_of(run), lines_of(there))
    if relation is Relation.OTHER:
        raise StoreError(
            f"run {run_id} of {source.name} is in {target.name} already, with another content",
            "Nothing was merged. Both may have been resumed: keep the two stores apart.",
        )
    if relation is Relation.AHEAD:
        append_run(session, run, there, certificates)
        return MergedRun(source.name, run_id, Merged.ADDED if there is None else Merged.CONTINUED)
    return MergedRun(source.name, run_id, Merged.THERE)
