"""The frequency of a time series, in the words of the .tsf format and of pandas, with its season."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta

UNITS = {
    "seconds": "s",
    "minutely": "min",
    "minutes": "min",
    "hourly": "h",
    "hours": "h",
    "daily": "D",
    "days": "D",
    "weekly": "W",
    "weeks": "W",
    "monthly": "M",
    "months": "M",
    "quarterly": "Q",
    "quarters": "Q",
    "yearly": "Y",
    "years": "Y",
}
"""{last part of a frequency word: unit, as pandas abbreviates periods}."""

WORD = re.compile(rf"(?:(?P<count>[1-9]\d*)_)?(?P<unit>{'|'.join(UNITS)})")
HALF_HOURLY = "half_hourly"

SEASONALITIES = {"s": 3600, "min": 1440, "h": 24, "D": 1, "W": 1, "M": 12, "Q": 4, "Y": 1}
"""The number of observations of one unit in a season, as in GluonTS 0.17 (gluonts.time_feature.get_seasonality).

Days and weeks have no season there, so the naive forecast repeats the last value. The archive's own tables use 7 and
365.25 / 7 instead.
"""

CYCLES = {**SEASONALITIES, "D": 7, "W": 52}
"""The same, but with a week of 7 days and a year of 52 weeks, which real series follow."""

MONTHS = {"M": 1, "Q": 3, "Y": 12}
"""Months in a unit; the other units have a fixed number of seconds."""

SECONDS = {"s": 1, "min": 60, "h": 3600, "D": 86_400, "W": 604_800}

YEAR = 31_557_600
"""Seconds in a year of 365.25 days."""

EPOCH = datetime(1970, 1, 1)


@dataclass(frozen=True)
class Frequency:
    """One observation every `count` of a `unit`: ``10_minutes`` is 10 of ``min``. `word` is the name in a .tsf file."""

    word: str
    count: int
    unit: str

    @classmethod
    def of(cls, word: str) -> Frequency:
        """Return the frequency of a word: ``monthly``, ``half_hourly``, ``10_minutes``; ValueError for others."""
        if word == HALF_HOURLY:
            return cls(word, 30, "min")
        found = WORD.fullmatch(word)
        if found is None:
            raise ValueError(
                f"there is no frequency {word!r}; there are, for example, hourly, half_hourly and 10_minutes"
            )
        return cls(word, int(found["count"] or 1), UNITS[found["unit"]])

    @property
    def alias(self) -> str:
        """The alias in pandas, for periods, and in GluonTS: ``10min``, ``M``."""
        return f"{self.count if self.count > 1 else ''}{self.unit}"

    @property
    def seasonality(self) -> int:
        """Observations in a season, for the scale of MASE; 1 if that is not a whole number."""
        return self._observations(SEASONALITIES)

    @property
    def cycle(self) -> int:
        """Observations in the cycle that a model is shown: the seasonality, but 7 days and 52 weeks."""
        return self._observations(CYCLES)

    @property
    def per_year(self) -> float:
        """Observations in a year of 365.25 days."""
        months = MONTHS.get(self.unit)
        return (12 / months if months else YEAR / SECONDS[self.unit]) / self.count

    def since_1970(self, when: datetime) -> int:
        """Return the number of whole observations from the beginning of 1970 to `when`, negative for earlier times.

        The first of January 1970, a Thursday, is 0, and seasons are counted from there.
        """
        months = MONTHS.get(self.unit)
        if months:
            return (12 * (when.year - EPOCH.year) + when.month - 1) // (months * self.count)
        return (when - EPOCH) // timedelta(seconds=SECONDS[self.unit] * self.count)

    def _observations(self, units: dict[str, int]) -> int:
        """Return the observations in a season of `units`, if that is a whole number, else 1."""
        observations, rest = divmod(units[self.unit], self.count)
        return observations if not rest else 1
