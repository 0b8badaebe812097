"""The Monash archive of time series: the sets that a study uses, and where their files are.

Godahewa, Bergmeir, Webb, Hyndman and Montero-Manso 2021, "Monash Time Series Forecasting Archive", NeurIPS Datasets and
Benchmarks (https://forecastingdata.org).
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from zlib import crc32

from rosettabench.catalogue.data_entry import MONASH
from rosettabench.catalogue.names import nearest
from rosettabench.catalogue.strict import Strict
from rosettabench.data.data_set import Remote, Source
from rosettabench.data.readers.tsf import read_tsf
from rosettabench.data.series.frequency import Frequency
from rosettabench.data.series.series import Collection, Series
from rosettabench.data.sets import stand_in
from rosettabench.errors import DataError

SETS = Path(__file__).parent / "monash.toml"

ZENODO = "https://zenodo.org/records"

FOLDERS = (".", "monash-tsf", "original", "converted", "monash-tsf/original", "monash-tsf/converted")
"""The folders of a data folder in which files of the archive may be."""

ENDINGS = {"tsf": ".tsf", "zip": ".zip"}
"""{key of a checksum: file suffix}: a plain file, and a zip archive with a single file, as at Zenodo."""


class MonashSet(Strict):
    """One set of the archive, an Original for `find.find`. An entry of ``monash.toml`` states it."""

    key: str
    """Its name in the study: ``hospital``."""
    files: tuple[str, ...]
    """The names of its files without suffix, the preferred first."""
    frequency: str
    context: int
    """The observations of the study's models in a context."""
    horizon: int
    """The number of observations to forecast, if the file's header does not state it."""
    series: int
    """The number of series in the complete set."""
    record: int | None = None
    """The number of its record at Zenodo."""
    zip_sha256: str = ""
    """The sha256 of the zip archive at Zenodo; "" if it is unknown."""
    tsf_sha256: str = ""
    """The sha256 of the first of `files`, unpacked; "" if it is unknown."""
    study: bool = True
    """Whether the study uses it."""

    @property
    def name(self) -> str:
        """The name of its folder in the cache: ``monash-hospital``."""
        return f"{MONASH}{self.key}"

    @property
    def title(self) -> str:
        """Its usual name."""
        return f"{self.key} of the Monash archive"

    @property
    def version(self) -> int:
        """The version of the preparation: increased when the same file gives other numbers."""
        return 1

    @property
    def drawn(self) -> bool:
        """Always False: it has originals."""
        return False

    @property
    def remotes(self) -> tuple[Remote, ...]:
        """The archive at Zenodo, if its checksum is known."""
        if not (self.record and self.zip_sha256):
            return ()
        file = f"{self.files[0]}.zip"
        return (Remote(file, f"{ZENODO}/{self.record}/files/{file}", f"sha256:{self.zip_sha256}"),)

    def find(self, folder: Path) -> Source | None:
        """Return its file in `folder` or in one of FOLDERS below it: the preferred one of `files` that is there."""
        for file in self.files:
            for place in FOLDERS:
                for word, ending in ENDINGS.items():
                    path = folder / place / f"{file}{ending}"
                    if path.is_file():
                        return Source(path.parent, {word: path})
        return None

    def is_known(self, source: Source, checksums: Mapping[str, str]) -> bool:
        """Return whether the checksums of a file are the known ones; True if none is known."""
        ((word, path),) = source.paths.items()
        known = {"tsf": self.tsf_sha256, "zip": self.zip_sha256}[word]
        return not known or path.stem != self.files[0] or known == checksums[word]

    def read(self, source: Source) -> Collection:
        """Return all series of the file. Raises DataError, with file and line, for wrong content."""
        (path,) = source.paths.values()
        tsf = read_tsf(path)
        expected = Frequency.of(self.frequency)
        frequency = tsf.frequency or expected
        if (frequency.count, frequency.unit) != (expected.count, expected.unit):
            raise DataError(
                f"{path} holds {frequency.word} series, where {self.frequency} ones were expected of {self.title}.",
                "Is it another set of the archive? Give it the name that it has there.",
            )
        columns = zip(tsf.names, tsf.starts, tsf.rows, strict=True)
        series = [Series(name, start, row.values) for name, start, row in columns]
        return Collection(frequency, tsf.horizon or self.horizon, series)

    def stand_in(self) -> Collection:
        """Return synthetic seasonal series of its frequency and horizon, always the same."""
        frequency = Frequency.of(self.frequency)
        count = min(self.series, stand_in.MOST_SERIES)
        made = stand_in.seasonal(
            crc32(self.key.encode()), count, frequency.cycle, self.horizon, self.context + self.horizon
        )
        series = [Series(f"T{number}", stand_in.BEGINNING, values) for number, values in enumerate(made, start=1)]
        return Collection(frequency, self.horizon, series)


@cache
def all_monash_sets() -> dict[str, MonashSet]:
    """Return {name in the study: set} of all known sets, those of the study first."""
    tables = tomllib.loads(SETS.read_text(encoding="utf-8"))
    return {key: MonashSet(key=key, **table) for key, table in tables.items()}


def monash_set(key: str) -> MonashSet:
    """Return the set `key`, a name in the study. Raises UsageError, with the nearest match, if there is none."""
    sets = all_monash_sets()
    return sets[nearest("set of the Monash archive", key, sets)]
