"""The request for trainings by libraries as shipped: sets, libraries, seeds and length."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from rosettabench.catalogue.strict import Strict
from rosettabench.store.kind import RunKind

STUDY = "deepar-2024"
"""The published study that is run again."""

SEEDS = (42, 43, 44, 45, 46)
"""The seeds of the study."""

EPOCHS = 100
"""The epochs of the study, and the default of both libraries."""

SAMPLES = 100
"""Sample paths of each series: the study's number, and the default of both libraries."""


class TrainingRequest(Strict):
    """The request of ``rosetta shipped``, and of a suite of ``rosetta run`` in addition to its contests."""

    kind: Literal[RunKind.SHIPPED] = RunKind.SHIPPED
    study: str = STUDY
    sets: tuple[str, ...]
    """Sets of the Monash archive by the study's names."""
    libraries: tuple[str, ...]
    seeds: tuple[int, ...] = SEEDS
    epochs: int = Field(default=EPOCHS, ge=1)
    samples: int = Field(default=SAMPLES, ge=1)
    threads: int = Field(default=1, ge=1)
    budget: float | None = None
    """Seconds for everything; epochs and seeds are reduced until they fit."""
    long: bool = False
    """Whether to include trainings for which a library builds its graph for minutes, or without end."""
    timeout: float = 7200.0
    """Seconds after which a silent worker is stopped."""
    data_dir: str | None = None
    data: str = "found"
    """``found``, ``real`` or ``synthetic``: data/choice.py."""
    offline: bool = False


def epochs_words(epochs: int) -> str:
    """Return a number of epochs in words."""
    return "1 epoch" if epochs == 1 else f"{epochs} epochs"
