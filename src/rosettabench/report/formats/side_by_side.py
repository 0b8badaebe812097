"""Implementations side by side as one HTML page that opens offline and loads nothing.

Differences from the first column are marked, by line and within a line by word. The colours are those of Pygments.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from rosettabench.catalogue.alignment import Rows

if TYPE_CHECKING:
    from markupsafe import Markup

STYLES = {"light": "xcode", "dark": "native"}
"""Pygments' style for each theme. Every colour has a contrast of 4.5:1 with the background, marked or not; a test
checks that."""

WORD = re.compile(r"\s+|\w+|[^\w\s]+")

ALIKE = 0.5
"""The similarity, as computed by difflib, from which a line counts as a changed version of another line."""


class Word(NamedTuple):
    """A word, a blank or a sign of a line, and Pygments' CSS class of its token."""

    kind: str
    text: str


Line = list[Word]


@dataclass(frozen=True)
class Section:
    """A part of the page: some rows, and a sentence about them."""

    title: str
    sentence: str
    rows: Rows


@dataclass(frozen=True)
class SideBySide:
    """The content of the page. `languages` is {framework: language as Pygments names it}, one per column."""

    title: str
    summary: str
    languages: dict[str, str]
    sections: list[Section]


def render_side_by_side(shown: SideBySide) -> bytes:
    """Return the page."""
    from rosettabench.report.formats.html import environment, resource

    template = environment().get_template("side-by-side.html.j2")
    page = template.render(
        shown=replace(shown, sections=[highlight_section(one, shown.languages) for one in shown.sections]),
        colours={theme: colours(style) for theme, style in STYLES.items()},
        style=resource("side-by-side.css"),
    )
    return page.encode()


def highlight_section(section: Section, languages: Mapping[str, str]) -> Section:
    """Return a section with HTML instead of plain texts."""
    return replace(section, rows={name: mark_row(row, languages) for name, row in section.rows.items()})


def colours(style: str) -> str:
    """Return the CSS of one of Pygments' styles, without its background."""
    from pygments.formatters import HtmlFormatter

    rules = HtmlFormatter(style=style, nobackground=True).get_token_style_defs(".code")
    return "\n".join(rule for rule in rules if not rule.startswith(".code .err"))


def mark_row(row: Mapping[str, str], languages: Mapping[str, str]) -> dict[str, str]:
    """Return {label: HTML} of the definitions of one row, with differences from the first one marked."""
    columns = {label: words_of(row[label], language) for label, language in languages.items() if label in row}
    first = next(iter(columns.values()))
    return {
        label: as_html(lines, differences([texts(line) for line in first], [texts(line) for line in lines]))
        for label, lines in columns.items()
    }


def words_of(code: str, language: str) -> list[Line]:
    """Return the lines of a source, split into words."""
    from pygments.lexers import get_lexer_by_name
    from pygments.token import STANDARD_TYPES, _TokenType

    def kind_of(token: _TokenType) -> str:
        """Return Pygments' CSS class of a token, or of its nearest ancestor that has one."""
        while token not in STANDARD_TYPES and token.parent is not None:
            token = token.parent
        return str(STANDARD_TYPES[token])

    lines: list[Line] = [[]]
    for token, text in get_lexer_by_name(language, stripnl=False, ensurenl=False).get_tokens(code):
        for number, part in enumerate(text.split("\n")):
            if number:
                lines.append([])
            lines[-1] += [Word(kind_of(token), word) for word in WORD.findall(part)]
    return lines


def texts(line: Line) -> list[str]:
    """Return the texts of a line's words, for comparison."""
    return [word.text for word in line]


def differences(first: Sequence[Sequence[str]], other: Sequence[Sequence[str]]) -> list[set[int]]:
    """Return for each line of `other` the places of the words that differ from `first`."""
    matcher = SequenceMatcher(None, [tuple(line) for line in first], [tuple(line) for line in other], autojunk=False)
    found: list[set[int]] = []
    for kind, begin, end, *place in matcher.get_opcodes():
        lines = other[slice(*place)]
        candidates = first[begin:end] if kind == "replace" else []
        found += [set() if kind == "equal" else changed_words(candidates, line) for line in lines]
    return found


def changed_words(candidates: Iterable[Sequence[str]], line: Sequence[str]) -> set[int]:
    """Return the places of the new words in a line, compared with the most similar candidate; all words if none is."""
    matchers = [SequenceMatcher(None, candidate, line, autojunk=False) for candidate in candidates]
    nearest = max(matchers, key=SequenceMatcher.ratio, default=None)
    places = set(range(len(line)))
    if nearest is not None and nearest.ratio() >= ALIKE:
        for _, begin, size in nearest.get_matching_blocks():
            places -= set(range(begin, begin + size))
    return {place for place in places if not line[place].isspace()}


def as_html(lines: Sequence[Line], changed: Sequence[set[int]]) -> Markup:
    """Return lines as HTML, with changes within <mark>. The rest of a wrapped line is indented."""
    from markupsafe import Markup

    written = []
    for line, places in zip(lines, changed, strict=True):
        groups = groupby(enumerate(line), key=lambda one: is_marked(one[0], places, line))
        parts = [(new, spans([word for _, word in words])) for new, words in groups]
        text = Markup("").join(Markup("<mark>{}</mark>").format(part) if new else part for new, part in parts)
        indent = len(line[0].text) if line and line[0].text.isspace() else 0
        written.append(Markup('<span class="line" style="--indent: {}ch">{}\n</span>').format(indent + 4, text))
    return Markup("").join(written)


def is_marked(place: int, places: set[int], line: Line) -> bool:
    """Return whether a word is marked: it differs, or is a blank between two that do."""
    return place in places or (line[place].text.isspace() and {place - 1, place + 1} <= places)


def spans(words: Sequence[Word]) -> Markup:
    """Return words as HTML, in Pygments' colours."""
    from markupsafe import Markup

    groups = groupby(words, key=lambda word: word.kind)
    parts = [(kind, "".join(word.text for word in group)) for kind, group in groups]
    return Markup("").join(Markup('<span class="{}">{}</span>').format(*part) if part[0] else part[1] for part in parts)
