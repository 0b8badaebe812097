"""Durations as users write them: ``30s``, ``10m``, ``1h``."""

from __future__ import annotations

import re
from math import ceil

from rosettabench.errors import UsageError

UNITS = {"": 1.0, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0}
"""The seconds of each unit; no unit means seconds."""

GRAMMAR = re.compile(r"(?P<number>[0-9]+(\.[0-9]+)?) ?(?P<unit>[a-z]*)", re.ASCII)

LONGEST_S = 30 * 24 * 3600.0
"""The longest accepted duration, thirty days: anything longer is taken for a typing error."""


def read_duration(text: str) -> float:
    """Return the seconds of a text such as ``10m``. Raises UsageError if it is not a positive duration."""
    match = GRAMMAR.fullmatch(text.strip().lower())
    if match is None or match["unit"] not in UNITS:
        raise UsageError(f"{text!r} is not a duration", "Write 30s, 10m or 1h.")
    seconds = float(match["number"]) * UNITS[match["unit"]]
    if not 0 < seconds <= LONGEST_S:
        raise UsageError(f"{text!r} is not a duration that one can run for", "Write 30s, 10m or 1h.")
    return seconds


def duration_words(seconds: float) -> str:
    """Return a duration in words, rounded up: ``45 s``, ``12 min``, ``1.5 h``.

    It is rounded up because "at the most 3 min" must not take 3.4.
    """
    if seconds < 90:
        return f"{ceil(seconds)} s"
    return f"{ceil(seconds / 60)} min" if seconds <= 5400 else f"{ceil(seconds / 360) / 10} h"
