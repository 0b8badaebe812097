"""The studies that are run again: who published what, and which frameworks of today answer for their libraries."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path

from rosettabench.catalogue.names import nearest
from rosettabench.catalogue.strict import Strict

STUDIES = Path(__file__).parent / "studies.toml"


class Study(Strict):
    """One published comparison. `source` says where it stands; `note` what one must know to read its numbers."""

    name: str
    title: str
    source: str
    note: str
    libraries: dict[str, tuple[str, ...]]
    """Library as its results name it to the frameworks that answer for it here, the truest first."""


@cache
def all_studies() -> dict[str, Study]:
    """Return every study by name."""
    tables = tomllib.loads(STUDIES.read_text(encoding="utf-8"))
    return {name: Study(name=name, **table) for name, table in tables.items()}


def find_study(name: str) -> Study:
    """Return the study `name`; UsageError with the nearest match if there is none."""
    studies = all_studies()
    return studies[nearest("study", name, studies)]
