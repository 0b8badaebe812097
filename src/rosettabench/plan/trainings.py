"""The trainings of a published study by libraries as shipped, whose numbers are the defaults here."""

from __future__ import annotations

STUDY = "deepar-2024"
"""The published study that is run again."""

SEEDS = (42, 43, 44, 45, 46)
"""The seeds of the study."""

EPOCHS = 100
"""The epochs of the study, and the default of both libraries."""

SAMPLES = 100
"""Sample paths of each series: the study's number, and the default of both libraries."""


def epochs_words(epochs: int) -> str:
    """Return a number of epochs in words."""
    return "1 epoch" if epochs == 1 else f"{epochs} epochs"
