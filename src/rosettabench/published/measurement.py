"""What a part of a claim comes to in the runs at hand: a number with its interval, or why there is none."""

from __future__ import annotations

from dataclasses import replace

from rosettabench.published.cell import PublishedCell
from rosettabench.published.claim import Arm
from rosettabench.published.reason import Lack
from rosettabench.statistics.interval import Interval
from rosettabench.summary.study import Measurement

UNPAIRED = "unpaired: the two were in different contests, so the range is that of all their rounds"


def with_interval(measurement: Measurement, interval: Interval | None) -> Measurement:
    """Return a measurement with its interval; without one, or with a contradictory one, the reason."""
    if interval is None:
        return replace(measurement, reasons=(Lack.COMMON_ROUNDS,))
    if not interval.steady:
        return replace(measurement, value=interval.ratio, rounds=interval.rounds, reasons=(Lack.AGREEMENT,))
    return replace(
        measurement,
        value=interval.ratio,
        low=interval.low,
        high=interval.high,
        confidence=interval.confidence,
        rounds=interval.rounds,
    )


def empty(*found: PublishedCell) -> Measurement:
    """Return a measurement that has no number yet: which cells it is of, and what one must know of them."""
    contests = dict.fromkeys(cell.contest.name for cell in found)
    remarks = [f"in the place of {cell.instead_of}: {cell.entry.label}" for cell in found if cell.instead_of]
    remarks += [UNPAIRED] if len(contests) > 1 else []
    used = [cell.contest.data for cell in found if cell.contest.data]
    remarks += [f"{data.origin} data" for data in used if data.stand_in or data.incomplete or data.synthetic]
    remarks += [
        f"with a batch of {cell.contest.setting['batch_size']}, where the study had {cell.instead_of_batch}"
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


def lacking_sets(measured: int, sets: int) -> str:
    """Return how many of the sets were not measured, in words; nothing where all were."""
    return f"{sets - measured} of {sets} sets of series" if measured < sets else ""


def words(arm: Arm | None) -> str:
    """Return an arm in words: ``mxnet-gluon with workers 4``."""
    if arm is None:
        return "it"
    values = " and ".join(f"{axis.replace('_', ' ')} {value}" for axis, value in arm.set.items())
    name = " or ".join(arm.frameworks) + (f":{arm.mode}" if arm.mode else "")
    return f"{name} with {values}" if values else name
