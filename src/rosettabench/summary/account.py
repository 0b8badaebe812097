"""Explain the factor between two libraries as shipped, set by set, from the store alone.

The parts of the trainings give the shares of input, checkpoints and start. A contest on the same series, in the same
run, gives the factor at equal work. docs/results/deepar-as-shipped.md, "Where the time goes", defines the factors.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import fsum
from statistics import median

from rosettabench.shipped.library import all_libraries, find_library
from rosettabench.shipped.record import FinishedTraining
from rosettabench.statistics.factors import factors, pool_ratios
from rosettabench.statistics.interval import Interval
from rosettabench.statistics.ranking import pairs, relative_time
from rosettabench.statistics.rounds import process_of_round
from rosettabench.store.record import Phase
from rosettabench.summary.entry import from_interval
from rosettabench.summary.estimate import Estimate
from rosettabench.summary.note import Note, NoteKind
from rosettabench.summary.records import (
    Account,
    ContestSummary,
    EntrySummary,
    Factor,
    TrainedEntry,
    TrainedSet,
    TrainingsSummary,
)

ORDER = ("input", "checkpoints", "start")
"""The parts whose factors are taken out, one after the other; the steps remain."""

MODELS, EQUAL = "models", "equal work"
"""The two factors of the steps: the difference between the models, and that between the frameworks."""

Seconds = dict[str, float]


def accounts(found: TrainingsSummary | None, contests: Sequence[ContestSummary]) -> tuple[Account, ...]:
    """Return an account, or why there is none, for each set that both libraries trained on; then that of the sum.

    Empty unless the run trained exactly two libraries.
    """
    if found is None or len(found.request.libraries) != 2:
        return ()
    known: list[Account] = []
    shares: list[Share] = []
    for one in found.sets:
        fast, slow = order_entries(one.entries)
        account, share = account_of(one, fast, slow, contests)
        known.append(account)
        shares += [share] if share else []
    if len(shares) > 1:
        known.append(account_of_sum(shares, known[0].fast, known[0].slow))
    return tuple(known)


@dataclass(frozen=True)
class Share:
    """The contribution of one set to the sum: seconds by part of both libraries, and the ratio at equal work, if known.

    `weight` is proportional to the seconds that the fast contender at equal work would take for as many steps.
    """

    fast: Seconds
    slow: Seconds
    equal: Interval | None
    weight: float


def account_of(
    found: TrainedSet, fast: TrainedEntry, slow: TrainedEntry, contests: Sequence[ContestSummary]
) -> tuple[Account, Share | None]:
    """Return the account of one set, and its contribution to the sum; None for the latter if there is no account."""
    series, labels = found.used.series, (fast.label, slow.label)
    common = [(a, b) for a in fast.trainings for b in slow.trainings if a.seed == b.seed]
    if not common:
        absent = [one for one in (fast, slow) if one.absences]
        missing = Note(NoteKind.NOT_TRAINED, *absent) if absent else Note(NoteKind.COMMON_SEED)
        return Account(series, *labels, missing=missing), None
    fast_sum, slow_sum = (sum_parts(column) for column in zip(*common, strict=True))
    if fast_sum is None or slow_sum is None:
        return Account(series, *labels, missing=Note(NoteKind.TRAINING_PARTS)), None
    equal, weight, dispatch, lack = at_equal_work(series, labels, contests)
    share = Share(fast_sum, slow_sum, equal, weight * found.epochs * len(common))
    account = Account(
        series,
        *labels,
        epochs=found.epochs,
        trained=len(common),
        seconds={
            label: {part: took / len(common) for part, took in one.items()}
            for label, one in zip(labels, (fast_sum, slow_sum), strict=True)
        },
        factors=tuple(taken_apart(fast_sum, slow_sum, equal)),
        dispatch=dispatch,
        missing=lack,
    )
    return account, share


def order_entries(entries: Sequence[TrainedEntry]) -> list[TrainedEntry]:
    """Return the entries in the order of the catalogue's libraries, PyTorch first, whatever order was asked for."""
    labels = [*all_libraries()]
    return sorted(entries, key=lambda one: labels.index(one.label))


def account_of_sum(shares: Sequence[Share], fast: str, slow: str) -> Account:
    """Return the account of the sums over sets. It includes equal work only if all sets were measured at equal work."""
    sums = [
        {part: fsum(one[part] for one in column) for part in column[0]}
        for column in ([share.fast for share in shares], [share.slow for share in shares])
    ]
    ratios = [share.equal for share in shares if share.equal is not None]
    whole = len(ratios) == len(shares)
    equal = pool_ratios(ratios, [share.weight for share in shares]) if whole else None
    return Account(
        None,
        fast,
        slow,
        trained=len(shares),
        seconds={fast: sums[0], slow: sums[1]},
        factors=tuple(taken_apart(sums[0], sums[1], equal)),
        missing=None if whole else Note(NoteKind.EQUAL_SETS),
    )


def sum_parts(trainings: Sequence[FinishedTraining]) -> Seconds | None:
    """Return {part: seconds}, summed over trainings; None if a training lacks one of its parts.

    The start consists of the setup and the first batch.
    """
    parts: list[Seconds] = []
    for one in trainings:
        if None in (one.setup_s, one.first_s, one.input_s, one.checkpoints_s, one.steps_s):
            return None
        start = (one.setup_s or 0.0) + (one.first_s or 0.0)
        rest = {"input": one.input_s, "checkpoints": one.checkpoints_s, "steps": one.steps_s}
        parts.append({"start": start, **{name: took or 0.0 for name, took in rest.items()}})
    return {part: fsum(one[part] for one in parts) for part in parts[0]}


def taken_apart(fast: Seconds, slow: Seconds, equal: Interval | None) -> Iterator[Factor]:
    """Yield the total factor, then its factors: of the parts, of the models, and at equal work.

    If equal work was not measured, the last two are replaced by one factor, that of the steps.
    """
    yield Factor("as shipped", fsum(slow.values()) / fsum(fast.values()))
    found, steps = factors(slow, fast, ORDER)
    yield from (Factor(part, value) for part, value in found.items())
    if equal is None:
        yield Factor("steps", steps)
        return
    yield Factor(MODELS, steps / equal.ratio, steps / equal.high, steps / equal.low)
    yield Factor(EQUAL, equal.ratio, equal.low, equal.high)


def at_equal_work(
    series: str, libraries: Sequence[str], contests: Sequence[ContestSummary]
) -> tuple[Interval | None, float, Estimate | None, Note | None]:
    """Return slow over fast at equal work, the fast one's step seconds, the slow one's dispatch, and why it is missing.

    A library's file names its contender. Dispatch is the step time of the framework's default mode over that of the
    contender, if both are ranked.
    """
    fast, slow = (find_library(name).equal for name in libraries)
    for contest in contests:
        ranked = {entry.label: entry for entry in contest.ranked}
        if contest.setting.get("series") == series and fast in ranked and slow in ranked:
            default = ranked.get(slow.partition(":")[0])
            interval = ratio(contest, ranked[fast], ranked[slow])
            if interval is None or not interval.steady:
                return None, 0.0, None, Note(NoteKind.EQUAL_ROUNDS)
            dispatched = ratio(contest, ranked[slow], default) if default and default.label != slow else None
            dispatch = from_interval(dispatched) if dispatched else None
            return interval, median(ranked[fast].rounds.values()), dispatch, None
    return None, 0.0, None, Note(NoteKind.NOT_MEASURED, fast, slow)


def ratio(contest: ContestSummary, fast: EntrySummary, slow: EntrySummary) -> Interval | None:
    """Return the interval of slow over fast, with the rules of the contest's verdicts."""
    samples = (one for entry in contest.entries for one in entry.samples if one.phase == Phase.TURN)
    confidence = float(contest.stopping["confidence"])
    return relative_time(fast.rounds, slow.rounds, process_of_round(samples), confidence, pairs(len(contest.ranked)))
