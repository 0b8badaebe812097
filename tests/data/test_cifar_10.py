"""CIFAR-10: the published files in all their packings, a part of them, and files that are not."""

import gzip
import lzma

import numpy as np
import originals
import pytest

from rosettabench.data import registry
from rosettabench.data.prepare import prepare
from rosettabench.data.progress import silent
from rosettabench.data.sets.cifar_10 import ARCHIVE, FOLDER, Cifar10
from rosettabench.errors import DataError, UsageError

IMAGE = {"shape": [3, 32, 32]}


def read(data_set, folder, form=IMAGE):
    return list(data_set.read(data_set.find(folder), form, silent))


def write(folder, content):
    folder.mkdir(parents=True, exist_ok=True)
    for file, records in content.items():
        (folder / file).write_bytes(records)
    return folder


@pytest.mark.slow
def test_the_published_images_at_hand(real_data):
    """All five training files, packed with xz: their content is the published one, channel by channel."""
    folder = real_data / FOLDER
    if not folder.is_dir():
        pytest.skip(f"no CIFAR-10: {folder} does not exist")
    data_set = Cifar10()
    source = data_set.find(real_data)
    assert source.part == "", "nothing of it is missing"
    train, test = data_set.read(source, IMAGE, silent)
    assert (train.inputs.shape, test.inputs.shape) == ((50_000, 3, 32, 32), (10_000, 3, 32, 32))
    assert train.inputs.dtype == np.float32 and train.labels.dtype == np.int32
    assert train.labels[:4].tolist() == [6, 9, 9, 4] and test.labels[:4].tolist() == [3, 8, 8, 0]
    assert np.bincount(train.labels).tolist() == [5_000] * 10
    assert np.bincount(test.labels).tolist() == [1_000] * 10
    raw = np.frombuffer(lzma.decompress((folder / "test_batch.bin.xz").read_bytes()), np.uint8).reshape(-1, 3073)
    exact = (raw[:, 1:].astype(np.float64) / 255).astype(np.float32)
    assert np.array_equal(test.inputs[:, 2, 31, 30], exact[:, 2 * 1024 + 31 * 32 + 30])


def test_a_record_is_class_red_green_blue(tmp_path):
    content, data_set = originals.cifar_10()
    train, test = read(data_set, write(tmp_path, content))
    first = np.frombuffer(content["data_batch_2.bin"], np.uint8)
    assert train.labels[6] == first[0]
    assert train.inputs[6, 1, 2, 3] == np.float32(first[1 + 1024 + 2 * 32 + 3]) / np.float32(255)
    assert (train.part, len(train.labels), test.part, len(test.labels)) == ("train", 30, "test", 6)


def test_the_mean_image_of_the_training_part_is_subtracted_from_both(tmp_path):
    content, data_set = originals.cifar_10()
    write(tmp_path, content)
    plain, centred = read(data_set, tmp_path), read(data_set, tmp_path, {**IMAGE, "subtract_mean": True})
    mean = plain[0].inputs.mean(axis=0, dtype=np.float64)
    assert mean.std() > 0.01  # another number for each pixel
    for one, other in zip(plain, centred, strict=True):
        assert other.inputs.dtype == np.float32 and other.inputs.shape == one.inputs.shape
        assert np.abs(other.inputs - (one.inputs - mean)).max() < 1e-7
        assert np.array_equal(other.labels, one.labels)
    assert np.abs(centred[0].inputs.mean(axis=0, dtype=np.float64)).max() < 1e-7
    assert np.abs(centred[1].inputs.mean(axis=0, dtype=np.float64)).max() > 0.01


@pytest.mark.parametrize("packing", ["archive", "xz", "gz", "folder"])
def test_every_packing_gives_the_same(tmp_path, packing):
    content, data_set = originals.cifar_10()
    plain = read(data_set, write(tmp_path / "plain", content))
    place = tmp_path / "other"
    if packing == "archive":
        originals.write_cifar_archive(place, content)
    elif packing == "folder":
        write(place / FOLDER, content)
    else:
        pack = {"xz": lzma.compress, "gz": gzip.compress}[packing]
        write(place, {f"{file}.{packing}": pack(records) for file, records in content.items()})
    assert data_set.find(place).part == ""
    for one, other in zip(plain, read(data_set, place), strict=True):
        assert np.array_equal(one.inputs, other.inputs) and np.array_equal(one.labels, other.labels)


def test_a_part_of_the_training_files_is_used_and_said(tmp_path, monkeypatch):
    content, data_set = originals.cifar_10()
    monkeypatch.setitem(registry.SETS, "cifar-10", data_set)
    del content["data_batch_2.bin"], content["data_batch_5.bin"]
    write(tmp_path / "data" / FOLDER, content)
    prepared = prepare("cifar-10", IMAGE, data_dir=tmp_path / "data", cache=tmp_path / "cache")
    assert prepared.train.samples == 18 and prepared.test.samples == 6
    assert prepared.origin == "incomplete" and not prepared.is_whole and not prepared.is_stand_in
    assert prepared.note.endswith("18 of 30 training images.")


@pytest.mark.parametrize(("gone", "said"), [("test", "not test_batch.bin"), ("data", "not any data_batch")])
def test_too_small_a_part_is_an_error(tmp_path, gone, said):
    content, data_set = originals.cifar_10()
    write(tmp_path, {file: records for file, records in content.items() if not file.startswith(gone)})
    with pytest.raises(DataError, match=said):
        data_set.find(tmp_path)


def test_a_folder_without_any_of_them_holds_none(tmp_path):
    assert Cifar10().find(tmp_path) is None


def changed(content, file, change):
    return {**content, file: change(content[file])}


@pytest.mark.parametrize(
    ("file", "change", "said"),
    [
        ("data_batch_4.bin", lambda records: records[:-1], r"data_batch_4\.bin holds 18,437 bytes, where 6 records"),
        ("data_batch_4.bin", lambda records: records + b"x", r"data_batch_4\.bin holds 18,439 bytes"),
        ("data_batch_4.bin", lambda records: b"\x0a" + records[1:], r"data_batch_4\.bin has a record of class 10"),
        ("test_batch.bin", lambda records: records[:-1] + b"\x00", r"test_batch\.bin is not CIFAR-10's"),
        ("test_batch.bin", lambda records: b"", r"test_batch\.bin holds 0 bytes"),
    ],
)
@pytest.mark.parametrize("packed", [False, True])
def test_a_wrong_file_is_named(tmp_path, file, change, said, packed):
    content, data_set = originals.cifar_10()
    wrong = changed(content, file, change)
    if packed:
        originals.write_cifar_archive(tmp_path, wrong)
    else:
        write(tmp_path, wrong)
    with pytest.raises(DataError, match=said.replace(r"\.bin ", r"\.bin,? ")):
        read(data_set, tmp_path)


def test_packed_files_that_are_cut_off_are_named(tmp_path):
    content, data_set = originals.cifar_10()
    originals.write_cifar_archive(tmp_path / "archive", content)
    archive = tmp_path / "archive" / ARCHIVE
    archive.write_bytes(archive.read_bytes()[:-500])
    with pytest.raises(DataError, match=f"{ARCHIVE} is cut off or damaged"):
        read(data_set, tmp_path / "archive")
    packed = {f"{file}.xz": lzma.compress(records) for file, records in content.items()}
    write(tmp_path / "xz", changed(packed, "data_batch_3.bin.xz", lambda file: file[: len(file) // 2]))
    with pytest.raises(DataError, match=r"data_batch_3\.bin\.xz is cut off or damaged"):
        read(data_set, tmp_path / "xz")


def test_an_archive_that_lacks_a_file_is_told(tmp_path):
    content, data_set = originals.cifar_10()
    del content["data_batch_3.bin"]
    originals.write_cifar_archive(tmp_path, content)
    with pytest.raises(DataError, match=r"lacks data_batch_3\.bin"):
        read(data_set, tmp_path)


@pytest.mark.parametrize(
    "form",
    [
        {},
        {"shape": [3071]},
        {"shape": [-1]},
        {"shape": 3072},
        {"shape": [3072], "mean": 0},
        {"shape": [3072], "subtract_mean": 1},
        {"subtract_mean": True},
    ],
)
def test_other_forms_are_refused(form):
    with pytest.raises(UsageError):
        Cifar10().check(form)


def test_the_stand_in_has_the_sizes_and_can_be_learned():
    """Nearest class mean, as the simplest of learners: far above the 0.1 of guessing, and not all there is."""
    (_, inputs, labels), (_, tests, expected) = Cifar10(per_file=1_000).stand_in({"shape": [3072]})
    assert inputs.shape == (5_000, 3072) and tests.shape == (1_000, 3072) and inputs.dtype == np.float32
    means = np.stack([inputs[labels == label].mean(0) for label in range(10)])
    distances = ((tests[:, None] - means) ** 2).sum(-1)
    assert 0.6 < (distances.argmin(1) == expected).mean() < 1
