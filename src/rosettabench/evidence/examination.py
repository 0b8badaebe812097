"""Read a bundle and check all of it: the file, its parts, how they fit, and whether the verdicts follow."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from pydantic import ValidationError

from rosettabench.catalogue.strict import faults
from rosettabench.errors import DataError
from rosettabench.evidence.archive import read_file, unpack
from rosettabench.evidence.content import Bundle
from rosettabench.evidence.happenings import KINDS
from rosettabench.evidence.judgement import differences, judge_run
from rosettabench.evidence.members import read_members
from rosettabench.evidence.plain import HINT, MOST_FAULTS
from rosettabench.evidence.rows import rows_of
from rosettabench.store.digest import digest

UNFIT = (ArithmeticError, AssertionError, AttributeError, LookupError, TypeError, ValueError)
"""What computing verdicts raises for numbers and names that no run has."""


@dataclass(frozen=True)
class ExaminedBundle:
    """A bundle whose parts were checked. `sha256` is that of its file.

    `differences` are sentences on stated verdicts that its blocks do not give.
    """

    bundle: Bundle
    sha256: str
    differences: tuple[str, ...]


def examine(path: Path) -> ExaminedBundle:
    """Return the checked bundle in a file. Raises DataError with what is wrong if it is not one."""
    content = read_file(path)
    bundle = read_members(unpack(content))
    for wrong in misfits(bundle):
        raise DataError(f"the parts of the bundle do not fit: {wrong}", HINT)
    try:
        found = tuple(differences(bundle.judgements, judge_run(rows_of(bundle))))
    except UNFIT as error:
        raise DataError(
            f"no verdict can be computed from the bundle: {type(error).__name__} {ascii(str(error))[:MOST_FAULTS]}",
            HINT,
        ) from error
    return ExaminedBundle(bundle, sha256(content).hexdigest(), found)


def misfits(bundle: Bundle) -> Iterator[str]:
    """Yield a sentence for each part that names another part which is not there, or is no evidence."""
    sizes = {number: len(contest.entries) for number, contest in enumerate(bundle.contests, start=1)}
    for kind in ("blocks", "figures", "events", "failures"):
        for row in getattr(bundle, kind):
            if row.contest is None and row.entry is None:
                continue
            if row.contest not in sizes or not (row.entry is None or row.entry <= sizes[row.contest]):
                yield f"{kind} name entry {row.entry} of contest {row.contest}, which is not there"
    entries = [entry for contest in bundle.contests for entry in contest.entries]
    yield from wrong_labels(bundle)
    used = {one.certificate for entry in entries for one in entry.certifications}
    stated = {one.digest for one in bundle.certificates}
    yield from (f"certificate {one[:12]} is missing" for one in sorted(used - stated))
    yield from (f"certificate {one[:12]} is surplus" for one in sorted(stated - used))
    for certificate in bundle.certificates:
        if digest(certificate.body) != certificate.digest:
            yield f"certificate {certificate.digest[:12]} is not what its digest says"
    locks = {name for entry in entries for name in (entry.lock, entry.exporter) if name}
    yield from (f"the lock {name} is missing" for name in sorted(locks - bundle.locks.keys()))
    yield from (f"the lock {name} is surplus" for name in sorted(bundle.locks.keys() - locks))
    yield from wrong_events(bundle)


def wrong_labels(bundle: Bundle) -> Iterator[str]:
    """Yield a sentence for each contest whose labels are not unique, or whose control names nobody."""
    for number, contest in enumerate(bundle.contests, start=1):
        labels = [entry.label for entry in contest.entries]
        if len({*labels}) < len(labels):
            yield f"contest {number} has two entries of one name"
        if any(entry.control_of not in (None, *labels) for entry in contest.entries):
            yield f"contest {number} has a control of an entry that is not there"


def wrong_events(bundle: Bundle) -> Iterator[str]:
    """Yield a sentence for each event that is of no known kind, or not as its kind."""
    for event in bundle.events:
        if event.kind not in KINDS:
            yield f"there is no event of the kind {event.kind!a}"
            continue
        try:
            KINDS[event.kind].model_validate(event.payload)
        except ValidationError as error:
            yield f"an event of the kind {event.kind}: {ascii(faults(error))[1:MOST_FAULTS]}"
