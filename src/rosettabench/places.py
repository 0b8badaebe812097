"""Where Rosettabench keeps things on this machine, and the variables that move them."""

from __future__ import annotations

import os
from pathlib import Path

from platformdirs import user_cache_path, user_data_path

CACHE = "ROSETTA_CACHE"
"""Variable: the folder of what can be made again (environments, prepared data)."""
DATA = "ROSETTA_DATA"
"""Variable: the user's folder with the original data sets."""
STORE = "ROSETTA_STORE"
"""Variable: the results store, as an SQLAlchemy URL."""


def cache_dir() -> Path:
    """Return the folder of what can be made again: $ROSETTA_CACHE, or the user's cache folder. It need not exist."""
    return from_variable(CACHE) or user_cache_path("rosettabench", appauthor=False)


def data_dir_default() -> Path | None:
    """Return the user's folder of original data sets, $ROSETTA_DATA, or None where it is not set."""
    return from_variable(DATA)


def store_url() -> str:
    """Return the URL of the results store: $ROSETTA_STORE, or an SQLite file in the user's data folder."""
    url = os.environ.get(STORE)
    if url:
        return url
    return f"sqlite:///{user_data_path('rosettabench', appauthor=False) / 'results.sqlite'}"


def rescue_dir() -> Path:
    """Return the folder of runs whose database went away while they lasted. It need not exist."""
    return user_data_path("rosettabench", appauthor=False) / "rescued"


def from_variable(name: str) -> Path | None:
    """Return the absolute path in the environment variable `name`; None if it is unset or empty."""
    value = os.environ.get(name)
    return Path(value).expanduser().absolute() if value else None
