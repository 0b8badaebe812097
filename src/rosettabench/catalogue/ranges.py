"""Names that stand for several: ``block{1..3}.bias`` is block1.bias, block2.bias and block3.bias; so is ``{1,2,3}``."""

from __future__ import annotations

import re
from collections.abc import Iterator

RANGE = re.compile(r"\{(\d+(?:\.\.\d+)?(?:,\d+(?:\.\.\d+)?)*)\}")


def written_out(name: str) -> list[str]:
    """Return the names that `name` stands for, in order; of several ranges the last one runs fastest.

    `rosetta_worker.tensors` has the same, for the tables of implementations: the two rooms share no code, and a test
    holds them together.
    """
    found = RANGE.search(name)
    if found is None:
        return [name]
    before, behind = name[: found.start()], written_out(name[found.end() :])
    return [f"{before}{number}{rest}" for number in numbers(found[1]) for rest in behind]


def numbers(words: str) -> Iterator[int]:
    """Yield the numbers that are meant by words like ``1..3``, ``1,4,8`` or ``1..3,7``, in their order."""
    for word in words.split(","):
        first, _, last = word.partition("..")
        yield from range(int(first), int(last or first) + 1)
