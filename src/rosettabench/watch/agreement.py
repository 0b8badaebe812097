"""Who is odd among contenders that should agree."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Split:
    """How contenders part: `odd` ones disagree with more frameworks than agree with them.

    Of those that are `undecided`, nobody has more frameworks on their side than others have.
    """

    odd: tuple[str, ...] = ()
    undecided: tuple[str, ...] = ()

    @property
    def whole(self) -> bool:
        """Whether everybody agrees."""
        return not (self.odd or self.undecided)


def split(voices: Mapping[str, str], near: Callable[[str, str], bool]) -> Split:
    """Return how contenders part; `voices` maps each label to its framework, `near` says whether two of them agree.

    Whoever agrees with one of a group belongs to it. Modes of one framework share their code, mistakes included, and
    so have one voice together.
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
    """Return names as a sentence lists them: a, b and c."""
    return " and ".join(filter(None, [", ".join(labels[:-1]), *labels[-1:]]))
