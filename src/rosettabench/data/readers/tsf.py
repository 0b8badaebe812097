"""Read the .tsf format of the Monash archive: header lines that begin with @, then one series per line.

Godahewa, Bergmeir, Webb, Hyndman and Montero-Manso 2021, "Monash Time Series Forecasting Archive"
(https://forecastingdata.org)::

    # anything: a comment, here or anywhere
    @relation Tourism
    @attribute series_name string
    @attribute start_timestamp date
    @frequency monthly
    @horizon 24
    @missing true
    @equallength false
    @data
    T1:1979-01-01 00-00-00:1149.87,?,1388.8798

Before the values of a series come its attributes, in the order of the header. Other words after an @ are ignored.
"""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import IO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosettabench.data.series.frequency import Frequency
from rosettabench.errors import DataError

NAME, START = "series_name", "start_timestamp"
"""The attributes that most files have."""

KINDS = ("string", "numeric", "date")
DATE = "%Y-%m-%d %H-%M-%S"
MISSING = "?"
UNKNOWN = ("", MISSING)
"""The texts of an unknown number or date."""

ENCODINGS = ("utf-8-sig", "cp1252", "latin-1")
"""Encodings to try for a line, in this order. The archive's comments hold Windows dashes. The last accepts any
bytes."""

DAMAGED = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError)
"""The errors of an archive that is truncated, compressed with an unsupported method, or encrypted."""

Value = str | float | datetime | None
"""The value of an attribute; None for an unknown number or date."""


class Attribute(NamedTuple):
    """An attribute of every series: its name, and its kind, one of KINDS."""

    name: str
    kind: str


class Row(NamedTuple):
    """One series: its attributes in the order of the header, and its values, NaN if missing."""

    attributes: tuple[Value, ...]
    values: NDArray[np.float64]


@dataclass
class Tsf:
    """The content of a file. Optional parts of the header are None if they are not there."""

    attributes: list[Attribute] = field(default_factory=list)
    relation: str | None = None
    frequency: Frequency | None = None
    horizon: int | None = None
    """The number of observations to forecast."""
    missing: bool | None = None
    """Whether values are missing, according to the header, which may be wrong."""
    equal_length: bool | None = None
    """Whether all series have the same length, according to the header."""
    rows: list[Row] = field(default_factory=list)

    def column(self, name: str) -> list[Value] | None:
        """Return an attribute of every series; None if there is no attribute of that name."""
        place = next((place for place, attribute in enumerate(self.attributes) if attribute.name == name), None)
        return None if place is None else [row.attributes[place] for row in self.rows]

    @property
    def names(self) -> list[str]:
        """The name of every series: its attribute, or T and its number, as in the archive itself."""
        names = self.column(NAME) or [None] * len(self.rows)
        return [str(name) if name else f"T{number}" for number, name in enumerate(names, start=1)]

    @property
    def starts(self) -> list[datetime | None]:
        """The time of the first observation of every series; None if it is unknown."""
        starts = self.column(START) or [None] * len(self.rows)
        return [start if isinstance(start, datetime) else None for start in starts]


class Line(NamedTuple):
    """A line with content, and its location in words."""

    where: str
    text: str


def read_tsf(path: Path) -> Tsf:
    """Return the content of the .tsf file at `path`, which may be the only one in a zip archive.

    Raises DataError, with file and line, for a violation of the format.
    """
    try:
        with _open(path) as (what, stream):
            lines = _lines(what, stream)
            tsf = _header(what, lines)
            tsf.rows.extend(_row(line, tsf.attributes) for line in lines)
    except DAMAGED as error:
        raise DataError(f"{path} is cut off or damaged ({error}): expected a .tsf file.", "Fetch it again.") from error
    if not tsf.rows:
        raise DataError(f"{path} has no series after @data.", "It is cut off: fetch it again.")
    return tsf


@contextmanager
def _open(path: Path) -> Iterator[tuple[str, IO[bytes]]]:
    """Open the file, or the only .tsf file in the archive, and return its name for messages, too."""
    if path.suffix != ".zip":
        with path.open("rb") as stream:
            yield str(path), stream
        return
    with zipfile.ZipFile(path) as archive:
        members = [member for member in archive.namelist() if member.endswith(".tsf")]
        if len(members) != 1:
            raise DataError(
                f"{path} holds {' and '.join(members) or 'no .tsf file'}, where one .tsf file was expected.",
                "Unpack the one that is meant, and remove the archive.",
            )
        with archive.open(members[0]) as stream:
            yield f"{path}, {members[0]}", stream


def _lines(what: str, stream: IO[bytes]) -> Iterator[Line]:
    """Yield the lines that are neither empty nor comments."""
    for number, raw in enumerate(stream, start=1):
        text = _decode(raw).strip()
        if text and not text.startswith("#"):
            yield Line(f"{what}, line {number}", text)


def _decode(raw: bytes) -> str:
    """Return a line as text. Each line is tried separately, since some files mix two encodings."""
    for encoding in ENCODINGS[:-1]:
        try:
            return raw.decode(encoding)
        except UnicodeDecodeError:
            continue
    return raw.decode(ENCODINGS[-1])


def _header(what: str, lines: Iterator[Line]) -> Tsf:
    """Read the lines up to @data."""
    tsf = Tsf()
    for where, text in lines:
        if not text.startswith("@"):
            raise DataError(
                f"{where}: a line of the header, which begins with @, was expected before @data, not {text[:40]!r}.",
                "Is it a .tsf file, and not packed?",
            )
        tag, *words = text.split()
        if tag == "@data":
            if not tsf.attributes:
                raise DataError(f"{where}: @data stands before any @attribute.", "Give the attributes before it.")
            return tsf
        _take(tsf, where, tag, words)
    raise DataError(f"{what} ends without a line @data.", "It is cut off, or no .tsf file.")


def _take(tsf: Tsf, where: str, tag: str, words: list[str]) -> None:
    """Apply one line of the header to `tsf`. Raises DataError if the words do not fit the tag."""
    word = " ".join(words)
    try:
        if tag == "@attribute":
            tsf.attributes.append(_attribute(tsf, words))
        elif tag == "@relation":
            tsf.relation = word
        elif tag == "@frequency":
            tsf.frequency = Frequency.of(word)
        elif tag == "@horizon":
            tsf.horizon = _horizon(word)
        elif tag == "@missing":
            tsf.missing = _truth(word)
        elif tag == "@equallength":
            tsf.equal_length = _truth(word)
    except ValueError as error:
        raise DataError(f"{where}: {error}.", f"Correct what follows {tag}.") from error


def _attribute(tsf: Tsf, words: list[str]) -> Attribute:
    """Return the attribute that a line declares. Raises ValueError for an unknown kind or a repeated attribute."""
    if len(words) != 2 or words[1] not in KINDS:
        raise ValueError(f"an attribute has a name and is {', '.join(KINDS[:-1])} or {KINDS[-1]}, not {words}")
    if words[0] in (attribute.name for attribute in tsf.attributes):
        raise ValueError(f"the attribute {words[0]} stands there twice")
    return Attribute(*words)


def _horizon(word: str) -> int:
    """Return the number of observations to forecast, at least 1. Raises ValueError for anything else."""
    if not (word.isascii() and word.isdigit() and int(word)):
        raise ValueError(f"the horizon is a whole number from 1 on, not {word!r}")
    return int(word)


def _truth(word: str) -> bool:
    """Return whether `word` is true or false. Raises ValueError for anything else."""
    if word.lower() not in ("true", "false"):
        raise ValueError(f"true or false was expected, not {word!r}")
    return word.lower() == "true"


def _row(line: Line, attributes: list[Attribute]) -> Row:
    """Return the series of a line after @data."""
    *told, values = line.text.split(":")
    if len(told) != len(attributes):
        raise DataError(
            f"{line.where}: {len(attributes)} attributes ({', '.join(one.name for one in attributes)}) and the values, "
            f"separated by colons, were expected, not {len(told) + 1} parts.",
            "It is cut off, or the header is that of another file.",
        )
    pairs = zip(attributes, told, strict=True)
    return Row(tuple(_value(line.where, *pair) for pair in pairs), _values(line.where, values))


def _value(where: str, attribute: Attribute, text: str) -> Value:
    """Return the value of a series' attribute. Raises DataError if it does not fit the attribute's kind."""
    if attribute.kind == "string":
        return text
    if text.strip() in UNKNOWN:
        return None
    try:
        return float(text) if attribute.kind == "numeric" else datetime.strptime(text.strip(), DATE)
    except ValueError as error:
        expected = "a number" if attribute.kind == "numeric" else "a date like 1979-01-31 00-00-00"
        raise DataError(f"{where}: {attribute.name} is {text!r}, where {expected} was expected.") from error


def _values(where: str, text: str) -> NDArray[np.float64]:
    """Return the values of a series. Raises DataError that names the first invalid one."""
    words = text.replace(MISSING, "nan").split(",")
    try:
        values = np.array(words, np.float64)
    except ValueError:
        values = np.array([np.inf])
    # The words nan and inf are invalid too: only ? marks a missing value.
    if not np.isinf(values).any() and np.isnan(values).sum() == text.count(MISSING):
        return values
    place, word = next((place, word) for place, word in enumerate(text.split(","), start=1) if not _is_value(word))
    raise DataError(
        f"{where}: value {place} is {word[:40]!r}, where a number was expected, or {MISSING} where it is missing.",
        "It is cut off or damaged: fetch it again.",
    )


def _is_value(word: str) -> bool:
    """Return whether a word is a finite number, or the mark of a missing one."""
    try:
        return word.strip() == MISSING or bool(np.isfinite(float(word)))
    except ValueError:
        return False
