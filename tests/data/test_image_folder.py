"""Folders of images: found by name, resized to the nearest pixel, and refused by name where they are none."""

import re

import numpy as np
import originals
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from rosettabench.data.readers.image_folder import Labelled, class_folders, images_in, pixels, spread
from rosettabench.errors import DataError

ODD = st.integers(0, 20).map(lambda half: 2 * half + 1)
"""An extent in which the middle of a new pixel never lies between two old ones."""


@given(height=ODD, width=ODD, size=st.integers(1, 30))
def test_each_new_pixel_is_the_one_in_which_its_middle_lies(tmp_path_factory, height, width, size):
    path = tmp_path_factory.mktemp("nearest") / "image.png"
    original = originals.photograph(path, height, width)
    rows, columns = ((2 * np.arange(size) + 1) * extent // (2 * size) for extent in (height, width))
    found = pixels(path, size)
    assert found.dtype == np.uint8 and found.shape == (3, size, size)
    assert np.array_equal(found, original[:, rows[:, None], columns])


@pytest.mark.parametrize("mode", ["L", "CMYK", "P", "RGBA", "1"])
def test_every_kind_of_picture_becomes_red_green_and_blue(tmp_path, mode):
    originals.photograph(tmp_path / "image.png")
    path = tmp_path / ("other.tiff" if mode == "CMYK" else "other.png")
    with Image.open(tmp_path / "image.png") as image:
        image.convert(mode).save(path)
    found = pixels(path, 7)
    assert found.shape == (3, 7, 7) and found.std() > 10
    assert (found[0] == found[1]).all() == (mode in ("L", "1"))


@pytest.mark.parametrize(
    ("name", "change", "said"),
    [
        ("image.JPEG", lambda content: b"", "is empty"),
        ("image.JPEG", lambda content: b"this is no image", "no picture"),
        ("image.JPEG", lambda content: content[: len(content) // 2], "cut off"),
        ("image.JPEG", lambda content: content[:10], "no picture"),
        ("image.png", lambda content: content[: len(content) // 2], "cut off"),
        ("image.png", lambda content: content[:60] + bytes(20) + content[80:], "damaged"),
    ],
)
def test_what_is_no_whole_image_is_named(tmp_path, name, change, said):
    path = tmp_path / name
    originals.photograph(path, 64, 64)
    path.write_bytes(change(path.read_bytes()))
    with pytest.raises(DataError, match=said) as caught:
        pixels(path, 8)
    assert str(path) in caught.value.what


def test_classes_and_images_are_told_from_what_lies_beside_them(tmp_path):
    for name in ("b/2.JPG", "b/1.png", "b/notes.txt", "a/0.jpeg", "other/0.png"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    (tmp_path / "c").touch()
    folders = class_folders(tmp_path, re.compile("[abc]"))
    assert [folder.name for folder in folders] == ["a", "b"]
    assert [image.name for image in images_in(folders[1])] == ["1.png", "2.JPG"]
    assert class_folders(tmp_path / "nowhere", re.compile(".")) == []


def test_an_empty_class_is_told(tmp_path):
    (tmp_path / "notes.txt").touch()
    with pytest.raises(DataError, match=rf"{tmp_path.name} holds no image"):
        images_in(tmp_path)


@given(st.integers(0, 50), st.integers(1, 60))
def test_images_are_spread_evenly(count, most):
    images = [Labelled(None, label) for label in range(count)]
    chosen = [image.label for image in spread(images, most)]
    assert len(chosen) == min(count, most)
    if count > most:
        assert set(np.diff([*chosen, count + chosen[0]])) <= {count // most, -(-count // most)}
