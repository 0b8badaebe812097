"""Errors of the operating system during the preparation of data."""

from __future__ import annotations

from pathlib import Path

from rosettabench.data.data_set import Original
from rosettabench.errors import DataError


def explain_obstacle(error: OSError, data_set: Original, cache: Path) -> DataError:
    """Return the DataError for an error of the operating system, with advice."""
    place = error.filename or cache
    why = error.strerror or str(error)
    return DataError(
        f"{data_set.title} could not be prepared: {place}: {why}.",
        f"Make room and give yourself access there, or choose another cache folder than {cache}.",
    )
