"""Switches: what was tried to make a library faster at the same mathematics, where, and what it gave.

Each is written down in switches.toml. docs/reference/axes.md shows them as a table.
"""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Literal, Self

from pydantic import Field, PositiveFloat, model_validator

from rosettabench.catalogue.strict import Strict

TEXT = Path(__file__).parent / "switches.toml"


class SwitchTrial(Strict):
    """What a step took without a switch, `before`, and with it, `after`.

    `workload` is one of the catalogue, or says in words what was timed. Where `unit` is ``×``, both are relative to the
    time with the switch. `note` says what else must be known of the measurement.
    """

    workload: str
    before: PositiveFloat
    after: PositiveFloat
    unit: str
    note: str = ""


class Switch(Strict):
    """Something that can be set in a library, and what it gave where it was tried.

    `frameworks` and `releases` are those that it was tried in, `in_force` the modes that have it already. `kind` is the
    kind of operation that it is about. `what` says what it does, `how` how it is set. `gains` is whether it made
    something faster. `outcome` says what else came of it; without numbers it is all there is. `heading` is one of the
    page `page` in docs.
    """

    frameworks: tuple[str, ...] = Field(min_length=1)
    releases: tuple[str, ...] = Field(min_length=1)
    in_force: tuple[str, ...] = ()
    device: Literal["cpu", "cuda"]
    kind: Literal["convolution", "recurrence", "dense", "optimiser", "launch", "allocation"]
    what: str
    how: str
    gains: bool
    outcome: str = ""
    page: Literal["reference/axes.md", "findings.md"]
    heading: str
    measured: tuple[SwitchTrial, ...] = ()

    @model_validator(mode="after")
    def _agrees_with_its_numbers(self) -> Self:
        """Refuse a switch whose numbers say otherwise than it does."""
        faster = any(one.after < one.before for one in self.measured)
        if self.gains != faster:
            raise ValueError(f"gains is {self.gains}, and a workload became faster with it: {faster}")
        if not self.measured and not self.outcome:
            raise ValueError("it has neither numbers nor an outcome")
        return self

    def covers(self, framework: str, release: str | None, device: str) -> bool:
        """Whether it was tried in a framework on a device; a release of the user's own, None, may be any."""
        known = release is None or release in self.releases
        return framework in self.frameworks and known and device == self.device


@cache
def all_switches() -> tuple[Switch, ...]:
    """Return every switch, in the order of the file."""
    return tuple(Switch(**stated) for stated in tomllib.loads(TEXT.read_text(encoding="utf-8"))["switch"])
