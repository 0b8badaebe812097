"""Drawn images: the same numbers everywhere, in the range that is asked for, and nobody's stand-in."""

import hashlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosettabench.data.prepare import prepare
from rosettabench.data.sets.synthetic import CHUNK, Synthetic, draw
from rosettabench.errors import UsageError

BYTES = {"shape": [3, 4, 5], "values": "bytes", "classes": 1000, "train": 150, "test": 40}
UNIFORM = {"shape": [3, 4, 5], "values": "uniform", "train": 150, "test": 0}


def test_bytes_are_the_integers_from_0_to_254():
    part = draw("train", BYTES)
    integers = part.inputs * np.float32(255)
    assert part.inputs.shape == (150, 3, 4, 5) and part.inputs.dtype == np.float32
    assert np.array_equal(np.round(integers).astype(np.float32) / np.float32(255), part.inputs)
    assert (round(float(integers.min())), round(float(integers.max()))) == (0, 254)
    assert part.labels.dtype == np.int32 and len(set(part.labels)) > 100 and part.labels.max() < 1000


def test_uniform_numbers_are_those_of_numpys_seed_0():
    """As one array, whatever the chunks in which they are drawn."""
    part = draw("train", UNIFORM)
    assert len(part.inputs) > 2 * CHUNK
    assert np.array_equal(part.inputs, np.random.RandomState(0).rand(150, 3, 4, 5).astype(np.float32))
    assert not part.labels.any()


def test_the_first_images_do_not_depend_on_how_many_there_are():
    """So a proof on a few images is one on the images that are timed."""
    for form in (BYTES, UNIFORM):
        assert np.array_equal(draw("train", {**form, "train": 8}).inputs, draw("train", form).inputs[:8])


def test_bytes_are_pinned():
    part = draw("train", {**BYTES, "train": 20})
    assert hashlib.sha256(part.inputs.tobytes() + part.labels.tobytes()).hexdigest()[:16] == "d1920363a92a987e"


def test_both_parts_differ():
    train, test = (draw(part, BYTES) for part in ("train", "test"))
    assert not np.array_equal(train.inputs[:40], test.inputs)
    assert not np.array_equal(train.labels[:40], test.labels)


@pytest.mark.parametrize("form", [BYTES, UNIFORM], ids=["bytes", "uniform"])
def test_prepared_they_are_whole_and_real(tmp_path, form):
    """Also with an empty data folder, offline, and with no test part at all."""
    (tmp_path / "originals").mkdir()
    prepared = prepare("synthetic", form, data_dir=tmp_path / "originals", cache=tmp_path, offline=True)
    assert (prepared.origin, prepared.is_whole, prepared.is_stand_in) == ("drawn", True, False)
    assert (prepared.train.samples, prepared.test.samples) == (form["train"], form["test"])
    assert np.array_equal(np.load(prepared.train.inputs), draw("train", form).inputs)
    assert np.load(prepared.test.inputs).shape == (form["test"], 3, 4, 5)
    assert prepared.is_intact()
    assert "drawn by Rosettabench" in prepared.note
    assert prepare("synthetic", form, data_dir=None, cache=tmp_path).digest == prepared.digest


@pytest.mark.parametrize(
    "change",
    [
        {"shape": []},
        {"shape": [3, 0]},
        {"shape": "3"},
        {"values": "normal"},
        {"classes": 0},
        {"train": 0},
        {"test": -1},
        {"test": 1.5},
        {"sedd": 1},
    ],
    ids=str,
)
def test_other_forms_are_refused(change):
    with pytest.raises(UsageError, match="synthetic"):
        Synthetic().check({**BYTES, **change})


@given(
    st.dictionaries(st.sampled_from(["shape", "values", "train", "test"]), st.one_of(st.none(), st.text(max_size=3)))
)
def test_nonsense_is_a_sentence(change):
    with pytest.raises(UsageError):
        Synthetic().check({"shape": None, **change})
