"""Untrusted JSON and CSV: read strictly, with a sentence for everything that a bundle never holds."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator, Sequence
from io import StringIO
from math import isfinite
from typing import Any, NoReturn, TypeVar

from pydantic import BaseModel, TypeAdapter, ValidationError

from rosettabench.catalogue.strict import faults
from rosettabench.errors import DataError

Part = TypeVar("Part")
Row = TypeVar("Row", bound=BaseModel)

DEEPEST = 40
"""The deepest nesting of JSON in a bundle; real ones have ten levels."""

LARGEST = 2**63
"""Whole numbers are smaller than this."""

MOST_FAULTS = 500
"""Characters of an error that are shown."""

HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff\ufeff"
    "\U000e0000-\U000e007f]"
)
"""Characters that a terminal obeys, that are invisible, or that reverse the writing direction; not line ends."""

HINT = "Get the file again from where it is published, and compare its SHA-256."


def check_text(name: str, text: str) -> None:
    """Raise DataError if a text holds a character that a terminal would obey, or that hides something."""
    found = HIDDEN.search(text)
    if found:
        raise DataError(f"{name} in the bundle holds a control character, {found[0]!a}", HINT)


class StrictJson:
    """The hooks of Python's JSON reader for the member `name`: each raises DataError for what a bundle never holds."""

    def __init__(self, name: str) -> None:
        """Every error message begins with `name`."""
        self.name = name

    def refuse(self, why: str) -> NoReturn:
        """Raise DataError."""
        raise DataError(f"{self.name} in the bundle {why}", HINT)

    def real(self, word: str) -> float:
        """Return a number with a fraction or an exponent."""
        return float(word) if isfinite(float(word)) else self.constant(word)

    def integer(self, word: str) -> int:
        """Return a whole number."""
        if len(word) > len(str(LARGEST)) or abs(int(word)) >= LARGEST:
            self.refuse(f"has a number of {len(word)} digits")
        return int(word)

    def constant(self, word: str) -> NoReturn:
        """Refuse NaN, Infinity, and numbers too large to be finite."""
        self.refuse(f"has the number {word[:20]}, which is not finite")

    def object(self, pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
        """Return an object."""
        found = dict(pairs)
        if len(found) < len(pairs):
            self.refuse("has a key twice in one object")
        return found


def read_json(name: str, text: str) -> Any:  # noqa: ANN401 (whatever JSON holds)
    """Return the value of the JSON member `name`.

    Raises DataError for anything but plain JSON: numbers that are not finite, a key that appears twice, too deep
    nesting, control characters in a text.
    """
    strict = StrictJson(name)
    try:
        value = json.loads(
            text,
            parse_float=strict.real,
            parse_int=strict.integer,
            parse_constant=strict.constant,
            object_pairs_hook=strict.object,
        )
    except RecursionError:
        strict.refuse(f"is nested more than {DEEPEST} levels deep")
    except ValueError as error:
        raise DataError(f"{name} in the bundle is not JSON: {str(error)!a}", HINT) from error
    for part, depth in walk(value):
        if depth > DEEPEST:
            strict.refuse(f"is nested more than {DEEPEST} levels deep")
        if isinstance(part, str):
            check_text(name, part)
    return value


def walk(value: object) -> Iterator[tuple[object, int]]:
    """Yield every value, key and part of plain data, with its depth. Does not recurse."""
    waiting = [(value, 0)]
    while waiting:
        part, depth = waiting.pop()
        yield part, depth
        if isinstance(part, dict):
            waiting += [(one, depth + 1) for pair in part.items() for one in pair]
        elif isinstance(part, list):
            waiting += [(one, depth + 1) for one in part]


def validate_plain(name: str, kind: type[Part] | Any, value: object) -> Part:  # noqa: ANN401 (a type with parameters)
    """Return plain data as a `kind`. Raises DataError, with the place and what is wrong there."""
    try:
        found: Part = TypeAdapter(kind).validate_python(value)
    except ValidationError as error:
        raise DataError(f"{name} in the bundle is not valid: {ascii(faults(error))[1:MOST_FAULTS]}", HINT) from error
    return found


def read_rows(name: str, kind: type[Row], text: str) -> tuple[Row, ...]:
    """Return the rows of the CSV member `name`. An empty field means None. Raises DataError."""
    lines = csv.reader(StringIO(text, newline=""), strict=True)
    try:
        heads = next(lines, [])
        if heads != [*kind.model_fields]:
            raise DataError(f"{name} in the bundle has other columns than {', '.join(kind.model_fields)}", HINT)
        rows = [dict(zip(heads, line, strict=True)) for line in lines]
    except (csv.Error, ValueError) as error:
        raise DataError(f"{name} in the bundle is not CSV: {str(error)!a}", HINT) from error
    given = [{head: value or None for head, value in row.items()} for row in rows]
    return validate_plain(name, tuple[kind, ...], given)  # type: ignore[valid-type]


def write_rows(kind: type[BaseModel], rows: Sequence[BaseModel]) -> str:
    """Return rows as CSV with Unix line ends. Floats have all their digits; None is an empty field."""
    file = StringIO(newline="")
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(kind.model_fields)
    writer.writerows([getattr(row, name) for name in kind.model_fields] for row in rows)
    return file.getvalue()


def write_json(value: object) -> str:
    """Return plain data as JSON for readers. Raises ValueError for a number that is not finite."""
    return json.dumps(value, indent=1, allow_nan=False) + "\n"
