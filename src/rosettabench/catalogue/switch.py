"""Switches: settings of libraries that may speed up the same mathematics, and the measured effect of each.

switches.toml lists them; docs/reference/axes.md shows them as a table.
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
    """The time of a step without a switch, `before`, and with it, `after`, in `unit`.

    `workload` is one of the catalogue, or a description of what was timed. With the unit ``×``, both times are relative
    to the time with the switch. `note` adds what a reader must know about the measurement.
    """

    workload: str
    before: PositiveFloat
    after: PositiveFloat
    unit: str
    note: str = ""


class Switch(Strict):
    """A setting of a library, and its measured effect.

    It was tried in `frameworks` and `releases`; the modes `in_force` already use it. `kind` is the affected kind of
    operation. `what` says what the switch does, `how` how to set it. `gains` is whether it made anything faster.
    `outcome` describes other effects, and is required if nothing was measured. `heading` is a heading on `page` of the
    docs.
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
    page: Literal["reference/axes.md", "results/tuned.md", "results/processes.md", "findings.md"]
    heading: str
    measured: tuple[SwitchTrial, ...] = ()

    @model_validator(mode="after")
    def _agrees_with_its_numbers(self) -> Self:
        """Refuse a switch whose `gains` contradicts its measurements, or with neither measurements nor an outcome."""
        faster = any(one.after < one.before for one in self.measured)
        if self.gains != faster:
            raise ValueError(f"gains is {self.gains}, and a workload became faster with it: {faster}")
        if not self.measured and not self.outcome:
            raise ValueError("it has neither numbers nor an outcome")
        return self

    def covers(self, framework: str, release: str | None, device: str) -> bool:
        """Return whether it was tried in a framework on a device; None, the user's own release, matches any."""
        known = release is None or release in self.releases
        return framework in self.frameworks and known and device == self.device


@cache
def all_switches() -> tuple[Switch, ...]:
    """Return every switch, in the order of the file."""
    return tuple(Switch(**stated) for stated in tomllib.loads(TEXT.read_text(encoding="utf-8"))["switch"])
