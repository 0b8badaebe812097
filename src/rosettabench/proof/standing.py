"""How a cell of the catalogue stands: whether a framework does a workload in a mode, and whether that is proven."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from rosettabench.catalogue.framework import FrameworkEntry
from rosettabench.catalogue.workload import Workload
from rosettabench.proof.certificate import PROOF_VERSION, files_of
from rosettabench.store.schema import Certificate


class Standing(StrEnum):
    """What is known of a cell, by the files as they are now."""

    PROVEN = "proven"
    FAILED = "proof failed"
    STALE = "proven before its files changed"
    OPEN = "not proven yet"
    MISSING = "not implemented"


@dataclass(frozen=True)
class Cell:
    """A workload in one mode of a framework; `batches` are the batch sizes that the present files are proven at."""

    workload: str
    framework: str
    mode: str
    standing: Standing
    batches: tuple[int, ...] = ()


def cells(
    workloads: Iterable[Workload], entries: Sequence[FrameworkEntry], certificates: Sequence[Certificate]
) -> list[Cell]:
    """Return every cell of `workloads` and `entries`; `certificates` are those of a store, the oldest first."""
    known: dict[tuple[str, str, str], list[dict[str, Any]]] = {}
    for certificate in certificates:
        body = certificate.body
        known.setdefault((body["workload"], body["framework"], body["mode"]), []).append(body)
    return [
        judge(workload, entry, mode, known.get((workload.name, entry.name, mode), []))
        for workload in workloads
        for entry in entries
        for mode in entry.modes
    ]


def judge(workload: Workload, entry: FrameworkEntry, mode: str, bodies: Sequence[dict[str, Any]]) -> Cell:
    """Return one cell. Of two certificates for the same setting the newer one counts; one that failed decides."""
    files = files_of(workload, entry)
    if files is None:
        return Cell(workload.name, entry.name, mode, Standing.MISSING)
    present = [body for body in bodies if current(body, files)]
    newest = {str(sorted(body["setting"].items())): body for body in present}.values()
    batches = tuple(sorted({int(body["setting"]["batch_size"]) for body in newest if body["passed"]}))
    if any(not body["passed"] for body in newest):
        standing = Standing.FAILED
    elif batches:
        standing = Standing.PROVEN
    else:
        standing = Standing.STALE if any(body["passed"] for body in bodies) else Standing.OPEN
    return Cell(workload.name, entry.name, mode, standing, batches)


def current(body: dict[str, Any], files: dict[str, str]) -> bool:
    """Whether a certificate is about the `files` as they are, and was made by the proof as it is."""
    return bool(body["proof_version"] == PROOF_VERSION and files.items() <= body["hashes"].items())
