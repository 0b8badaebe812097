"""Where prepared data come from."""

from __future__ import annotations

from enum import StrEnum


class Origin(StrEnum):
    """Where prepared data come from. A report says what is not complete and not as asked for."""

    ORIGINAL = "original"
    """The user's folder."""
    DOWNLOAD = "download"
    """The original source, downloaded."""
    INCOMPLETE = "incomplete"
    """A part of the originals, in the user's folder."""
    DRAWN = "drawn"
    """Random by definition."""
    SYNTHETIC = "synthetic"
    """A stand-in that was asked for."""
    STAND_IN = "stand-in"
    """A stand-in, because there are no originals."""
