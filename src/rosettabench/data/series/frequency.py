"""How often a time series is observed, in the words of the .tsf format, of pandas, and of those who measure errors."""

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
"""{what a word ends in: the unit, as pandas abbreviates its periods}."""

WORD = re.compile(rf"(?:(?P<count>[1-9]\d*)_)?(?P<unit>{'|'.join(UNITS)})")
HALF_HOURLY = "half_hourly"

SEASONALITIES = {"s": 3600, "min": 1440, "h": 24, "D": 1, "W": 1, "M": 12, "Q": 4, "Y": 1}
"""Observations of one unit after which a season repeats, as in GluonTS 0.17 (gluonts.time_feature.get_seasonality).

A day and a week are no part of a week and a year there: the naive forecast is the last value. The archive's own tables
take 7 and 365.25 / 7 instead."""

CYCLES = {**SEASONALITIES, "D": 7, "W": 52}
"""The same with the week of days, and the year of weeks: what people live by."""

MONTHS = {"M": 1, "Q": 3, "Y": 12}
"""Months of a unit; the others have a number of seconds."""

SECONDS = {"s": 1, "min": 60, "h": 3600, "D": 86_400, "W": 604_800}

YEAR = 31_557_600
"""Seconds of a year of 365.25 days."""

EPOCH = datetime(1970, 1, 1)


@dataclass(frozen=True)
class Frequency:
    """An observation every `count` of a `unit`: ``10_minutes`` is 10 of ``min``. `word` is how a .tsf file says it."""

    word: str
    count: int
    unit: str

    @classmethod
    def of(cls, word: str) -> Frequency:
        """Return what `word` means: ``monthly``, ``half_hourly``, ``10_minutes``; ValueError where it means nothing."""
        if word == HALF_HOURLY:
            return cls(word, 30, "min")
        found = WORD.fullmatch(word)
        if found is None:
            raise ValueError(f"there is no frequency {word!r}, but such as hourly, half_hourly or 10_minutes")
        return cls(word, int(found["count"] or 1), UNITS[found["unit"]])

    @property
    def alias(self) -> str:
        """What pandas calls it where periods are meant, and so GluonTS: ``10min``, ``M``."""
        return f"{self.count if self.count > 1 else ''}{self.unit}"

    @property
    def seasonality(self) -> int:
        """Observations after which a season repeats, for the scale of MASE; 1 where they are no whole number."""
        return self._observations(SEASONALITIES)

    @property
    def cycle(self) -> int:
        """Observations of the cycle that a model can find: as the seasonality, but 7 days, and 52 weeks."""
        return self._observations(CYCLES)

    @property
    def per_year(self) -> float:
        """Observations of a year, which has 365.25 days."""
        months = MONTHS.get(self.unit)
        return (12 / months if months else YEAR / SECONDS[self.unit]) / self.count

    def since_1970(self, when: datetime) -> int:
        """Return how many whole observations have gone by from the beginning of 1970 until `when`; fewer than 0 before.

        So the first of January 1970 is 0, a Thursday, and a season is counted from there.
        """
        months = MONTHS.get(self.unit)
        if months:
            return (12 * (when.year - EPOCH.year) + when.month - 1) // (months * self.count)
        return (when - EPOCH) // timedelta(seconds=SECONDS[self.unit] * self.count)

    def _observations(self, units: dict[str, int]) -> int:
        """Return how many observations the units of a season are, if a whole number, else 1."""
        observations, rest = divmod(units[self.unit], self.count)
        return observations if not rest else 1
