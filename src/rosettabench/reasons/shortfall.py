"""Shortfalls: who is far below what the machine can do, which operations take the time, which switches concern them."""

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

Two thirds of such a step are not what the machine needs for the products. And it need not be so: in the tables of
docs/results/ceilings.md the best library of every workload passes a third, but for fashion-mlp, whose step is
short.
"""

FAR_BEHIND = 2.0
"""Where no ceiling is measured: a contender that takes more times as long as the fastest one is far behind it.

The fastest of these tables reach 35% to 77% of the ceiling: at twice their time a contender is at 18% to 38%, which is
about FAR_BELOW.
"""

MOST = 0.5
"""The heaviest kinds of operation are named until they take more than this share of the step together."""

NAMED = 3
"""Operations that are named: the longest ones of these kinds."""

CONCERNED = 0.2
"""A switch is named if the operations that it is about take this share of the step, or more.

If they took less, the step could not become faster by more than 1 / (1 − 0.2) = 1.25 times, whatever the switch does.
"""

KINDS: Mapping[str, tuple[str, ...]] = {
    "convolution": (CONVOLUTION,),
    "recurrence": (RECURRENT, MATMUL, ELEMENTWISE, COPY, IDLE),
    "dense": (MATMUL,),
    "optimiser": (OPTIMISER,),
    "launch": (IDLE,),
    "allocation": (MATMUL, CONVOLUTION, RECURRENT, ELEMENTWISE, COPY),
}
"""By kind of a switch, the words of the vocabulary that its operations show as.

A recurrence that a framework takes apart shows as everything but an optimiser. Whatever computes asks for memory.
"""


@dataclass(frozen=True)
class Entrant:
    """A contender as it was entered: `release` is None in an interpreter of the user's own."""

    label: str
    framework: str
    release: str | None
    mode: str


@dataclass(frozen=True)
class Circumstances:
    """What a contest held equal for all, as far as a shortfall depends on it.

    `at_ceiling` is the seconds of a step whose products ran at the ceiling; None where that was not measured.
    `recurrent` is whether a layer of the workload is a recurrence.
    """

    device: str
    at_ceiling: float | None
    recurrent: bool


@dataclass(frozen=True)
class KindShare:
    """The share of a profiled step that one word of the vocabulary takes."""

    word: str
    share: float


@dataclass(frozen=True)
class NamedOperation:
    """One operation by its framework's name, and its share of the profiled step."""

    name: str
    share: float
    gradient: bool


@dataclass(frozen=True)
class Shortfall:
    """A contender that is far below the ceiling, or far behind the fastest one.

    `share` is that of the ceiling, or None; then `behind` is its time over that of `fastest`. `kinds` take most of its
    step, and `operations` are the longest ones among them; both are empty without a profile, and `unsupported` says why
    where its framework offers none. `switches` concern what takes its time, made something faster where they were
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
    explanation: Explanation, entrants: Sequence[Entrant], circumstances: Circumstances, switches: Sequence[Switch]
) -> list[Shortfall]:
    """Return who is far below, in the order of the entrants; nothing where nobody surely is.

    Surely: the whole interval lies beyond FAR_BELOW, or beyond FAR_BEHIND.
    """
    subjects = {one.label: one for one in explanation.measured.subjects}
    times = {step.label: step.total for step in explanation.steps}
    fastest = min(times, key=lambda label: times[label].value)
    found = []
    for entrant in entrants:
        if entrant.label not in times:
            continue
        share = share_of_ceiling(times[entrant.label], circumstances.at_ceiling)
        behind = None if share else time_over(explanation, entrant.label, fastest)
        if not (share and share.high < FAR_BELOW) and not (behind and behind.low > FAR_BEHIND):
            continue
        profile = subjects[entrant.label].profile
        shares = profiled_shares(entrant.framework, profile) if profile else {}
        kinds = heaviest(shares)
        found.append(
            Shortfall(
                label=entrant.label,
                mode=entrant.mode,
                share=share,
                behind=behind,
                fastest=fastest,
                kinds=kinds,
                operations=longest(entrant.framework, profile, kinds) if profile else (),
                unsupported=subjects[entrant.label].unsupported.get("profile", ""),
                switches=tuple(one for one in switches if is_open(one, entrant, circumstances, shares)),
            )
        )
    return found


def share_of_ceiling(total: PartEstimate, at_ceiling: float | None) -> PartEstimate | None:
    """Return the share of the ceiling from the time of a step; None where no ceiling is measured."""
    if at_ceiling is None:
        return None
    return PartEstimate(at_ceiling / total.value, at_ceiling / total.high, at_ceiling / total.low)


def time_over(explanation: Explanation, label: str, fastest: str) -> PartEstimate | None:
    """Return a contender's time over that of the fastest one; None for the fastest one itself."""
    return next((pair.ratio for pair in explanation.pairs if (pair.slower, pair.faster) == (label, fastest)), None)


def profiled_shares(framework: str, profile: Profile) -> dict[str, float]:
    """Return the share of the profiled step that each word of the vocabulary takes."""
    seconds = spent(framework, profile)
    return {word: took / sum(seconds.values()) for word, took in seconds.items()}


def heaviest(shares: Mapping[str, float]) -> tuple[KindShare, ...]:
    """Return the kinds that take most of a step, the heaviest first; none where there are no shares."""
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


def is_open(switch: Switch, entrant: Entrant, circumstances: Circumstances, shares: Mapping[str, float]) -> bool:
    """Return whether a switch gained where it was tried, can still be set, and concerns what takes the time."""
    known = switch.covers(entrant.framework, entrant.release, circumstances.device)
    if not (switch.gains and known) or entrant.mode in switch.in_force:
        return False
    if switch.kind == "recurrence" and not circumstances.recurrent:
        return False
    return sum(shares.get(word, 0.0) for word in KINDS[switch.kind]) >= CONCERNED
