"""The axis `data`: which content of a data set is asked for."""

from __future__ import annotations

from enum import StrEnum


class DataChoice(StrEnum):
    """The values of the axis `data`."""

    FOUND = "found"
    """The originals, from the user's folder or a download; a stand-in if neither is available."""
    REAL = "real"
    """The originals only; never a stand-in."""
    SYNTHETIC = "synthetic"
    """A stand-in only; no originals are looked for."""
