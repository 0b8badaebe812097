"""Lists of names in a sentence."""

from __future__ import annotations

from collections.abc import Sequence


def enumerate_words(names: Sequence[str]) -> str:
    """Return names as a list in a sentence: ``a, b and c``."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
