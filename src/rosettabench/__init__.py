"""Rosettabench: which deep-learning framework does a job best. Equal work, proven; then timed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rosettabench.api import RunResult, prove, run

__version__ = "0.1.0"
__all__ = ["RunResult", "__version__", "prove", "run"]


def __getattr__(name: str) -> Any:  # noqa: ANN401 (a function or a class)
    """Return what `rosettabench.api` defines; it is imported late, since the command line needs none of it."""
    if name in ("RunResult", "prove", "run"):
        from rosettabench import api

        return getattr(api, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
