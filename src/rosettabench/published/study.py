"""The studies that are run again: their sources, and the frameworks that stand for their libraries here."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path

from rosettabench.catalogue.names import nearest
from rosettabench.catalogue.strict import Strict

STUDIES = Path(__file__).parent / "studies.toml"


class Study(Strict):
    """One published comparison. `source` is the publication; `note` says how to read its numbers."""

    name: str
    title: str
    source: str
    note: str
    libraries: dict[str, tuple[str, ...]]
    """Library, as the results name it → the frameworks that stand for it here, the closest first."""


@cache
def all_studies() -> dict[str, Study]:
    """Return every study by name."""
    tables = tomllib.loads(STUDIES.read_text(encoding="utf-8"))
    return {name: Study(name=name, **table) for name, table in tables.items()}


def find_study(name: str) -> Study:
    """Return the study `name`; raise UsageError with the nearest match if there is none."""
    studies = all_studies()
    return studies[nearest("study", name, studies)]
