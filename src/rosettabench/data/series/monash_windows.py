"""A set of the Monash archive as a workload trains on it: windows of its series."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rosettabench.catalogue.data_entry import MONASH
from rosettabench.data.data_set import Remote, Source
from rosettabench.data.series.monash import MonashSet, monash_set
from rosettabench.errors import UsageError


@dataclass(frozen=True)
class MonashWindows:
    """An Original whose series `prepare_windows` cuts into windows. Its form is ``{windows = 16000}``, of training."""

    series: MonashSet

    @classmethod
    def called(cls, name: str) -> MonashWindows:
        """Return the set of a name like ``monash-hospital``; UsageError with the nearest match if there is none."""
        return cls(monash_set(name.removeprefix(MONASH)))

    @property
    def name(self) -> str:
        """``monash-hospital``."""
        return self.series.name

    @property
    def title(self) -> str:
        """What people call it."""
        return self.series.title

    @property
    def version(self) -> int:
        """Counted up whenever the same series would be cut into other windows."""
        return 1

    @property
    def drawn(self) -> bool:
        """False: there are originals of it."""
        return self.series.drawn

    @property
    def remotes(self) -> tuple[Remote, ...]:
        """Those of the series."""
        return self.series.remotes

    def find(self, folder: Path) -> Source | None:
        """Return the file of the series in `folder`, if it is there."""
        return self.series.find(folder)

    def check(self, form: Mapping[str, Any]) -> None:
        """Raise UsageError unless `form` is as the class describes it."""
        if set(form) != {"windows"} or type(form["windows"]) is not int or form["windows"] < 1:
            raise UsageError(f"{self.name} takes the form {{windows = 16000}}, or another number, not {dict(form)}.")
