"""The standing of each cell of the catalogue: whether it is implemented, and whether it is proven."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cache
from typing import Any

from rosettabench.catalogue.contender import Contender, every_contender
from rosettabench.catalogue.framework import FrameworkEntry
from rosettabench.catalogue.workload import Workload
from rosettabench.environments.lock import load_lock
from rosettabench.plan.plan import cell_key, why_missing
from rosettabench.plan.series import SERIES, STATED, on_series
from rosettabench.proof.certificate import PROOF_VERSION, files_of
from rosettabench.proof.register import Register, RegisterLine, is_current
from rosettabench.store.schema import Certificate


class Standing(StrEnum):
    """The standing of a cell, judged by the present files."""

    PROVEN = "proven"
    FAILED = "proof failed"
    STALE = "proven before its files changed"
    OPEN = "not proven yet"
    MISSING = "not implemented"


@dataclass(frozen=True)
class MatrixCell:
    """A workload in one mode of a framework; `batches` are the batch sizes at which the present files are proven.

    The framework has its release in its name if that is not the default: ``pytorch@1.0.0``.
    """

    workload: str
    framework: str
    mode: str
    standing: Standing
    batches: tuple[int, ...] = ()


def cells(
    workloads: Iterable[Workload], entries: Sequence[FrameworkEntry], certificates: Sequence[Certificate]
) -> list[MatrixCell]:
    """Return every cell of `workloads` and `entries`; `certificates` are those of a store, the oldest first."""
    older = {entry.name: older_releases(entry) for entry in entries}
    known: dict[tuple[str, str, str, str | None], list[dict[str, Any]]] = {}
    for body in (certificate.body for certificate in certificates):
        made_with = body.get("packages", {}).items()
        lock = next((lock for one, lock in older.get(body["framework"], {}).items() if one in made_with), None)
        known.setdefault((body["workload"], body["framework"], body["mode"], lock), []).append(body)
    return [
        judge(workload, one, known.get((workload.name, one.framework, one.mode, older_lock(one)), []))
        for workload in workloads
        for one in every_contender()
        if one.framework in older
    ]


def registered_cells(
    workloads: Iterable[Workload], entries: Sequence[FrameworkEntry], register: Register
) -> list[MatrixCell]:
    """Return every cell of `workloads` and `entries`, judged by the register."""
    names = {entry.name for entry in entries}
    return [
        judge_line(workload, one, register.get(cell_key(workload, one)))
        for workload in workloads
        for one in every_contender()
        if one.framework in names
    ]


def judge_line(workload: Workload, contender: Contender, line: RegisterLine | None) -> MatrixCell:
    """Return one cell, judged by its line in the register; a line about other code proves nothing."""
    name, framework, mode = cell_key(workload, contender)
    if why_missing(workload, contender):
        return MatrixCell(name, framework, mode, Standing.MISSING)
    if line is None or not is_current(line, workload, contender):
        return MatrixCell(name, framework, mode, Standing.STALE if line and line.is_proven else Standing.OPEN)
    if not line.is_proven:
        return MatrixCell(name, framework, mode, Standing.FAILED)
    return MatrixCell(name, framework, mode, Standing.PROVEN, (line.batch_size,))


def older_releases(entry: FrameworkEntry) -> dict[tuple[str, str], str]:
    """Return {(package, version): lock} of a framework's locks without its default.

    All other certificates count for the default: so does that of an external environment, unless it has the release of
    another lock.
    """
    pins = {lock: load_lock(lock).pins[entry.packages[0]] for lock in entry.locks[1:]}
    return {(pin.name, next(iter(pin.specifier)).version): lock for lock, pin in pins.items()}


def older_lock(contender: Contender) -> str | None:
    """Return a contender's lock; None if it is its framework's default."""
    return None if contender.lock == contender.entry.locks[0] else contender.lock


def judge(workload: Workload, contender: Contender, bodies: Sequence[dict[str, Any]]) -> MatrixCell:
    """Return one cell. The newest certificate for each setting counts; one that failed decides."""
    entry, mode = contender.entry, contender.mode
    name = replace(contender, mode=entry.mode).label
    if why_missing(workload, contender):
        return MatrixCell(workload.name, name, mode, Standing.MISSING)

    @cache
    def files(series: str) -> dict[str, str]:
        """Return the files that the certificate of a set of series depends on."""
        found = files_of(on_series(workload, series).proven, entry, contender.release)
        assert found is not None  # it is not missing
        return found

    present = [body for body in bodies if current(body, files(body["setting"].get(SERIES, STATED)))]
    newest = {str(sorted(body["setting"].items())): body for body in present}.values()
    batches = tuple(sorted({int(body["setting"]["batch_size"]) for body in newest if body["passed"]}))
    if any(not body["passed"] for body in newest):
        standing = Standing.FAILED
    elif batches:
        standing = Standing.PROVEN
    else:
        standing = Standing.STALE if any(body["passed"] for body in bodies) else Standing.OPEN
    return MatrixCell(workload.name, name, mode, standing, batches)


def current(body: dict[str, Any], files: dict[str, str]) -> bool:
    """Return whether a certificate is about these `files`, and was made by the present version of the proof."""
    return bool(body["proof_version"] == PROOF_VERSION and files.items() <= body["hashes"].items())
