"""A worker's picture files: what becomes of one, and what is told of one that cannot be had."""

import json
import os
import sys

import numpy as np
import pytest
from PIL import Image

from rosetta_worker.pictures import Pictures, Unreadable
from rosetta_worker.service import describe

MEAN, DEVIATION = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)


def source(folder, labels=(3, 1), arranged=lambda inputs: inputs, **stated):
    """Two pictures of noise, grey and in colour, and a source of them."""
    files = []
    for number, bands in enumerate([(), (3,)]):
        path = folder / f"{number}.png"
        pixels = np.random.default_rng(number).integers(0, 256, (50, 60, *bands), np.uint8)
        Image.fromarray(pixels).save(path)
        files.append([str(path), path.stat().st_size, path.stat().st_mtime_ns])
    rule = {"files": files, "stored": 40, "side": 32, "resampling": "bilinear", "mean": MEAN, "deviation": DEVIATION}
    (folder / "pictures.json").write_text(json.dumps({**rule, **stated}))
    np.save(folder / "labels.npy", np.array(labels))
    return Pictures(folder / "pictures.json", folder / "labels.npy", arranged)


def by_the_rule(path, top, left, flip):
    """Every number by plain reading of the rule, in float64."""
    pixels = np.asarray(Image.open(path).convert("RGB").resize((40, 40), Image.Resampling.BILINEAR)) / 255.0
    cut = pixels[top : top + 32, left : left + 32]
    cut = np.fliplr(cut) if flip else cut
    return ((cut - np.array(MEAN)) / np.array(DEVIATION)).transpose(2, 0, 1)


@pytest.mark.parametrize("element", [(0, 0, 0, 0), (0, 8, 3, 1), (1, 2, 8, 0), (1, 5, 5, 1)])
def test_a_picture_is_stretched_cut_out_flipped_and_normalised(tmp_path, element):
    inputs, label = source(tmp_path)[np.array(element)]
    assert inputs.dtype == np.float32 and label == (3, 1)[element[0]]
    assert np.abs(inputs - by_the_rule(tmp_path / f"{element[0]}.png", *element[1:])).max() < 1e-6


def test_without_a_mean_bytes_stay_bytes(tmp_path):
    inputs, _ = source(tmp_path, resampling="nearest", mean=None, deviation=None, stored=32)[np.array([1, 0, 0, 0])]
    expected = np.asarray(Image.open(tmp_path / "1.png").resize((32, 32), Image.Resampling.NEAREST))
    assert inputs.dtype == np.uint8 and np.array_equal(inputs, expected.transpose(2, 0, 1))


def test_a_batch_is_its_samples_arranged(tmp_path):
    labels = np.array([[0, 1], [1, 1]], np.float32)
    here = source(tmp_path, labels, arranged=lambda inputs: inputs.transpose(0, 2, 3, 1))
    row = np.array([[1, 2, 8, 0], [0, 8, 3, 1], [1, 2, 8, 0]])
    inputs, found = here.batch(row)
    assert inputs.shape == (3, 32, 32, 3) and np.array_equal(found, labels[[1, 0, 1]])
    for place, element in enumerate(row):
        assert np.array_equal(inputs[place], here[element][0]) and np.array_equal(found[place], here[element][1])


def test_a_plain_row_is_the_first_samples(tmp_path):
    here = source(tmp_path)
    assert len(here) == 2
    assert np.array_equal(here.plain(2), [[0, 0, 0, 0], [1, 0, 0, 0]])


@pytest.mark.parametrize(
    ("harm", "said"),
    [
        (os.remove, "cannot be read any more: No such file or directory"),
        (lambda path: path.write_bytes(b"Sorry."), "has changed since its data set was prepared"),
        (lambda path: os.utime(path, (1, 1)), "has changed since its data set was prepared"),
    ],
)
def test_a_file_that_is_another_now_is_told_when_it_is_opened(tmp_path, harm, said):
    source(tmp_path)
    harm(tmp_path / "1.png")
    with pytest.raises(Unreadable, match=said) as told:
        Pictures(tmp_path / "pictures.json", tmp_path / "labels.npy", None)
    assert str(tmp_path / "1.png") in str(told.value)


@pytest.mark.parametrize("left", [0, 300])
def test_a_file_that_is_cut_off_later_is_told_when_it_is_read(tmp_path, left):
    here = source(tmp_path)
    (tmp_path / "1.png").write_bytes((tmp_path / "1.png").read_bytes()[:left])
    here[np.array([0, 0, 0, 0])]
    with pytest.raises(Unreadable, match=r"1\.png is empty, cut off, damaged or no picture"):
        here[np.array([1, 0, 0, 0])]


def test_an_interpreter_without_pillow_says_what_to_install(tmp_path, monkeypatch):
    source(tmp_path)  # writes the pictures, for which it takes Pillow
    monkeypatch.setitem(sys.modules, "PIL", None)
    with pytest.raises(ImportError, match="needs Pillow, which decodes: pip install pillow") as told:
        Pictures(tmp_path / "pictures.json", tmp_path / "labels.npy", lambda inputs: inputs)
    assert describe(told.value)["kind"] == "missing_package"


def test_a_sentence_is_taken_out_of_the_words_of_a_framework():
    wrapped = RuntimeError(
        "Caught Unreadable in DataLoader worker process 0.\nOriginal Traceback (most recent call last):\n"
        "rosetta_worker.pictures.Unreadable: /data/a.png is empty, cut off, damaged or no picture\n\t [[node]]"
    )
    told = describe(wrapped)
    assert (told["type"], told["message"]) == ("Unreadable", "/data/a.png is empty, cut off, damaged or no picture")
