"""Names that stand for several: ``block{1..3}.bias`` and ``block{1,2,3}.bias`` mean block1.bias to block3.bias."""

from __future__ import annotations

import re
from collections.abc import Iterator

RANGE = re.compile(r"\{(\d+(?:\.\.\d+)?(?:,\d+(?:\.\.\d+)?)*)\}")


def written_out(name: str) -> list[str]:
    """Return the names that `name` stands for, in order. The last of several ranges varies fastest.

    `rosetta_worker.tensors` has the same function for the tables of implementations. The two packages share no code; a
    test keeps the functions equal.
    """
    found = RANGE.search(name)
    if found is None:
        return [name]
    before, behind = name[: found.start()], written_out(name[found.end() :])
    return [f"{before}{number}{rest}" for number in numbers(found[1]) for rest in behind]


def numbers(words: str) -> Iterator[int]:
    """Yield the numbers of a text such as ``1..3``, ``1,4,8`` or ``1..3,7``, in its order."""
    for word in words.split(","):
        first, _, last = word.partition("..")
        yield from range(int(first), int(last or first) + 1)
