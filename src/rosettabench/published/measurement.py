"""The measurement of a part of a claim: a number with its interval, or the reason why there is none."""

from __future__ import annotations

from dataclasses import replace

from rosettabench.published.cell import PublishedCell
from rosettabench.published.claim import Arm
from rosettabench.statistics.interval import Interval
from rosettabench.summary.note import Note, NoteKind
from rosettabench.summary.study import Measurement


def with_interval(measurement: Measurement, interval: Interval | None) -> Measurement:
    """Return a measurement with its interval, or with the reason if that is missing or contradictory."""
    if interval is None:
        return replace(measurement, reasons=(Note(NoteKind.COMMON_ROUNDS),))
    if not interval.steady:
        return replace(measurement, value=interval.ratio, rounds=interval.rounds, reasons=(Note(NoteKind.AGREEMENT),))
    return replace(
        measurement,
        value=interval.ratio,
        low=interval.low,
        high=interval.high,
        confidence=interval.confidence,
        rounds=interval.rounds,
    )


def empty(*found: PublishedCell) -> Measurement:
    """Return a measurement without its number: its cells, and the remarks that a reader needs."""
    contests = dict.fromkeys(cell.contest.name for cell in found)
    remarks = [Note(NoteKind.IN_PLACE, cell.instead_of, cell.entry.label) for cell in found if cell.instead_of]
    remarks += [Note(NoteKind.UNPAIRED)] if len(contests) > 1 else []
    used = [cell.contest.data for cell in found if cell.contest.data]
    remarks += [Note(NoteKind.DATA, data.origin) for data in used if not data.real or data.synthetic]
    remarks += [
        Note(NoteKind.OTHER_BATCH, cell.contest.setting["batch_size"], cell.instead_of_batch)
        for cell in found
        if cell.instead_of_batch is not None
    ]
    labels = [cell.entry.label for cell in found]
    alike = len(set(labels)) == 1 and len(contests) > 1
    return Measurement(
        confidence=found[0].confidence,
        paired=len(contests) == 1,
        what=" over ".join(contests if alike else dict.fromkeys(labels)),
        run=found[0].run.id,
        contests=tuple(contests),
        remarks=tuple(dict.fromkeys(remarks)),
    )


def lacking_sets(measured: int, sets: int) -> Note | None:
    """Return how many of the sets were not measured; None where all were."""
    return Note(NoteKind.MISSING_SETS, sets - measured, sets) if measured < sets else None


def words(arm: Arm | None) -> str:
    """Return an arm in words: ``mxnet-gluon with workers 4``."""
    if arm is None:
        return "it"
    values = " and ".join(f"{axis.replace('_', ' ')} {value}" for axis, value in arm.set.items())
    name = " or ".join(arm.frameworks) + (f":{arm.mode}" if arm.mode else "")
    return f"{name} with {values}" if values else name
