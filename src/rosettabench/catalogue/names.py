"""Names that users type, and the nearest match for an unknown one."""

from __future__ import annotations

from collections.abc import Collection
from difflib import get_close_matches

from rosettabench.errors import UsageError


def nearest(kind: str, word: str, known: Collection[str]) -> str:
    """Return `word` if it is one of the `known` names of a `kind` of thing.

    Otherwise raises UsageError, with the nearest name if one is similar, and all known names.
    """
    if word in known:
        return word
    near = get_close_matches(word, known, n=1, cutoff=0.5)
    meant = f"Did you mean {near[0]!r}? " if near else ""
    raise UsageError(f"there is no {kind} {word!r}", hint=f"{meant}Available: {', '.join(sorted(known)) or 'none'}.")
