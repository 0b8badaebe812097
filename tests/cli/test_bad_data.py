"""Data that are wrong, or that do not fit, end a run before anything is started: in one sentence, the file named."""

import csv
import os
import shutil

import numpy as np
import pytest
from PIL import Image
from tiers import slow_except

from rosettabench.catalogue.workload import find_workload

RUN = ("run", "imagenet-resnet56", "-f", "pytorch", "--no-control", "--set", "threads=1")
CLASSES = ("n00000001", "n00000002", "n00000003")


@pytest.fixture
def photographs(tmp_path):
    """Thirty photographs in three class folders."""
    folder = tmp_path / "photographs"
    for number, name in enumerate(CLASSES):
        (folder / name).mkdir(parents=True)
        for place in range(10):
            pixels = np.random.default_rng(10 * number + place).integers(0, 256, (20, 30, 3), np.uint8)
            Image.fromarray(pixels).save(folder / name / f"{place}.JPEG")
    return folder


@pytest.fixture
def refused(rosetta, photographs, tmp_path):
    """Run a command on the photographs; its error, once it is certain that it is a sentence and leaves nothing."""

    def run(*words, code, **variables):
        process = rosetta(*words, "--data-dir", photographs, **variables)
        assert process.returncode == code, process.stderr
        assert "Traceback" not in process.stderr
        shelf = tmp_path / "cache" / "prepared"
        assert all(path.suffix == ".lock" or (path / "manifest.json").exists() for path in shelf.glob("*"))
        made = [path for path in (tmp_path / "cache" / "environments").glob("*") if path.is_dir()]
        assert not made, "of work that cannot be done nothing is left, and no half of an environment"
        return next(line for line in process.stderr.splitlines() if line.startswith("error: "))

    return run


def cut_off(folder):
    path = folder / CLASSES[2] / "9.JPEG"
    path.write_bytes(path.read_bytes()[:-300])
    return path


def emptied(folder):
    path = folder / CLASSES[1] / "0.JPEG"
    path.write_bytes(b"")
    return path


def no_image(folder):
    path = folder / CLASSES[0] / "3.JPEG"
    path.write_text("Sorry, this photograph has moved.")
    return path


def empty_class(folder):
    (folder / "n00000004").mkdir()
    return folder / "n00000004"


def no_such_label(folder):
    (folder / CLASSES[0]).rename(folder / "images")
    with (folder / "index.csv").open("w", newline="") as file:
        rows = [[f"{place}.JPEG", CLASSES[0], 995 + place] for place in range(10)]
        csv.writer(file).writerows([["file", "wnid", "class_index"], *rows])
    return folder / "index.csv"


@pytest.mark.parametrize("change", slow_except([cut_off, emptied, no_image, empty_class, no_such_label], cut_off))
def test_a_wrong_file_is_named(refused, photographs, change):
    path = change(photographs)
    assert str(path) in refused(*RUN, code=4)


def test_a_batch_larger_than_the_data_set(refused):
    said = refused(*RUN, "--set", "batch_size=28", code=2)
    assert "a batch of 28 is larger than the data set of 27 samples" in said


def test_what_cannot_fit_into_memory(refused):
    said = refused(*RUN, "--set", "batch_size=1000000", code=2)
    assert "imagenet-resnet56 does not fit into memory" in said
    assert "GB are free" in said


def test_images_that_are_too_small_for_the_network(refused, tmp_path):
    """A workload from somebody's own package, which asks for small images and begins as for large ones."""
    package = tmp_path / "site" / "their_package"
    folder = package / "workloads" / "small_photographs"
    shutil.copytree(find_workload("imagenet-resnet56").folder, folder)
    statement = folder / "workload.toml"
    text = statement.read_text(encoding="utf-8")
    assert "shape = [3, 256, 256]" in text
    statement.write_text(text.replace("shape = [3, 256, 256]", "shape = [3, 16, 16]"), encoding="utf-8")
    (package / "__init__.py").touch()
    metadata = package.parent / "theirs-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: theirs\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text("[rosettabench.catalogue]\ntheirs = their_package\n")
    words = [word.replace("imagenet-resnet56", "small-photographs") for word in RUN]
    said = refused(*words, code=2, PYTHONPATH=with_ours(package.parent))
    assert "images of 16 × 16 pixels are too small for small-photographs" in said


FILES = ("--set", "input=files")


@pytest.mark.parametrize("change", slow_except([cut_off, emptied], emptied))
def test_a_wrong_file_is_named_before_a_loader_meets_it(refused, photographs, change):
    path = change(photographs)
    assert str(path) in refused(*RUN, *FILES, code=4)


def test_a_batch_of_files_larger_than_the_data_set(refused):
    said = refused(*RUN, *FILES, "--set", "batch_size=28", code=2)
    assert "a batch of 28 is larger than the data set of 27 samples" in said


def test_a_stand_in_has_no_files(refused):
    words = [word.replace("imagenet-resnet56", "chestxray-densenet121") for word in RUN]
    assert "There are no picture files of ChestX-ray14 here: Stand-in" in refused(*words, *FILES, code=2)


def test_words_have_no_files(refused):
    words = [word.replace("imagenet-resnet56", "imdb-gru") for word in RUN]
    assert "imdb-gru trains on no picture files: it has no input=files" in refused(*words, *FILES, code=2)


def with_ours(site):
    """The path of modules with a folder of packages on it."""
    return os.pathsep.join(filter(None, [str(site), os.environ.get("PYTHONPATH")]))
