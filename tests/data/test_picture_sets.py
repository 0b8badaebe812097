"""Picture files: those of the training part in the order of its arrays, and what is told where there are none."""

import os
from pathlib import Path

import numpy as np
import originals
import pytest
from test_chestxray14 import write, write_lists

from rosettabench.data import registry
from rosettabench.data.prepare import prepare
from rosettabench.data.sets.chestxray14 import ChestXray14
from rosettabench.errors import DataError, UsageError

CHEST = {"shape": [3, 40, 40]}


@pytest.fixture
def chest(tmp_path, monkeypatch):
    """A small ChestX-ray14 in which some images are left out."""
    monkeypatch.setitem(registry.SETS, "chestxray14", ChestXray14(most={"train": 2, "test": 1}))
    return write(tmp_path / "data" / "chestxray14")


def prepared(name, form, tmp_path, **options):
    where = {"data_dir": tmp_path / "data", "cache": tmp_path / "cache"}
    return prepare(name, form, **where, offline=True, pictures=True, **options)


def test_x_rays_have_the_order_of_the_arrays(chest, tmp_path):
    """Stretched at once to the side of the arrays they are nearly these, and no others."""
    data = prepared("chestxray14", CHEST, tmp_path)
    inputs = np.load(data.train.inputs)
    assert len(data.pictures.files) == len(inputs) == 2 and data.pictures.side == 40
    off = np.array([[np.abs(data.pictures.stretch(k, 40) - one).mean() for one in inputs] for k in range(2)])
    assert (off.argmin(axis=1) == [0, 1]).all(), "the noise of another image is as far off as noise can be"


def test_lists_name_the_same_files(chest, tmp_path):
    one = prepared("chestxray14", CHEST, tmp_path)
    write_lists(chest)
    (chest / "Data_Entry_2017.csv").unlink(missing_ok=True)
    other = prepared("chestxray14", CHEST, tmp_path)
    assert [file.path for file in one.pictures.files] == [file.path for file in other.pictures.files]


def test_photographs_are_those_of_the_arrays_to_the_byte(tmp_path):
    originals.imagenet(tmp_path / "data" / "imagenet", each=10)
    data = prepared("imagenet", {"shape": [3, 8, 8]}, tmp_path)
    inputs = np.load(data.train.inputs)
    assert len(data.pictures.files) == len(inputs) == 27
    for number, one in enumerate(inputs):
        assert np.array_equal(data.pictures.stretch(number, 8), one)


def test_a_folder_that_was_moved_has_its_files_where_they_are(chest, tmp_path):
    first = prepared("chestxray14", CHEST, tmp_path)
    (tmp_path / "data").rename(tmp_path / "elsewhere")
    again = prepare(
        "chestxray14", CHEST, data_dir=tmp_path / "elsewhere", cache=tmp_path / "cache", offline=True, pictures=True
    )
    assert again.folder == first.folder, "prepared once"
    assert all(str(tmp_path / "elsewhere") in file.path for file in again.pictures.files)


def test_what_has_no_files_says_so(tmp_path):
    (tmp_path / "data").mkdir()
    with pytest.raises(UsageError, match=r"no picture files of ChestX-ray14 here: Stand-in .* not the real") as refused:
        prepared("chestxray14", CHEST, tmp_path)
    assert "--data-dir" in refused.value.hint
    with pytest.raises(UsageError, match="has no picture files"):
        prepared("synthetic", {"shape": [3, 8, 8], "values": "bytes", "train": 2, "test": 1}, tmp_path)


def test_a_file_that_vanished_or_is_damaged_is_named(chest, tmp_path):
    pictures = prepared("chestxray14", CHEST, tmp_path).pictures
    os.truncate(pictures.files[0].path, 300)
    Path(pictures.files[1].path).unlink()
    with pytest.raises(DataError, match="is cut off, damaged or no picture") as told:
        pictures.stretch(0, 40)
    assert pictures.files[0].path in told.value.what
    with pytest.raises(DataError, match="cannot be read: No such file") as told:
        pictures.stretch(1, 40)
    assert pictures.files[1].path in told.value.what
