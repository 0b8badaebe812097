"""Find the odd ones among contenders that should agree."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Split:
    """How contenders split: the `odd` ones are outside the group with most frameworks.

    All are `undecided` if no group has more frameworks than every other.
    """

    odd: tuple[str, ...] = ()
    undecided: tuple[str, ...] = ()

    @property
    def agree(self) -> bool:
        """Whether all contenders agree."""
        return not (self.odd or self.undecided)


def split(voices: Mapping[str, str], near: Callable[[str, str], bool]) -> Split:
    """Return how contenders split; `voices` maps each label to its framework, `near` says whether two of them agree.

    A contender that agrees with one of a group belongs to it. Modes of one framework share their code, mistakes
    included, and so count as one voice.
    """
    groups: list[list[str]] = []
    for label in voices:
        mine = [group for group in groups if any(near(label, other) for other in group)]
        groups = [group for group in groups if group not in mine]
        groups.append([one for group in mine for one in group] + [label])
    if len(groups) < 2:
        return Split()
    sizes = [len({voices[label] for label in group}) for group in groups]
    largest = max(sizes)
    if sizes.count(largest) > 1:
        return Split(undecided=tuple(voices))
    kept = groups[sizes.index(largest)]
    return Split(odd=tuple(label for label in voices if label not in kept))


def in_words(labels: Sequence[str]) -> str:
    """Return names as a list in a sentence: a, b and c."""
    return " and ".join(filter(None, [", ".join(labels[:-1]), *labels[-1:]]))
