"""Published results: the numbers that each study printed, read from ``results.csv``."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import cache
from math import isfinite
from pathlib import Path

from rosettabench.errors import UsageError

RESULTS = Path(__file__).parent / "results.csv"
"""The published numbers; ``studies.toml`` has their sources."""


@dataclass(frozen=True)
class Result:
    """One published number: the `value`, in `unit`, of a `quantity` for a `library` on a `workload`.

    `release` and `hardware` are empty if the study does not state them. `setting` has the published conditions (epochs,
    batch_size, workers, data, series). Fractions are of 1, times are in seconds. A number that compares two things has
    the id of its `claim`, which names them.
    """

    study: str
    workload: str
    library: str
    release: str
    hardware: str
    quantity: str
    setting: dict[str, str]
    value: float
    unit: str
    note: str
    claim: str


@cache
def all_results() -> tuple[Result, ...]:
    """Return every published result, in the order of the file. Raises UsageError for an invalid row."""
    return read_results(RESULTS)


def read_results(path: Path) -> tuple[Result, ...]:
    """Return the results in a file like ``results.csv``; raise UsageError with the number of an invalid line."""
    with path.open(encoding="utf-8", newline="") as lines:
        return tuple(read_row(row, f"{path}, line {number}") for number, row in enumerate(csv.DictReader(lines), 2))


def read_row(row: dict[str, str], where: str) -> Result:
    """Return one row as a Result; `where` names it in errors."""
    fields = Result.__dataclass_fields__
    if row.keys() != fields.keys() or None in row.values():
        raise UsageError(f"{where} does not have the columns of results.csv", f"They are: {', '.join(fields)}.")
    try:
        value = float(row["value"])
    except ValueError as error:
        raise UsageError(f"{where}: {row['value']!r} is not a number") from error
    if not isfinite(value):
        raise UsageError(f"{where}: {row['value']} is not a finite number")
    texts = {name: text for name, text in row.items() if name not in ("value", "setting")}
    return Result(**texts, value=value, setting=read_setting(row["setting"], where))


def read_setting(text: str, where: str) -> dict[str, str]:
    """Return ``batch_size=1024;workers=2`` as a dictionary."""
    pairs = [part.partition("=") for part in text.split(";") if part]
    if not all(name and equals and value for name, equals, value in pairs):
        raise UsageError(f"{where}: {text!r} is not a setting", "Write axis=value;axis=value.")
    return {name: value for name, _, value in pairs}
