"""Fashion-MNIST: the published files, and files that are not."""

import gzip
import hashlib

import numpy as np
import originals
import pytest

from rosettabench.data.progress import silent
from rosettabench.data.sets.fashion_mnist import FILES, PUBLISHED_MD5, FashionMnist
from rosettabench.errors import DataError, UsageError

FLAT = {"shape": [784]}


@pytest.fixture(scope="module")
def folder(real_data):
    return real_data / "fashion-mnist"


def test_the_pinned_content_is_that_of_the_published_files(folder):
    for word, file in FILES.items():
        packed = (folder / f"{file}.gz").read_bytes()
        assert hashlib.md5(packed, usedforsecurity=False).hexdigest() == PUBLISHED_MD5[word]
        header = 16 if word.endswith("images") else 8
        assert hashlib.sha256(gzip.decompress(packed)[header:]).hexdigest() == FashionMnist().content[word]


def test_the_published_images(folder):
    data_set = FashionMnist()
    train, test = data_set.read(data_set.find(folder), FLAT, silent)
    assert (train.part, test.part) == ("train", "test")
    assert (train.inputs.shape, test.inputs.shape) == ((60_000, 784), (10_000, 784))
    assert train.inputs.dtype == np.float32 and train.labels.dtype == np.int32
    assert train.labels[:4].tolist() == [9, 0, 0, 3] and test.labels[:4].tolist() == [9, 2, 1, 1]
    assert np.bincount(train.labels).tolist() == [6_000] * 10
    assert (train.inputs.min(), train.inputs.max()) == (0, 1)
    raw = gzip.decompress((folder / "t10k-images-idx3-ubyte.gz").read_bytes())[16:]
    exact = np.frombuffer(raw, np.uint8).astype(np.float64) / 255
    assert np.array_equal(test.inputs.ravel(), exact.astype(np.float32))


@pytest.mark.parametrize("shape", [[784], [1, 28, 28], [28, 28, 1]])
def test_a_form_is_only_another_shape_of_the_same_rows(tmp_path, shape):
    data_set = originals.fashion_mnist(tmp_path)
    data_set.check({"shape": shape})
    for flat, shaped in zip(
        data_set.read(data_set.find(tmp_path), FLAT, silent),
        data_set.read(data_set.find(tmp_path), {"shape": shape}, silent),
        strict=True,
    ):
        assert shaped.inputs.shape[1:] == tuple(shape)
        assert np.array_equal(shaped.inputs.reshape(len(flat.inputs), -1), flat.inputs)


@pytest.mark.parametrize("form", [{}, {"shape": [783]}, {"shape": [-1]}, {"shape": 784}, {"shape": [784], "mean": 0}])
def test_other_forms_are_refused(form):
    with pytest.raises(UsageError):
        FashionMnist().check(form)


def test_unpacked_and_newly_packed_files_are_as_good(tmp_path):
    data_set = originals.fashion_mnist(tmp_path)
    before = [portion.inputs for portion in data_set.read(data_set.find(tmp_path), FLAT, silent)]
    for path in list(tmp_path.iterdir()):
        content = gzip.decompress(path.read_bytes())
        path.unlink()
        if "images" in path.name:
            path.with_suffix("").write_bytes(content)
        else:
            path.write_bytes(gzip.compress(content, 1, mtime=99))
    after = [portion.inputs for portion in data_set.read(data_set.find(tmp_path), FLAT, silent)]
    assert all(np.array_equal(*pair) for pair in zip(before, after, strict=True))


def test_a_missing_file_is_named(tmp_path):
    data_set = originals.fashion_mnist(tmp_path)
    (tmp_path / "t10k-labels-idx1-ubyte.gz").unlink()
    with pytest.raises(DataError, match=r"not t10k-labels-idx1-ubyte\.gz"):
        data_set.find(tmp_path)


def test_a_folder_without_any_of_them_holds_none(tmp_path):
    assert FashionMnist().find(tmp_path) is None


def test_another_set_with_the_same_names_and_sizes_is_refused(tmp_path):
    data_set = originals.fashion_mnist(tmp_path)
    other = np.zeros((20, 28, 28), np.uint8)
    (tmp_path / "t10k-images-idx3-ubyte.gz").write_bytes(gzip.compress(originals.idx(other)))
    with pytest.raises(DataError, match=r"t10k-images-idx3-ubyte\.gz is not Fashion-MNIST's"):
        list(data_set.read(data_set.find(tmp_path), FLAT, silent))
