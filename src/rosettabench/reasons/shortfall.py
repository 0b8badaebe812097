"""Find shortfalls: contenders far below the ceiling, the operations that take their time, and switches for these."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rosettabench.catalogue.switch import Switch
from rosettabench.reasons.measured import Operation, Profile
from rosettabench.reasons.parts import Explanation, PartEstimate
from rosettabench.reasons.vocabulary import (
    CONVOLUTION,
    COPY,
    ELEMENTWISE,
    IDLE,
    MATMUL,
    OPTIMISER,
    RECURRENT,
    is_gradient,
    spent,
    word,
)

FAR_BELOW = 1 / 3
"""A contender with a smaller share of the ceiling is far below it.

The machine does not need two thirds of such a step for the products. A third is reachable: in the tables of
docs/results/ceilings.md the best library of every workload exceeds it, except for fashion-mlp, whose step is short.
"""

FAR_BEHIND = 2.0
"""Without a measured ceiling, a contender whose time is more than this times the fastest one's is far behind it.

The fastest in these tables reach 35% to 77% of the ceiling. Twice their time gives 18% to 38%, which is about
FAR_BELOW.
"""

MOST = 0.5
"""The heaviest kinds of operation are named until they take more than this share of the step together."""

NAMED = 3
"""Number of operations that are named: the longest ones of these kinds."""

CONCERNED = 0.2
"""A switch is named if the operations that it affects take at least this share of the step.

With a smaller share, no switch could make the step faster than 1 / (1 − 0.2) = 1.25 times.
"""

KINDS: Mapping[str, tuple[str, ...]] = {
    "convolution": (CONVOLUTION,),
    "recurrence": (RECURRENT, MATMUL, ELEMENTWISE, COPY, IDLE),
    "dense": (MATMUL,),
    "optimiser": (OPTIMISER,),
    "launch": (IDLE,),
    "allocation": (MATMUL, CONVOLUTION, RECURRENT, ELEMENTWISE, COPY),
}
"""Kind of a switch → the words of the vocabulary for the operations that it affects.

A recurrence that a framework splits into single operations may have any word but the optimiser's. Every operation that
computes allocates memory.
"""


@dataclass(frozen=True)
class EnteredContender:
    """A contender in the examination; `release` is None in an external environment."""

    label: str
    framework: str
    release: str | None
    mode: str


@dataclass(frozen=True)
class Circumstances:
    """The conditions of a contest that shortfalls depend on.

    `at_ceiling` is the seconds of a step whose products run at the ceiling; None if that was not measured. `recurrent`
    is whether a layer of the workload is recurrent.
    """

    device: str
    at_ceiling: float | None
    recurrent: bool


@dataclass(frozen=True)
class KindShare:
    """The share of a profiled step for one word of the vocabulary."""

    word: str
    share: float


@dataclass(frozen=True)
class NamedOperation:
    """One operation, named by its framework, and its share of the profiled step."""

    name: str
    share: float
    gradient: bool


@dataclass(frozen=True)
class Shortfall:
    """A contender that is far below the ceiling, or far behind the fastest one.

    `share` is its share of the ceiling; if None, `behind` is its time over that of `fastest`. `kinds` take most of its
    step, and `operations` are the longest among them. Both are empty without a profile; `unsupported` says why if its
    framework has no profiler. `switches` affect the operations that take its time, gave a speed-up where they were
    tried, and are not in force in its mode.
    """

    label: str
    mode: str
    share: PartEstimate | None
    behind: PartEstimate | None
    fastest: str
    kinds: tuple[KindShare, ...]
    operations: tuple[NamedOperation, ...]
    unsupported: str
    switches: tuple[Switch, ...]


def find_shortfalls(
    explanation: Explanation,
    contenders: Sequence[EnteredContender],
    circumstances: Circumstances,
    switches: Sequence[Switch],
) -> list[Shortfall]:
    """Return the contenders that are surely far below, in the order of the `contenders`.

    Surely: the whole interval is beyond FAR_BELOW, or beyond FAR_BEHIND.
    """
    subjects = {one.label: one for one in explanation.measured.subjects}
    times = {step.label: step.total for step in explanation.steps}
    fastest = min(times, key=lambda label: times[label].value)
    found = []
    for contender in contenders:
        if contender.label not in times:
            continue
        share = share_of_ceiling(times[contender.label], circumstances.at_ceiling)
        behind = None if share else time_over(explanation, contender.label, fastest)
        if not (share and share.high < FAR_BELOW) and not (behind and behind.low > FAR_BEHIND):
            continue
        profile = subjects[contender.label].profile
        shares = profiled_shares(contender.framework, profile) if profile else {}
        kinds = heaviest(shares)
        found.append(
            Shortfall(
                label=contender.label,
                mode=contender.mode,
                share=share,
                behind=behind,
                fastest=fastest,
                kinds=kinds,
                operations=longest(contender.framework, profile, kinds) if profile else (),
                unsupported=subjects[contender.label].unsupported.get("profile", ""),
                switches=tuple(one for one in switches if is_open(one, contender, circumstances, shares)),
            )
        )
    return found


def share_of_ceiling(total: PartEstimate, at_ceiling: float | None) -> PartEstimate | None:
    """Return the share of the ceiling from the time of a step; None if no ceiling is measured."""
    if at_ceiling is None:
        return None
    return PartEstimate(at_ceiling / total.value, at_ceiling / total.high, at_ceiling / total.low)


def time_over(explanation: Explanation, label: str, fastest: str) -> PartEstimate | None:
    """Return a contender's time over that of the fastest one; None for the fastest one itself."""
    return next((pair.ratio for pair in explanation.pairs if (pair.slower, pair.faster) == (label, fastest)), None)


def profiled_shares(framework: str, profile: Profile) -> dict[str, float]:
    """Return the share of the profiled step for each word of the vocabulary."""
    seconds = spent(framework, profile)
    return {word: took / sum(seconds.values()) for word, took in seconds.items()}


def heaviest(shares: Mapping[str, float]) -> tuple[KindShare, ...]:
    """Return the kinds that take most of a step, the heaviest first; empty without shares."""
    found: list[KindShare] = []
    for kind in sorted(shares, key=lambda kind: -shares[kind]):
        if sum(one.share for one in found) <= MOST:
            found.append(KindShare(kind, shares[kind]))
    return tuple(found)


def longest(framework: str, profile: Profile, kinds: Sequence[KindShare]) -> tuple[NamedOperation, ...]:
    """Return the longest operations of these kinds."""
    words = {one.word for one in kinds}
    chosen = [one for one in profile.operations if word(framework, one) in words]
    whole = max(profile.elapsed_s, sum(one.seconds for one in profile.operations))

    def seconds(operation: Operation) -> float:
        """Return the time of an operation."""
        return operation.seconds

    return tuple(
        NamedOperation(one.name, one.seconds / whole, is_gradient(one))
        for one in sorted(chosen, key=seconds, reverse=True)[:NAMED]
    )


def is_open(
    switch: Switch, contender: EnteredContender, circumstances: Circumstances, shares: Mapping[str, float]
) -> bool:
    """Return whether a switch gave a speed-up where tried, is not in force yet, and affects what takes the time."""
    known = switch.covers(contender.framework, contender.release, circumstances.device)
    if not (switch.gains and known) or contender.mode in switch.in_force:
        return False
    if switch.kind == "recurrence" and not circumstances.recurrent:
        return False
    return sum(shares.get(word, 0.0) for word in KINDS[switch.kind]) >= CONCERNED
