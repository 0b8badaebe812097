"""The rows of a bundle, as the store would give them: what computes verdicts then needs to know nothing of bundles.

They are in memory only. A bundle never enters a store, so that its times never mix with those of this machine.
"""

from __future__ import annotations

from rosettabench.evidence.content import Bundle, StatedCertificate, StatedContest, StatedEntry
from rosettabench.store.schema import Block, Certificate, Certification, Contest, Entry, Event, Failure, Run

Places = dict[tuple[int, int], Entry]
"""{(number of the contest, number of the entry in it): row}."""


def rows_of(bundle: Bundle) -> Run:
    """Return the run of a bundle with all its contents."""
    stated = bundle.run
    run = Run(
        id=stated.id,
        at=stated.at,
        version=stated.rosettabench,
        command=list(stated.command),
        request=stated.request.model_dump(mode="json"),
        machine=stated.machine.model_dump(mode="json"),
    )
    certificates = {one.digest: certificate_row(one) for one in bundle.certificates}
    places: Places = {}
    for number, contest in enumerate(bundle.contests, start=1):
        add_contest(run, number, contest, certificates, places)
    for block in bundle.blocks:
        entry = places[block.contest, block.entry]
        entry.blocks.append(Block(entry_id=entry.id, **block.model_dump(exclude={"contest", "entry"})))
    add_happenings(run, bundle, places)
    return run


def add_contest(
    run: Run, number: int, stated: StatedContest, certificates: dict[str, Certificate], places: Places
) -> None:
    """Add a contest and its entries to a run."""
    contest = Contest(
        run_id=run.id,
        workload=stated.workload,
        setting=stated.setting.model_dump(mode="json"),
        stopping=stated.stopping.model_dump(mode="json"),
    )
    contest.id = number
    run.contests.append(contest)
    for place, one in enumerate(stated.entries, start=1):
        places[number, place] = entry_row(contest, len(places) + 1, one, certificates)


def entry_row(contest: Contest, number: int, stated: StatedEntry, certificates: dict[str, Certificate]) -> Entry:
    """Add an entry with its certifications to a contest, and return it."""
    told = stated.model_dump(include={"label", "framework", "mode", "lock", "python", "control_of"})
    entry = Entry(contest_id=contest.id, **told)
    entry.id = number
    contest.entries.append(entry)
    for one in stated.certifications:
        certification = Certification(entry_id=number, certificate_id=0, session=one.session)
        certification.certificate = certificates[one.certificate]
        entry.certifications.append(certification)
    return entry


def certificate_row(stated: StatedCertificate) -> Certificate:
    """Return a certificate."""
    return Certificate(key=stated.key, at=stated.at, passed=stated.passed, body=stated.body, digest=stated.digest)


def add_happenings(run: Run, bundle: Bundle, places: Places) -> None:
    """Add events and failures to a run."""
    for event in bundle.events:
        told = event.model_dump(include={"at", "kind", "payload"})
        run.events.append(
            Event(run_id=run.id, contest_id=event.contest, entry_id=row_id(event.contest, event.entry, places), **told)
        )
    for failure in bundle.failures:
        told = failure.model_dump(include={"at", "stage", "kind", "what", "hint"})
        where = row_id(failure.contest, failure.entry, places)
        run.failures.append(Failure(run_id=run.id, contest_id=failure.contest, entry_id=where, details="", **told))


def row_id(contest: int | None, entry: int | None, places: Places) -> int | None:
    """Return the id of the row of an entry; None where there is no entry."""
    return None if contest is None or entry is None else places[contest, entry].id
