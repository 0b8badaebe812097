"""Several releases of a library in one contest: how much faster it has become on the same hardware."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date

from rosettabench.catalogue.framework import all_frameworks
from rosettabench.environments.lock import Lock, all_locks
from rosettabench.summary.entry import from_interval
from rosettabench.summary.estimate import Estimate
from rosettabench.summary.records import ContestSummary, EntrySummary


@dataclass(frozen=True)
class DatedEntry:
    """A contender whose release has a date, and its library."""

    entry: EntrySummary
    library: str
    released: date


@dataclass(frozen=True)
class ReleaseProgress:
    """A library's fastest proven contenders in the oldest and the newest of its measured releases.

    `factor` is the time per step then over that now, paired within rounds: 2 means twice as fast today.
    """

    library: str
    then: DatedEntry
    now: DatedEntry
    factor: Estimate


def dated_contenders(contest: ContestSummary) -> list[DatedEntry]:
    """Return the measured contenders of libraries with more than one release, from old to new."""
    frameworks = all_frameworks()
    libraries = [frameworks[entry.framework].library for entry in contest.timed if entry.framework in frameworks]
    if len(set(libraries)) == len(libraries):  # no lock needs to be looked up
        return []
    locks = {lock.path.stem: lock for lock in all_locks()}
    found = [
        DatedEntry(entry, frameworks[entry.framework].library, lock.released)
        for entry in contest.timed
        if entry.framework in frameworks
        and (lock := lock_of(entry.environment, locks)) is not None
        and lock.released is not None
    ]
    several = {one.library for one in found if len({other.released for other in of_library(found, one.library)}) > 1}
    return sorted((one for one in found if one.library in several), key=lambda one: (one.library, one.released))


def lock_of(environment: str, locks: Mapping[str, Lock]) -> Lock | None:
    """Return the lock that a run's entry names, with or without its Python version."""
    return locks.get(environment) or next((lock for lock in locks.values() if lock.name == environment), None)


def of_library(found: Iterable[DatedEntry], library: str) -> list[DatedEntry]:
    """Return the contenders of one library."""
    return [one for one in found if one.library == library]


def fastest(found: Iterable[DatedEntry]) -> DatedEntry | None:
    """Return the proven contender with the most samples per second; None if none is proven."""
    proven = [one for one in found if one.entry.proof.holds and one.entry.throughput]
    return max(proven, key=lambda one: one.entry.throughput.value if one.entry.throughput else 0, default=None)


def progress(contest: ContestSummary) -> list[ReleaseProgress]:
    """Return the progress of each library that is proven and ranked in two releases."""
    found = [one for one in dated_contenders(contest) if one.entry.rank is not None]
    made = []
    for library in dict.fromkeys(one.library for one in found):
        own = of_library(found, library)
        then = fastest(one for one in own if one.released == own[0].released)
        now = fastest(one for one in own if one.released == own[-1].released)
        if then is not None and now is not None and then.released != now.released:
            factor = ratio_of_times(contest, then.entry.label, now.entry.label)
            made += [ReleaseProgress(library, then, now, factor)] if factor is not None else []
    return made


def ratio_of_times(contest: ContestSummary, above: str, below: str) -> Estimate | None:
    """Return the time of `above` over that of `below`, from the contest's verdict on the two."""
    for verdict in contest.verdicts:
        if verdict.interval is not None and {verdict.faster, verdict.slower} == {above, below}:
            return from_interval(verdict.interval if verdict.slower == above else verdict.interval.inverse())
    return None
