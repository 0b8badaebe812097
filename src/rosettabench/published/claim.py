"""Claims: the statements of studies as testable data. docs/reference/claims.md says how to add one."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from enum import StrEnum
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

from pydantic import Field, ValidationError, model_validator

from rosettabench.catalogue.strict import Strict, faults
from rosettabench.errors import UsageError
from rosettabench.plan.series import SERIES
from rosettabench.plan.setting import Value

CLAIMS = Path(__file__).parent / "claims.toml"

BAND = 1.10
"""The tolerance of a single published number, as a factor either way: it comes from one run, with two digits."""

HINT = "docs/reference/claims.md tells how a claim is written."


class Quantity(StrEnum):
    """The quantity of a claim. Ratios and differences are of arm `a` to arm `b`; times are per sample."""

    TIME = "time ratio"
    THROUGHPUT = "throughput ratio"
    CPU = "CPU ratio"
    ACCURACY = "accuracy difference"
    LOSS = "loss ratio"
    ORDER = "order by time"
    SPREAD = "largest over smallest time"
    FIRST_EPOCH = "first epoch over later ones"
    GPU = "GPU utilisation"
    GPU_RATIO = "GPU utilisation ratio"
    LOSS_VARIABILITY = "loss variability ratio"


OF_TWO = {
    Quantity.TIME,
    Quantity.THROUGHPUT,
    Quantity.CPU,
    Quantity.ACCURACY,
    Quantity.LOSS,
    Quantity.GPU_RATIO,
    Quantity.LOSS_VARIABILITY,
}
"""Quantities that compare arm `a` with arm `b`."""

OF_MANY = {Quantity.ORDER, Quantity.SPREAD}
"""Quantities that compare all of `among`."""


EVERY = "all"
"""The value on the axis SERIES that means the sum over all sets of time series."""

OF_SHIPPED = {Quantity.TIME, Quantity.THROUGHPUT}
"""Quantities that as-shipped trainings measure."""


class Range(Strict):
    """The expected range: from `low` to `high`, where a missing end is open; or `around` a number."""

    low: float | None = None
    high: float | None = None
    around: float | None = None

    @model_validator(mode="after")
    def _says_something(self) -> Range:
        """Reject a range that is empty or stated in two ways."""
        if (self.around is None) == (self.low is None and self.high is None):
            raise ValueError("give low, high or both; or around")
        if self.around is not None and self.around <= 0:
            raise ValueError("around is for positive numbers")
        low, high = self.ends
        if low > high:
            raise ValueError("low is above high")
        return self

    @property
    def ends(self) -> tuple[float, float]:
        """Both ends; infinite if open."""
        if self.around is not None:
            return self.around / BAND, self.around * BAND
        return (
            -float("inf") if self.low is None else self.low,
            float("inf") if self.high is None else self.high,
        )


class Arm(Strict):
    """One side of a comparison: the frameworks that may stand for it, the study's own first; a mode; values on axes.

    Without a mode, the framework's default is used.
    """

    frameworks: tuple[str, ...]
    mode: str | None = None
    set: dict[str, Value] = Field(default_factory=dict)


class ClaimPart(Strict):
    """One thing to test. A claim about several workloads or settings has several parts, and holds if all do.

    `among` are libraries in the published order; those `tied` (by their first names) are not compared with each other.
    `shipped` is true if the arms are libraries that train as shipped, which `rosetta shipped` measures. `where` are
    values on axes for both arms; `best` maps an axis to values, of which the one with the largest ratio counts.
    """

    workload: str
    quantity: Quantity
    expected: Range | None
    a: Arm | None
    b: Arm | None
    among: tuple[tuple[str, ...], ...]
    tied: tuple[tuple[str, str], ...]
    where: dict[str, Value]
    best: dict[str, tuple[Value, ...]]
    gpus: int
    shipped: bool = False

    @model_validator(mode="after")
    def _has_its_arms(self) -> ClaimPart:
        """Reject a part without the arms that its quantity compares."""
        if not self.workload:
            raise ValueError("it names no workload")
        two, many = self.quantity in OF_TWO, self.quantity in OF_MANY
        if (self.a is None) != many or (self.b is None) == two or bool(self.among) != many:
            needed = "among, and neither a nor b" if many else "a and b" if two else "a, and no b"
            raise ValueError(f"{self.quantity} takes {needed}")
        if (self.expected is None) != (self.quantity is Quantity.ORDER):
            raise ValueError("expected is missing" if self.expected is None else "the order itself is what is expected")
        if self.every_series and self.quantity not in OF_SHIPPED:
            raise ValueError(f"over all series there is {' or '.join(sorted(OF_SHIPPED))}")
        if self.shipped and (self.quantity not in OF_SHIPPED or SERIES not in self.where):
            raise ValueError(f"shipped takes a set of series, and {' or '.join(sorted(OF_SHIPPED))}")
        return self

    @property
    def every_series(self) -> bool:
        """Whether it is about the sum over all sets of series."""
        return self.where.get(SERIES) == EVERY

    @property
    def name(self) -> str:
        """Workload and settings: ``imdb-lstm, batch size 1024``."""
        values = [f"{axis.replace('_', ' ')} {value}" for axis, value in self.where.items()]
        return ", ".join([self.workload, *values])


class Claim(Strict):
    """One claim of a study: its id, what it `says`, the `published` value in a few characters, and its parts."""

    id: str
    study: str
    says: str
    published: str
    note: str = ""
    parts: tuple[ClaimPart, ...]


@cache
def all_claims() -> tuple[Claim, ...]:
    """Return every claim, in the order of the file. Raises UsageError for an invalid one."""
    return read_claims(CLAIMS)


def read_claims(path: Path) -> tuple[Claim, ...]:
    """Return the claims in a file like ``claims.toml``; raise UsageError with the name of an invalid claim."""
    try:
        tables = tomllib.loads(path.read_text(encoding="utf-8")).get("claims", [])
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{path} is not TOML: {error}", HINT) from error
    claims = tuple(read_claim(table, path) for table in tables)
    ids = [claim.id for claim in claims]
    twice = sorted({one for one in ids if ids.count(one) > 1})
    if twice:
        raise UsageError(f"{path} has two claims {', '.join(twice)}", "Give each claim an id of its own.")
    return claims


def read_claim(table: dict[str, Any], path: Path) -> Claim:
    """Return one claim. Values in the table itself apply to all its parts, unless a part overrides them."""
    whole = {name: value for name, value in table.items() if name in ("id", "study", "says", "published", "note")}
    common = {name: value for name, value in table.items() if name not in whole and name != "parts"}
    try:
        parts = [part for own in table.get("parts", [{}]) for part in expand_parts({**common, **own})]
        return Claim(**whole, parts=tuple(parts))
    except ValidationError as error:
        raise UsageError(f"{path}: claim {table.get('id', '(no id)')}: {faults(error)}", HINT) from error


def expand_parts(table: Mapping[str, Any]) -> Iterator[ClaimPart]:
    """Yield a part for each of the table's ``workloads`` and each combination of the values in ``each``."""
    table = {
        "expected": None,
        "a": None,
        "b": None,
        "among": (),
        "tied": (),
        "where": {},
        "best": {},
        "gpus": 0,
        **table,
    }
    workloads, each = table.pop("workloads", ()), table.pop("each", {})
    choices = [values if isinstance(values, list) else [values] for values in each.values()]
    for workload in workloads or [table.pop("workload", "")]:
        for values in product(*choices):
            where = {**table["where"], **dict(zip(each, values, strict=True))}
            yield ClaimPart(**{**table, "workload": workload, "where": where})
