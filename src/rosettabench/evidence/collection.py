"""Collect a run from the store for a bundle, without what is private."""

from __future__ import annotations

import getpass
import re
import socket
import sys
import tempfile
from collections.abc import Iterator, Mapping
from math import isfinite, isnan
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rosettabench.catalogue.framework import all_frameworks
from rosettabench.catalogue.workload import is_path
from rosettabench.environments.check import compare
from rosettabench.environments.lock import load_lock
from rosettabench.errors import StoreError, UsageError
from rosettabench.evidence.content import (
    Bundle,
    MachineFacts,
    StatedBlock,
    StatedCertificate,
    StatedCertification,
    StatedContest,
    StatedEntry,
    StatedEvent,
    StatedFailure,
    StatedFigure,
    StatedRun,
)
from rosettabench.evidence.happenings import KINDS
from rosettabench.evidence.judgement import judge_run
from rosettabench.evidence.redaction import Redactor
from rosettabench.evidence.rows import rows_of
from rosettabench.places import cache_dir
from rosettabench.plan.request import RunRequest, read_request
from rosettabench.store.digest import digest
from rosettabench.store.machine import same_kind
from rosettabench.store.record import JudgedForecasts, ShownSeries, UsedData, UsedEnvironment
from rosettabench.store.store import machine_of

if TYPE_CHECKING:
    from rosettabench.store.schema import Certificate, Contest, Entry, Event, Run

Certificates = Mapping[int, StatedCertificate]
"""{id of the row: certificate}."""

TRAININGS = "the trainings by libraries as they are shipped: they are not equal work, and have no verdicts"
SERIES = "observed and forecast time series: they are data"


def collect(run: Run) -> Bundle:
    """Return the bundle of a fully loaded run. Raises UsageError for a run that a bundle cannot hold."""
    request = read_request(run.request)
    if not isinstance(request, RunRequest):
        raise UsageError(
            f"run {run.id} is one of rosetta {request.kind}: a bundle holds the contests of rosetta run",
            "rosetta list runs shows which command made a run.",
        )
    if not any(entry.blocks for contest in run.contests for entry in contest.entries):
        raise UsageError(f"run {run.id} has no timed block: there is no evidence in it", "rosetta list runs")
    if any(not same_kind(machine_of(run, contest), run.machine) for contest in run.contests):
        raise UsageError(
            f"run {run.id} has contests from another machine than the one that began it: a bundle has one machine",
            "Export a run that was begun on the machine that measured it.",
        )
    redactor = Redactor(private_paths(request), private_names())
    numbers = {
        entry.id: (place, n) for place, one in enumerate(run.contests, 1) for n, entry in enumerate(one.entries, 1)
    }
    contests = {contest.id: place for place, contest in enumerate(run.contests, 1)}
    stated = state_run(run, request, redactor)
    certificates = state_certificates(run, redactor)
    entries = [(entry, *numbers[entry.id]) for contest in run.contests for entry in contest.entries]
    found = Bundle(
        run=stated,
        contests=tuple(state_contest(contest, certificates, redactor) for contest in run.contests),
        blocks=tuple(row for entry, contest, place in entries for row in state_blocks(entry, contest, place)),
        figures=tuple(
            row for entry, contest, place in entries for row in state_figures(entry, contest, place, redactor)
        ),
        events=tuple(state_event(one, contests, numbers, redactor) for one in run.events if one.kind in KINDS),
        failures=tuple(state_failures(run, contests, numbers, redactor)),
        certificates=tuple(
            sorted({one.digest: one for one in certificates.values()}.values(), key=lambda one: one.digest)
        ),
        judgements=(),
        locks=dict(sorted(locks_of(run))),
    )
    return found.model_copy(update={"judgements": judge_run(rows_of(found))})


def private_paths(request: RunRequest) -> Iterator[str]:
    """Yield the folders and files that a request names, with their folders, and those of the user."""
    named = [request.python, *request.pythons.values(), request.data_dir]
    named += [Path(name) for name in request.workloads if is_path(name)]
    named += [
        Path(name.partition("@")[2].rpartition(":")[0] or name.partition("@")[2])
        for name in request.contenders
        if "/" in name
    ]
    for path in filter(None, named):
        yield str(path.parent)
        if path == request.data_dir:
            yield str(path)
    yield from map(str, (Path.home(), cache_dir(), tempfile.gettempdir(), sys.prefix, Path.cwd()))


def private_names() -> dict[str, str]:
    """Return {name of the host or the user: the word that replaces it}."""
    host = socket.gethostname()
    try:
        user = getpass.getuser()
    except (KeyError, OSError):  # a container may have a user without a name
        user = ""
    return {host: "host", host.partition(".")[0]: "host", user: "user"}


def state_run(run: Run, request: RunRequest, redactor: Redactor) -> StatedRun:
    """Return the run. Its request lacks what belongs to the machine."""
    kinds = {event.kind for event in run.events}
    left_out = [TRAININGS] if request.shipped else []
    left_out += [SERIES] if kinds & {ShownSeries.KIND, JudgedForecasts.KIND} else []
    asked = request.model_copy(update={"shipped": None, "data_dir": None})
    facts = {name: value for name, value in run.machine.items() if name in MachineFacts.model_fields}
    return StatedRun(
        id=run.id,
        at=run.at,
        rosettabench=run.version,
        command=tuple(map(redactor.word, run.command)),
        request=RunRequest.model_validate(redactor.data(asked.model_dump(mode="json"))),
        machine=MachineFacts.model_validate(redactor.data(facts)),
        left_out=tuple(left_out),
    )


def state_contest(contest: Contest, certificates: Certificates, redactor: Redactor) -> StatedContest:
    """Return a contest with its entries."""
    return StatedContest.model_validate(
        {
            "workload": redactor.text(contest.workload),
            "setting": redactor.data(contest.setting),
            "stopping": redactor.data(contest.stopping),
            "entries": tuple(state_entry(entry, certificates, redactor) for entry in contest.entries),
        }
    )


def state_entry(entry: Entry, certificates: Certificates, redactor: Redactor) -> StatedEntry:
    """Return an entry with the digests of its certificates."""
    return StatedEntry(
        label=redactor.text(entry.label),
        framework=entry.framework,
        mode=entry.mode,
        lock=entry.lock,
        exporter=exporter_of(entry),
        python=redactor.text(entry.python) if entry.python else None,
        control_of=redactor.text(entry.control_of) if entry.control_of else None,
        certifications=tuple(
            StatedCertification(session=one.session, certificate=certificates[one.certificate_id].digest)
            for one in entry.certifications
        ),
    )


def state_certificate(certificate: Certificate, redactor: Redactor) -> StatedCertificate:
    """Return a certificate without private words. Raises StoreError if it is damaged."""
    if not certificate.intact:
        raise StoreError(
            f"certificate {certificate.key[:12]} is damaged: its content does not match its digest",
            "rosetta run --prove-again makes a new one, for another run.",
        )
    body = redactor.data(finite(certificate.body))
    return StatedCertificate(
        key=certificate.key,
        at=certificate.at,
        passed=certificate.passed,
        redacted=body != certificate.body,
        digest=digest(body),
        body=body,
    )


def state_certificates(run: Run, redactor: Redactor) -> Certificates:
    """Return every certificate of a run by the id of its row."""
    entries = [entry for contest in run.contests for entry in contest.entries]
    rows = {one.certificate_id: one.certificate for entry in entries for one in entry.certifications}
    return {number: state_certificate(row, redactor) for number, row in rows.items()}


def state_blocks(entry: Entry, contest: int, place: int) -> Iterator[StatedBlock]:
    """Yield the blocks of an entry."""
    names = StatedBlock.model_fields.keys() - {"contest", "entry"}
    for block in entry.blocks:
        yield StatedBlock(contest=contest, entry=place, **{name: getattr(block, name) for name in names})


def state_figures(entry: Entry, contest: int, place: int, redactor: Redactor) -> Iterator[StatedFigure]:
    """Yield the figures of an entry."""
    for one in entry.figures:
        told = {"at": one.at, "session": one.session, "name": one.name, "value": finite(one.value)}
        yield StatedFigure(contest=contest, entry=place, detail=redactor.data(finite(one.detail)), **told)


def state_event(
    event: Event, contests: Mapping[int, int], numbers: Mapping[int, tuple[int, int]], redactor: Redactor
) -> StatedEvent:
    """Return an event."""
    contest, entry = numbers.get(event.entry_id or 0, (contests.get(event.contest_id or 0), None))
    payload = dict(event.payload.items())
    if event.kind == JudgedForecasts.KIND:
        payload["forecasts"] = []
    if event.kind == UsedData.KIND:
        payload["note"] = redactor.words(str(payload.get("note", "")))
    return StatedEvent(
        contest=contest, entry=entry, at=event.at, kind=event.kind, payload=redactor.data(finite(payload))
    )


def state_failures(
    run: Run, contests: Mapping[int, int], numbers: Mapping[int, tuple[int, int]], redactor: Redactor
) -> Iterator[StatedFailure]:
    """Yield the failures of a run, without the output of programs: nobody knows what that holds."""
    for one in run.failures:
        contest, entry = numbers.get(one.entry_id or 0, (contests.get(one.contest_id or 0), None))
        told = {"at": one.at, "stage": one.stage, "kind": one.kind}
        yield StatedFailure(
            contest=contest, entry=entry, what=redactor.words(one.what), hint=redactor.words(one.hint), **told
        )


def exporter_of(entry: Entry) -> str | None:
    """Return the lock of the framework that exports the models of an entry; None if it has files of its own."""
    known = all_frameworks().get(entry.framework)
    return known.exported.lock if known is not None and known.exported is not None else None


def locks_of(run: Run) -> Iterator[tuple[str, str]]:
    """Yield (name, text) of each lock of a run. Raises UsageError if a lock is no longer what the run installed."""
    packages = {
        one.entry_id: UsedEnvironment.model_validate(one.payload).packages
        for one in run.events
        if one.kind == UsedEnvironment.KIND
    }
    for entry in (entry for contest in run.contests for entry in contest.entries):
        for name in filter(None, (entry.lock, exporter_of(entry))):
            lock = load_lock(name)
            wrong = compare(lock, packages[entry.id]) if name == entry.lock and entry.id in packages else []
            if wrong:
                raise UsageError(
                    f"the lock {name} has changed since run {run.id}: {wrong[0].subject} {wrong[0].what}",
                    f"Export it with the release that ran it, Rosettabench {run.version}.",
                )
            yield name, lock.path.read_text(encoding="utf-8")


def finite(value: Any) -> Any:  # noqa: ANN401 (plain data)
    """Return plain data in which a number that is not finite is a word, as in the store's records."""
    if isinstance(value, float) and not isfinite(value):
        return "NaN" if isnan(value) else re.sub("inf", "Infinity", str(value))
    if isinstance(value, Mapping):
        return {key: finite(part) for key, part in value.items()}
    return [finite(part) for part in value] if isinstance(value, list | tuple) else value
