"""Names that users type: the nearest match for one that does not exist."""

from __future__ import annotations

from collections.abc import Collection
from difflib import get_close_matches

from rosettabench.errors import UsageError


def nearest(kind: str, word: str, known: Collection[str]) -> str:
    """Return `word` if it is one of the `known` names of a `kind` of thing.

    Raises UsageError otherwise, with the nearest name where one is near and with all names.
    """
    if word in known:
        return word
    near = get_close_matches(word, known, n=1, cutoff=0.5)
    meant = f"Did you mean {near[0]!r}? " if near else ""
    raise UsageError(f"there is no {kind} {word!r}", hint=f"{meant}There is: {', '.join(sorted(known)) or 'none'}.")
