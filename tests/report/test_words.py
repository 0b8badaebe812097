"""Whatever a summary can hold has words."""

import re

import pytest

from rosettabench.report.formats.fields import FIELDS
from rosettabench.report.words.doubt import INCOMPARABLE, WORDS
from rosettabench.report.words.note import NOTES, note_words
from rosettabench.statistics.doubt import Doubt
from rosettabench.summary.note import Note, NoteKind

OF_RECORDS = {NoteKind.UNJUDGED, NoteKind.NOT_TRAINED, NoteKind.SEVERAL}
"""Notes whose values are records: they have no fixed words."""


def test_every_kind_of_doubt_has_words():
    kinds = {kind for kind in Doubt.__subclasses__() if kind.__module__.startswith("rosettabench.")}
    assert kinds - {Note} == {*WORDS}
    assert {*INCOMPARABLE} == {*type(next(iter(INCOMPARABLE)))}


def test_every_kind_of_note_has_words():
    assert {*NOTES} | OF_RECORDS == {*NoteKind}


@pytest.mark.parametrize(
    ("note", "words"),
    [
        (Note(NoteKind.OVER_SETS, 2, 41), "over 2 of 41 sets"),
        (Note(NoteKind.SAMPLES, 60_000), "of 60,000 samples"),
        (Note(NoteKind.AXIS, "workers", ("2", "1")), "the axis workers (2 or 1)"),
        (Note(NoteKind.MISSING_LIBRARIES, 2, 3, ("cntk", "chainer")), "2 of the 3 libraries (cntk, chainer)"),
        (Note(NoteKind.SEVERAL, *[(Note(NoteKind.PROCESSES),)] * 2), "it needs --processes 2 or more"),
    ],
)
def test_a_note_with_its_values(note, words):
    assert note_words(note) == words
    assert not re.search(r"[{}]", words)


@pytest.mark.parametrize("record", FIELDS, ids=lambda record: record.__name__)
def test_each_field_of_json_is_the_records_own_or_has_words(record):
    own = {*record.__dataclass_fields__, *dir(record)}
    assert {name for name, made in FIELDS[record].items() if made is None} <= own
