"""Fit contests into a time budget: as many as possible, with equal measuring time for each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from rosettabench.catalogue.suite import Stopping
from rosettabench.errors import UsageError
from rosettabench.plan.duration import duration_words
from rosettabench.plan.estimate import TimeEstimate
from rosettabench.plan.plan import PlannedContest
from rosettabench.plan.request import LeftOut, RunRequest
from rosettabench.statistics.evidence import FEWEST_ROUNDS
from rosettabench.statistics.interval import fewest_rounds
from rosettabench.statistics.ranking import LOOKS, pairs

SHORTEST_ROUND_S = 0.5
"""The shortest round in seconds to fit a budget. Shorter ones save little, since starting a contest takes most time."""

FEWEST_PROCESSES = 4
"""The fewest processes of each contender in a budget, apart from one. Where the processes of two contenders differ by
3%, as equals mostly do, the interval of their ratio reaches 28% with one process of each, 11% with three, 7% with four
and 5% with five (`tests/published/test_budget.py`)."""

FEW_PROCESSES = 3
"""The processes of each contender in a budget that would otherwise have one."""

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

    One process of each hardly decides anything, so contests are left out before there are fewer than FEWEST_PROCESSES,
    as long as every workload keeps a contest; otherwise processes are saved first, down to one, or to FEW_PROCESSES if
    there is time for them. A study, with `tests` > 1 intervals in a claim, keeps FEWEST_PROCESSES if any of its claims
    can be completed with them. Its contests get enough rounds for the intervals of a claim to hold together, or at
    least those of a contest. If that would lose a workload, they get fewer rounds. The time that remains after the
    starts is shared equally, if the fewest rounds of each fit into its share. Raises UsageError if not even one contest
    fits.
    """
    fewest = min(stopping.rounds[0], FEWEST_ROUNDS)
    floors = (rounds_to_speak(contests, tests), rounds_to_speak(contests), fewest) if tests > 1 else (fewest,)
    ways = (answer, keep) if tests > 1 else (keep,)
    shorter = [
        short
        for floor in floors
        for short in (several_processes(contests, stopping, budget, floor), shorten(stopping, 1, stopping.looks, floor))
    ]
    plans = [(way(contests, short, budget, asked), short) for short in shorter for way in ways]
    kept, short = max(plans, key=lambda plan: merit(plan[0], plan[1], contests, asked, tests))
    lost = [planned for planned, _ in contests if all(planned is not other for other, _ in kept)]
    if not kept:
        raise UsageError(
            f"nothing fits into {duration_words(budget)}: {shortest_words(contests, short)}",
            "Give more time with --budget, or name fewer contenders with -f.",
        )
    why = f"no time for it within {duration_words(budget)}"
    left_out = [leave_out(planned, why, len(asked(planned))) for planned in lost]
    fewest = FEWEST_PROCESSES if short.processes > 1 else FEW_PROCESSES
    more = several_processes(kept, stopping, budget, short.rounds[0], fewest)
    short = more if least(kept, more) <= budget else short
    return kept, left_out, share_rest(kept, stopping.round_seconds, short, budget, tests)


def merit(
    kept: Sequence[Planned], short: Stopping, contests: Sequence[Planned], asked: Asked, tests: int
) -> tuple[int, int]:
    """Return what a plan is worth: whether several processes can decide, then how many workloads or contests it keeps.

    They can if they complete a claim of a study, or if they compare the contenders in every workload.
    """
    workloads = {planned.workload.name for planned, _ in kept}
    if tests == 1:
        every = workloads == {planned.workload.name for planned, _ in contests}
        return short.processes > 1 and every, len(kept)
    needs = contests_by_claim(contests, asked).values()
    places = {place for place, (planned, _) in enumerate(contests) if any(planned is other for other, _ in kept)}
    decides = short.processes > 1 and any(need <= places for need in needs)
    return decides, len(workloads)


def share_rest(kept: Sequence[Planned], longest: float, short: Stopping, budget: float, tests: int) -> Stopping:
    """Return a `short` stopping rule with the time that a budget in seconds leaves after the starts.

    A round may take up to `longest` seconds.
    """
    needs = [found.fewest(short) for _, found in kept]
    turns = share_equally(budget - sum(found.starts(short) for _, found in kept), needs)
    fewest, most = short.rounds
    seconds = min(longest, max(SHORTEST_ROUND_S, turns / max(fewest, rounds_to_speak(kept, LOOKS * tests))))
    rounds = (fewest, max(most, min(MOST_ROUNDS, int(turns / seconds))))
    return short.model_copy(update={"seconds": turns, "round_seconds": seconds, "rounds": rounds})


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

    Those go first whose workload keeps another contest. Among them it is the contest with the fewest `asked` claims per
    second; among equals the longest, then the last.
    """
    kept = list(contests)
    while kept and least(kept, stopping) > budget:
        kept.remove(least_valuable(kept, stopping, asked))
    return kept


def least_valuable(kept: Sequence[Planned], stopping: Stopping, asked: Asked) -> Planned:
    """Return the contest that `keep` leaves out next."""
    count = Counter(planned.workload.name for planned, _ in kept)

    def value(one: Planned) -> tuple[bool, float, float]:
        """Return the order in which contests are left out."""
        return count[one[0].workload.name] == 1, *worth(one, stopping, asked)

    return min(reversed(kept), key=value)


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


def several_processes(
    contests: Sequence[Planned], stopping: Stopping, budget: float, floor: int, fewest: int = FEWEST_PROCESSES
) -> Stopping:
    """Return a stopping rule with the shortest rounds, and with as many processes as fit into a budget in seconds.

    A single look is tried before there are fewer processes. There are at least `fewest`, if the rule has so many, even
    if the contests do not fit then.
    """
    fewer = range(stopping.processes, min(stopping.processes, fewest) - 1, -1)
    rules = [(stopping.processes, stopping.looks), *((processes, 1) for processes in fewer)]
    shortened = [shorten(stopping, processes, looks, floor) for processes, looks in rules]
    return next((one for one in shortened if least(contests, one) <= budget), shortened[-1])


def shorten(stopping: Stopping, processes: int, looks: int, floor: int) -> Stopping:
    """Return a stopping rule with the shortest rounds, and some processes before each look.

    With fewer processes, the fewest rounds shrink in proportion, but not below `floor`, the rounds that an interval
    needs.
    """
    fewest, most = stopping.rounds
    rounds = max(floor, fewest * processes // stopping.processes)
    seconds = min(stopping.round_seconds, SHORTEST_ROUND_S)
    shorter = {"processes": processes, "looks": looks, "rounds": (rounds, max(rounds, most)), "round_seconds": seconds}
    return stopping.model_copy(update=shorter)


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


def turns_of_next(stopping: Stopping, left: float, contests: Sequence[TimeEstimate], slower: float = 1.0) -> float:
    """Return the measuring time in seconds for the first of `contests`, if `left` seconds are left for all; 0 for none.

    The time that remains after the starts is shared equally. If the fewest rounds of all do not fit, the last contests
    do without. Starts and proofs are expected to take `slower` times as long as estimated.
    """
    for count in range(len(contests), 0, -1):
        turns = left - slower * sum(found.starts(stopping) for found in contests[:count])
        needs = [found.fewest(stopping) for found in contests[:count]]
        if turns >= sum(needs):
            return max(needs[0], share_equally(turns, needs))
    return 0.0
