"""Published results: what each study printed, number by number, as ``results.csv`` has them."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import cache
from math import isfinite
from pathlib import Path

from rosettabench.errors import UsageError

RESULTS = Path(__file__).parent / "results.csv"
"""The published numbers. Where they came from: ``studies.toml``."""


@dataclass(frozen=True)
class Result:
    """One published number: `value` in `unit`, of `quantity`, for a `library` on a `workload`.

    `release` and `hardware` are empty where the study does not say; `setting` holds what the number was published for
    (epochs, batch_size, workers, data, series). Fractions are of 1, times are in seconds. A number that compares two
    things is of a `claim`, whose id it has: there it says which two.
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
    """Return every published result, in the order of the file. Raises UsageError for a row that cannot be read."""
    return read_results(RESULTS)


def read_results(path: Path) -> tuple[Result, ...]:
    """Return the results in a file of the form of ``results.csv``; UsageError names the line that is wrong."""
    with path.open(encoding="utf-8", newline="") as lines:
        return tuple(read_row(row, f"{path}, line {number}") for number, row in enumerate(csv.DictReader(lines), 2))


def read_row(row: dict[str, str], where: str) -> Result:
    """Return one row as a Result; `where` is what an error calls it."""
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
