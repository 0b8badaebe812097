"""Fit contests into a time budget: as many as possible, with equal measuring time for each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from rosettabench.catalogue.suite import Stopping
from rosettabench.errors import UsageError
from rosettabench.plan.duration import duration_words
from rosettabench.plan.estimate import TimeEstimate
from rosettabench.plan.plan import PlannedContest
from rosettabench.plan.request import ContestRequest, LeftOut, RunRequest
from rosettabench.statistics.evidence import FEWEST_ROUNDS
from rosettabench.statistics.interval import fewest_rounds
from rosettabench.statistics.ranking import LOOKS, pairs

SHORTEST_ROUND_S = 0.5
"""The shortest round in seconds to fit a budget. Shorter ones save little, since starting a contest takes most time."""

MOST_ROUNDS = 200
"""The most rounds in a large budget. Their batches are drawn beforehand and kept in memory."""

Planned = tuple[PlannedContest, TimeEstimate]
"""A contest, and the time and memory that it is expected to take."""

Asked = Callable[[PlannedContest], frozenset[str]]
"""Returns the names of the claims that need a contest."""

ALL = 2
"""The value of `Fitted.verdicts` if there are enough rounds for all intervals."""


@dataclass(frozen=True)
class FittedRequest:
    """A `request` reduced to the contests that fit, and `summary`, a sentence on their time and memory.

    `verdicts` is ALL if every contest has enough rounds for all required intervals to hold together, 1 if it has enough
    for the intervals of its own ranking, and 0 if even a ranking may lack them.
    """

    request: RunRequest
    summary: str
    verdicts: int


def within_memory(contests: Sequence[Planned], free: float) -> tuple[list[Planned], list[LeftOut]]:
    """Return the contests whose contenders fit into `free` bytes together, and the others, each with a sentence."""
    kept = [one for one in contests if one[1].memory <= free]
    left_out = [
        leave_out(planned, f"its {contenders_words(planned)} {at_least(found)} at once; {gb(free)} are free")
        for planned, found in contests
        if found.memory > free
    ]
    return kept, left_out


def within_budget(
    contests: Sequence[Planned],
    stopping: Stopping,
    budget: float,
    asked: Asked,
    tests: int = 1,
) -> tuple[list[Planned], list[LeftOut], Stopping]:
    """Return the contests that fit into a budget in seconds, the others, and the stopping rule.

    The kept contests get enough rounds for their intervals to hold together with those of `tests` intervals, or at
    least with each other. If that would lose a workload, they get fewer rounds: a table without a verdict is better
    than none. Equally, no workload is lost for claims that can be completed. The number of processes is reduced before
    contests are left out. The time that remains after the starts is shared equally, if the fewest rounds of each fit
    into its share. Raises UsageError if not even one
    contest fits.
    """
    usual = min(stopping.rounds[0], FEWEST_ROUNDS)
    floors = (rounds_to_speak(contests, tests), rounds_to_speak(contests), usual) if tests > 1 else (usual,)
    ways = (answer, keep) if tests > 1 else (keep,)
    shortest = [fewer_processes(contests, stopping, budget, floor) for floor in floors]
    plans = [(way(contests, short, budget, asked), short) for short in shortest for way in ways]
    kept, short = max(plans, key=lambda plan: len({planned.workload.name for planned, _ in plan[0]}))
    if not kept:
        raise UsageError(
            f"nothing fits into {duration_words(budget)}: {shortest_words(contests, short)}",
            "Give more time with --budget, or name fewer contenders with -f.",
        )
    why = f"no time for it within {duration_words(budget)}"
    left_out = [
        leave_out(planned, why, len(asked(planned)))
        for planned, _ in contests
        if all(planned is not other for other, _ in kept)
    ]
    needs = [short.rounds[0] * found.round(short) for _, found in kept]
    turns = share_equally(budget - sum(found.starts(short) for _, found in kept), needs)
    seconds = min(stopping.round_seconds, max(SHORTEST_ROUND_S, turns / rounds_to_speak(kept, LOOKS * tests)))
    fewest, most = short.rounds
    rounds = (fewest, max(most, min(MOST_ROUNDS, int(turns / seconds))))
    return kept, left_out, short.model_copy(update={"seconds": turns, "round_seconds": seconds, "rounds": rounds})


def share_equally(seconds: float, needs: Iterable[float]) -> float:
    """Return what each contest gets of some seconds, if those that need more than that get what they need."""
    left = sorted(needs)
    while left[-1] > seconds / len(left) and len(left) > 1:
        seconds -= left.pop()
    return seconds / len(left)


def answer(contests: Sequence[Planned], stopping: Stopping, budget: float, asked: Asked) -> list[Planned]:
    """Return all contests if they fit into a budget; otherwise the contests of the claims that can be completed.

    The claim with the least additional time is taken first. No contest is taken for an incomplete claim: it gives no
    verdict, and its time would be missing for another claim.
    """
    if least(contests, stopping) <= budget:
        return list(contests)
    claims = contests_by_claim(contests, asked)
    chosen: frozenset[int] = frozenset()
    while claims:
        took = {name: least([contests[one] for one in chosen | need], stopping) for name, need in claims.items()}
        name = min(claims, key=lambda one: (took[one], one))
        if took[name] > budget:
            break
        chosen |= claims.pop(name)
    return [contests[one] for one in sorted(chosen)]


def contests_by_claim(contests: Sequence[Planned], asked: Asked) -> dict[str, frozenset[int]]:
    """Return {claim: places in `contests` of the contests that it needs}."""
    asking = [asked(planned) for planned, _ in contests]
    claims = frozenset[str]().union(*asking)
    return {name: frozenset(place for place, names in enumerate(asking) if name in names) for name in claims}


def keep(contests: Sequence[Planned], stopping: Stopping, budget: float, asked: Asked) -> list[Planned]:
    """Return the contests that fit into a budget.

    The contest with the fewest `asked` claims per second goes first; among equals the longest, then the last.
    """
    kept = list(contests)
    while kept and least(kept, stopping) > budget:
        kept.remove(min(reversed(kept), key=lambda one: worth(one, stopping, asked)))
    return kept


def least(contests: Iterable[Planned], stopping: Stopping) -> float:
    """Return the fewest seconds that these contests take together."""
    return sum(found.least(stopping) for _, found in contests)


def worth(one: Planned, stopping: Stopping, asked: Asked) -> tuple[float, float]:
    """Return the claims per second of a contest, then its negative seconds: the least valuable contest sorts first."""
    planned, found = one
    seconds = found.least(stopping)
    return len(asked(planned)) / seconds, -seconds


def rounds_to_speak(contests: Sequence[Planned], tests: int = 1) -> int:
    """Return the fewest rounds for finite intervals in all `contests`, with `tests` tests per pair."""
    most = max(len(planned.contenders) for planned, _ in contests)
    return fewest_rounds(tests=tests * pairs(most))


def check_rounds(contests: Sequence[PlannedContest], rounds: int, confidence: float) -> None:
    """Raise UsageError if `rounds` cannot rank the contenders of a contest, even if all rounds are alike."""
    most = max(len([one for one in contest.contenders if one.copy == 1]) for contest in contests)
    fewest = fewest_rounds(confidence, pairs(most)) if most > 1 else 1
    if rounds < fewest:
        raise UsageError(
            f"--rounds {rounds} is too few: {most} contenders can be ranked after {fewest} at the earliest",
            f"Name {fewest} or more, or leave it out.",
        )


def fewer_processes(contests: Sequence[Planned], stopping: Stopping, budget: float, floor: int) -> Stopping:
    """Return a stopping rule with the shortest rounds and as many processes as fit into a budget, at least one.

    With fewer processes, the fewest rounds shrink in proportion, but not below `floor`, the rounds that an interval
    needs.
    """
    short = stopping.model_copy(update={"round_seconds": min(stopping.round_seconds, SHORTEST_ROUND_S)})
    fewest, most = stopping.rounds
    for processes in range(stopping.processes, 0, -1):
        rounds = max(floor, fewest * processes // stopping.processes)
        short = short.model_copy(update={"processes": processes, "rounds": (rounds, max(rounds, most))})
        if least(contests, short) <= budget:
            break
    return short


def shortest_words(contests: Sequence[Planned], stopping: Stopping) -> str:
    """Return a clause on the shortest contest and its time."""
    planned, found = min(contests, key=lambda one: one[1].least(stopping))
    needed = duration_words(found.least(stopping))
    return (
        f"{planned.workload.name} with {len(planned.contenders)} contenders, the shortest contest, takes about {needed}"
    )


def leave_out(planned: PlannedContest, why: str, asked: int | None = None) -> LeftOut:
    """Return the note that a contest is left out, and how many claims `asked` for it."""
    return LeftOut(workload=planned.workload.name, setting=planned.setting.as_json(), why=why, asked=asked)


def contenders_words(planned: PlannedContest) -> str:
    """Return the number of contenders with a verb: ``3 contenders need``."""
    count = len(planned.contenders)
    return f"{count} contenders need" if count > 1 else "one contender needs"


def at_least(found: TimeEstimate) -> str:
    """Return the memory that a contest needs, in words."""
    return f"{'at least ' if 'memory' in found.guessed else 'about '}{gb(found.memory)}"


def gb(size: float) -> str:
    """Return bytes in words: ``1.5 GB``."""
    return f"{size / 1e9:.1f} GB"


def fit_contests(
    request: RunRequest,
    contests: Sequence[Planned],
    budget: float | None,
    free: float,
    asked: Asked,
    preparing: float = 0.0,
) -> FittedRequest:
    """Return a request reduced to the contests that fit, and a sentence on time and memory for the user.

    `preparing` are the most seconds that environments and data take before measuring starts. A budget does not include
    them.

    Raises UsageError if nothing fits.
    """
    kept, left_out = within_memory(contests, free)
    if not kept:
        raise UsageError(
            f"{left_out[0].workload} does not fit into memory: {left_out[0].why}",
            "Name fewer contenders with -f, or a smaller batch_size.",
        )
    stopping = request.stopping
    if budget is not None:
        kept, too_long, stopping = within_budget(kept, stopping, budget, asked, request.tests)
        left_out += too_long
    found = [estimate for _, estimate in kept]
    guessed = sorted({what for one in found for what in one.guessed})
    basis = f"guessed in part ({', '.join(guessed)})" if guessed else "from earlier contests here"
    largest = max(found, key=lambda one: one.memory)
    if request.full:
        time = "as long as the stated epochs take"
    elif budget is not None:
        time = f"planned for {duration_words(sum(one.most(stopping) for one in found))}"
    else:
        time = f"{duration_words(preparing + sum(one.bound(stopping) for one in found))} at the most"
    told = f"{len(kept)} contest{'s' if len(kept) > 1 else ''}: {time}, {at_least(largest)} of memory; {basis}"
    enough = (rounds_to_speak(kept, tests) for tests in (1, request.tests))
    verdicts = ALL if budget is None or request.tests == 1 else sum(stopping.rounds[0] >= rounds for rounds in enough)
    smaller = request.model_copy(update={"left_out": tuple(left_out), "stopping": stopping, "budget": budget})
    return FittedRequest(smaller, told, verdicts)


def turns_of_next(request: ContestRequest, elapsed: float, contests: int, given: Sequence[float] = ()) -> float:
    """Return the measuring time in seconds for the next contest, with `contests` still to run after `elapsed` seconds.

    Normally it is the planned time. If starts and proofs took longer than expected, it is an equal share of the rest of
    the budget, or zero if nothing is left. If they took less, the share has more time for measuring. `given` are the
    measuring times of the earlier contests; the next ones are expected to need as much other time as these did.
    """
    planned = request.stopping.seconds
    if request.time_limit is None:
        return planned
    share = (request.time_limit - elapsed) / contests
    beside = max(0.0, (elapsed - sum(given)) / len(given)) if given else share
    return max(0.0, min(planned, share), share - beside)
