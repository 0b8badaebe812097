"""A set of the Monash archive for a workload that trains on windows of its series."""

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
    """An Original whose series `prepare_windows` cuts into windows. Its form is ``{windows = 16000}``, for training."""

    series: MonashSet

    @classmethod
    def find_windows(cls, name: str) -> MonashWindows:
        """Return the set of a name like ``monash-hospital``. Raises UsageError, with the nearest match, for others."""
        return cls(monash_set(name.removeprefix(MONASH)))

    @property
    def name(self) -> str:
        """Its name: ``monash-hospital``."""
        return self.series.name

    @property
    def title(self) -> str:
        """Its usual name."""
        return self.series.title

    @property
    def version(self) -> int:
        """The version of the preparation: increased when the same series give other windows."""
        return 1

    @property
    def drawn(self) -> bool:
        """Always False: it has originals."""
        return self.series.drawn

    @property
    def remotes(self) -> tuple[Remote, ...]:
        """The files to download: those of the series."""
        return self.series.remotes

    def find(self, folder: Path) -> Source | None:
        """Return the file of the series in `folder`; None if it is not there."""
        return self.series.find(folder)

    def check(self, form: Mapping[str, Any]) -> None:
        """Raise UsageError unless `form` is as the class describes it."""
        if set(form) != {"windows"} or type(form["windows"]) is not int or form["windows"] < 1:
            raise UsageError(f"{self.name} takes the form {{windows = 16000}}, or another number, not {dict(form)}.")
