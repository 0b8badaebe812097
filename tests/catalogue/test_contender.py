"""Contenders: what is written is what is meant, and what cannot be meant is answered with what could."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosettabench.catalogue.contender import Contender, every_contender, parse_contender
from rosettabench.catalogue.framework import competing_frameworks
from rosettabench.errors import UsageError

PATHS = st.lists(st.from_regex(r"[\w .+-]{1,12}", fullmatch=True), min_size=1, max_size=4).map(
    lambda parts: Path("/", *(part for part in parts if part.strip(". ")), "python")
)


@st.composite
def contenders(draw):
    """Any framework of the catalogue in any of its modes, in any of its locks or the user's own interpreter."""
    entry = draw(st.sampled_from(sorted(competing_frameworks().values(), key=lambda entry: entry.name)))
    lock = draw(st.sampled_from([*entry.locks, None]))
    python = None if lock else draw(PATHS)
    return Contender(entry.name, draw(st.sampled_from(sorted(entry.modes_in(lock)))), lock, python)


@given(contenders())
def test_the_label_means_the_contender(contender):
    assert parse_contender(contender.label) == contender


@given(contenders())
def test_the_second_of_a_control_has_a_label_of_its_own(contender):
    second = Contender(contender.framework, contender.mode, contender.lock, contender.python, copy=2)
    assert second.label == f"{contender.label}#2"


@given(contenders(), contenders())
def test_two_contenders_never_share_a_label(one, other):
    assert (one.label == other.label) == (one == other)


@given(st.text(max_size=30))
def test_any_text_is_a_contender_or_a_sentence(text):
    try:
        assert parse_contender(text).framework in competing_frameworks()
    except UsageError as error:
        assert error.what
        assert error.hint


def test_what_is_left_out_is_the_default():
    entry = competing_frameworks()["pytorch"]
    assert parse_contender("pytorch") == Contender("pytorch", entry.mode, entry.locks[0])
    assert parse_contender(" pytorch:compiled ").mode == "compiled"
    assert parse_contender(f"pytorch@{entry.locks[0].partition('@')[2]}").label == "pytorch"


def test_the_users_own_interpreter():
    mine = Path("/their/venv/bin/python")
    assert parse_contender("pytorch", mine) == parse_contender(f"pytorch@{mine}")
    assert parse_contender("pytorch:compiled", mine).label == f"pytorch@{mine}:compiled"
    assert parse_contender("pytorch@./python").python == Path.cwd() / "python", "its label must not look like a release"
    assert parse_contender("pytorch@~/venv/bin/python").python == Path.home() / "venv/bin/python"


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("pytroch", "'pytorch'"),
        ("keras[tensorflw]", "'keras[tensorflow]'"),
        ("pytorch:compield", "'compiled'"),
        ("mxnet-gluno", "'mxnet-gluon'"),
        ("pytorch@9.9.9", "Available: "),
        ("pytorch:", "pytorch:compiled"),
        ("", "pytorch:compiled"),
        ("reference-pytorch", "Available: "),
    ],
)
def test_what_does_not_exist_is_answered_with_what_does(text, meant):
    with pytest.raises(UsageError) as raised:
        parse_contender(text)
    assert meant in raised.value.hint


def test_a_release_and_an_interpreter_contradict_each_other():
    release = competing_frameworks()["pytorch"].locks[0].partition("@")[2]
    with pytest.raises(UsageError, match="names a release and --python an interpreter"):
        parse_contender(f"pytorch@{release}", Path("/venv/bin/python"))


@pytest.mark.parametrize("mode", ["compiled", "tuned"])
def test_a_mode_that_came_later_is_refused_with_the_reason(mode):
    with pytest.raises(UsageError, match=f"pytorch 1.0.0 has no mode '{mode}': .*torch.compile") as raised:
        parse_contender(f"pytorch@1.0.0:{mode}")
    assert raised.value.hint == "Available: eager."
    assert parse_contender(f"pytorch:{mode}").mode == mode
    assert parse_contender(f"pytorch@/their/python:{mode}").mode == mode, "what theirs can do is for it to say"


def test_every_contender_is_what_its_label_means():
    labels = [one.label for one in every_contender()]
    assert [parse_contender(label) for label in labels] == every_contender()
    assert {"pytorch", "pytorch:compiled", "pytorch@1.0.0"} <= set(labels)
    assert "pytorch@1.0.0:compiled" not in labels
