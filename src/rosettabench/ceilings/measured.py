"""What a run of ``rosetta peak`` has measured: its series, the ceilings among them, and what was refused."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rosettabench.ceilings.ceiling import Ceiling, ceilings
from rosettabench.ceilings.series import CeilingSeries, Refused
from rosettabench.plan.request import PeakRequest, read_request

if TYPE_CHECKING:
    from rosettabench.store.schema import Failure, Run


@dataclass(frozen=True)
class MeasuredCeilings:
    """The measurements of one run."""

    run: str
    at: str
    machine: Mapping[str, Any]
    asked: PeakRequest
    series: tuple[CeilingSeries, ...]
    refused: tuple[Refused, ...]
    """The measurements that a library refused."""
    failures: tuple[Failure, ...]

    @classmethod
    def of(cls, run: Run) -> MeasuredCeilings:
        """Read a run that measured ceilings from its events."""
        asked = read_request(run.request)
        assert isinstance(asked, PeakRequest)
        series, refused = CeilingSeries.all_of(run.events), Refused.all_of(run.events)
        return cls(run.id, run.at, run.machine, asked, tuple(series), tuple(refused), tuple(run.failures))

    @property
    def ceilings(self) -> tuple[Ceiling, ...]:
        """The highest rate of each kind of work."""
        return tuple(ceilings(self.series, self.asked.threads, self.asked.device).values())
