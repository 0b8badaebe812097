"""What a text costs before its first new token and for each further one, where a run measured both."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rosettabench.catalogue.workload import all_workloads
from rosettabench.store.machine import same_kind
from rosettabench.summary.estimate import Estimate
from rosettabench.summary.records import ContestSummary


@dataclass(frozen=True)
class Decoding:
    """One contender's seconds for a batch of texts: `prefill` up to the first new token, `token` for each further one.

    `per_second` are the further tokens of all texts of a batch in a second. The intervals of the last two hold where
    both measured times are anywhere in their own: wider than they need to be.
    """

    contest: str
    label: str
    prefill: Estimate
    token: Estimate
    per_second: Estimate


def decodings(contests: Sequence[ContestSummary]) -> Iterator[Decoding]:
    """Yield what is known of each ranked contender of each contest that writes texts.

    The prefill is that of another contest of the run: a variant of the same workload that ends with the first new
    token, in the same setting. Nothing is yielded where other programs computed meanwhile.
    """
    for contest in contests:
        alone = next((one for one in contests if is_prefill(one, contest)), None)
        if alone is None or alone.busy or contest.busy:
            continue
        prefills = {entry.label: entry.step for entry in alone.ranked}
        for entry in contest.ranked:
            prefill = prefills.get(entry.label)
            if prefill is not None and entry.step is not None and entry.step.value > prefill.value:
                assert contest.tokens is not None  # or it would have no prefill
                token = difference(entry.step, prefill).times(1 / (contest.tokens - 1))
                yield Decoding(contest.name, entry.label, prefill, token, token.inverse(contest.setting["batch_size"]))


def is_prefill(alone: ContestSummary, contest: ContestSummary) -> bool:
    """Return whether a contest measured the prefill of another one, on the same kind of machine."""
    if not contest.inference or (contest.tokens or 0) < 2 or alone.tokens != 1 or alone.setting != contest.setting:
        return False
    return varied(alone.workload) == varied(contest.workload) and same_kind(alone.machine, contest.machine)


def varied(workload: str) -> str:
    """Return the workload that a variant varies; of another one, its own name."""
    known = all_workloads().get(workload)
    return known.variant_of or workload if known is not None else workload


def difference(longer: Estimate, shorter: Estimate) -> Estimate:
    """Return the difference of two times, with the interval of any two times in theirs."""
    value, rounds = longer.value - shorter.value, min(longer.rounds, shorter.rounds)
    if longer.low is None or longer.high is None or shorter.low is None or shorter.high is None:
        return Estimate(value, None, None, rounds)
    return Estimate(value, longer.low - shorter.high, longer.high - shorter.low, rounds)
