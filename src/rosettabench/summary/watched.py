"""What was looked at while everybody was timed, in a sentence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rosettabench.store.record import Watched
from rosettabench.store.store import events_of

if TYPE_CHECKING:
    from rosettabench.store.schema import Contest, Run


def seen_while_timed(run: Run, contest: Contest) -> list[Watched]:
    """Return what was seen of each process of a contest, in their order."""
    return Watched.all_of(events_of(run, contest))


def watched_sentence(seen: Sequence[Watched]) -> str:
    """Return what was looked at, how far those who stayed were apart, and what could not be looked at."""
    if not seen:
        return ""
    parts = ["counts, losses and clocks of every block"]
    moves = [move for one in seen for move in one.moves]
    first = [move for move in moves if move.when.startswith("the first")]
    later = [move for move in moves if move not in first]
    if first:
        beside = " beside the reference" if all(move.reference for move in first) else ""
        parts.append(f"{first[0].when}{beside} (parameters within {max(move.distance for move in first):.1g})")
    if later:
        furthest = max(move.ratio for move in later)
        parts.append(f"{len(later)} of the rounds (parameters went as far, within {furthest - 1:.1%})")
    parts.append(f"outputs (within {max(one.outputs for one in seen):.1g})")
    seconds = sum(one.seconds for one in seen)
    told = f"Watched while timed: {', '.join(parts)}; that took {seconds:.2g} s."
    return " ".join([told, *unwatched_sentences(seen)])


def unwatched_sentences(seen: Sequence[Watched]) -> tuple[str, ...]:
    """Return what could not be looked at, each sentence once."""
    return tuple(dict.fromkeys(sentence for one in seen for sentence in one.unchecked))
