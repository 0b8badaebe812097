"""ImageNet: class folders as they are unpacked, Kaggle's packing, a sample with an index, and what is wrong in them."""

import csv
import hashlib

import numpy as np
import originals
import pytest
from PIL import Image

from rosettabench.data import registry
from rosettabench.data.prepare import prepare
from rosettabench.data.progress import silent
from rosettabench.data.sets import stand_in
from rosettabench.data.sets.imagenet import CLASSES, COLUMNS, MAPPING, ImageNet
from rosettabench.errors import DataError, UsageError

SMALL = {"shape": [3, 8, 8]}


def read(folder, data_set=None):
    data_set = data_set or ImageNet()
    return list(data_set.read(data_set.find(folder), SMALL, silent))


def write_sample(folder, rows):
    """Write a sample of three images and an index with these lines."""
    for place in range(3):
        originals.photograph(folder / "images" / f"{place}.JPEG", seed=place)
    with (folder / "index.csv").open("w", newline="") as file:
        csv.writer(file).writerows([["file", "wnid", "class_index"], *rows])
    return folder


def test_a_class_is_its_place_among_the_folders_and_every_tenth_image_is_a_test(tmp_path):
    originals.imagenet(tmp_path)
    train, test = read(tmp_path)
    assert (train.part, train.inputs.shape) == ("train", (27, 3, 8, 8))
    assert (test.part, test.inputs.shape) == ("test", (3, 3, 8, 8))
    assert train.inputs.dtype == np.uint8 and train.labels.dtype == np.int32
    assert train.labels.tolist() == [0] * 9 + [1] * 9 + [2] * 9 and test.labels.tolist() == [0, 1, 2]
    last = tmp_path / "n00000003" / "n00000003_09.JPEG"
    with Image.open(last) as image:
        expected = np.asarray(image.resize((8, 8), Image.Resampling.NEAREST)).transpose(2, 0, 1)
    assert np.array_equal(test.inputs[1], expected)


@pytest.mark.parametrize("place", [".", "train", "ILSVRC/Data/CLS-LOC/train"])
def test_where_the_classes_may_lie(tmp_path, place):
    originals.imagenet(tmp_path / place)
    source = ImageNet().find(tmp_path)
    assert source.folder == tmp_path / place
    assert source.part == "30 of 1,281,167 images, 3 of 1,000 classes"


def test_kaggles_list_says_the_place_among_all_classes(tmp_path):
    originals.imagenet(tmp_path / "ILSVRC/Data/CLS-LOC/train")
    lines = [f"n{number:08} thing" for number in range(1, 8)]
    (tmp_path / MAPPING).write_text("\n".join(lines))
    train, test = read(tmp_path)
    assert test.labels.tolist() == [0, 2, 4] and sorted(set(train.labels)) == [0, 2, 4]
    (tmp_path / MAPPING).write_text("\n".join(lines[:-3]))
    with pytest.raises(DataError, match=r"n00000005 is not a class in .*LOC_synset"):
        ImageNet().find(tmp_path)


def test_of_a_larger_folder_a_part_is_used_and_said(tmp_path, monkeypatch):
    originals.imagenet(tmp_path / "data" / "imagenet")
    monkeypatch.setitem(registry.SETS, "imagenet", ImageNet(most=20, images=30))
    prepared = prepare("imagenet", SMALL, data_dir=tmp_path / "data", cache=tmp_path / "cache")
    assert (prepared.train.samples, prepared.test.samples) == (18, 2)
    assert prepared.origin == "incomplete"
    assert prepared.note.endswith("20 of 30 images, 3 of 1,000 classes.")
    assert np.load(prepared.train.inputs, mmap_mode="r").dtype == np.uint8


def test_an_empty_class_and_too_many_of_them(tmp_path):
    originals.imagenet(tmp_path, each=1)
    for number in range(CLASSES - 2):
        (tmp_path / f"n1{number:07}").mkdir()
    with pytest.raises(DataError, match="has 1,001 classes, where ILSVRC2012 has 1,000"):
        ImageNet().find(tmp_path)
    (tmp_path / "n10000000").rmdir()
    with pytest.raises(DataError, match="n10000001 holds no image"):
        ImageNet().find(tmp_path)


def test_a_handful_of_images_is_too_few(tmp_path):
    originals.imagenet(tmp_path, each=3)
    with pytest.raises(DataError, match="holds 9 images"):
        read(tmp_path)


def test_the_sample_at_hand(real_data):
    folder = real_data / "imagenet-sample"
    if not folder.is_dir():
        pytest.skip(f"no ImageNet: {folder} does not exist")
    source = ImageNet().find(real_data)
    assert source.part == "1,000 of 1,281,167 images, 1,000 of 1,000 classes"
    train, test = read(real_data)
    assert (len(train.labels), len(test.labels)) == (900, 100)
    assert test.labels.tolist() == list(range(9, 1000, 10))
    assert not set(train.labels) & set(test.labels)
    tench = next(folder.glob("images/n01440764_*"))
    with Image.open(tench) as image:
        pixels = np.asarray(image)
    middle = pixels[(2 * 3 + 1) * pixels.shape[0] // 16, (2 * 5 + 1) * pixels.shape[1] // 16]
    assert np.array_equal(train.inputs[0, :, 3, 5], middle)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (["2.JPEG", "n00000001", "1000"], "line 3: '1000' is not a class; classes are 0 to 999"),
        (["2.JPEG", "n00000001", "-1"], "line 3: '-1' is not a class"),
        (["2.JPEG", "n00000001", ""], "line 3: '' is not a class"),
        (["2.JPEG"], "line 3: '' is not a class"),
        (["3.JPEG", "n00000001", "7"], r"line 3: .*3\.JPEG does not exist"),
        (["../index.csv", "n00000001", "7"], r"line 3: .*index\.csv does not exist"),
    ],
)
def test_a_wrong_line_of_an_index_is_named(tmp_path, line, said):
    write_sample(tmp_path, [["0.JPEG", "n00000001", "999"], line])
    with pytest.raises(DataError, match=r"index\.csv, " + said):
        ImageNet().find(tmp_path)


def test_an_index_without_its_images_and_one_of_something_else(tmp_path):
    write_sample(tmp_path / "one", [])
    (tmp_path / "one" / "images").rename(tmp_path / "elsewhere")
    with pytest.raises(DataError, match="which is not beside it"):
        ImageNet().find(tmp_path / "one")
    (tmp_path / "one" / "index.csv").write_text(",".join(sorted(COLUMNS)[1:]))
    assert ImageNet().find(tmp_path / "one") is None
    assert ImageNet().find(tmp_path) is None


def test_nothing_half_prepared_is_left(tmp_path, monkeypatch):
    """The last image is cut off: all others were read before it was."""
    originals.imagenet(tmp_path / "data")
    last = tmp_path / "data" / "n00000005" / "n00000005_09.JPEG"
    last.write_bytes(last.read_bytes()[:-200])
    with pytest.raises(DataError, match=r"n00000005_09\.JPEG is cut off"):
        prepare("imagenet", SMALL, data_dir=tmp_path / "data", cache=tmp_path / "cache")
    assert [path.suffix for path in (tmp_path / "cache" / "prepared").iterdir()] == [".lock"]


@pytest.mark.parametrize(
    "form",
    [{}, {"shape": 256}, {"shape": [1, 8, 8]}, {"shape": [3, 8, 9]}, {"shape": [3, 0, 0]}, {"shape": [3, 999, 999]}],
)
def test_other_forms_are_refused(form):
    with pytest.raises(UsageError):
        ImageNet().check(form)


def test_without_a_folder_there_is_a_stand_in_that_can_be_learned(tmp_path, monkeypatch):
    """Nearest class mean, as the simplest of learners: far above the 0.1 of guessing, and not all there is."""
    prepared = prepare("imagenet", SMALL, data_dir=None, cache=tmp_path)
    assert prepared.is_stand_in and "taken from a folder that you name" in prepared.note
    inputs, labels = np.load(prepared.train.inputs), np.load(prepared.train.labels)
    tests, expected = np.load(prepared.test.inputs), np.load(prepared.test.labels)
    assert inputs.shape == (900, 3, 8, 8) and tests.shape == (100, 3, 8, 8)
    assert sorted(set(labels)) == list(range(0, 1000, 100))
    means = np.stack([inputs[labels == label].mean(0) for label in range(0, 1000, 100)])
    distances = ((tests[:, None] - means) ** 2).sum((2, 3, 4))
    assert 0.6 < (100 * distances.argmin(1) == expected).mean() < 1


def test_the_stand_in_is_the_same_everywhere():
    pixels, labels = stand_in.photographs("train", 60, 24)
    assert hashlib.sha256(pixels.tobytes() + labels.tobytes()).hexdigest()[:16] == "6c05e2b30c7f1c0b"
