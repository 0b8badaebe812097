"""The .tsf format of the Monash archive: a header of lines that begin with @, and then one series a line.

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

Before the values of a series stand its attributes, in the order of the header. Other words after an @ say nothing here.
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
"""What stands for a number or a date that nobody knows."""

ENCODINGS = ("utf-8-sig", "cp1252", "latin-1")
"""How a line may be encoded, tried in this order: the archive's comments hold dashes of Windows. The last fits all."""

DAMAGED = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError)
"""What is raised for an archive that is cut off, packed in a way that nobody here unpacks, or locked by a password."""

Value = str | float | datetime | None
"""Of an attribute; None where a number or a date is unknown."""


class Attribute(NamedTuple):
    """What is told of every series beside its values: its name, and which of KINDS it is."""

    name: str
    kind: str


class Row(NamedTuple):
    """One series: its attributes in the order of the header, and its values, NaN where one is missing."""

    attributes: tuple[Value, ...]
    values: NDArray[np.float64]


@dataclass
class Tsf:
    """What a file holds. Of what the header may leave out: None where it did."""

    attributes: list[Attribute] = field(default_factory=list)
    relation: str | None = None
    frequency: Frequency | None = None
    horizon: int | None = None
    """Observations to be forecast."""
    missing: bool | None = None
    """Whether values are missing, as the header says; the values themselves know better."""
    equal_length: bool | None = None
    """Whether all series have one length, as the header says."""
    rows: list[Row] = field(default_factory=list)

    def column(self, name: str) -> list[Value] | None:
        """Return an attribute of every series, or None where there is none of that name."""
        place = next((place for place, attribute in enumerate(self.attributes) if attribute.name == name), None)
        return None if place is None else [row.attributes[place] for row in self.rows]

    @property
    def names(self) -> list[str]:
        """The name of every series: its attribute, or T and its number, as the archive itself calls most."""
        names = self.column(NAME) or [None] * len(self.rows)
        return [str(name) if name else f"T{number}" for number, name in enumerate(names, start=1)]

    @property
    def starts(self) -> list[datetime | None]:
        """When every series was first observed, or None where that is unknown."""
        starts = self.column(START) or [None] * len(self.rows)
        return [start if isinstance(start, datetime) else None for start in starts]


class Line(NamedTuple):
    """A line that says something, and where it stands, in words."""

    where: str
    text: str


def read_tsf(path: Path) -> Tsf:
    """Return what the .tsf file at `path` holds, which may be the only one in a zip archive.

    Raises DataError, which names file and line, for what is not as the format has it.
    """
    try:
        with _opened(path) as (what, stream):
            lines = _lines(what, stream)
            tsf = _header(what, lines)
            tsf.rows.extend(_row(line, tsf.attributes) for line in lines)
    except DAMAGED as error:
        raise DataError(f"{path} is cut off or damaged ({error}): expected a .tsf file.", "Fetch it again.") from error
    if not tsf.rows:
        raise DataError(f"{path} has no series after @data.", "It is cut off: fetch it again.")
    return tsf


@contextmanager
def _opened(path: Path) -> Iterator[tuple[str, IO[bytes]]]:
    """Open the file, or the only .tsf file in the archive, with what it is called in messages."""
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
    """Yield the lines that are neither empty nor a comment."""
    for number, raw in enumerate(stream, start=1):
        text = _decoded(raw).strip()
        if text and not text.startswith("#"):
            yield Line(f"{what}, line {number}", text)


def _decoded(raw: bytes) -> str:
    """Return a line as text. Each is tried for itself, as some files hold lines of two encodings."""
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
    """Take in what one line of the header says; raise DataError where it is not what its tag takes."""
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
    """Return the attribute that a line declares; ValueError for one without a kind, and for one that stands twice."""
    if len(words) != 2 or words[1] not in KINDS:
        raise ValueError(f"an attribute has a name and is {', '.join(KINDS[:-1])} or {KINDS[-1]}, not {words}")
    if words[0] in (attribute.name for attribute in tsf.attributes):
        raise ValueError(f"the attribute {words[0]} stands there twice")
    return Attribute(*words)


def _horizon(word: str) -> int:
    """Return the observations to be forecast, from 1 on; ValueError for everything else."""
    if not (word.isascii() and word.isdigit() and int(word)):
        raise ValueError(f"the horizon is a whole number from 1 on, not {word!r}")
    return int(word)


def _truth(word: str) -> bool:
    """Return whether `word` is true or false; ValueError where it is neither."""
    if word.lower() not in ("true", "false"):
        raise ValueError(f"true or false was expected, not {word!r}")
    return word.lower() == "true"


def _row(line: Line, attributes: list[Attribute]) -> Row:
    """Return the series that stands on a line after @data."""
    *told, values = line.text.split(":")
    if len(told) != len(attributes):
        raise DataError(
            f"{line.where}: {len(attributes)} attributes ({', '.join(one.name for one in attributes)}) and the values "
            f"were expected, parted by colons, and {len(told) + 1} parts are there.",
            "It is cut off, or the header is that of another file.",
        )
    pairs = zip(attributes, told, strict=True)
    return Row(tuple(_value(line.where, *pair) for pair in pairs), _values(line.where, values))


def _value(where: str, attribute: Attribute, text: str) -> Value:
    """Return an attribute of a series; raise DataError where it is not of its kind."""
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
    """Return the values of a series; raise DataError that names the first that is none."""
    words = text.replace(MISSING, "nan").split(",")
    try:
        values = np.array(words, np.float64)
    except ValueError:
        values = np.array([np.inf])
    # A value that is written as nan or inf is none, either: only what stands as ? may be missing.
    if not np.isinf(values).any() and np.isnan(values).sum() == text.count(MISSING):
        return values
    place, word = next((place, word) for place, word in enumerate(text.split(","), start=1) if not _is_value(word))
    raise DataError(
        f"{where}: value {place} is {word[:40]!r}, where a number was expected, or {MISSING} where it is missing.",
        "It is cut off or damaged: fetch it again.",
    )


def _is_value(word: str) -> bool:
    """Whether a word is a finite number, or says that one is missing."""
    try:
        return word.strip() == MISSING or bool(np.isfinite(float(word)))
    except ValueError:
        return False
