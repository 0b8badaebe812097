"""The Monash archive of time series: which sets a study takes from it, and where their files are found.

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
"""Where files of the archive lie in a data folder."""

ENDINGS = {"tsf": ".tsf", "zip": ".zip"}
"""A file as it is, and packed as Zenodo has it, alone in an archive; by the word for its checksum."""


class MonashSet(Strict):
    """One set of the archive, an Original that `find.find` looks for; its table is an entry of ``monash.toml``."""

    key: str
    """What the study calls it: ``hospital``."""
    files: tuple[str, ...]
    """Names of its files without their endings, the best first."""
    frequency: str
    context: int
    """Observations that the study's models look back at."""
    horizon: int
    """Observations to be forecast, where a file's header does not say."""
    series: int
    """How many the whole set has."""
    record: int | None = None
    """Zenodo's."""
    zip_sha256: str = ""
    """sha256 of the archive that Zenodo's record holds, where it is known."""
    tsf_sha256: str = ""
    """sha256 of the first of `files`, unpacked, where it is known."""
    study: bool = True
    """Whether it is one of the study's."""

    @property
    def name(self) -> str:
        """The name of its folder in the cache: ``monash-hospital``."""
        return f"{MONASH}{self.key}"

    @property
    def title(self) -> str:
        """What people call it."""
        return f"{self.key} of the Monash archive"

    @property
    def version(self) -> int:
        """Counted up whenever the same file would be prepared into other numbers."""
        return 1

    @property
    def drawn(self) -> bool:
        """False: there are originals of it."""
        return False

    @property
    def remotes(self) -> tuple[Remote, ...]:
        """The archive at Zenodo, where its checksum is known."""
        if not (self.record and self.zip_sha256):
            return ()
        file = f"{self.files[0]}.zip"
        return (Remote(file, f"{ZENODO}/{self.record}/files/{file}", f"sha256:{self.zip_sha256}"),)

    def find(self, folder: Path) -> Source | None:
        """Return its file in `folder` or in one of FOLDERS below it, the best of `files` that is there."""
        for file in self.files:
            for place in FOLDERS:
                for word, ending in ENDINGS.items():
                    path = folder / place / f"{file}{ending}"
                    if path.is_file():
                        return Source(path.parent, {word: path})
        return None

    def is_known(self, source: Source, checksums: Mapping[str, str]) -> bool:
        """Whether a file, of these checksums by their words, is the one whose checksum is known, or none is known."""
        ((word, path),) = source.paths.items()
        known = {"tsf": self.tsf_sha256, "zip": self.zip_sha256}[word]
        return not known or path.stem != self.files[0] or known == checksums[word]

    def read(self, source: Source) -> Collection:
        """Return all series of the file; raise DataError, which names file and line, for what should not be there."""
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
        """Return made-up seasonal series of its frequency and horizon, always the same."""
        frequency = Frequency.of(self.frequency)
        count = min(self.series, stand_in.MOST_SERIES)
        made = stand_in.seasonal(
            crc32(self.key.encode()), count, frequency.cycle, self.horizon, self.context + self.horizon
        )
        series = [Series(f"T{number}", stand_in.BEGINNING, values) for number, values in enumerate(made, start=1)]
        return Collection(frequency, self.horizon, series)


@cache
def all_monash_sets() -> dict[str, MonashSet]:
    """Return every set that is known, those of the study first, by what the study calls it."""
    tables = tomllib.loads(SETS.read_text(encoding="utf-8"))
    return {key: MonashSet(key=key, **table) for key, table in tables.items()}


def monash_set(key: str) -> MonashSet:
    """Return the set that the study calls `key`; UsageError with the nearest match if there is none."""
    sets = all_monash_sets()
    return sets[nearest("set of the Monash archive", key, sets)]
