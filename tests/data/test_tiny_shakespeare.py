"""Tiny Shakespeare: the text is cut as the literature cuts it, and only the published text is taken."""

from pathlib import Path

import numpy as np
import pytest
from laboratory import data_folder

from rosettabench.catalogue.workload import find_workload
from rosettabench.data.data_set import Source
from rosettabench.data.sets.tiny_shakespeare import FILE, TinyShakespeare, portions
from rosettabench.errors import DataError, UsageError

FORM = {"length": 64, "windows": 1000}


def parts(form=FORM):
    return {portion.part: portion for portion in TinyShakespeare().stand_in(form)}


@pytest.fixture(scope="module")
def made():
    return parts()


def test_labels_are_the_inputs_one_character_later(made):
    for portion in made.values():
        assert portion.inputs.dtype == portion.labels.dtype == np.int32
        assert np.array_equal(portion.inputs[:, 1:], portion.labels[:, :-1])


def test_the_parts_have_the_published_sizes(made):
    assert made["train"].inputs.shape == (1000, 64)
    assert made["test"].inputs.shape == (1742, 64), "all whole windows of 111,540 characters, each with a label"
    assert sorted(set(made["train"].inputs.ravel())) == list(range(65))


def test_the_test_part_is_the_end_of_the_text_and_no_window_crosses_into_it():
    text = np.arange(200).astype(np.uint8)
    train, test = portions(text, {"length": 8, "windows": 5000})
    assert (train.inputs.min(), train.labels.max()) == (0, 179), "uniform over the first nine tenths, ends included"
    assert test.inputs.tolist() == [[*range(180, 188)], [*range(188, 196)]]


def test_the_same_windows_are_drawn_each_time(made):
    assert np.array_equal(parts()["train"].inputs, made["train"].inputs)
    counts = np.bincount(parts({"length": 64, "windows": 20000})["train"].labels[:, -1], minlength=65)
    assert (counts > 0).all()


def test_a_stand_in_can_be_learned(made):
    """Half of all characters are followed by the likeliest one: a model of pairs knows more than one of single ones."""
    before, after = made["test"].inputs.ravel(), made["test"].labels.ravel()
    pairs = np.zeros((65, 65))
    np.add.at(pairs, (before, after), 1)
    assert 0.45 < pairs.max(1).sum() / pairs.sum() < 0.55


def test_another_text_is_refused(tmp_path):
    (tmp_path / FILE).write_text("to be, or not to be")
    source = TinyShakespeare().find(tmp_path)
    with pytest.raises(DataError, match=r"is not Tiny Shakespeare: its sha256 is"):
        list(TinyShakespeare().read(source, FORM, lambda word: None))
    assert TinyShakespeare().find(tmp_path / "nowhere") is None


@pytest.mark.parametrize(
    "form",
    [{}, {"length": 64}, {"length": 0, "windows": 1}, {"length": 64, "windows": 1.5}, {"length": 10**6, "windows": 1}],
)
def test_a_form_that_means_nothing_is_refused(form):
    with pytest.raises(UsageError, match="tiny-shakespeare"):
        TinyShakespeare().check(form)


def test_the_original_is_read_by_its_code_points():
    folder = (data_folder() or Path()) / "tiny-shakespeare"
    if not (folder / FILE).is_file():
        pytest.skip("needs the original text: ROSETTA_DATA")
    train, test = TinyShakespeare().read(Source(folder, {"text": folder / FILE}), FORM, lambda word: None)
    text = (folder / FILE).read_text()
    letters = sorted(set(text))
    assert len(letters) == 65
    assert "".join(letters[one] for one in test.inputs[0]) == text[1_003_854 : 1_003_854 + 64]
    assert "".join(letters[one] for one in train.inputs[0]) in text[:1_003_854]


def test_the_workload_takes_its_form():
    TinyShakespeare().check(find_workload("shakespeare-gpt").data.form)
