"""Files of weights: there and back without losing a bit, and nothing unpickled."""

import json
import os
import pickle
import zipfile

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from rosettabench.data.readers.weights_file import (
    NPZ,
    SAFETENSORS,
    check_ending,
    check_place,
    decode_weights,
    encode_weights,
    read_weights,
)
from rosettabench.errors import DataError, UsageError

ENDINGS = [SAFETENSORS, NPZ]
NUMBERS = st.sampled_from(["float32", "float64", "float16", "int64", "uint8", "bool"]).flatmap(
    lambda kind: arrays(kind, array_shapes(min_dims=0, min_side=0, max_side=4))
)
NAMES = st.sampled_from(["hidden.weight", "rnn/gru_cell/gates/kernel", "file", "größe", "a b", "../up"])


class Planted:
    """What runs code when it is unpickled."""

    def __reduce__(self):
        return os.mkdir, ("unpickled",)


@pytest.fixture(autouse=True)
def nothing_unpickled(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    yield
    assert not (tmp_path / "unpickled").exists()


@pytest.mark.parametrize("ending", ENDINGS)
@given(tensors=st.dictionaries(NAMES, NUMBERS))
def test_there_and_back(tmp_path_factory, ending, tensors):
    path = tmp_path_factory.getbasetemp() / f"weights{ending}"
    content = encode_weights(tensors, path)
    again = decode_weights(content, path)
    assert again.keys() == tensors.keys()
    for name, array in tensors.items():
        assert again[name].dtype == array.dtype and again[name].shape == array.shape
        assert again[name].tobytes() == array.tobytes()
    assert encode_weights(again, path) == content


@pytest.mark.parametrize("ending", ENDINGS)
def test_layouts_that_are_no_c_order(tmp_path, ending):
    array = np.arange(6, dtype=np.float32).reshape(2, 3).T
    content = encode_weights({"kernel": array}, tmp_path / f"a{ending}")
    np.testing.assert_array_equal(decode_weights(content, tmp_path / f"a{ending}")["kernel"], array)


def test_a_file_of_numpy_itself(tmp_path):
    np.savez_compressed(tmp_path / "a.npz", kernel=np.arange(6.0).reshape(2, 3).astype(">f4"))
    np.testing.assert_array_equal(read_weights(tmp_path / "a.npz")["kernel"], [[0, 1, 2], [3, 4, 5]])


def safetensors(kind, shape, data):
    """A file with one tensor, written byte by byte as the format's own page describes it."""
    header = json.dumps({"kernel": {"dtype": kind, "shape": shape, "data_offsets": [0, len(data)]}}).encode()
    return len(header).to_bytes(8, "little") + header + data


def test_bfloat16_becomes_the_same_numbers(tmp_path):
    exact = np.array([1.0, -2.5, 3e38, 2**-126], np.float32)
    upper = (exact.view(np.uint32) >> 16).astype("<u2")
    (tmp_path / "a.safetensors").write_bytes(safetensors("BF16", [4], upper.tobytes()))
    found = read_weights(tmp_path / "a.safetensors")["kernel"]
    assert found.dtype == np.float32
    np.testing.assert_array_equal(found, (upper.astype(np.uint32) << 16).view(np.float32))


def test_a_type_that_numpy_lacks(tmp_path):
    (tmp_path / "a.safetensors").write_bytes(safetensors("F8_E4M3", [4], bytes(4)))
    with pytest.raises(DataError, match=r"kernel in .*a\.safetensors is F8_E4M3"):
        read_weights(tmp_path / "a.safetensors")


@pytest.mark.parametrize("ending", [".pt", ".pth", ".pkl", ".bin", ".ckpt"])
def test_a_pickle_is_refused_by_its_name(tmp_path, ending):
    with pytest.raises(UsageError, match=r"is a pickle, which can run code; save it as \.safetensors"):
        check_ending(tmp_path / f"model{ending}")


@pytest.mark.parametrize("name", ["model.h5", "model.npy", "model", "model.safetensors.index.json"])
def test_an_unknown_ending(tmp_path, name):
    with pytest.raises(UsageError, match="is no file of weights"):
        check_ending(tmp_path / name)


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_pickle_under_another_name(tmp_path, ending):
    path = tmp_path / f"model{ending}"
    path.write_bytes(pickle.dumps({"kernel": Planted()}))
    with pytest.raises(DataError, match="is a pickle, which can run code"):
        read_weights(path)


@pytest.mark.parametrize("ending", ENDINGS)
def test_what_torch_saves_under_another_name(tmp_path, ending):
    path = tmp_path / f"model{ending}"
    with zipfile.ZipFile(path, "w") as archive:  # as torch.save has written since PyTorch 1.6
        archive.writestr("model/data.pkl", pickle.dumps(Planted()))
    with pytest.raises(DataError, match="is a pickle, which can run code"):
        read_weights(path)


def test_objects_within_npz(tmp_path):
    np.savez(tmp_path / "a.npz", kernel=np.array([Planted()], dtype=object))
    with pytest.raises(DataError, match="is a pickle, which can run code"):
        read_weights(tmp_path / "a.npz")


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_file_that_is_cut_off_anywhere(tmp_path, ending):
    path = tmp_path / f"model{ending}"
    content = encode_weights({"kernel": np.arange(50, dtype=np.float32), "bias": np.zeros(3, np.float32)}, path)
    for length in range(len(content)):
        path.write_bytes(content[:length])
        with pytest.raises(DataError, match=f"model{ending}"):
            read_weights(path)


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("content", [b"", b"a text that is longer than eight bytes", bytes(100)])
def test_what_is_no_such_file(tmp_path, ending, content):
    path = tmp_path / f"model{ending}"
    path.write_bytes(content)
    with pytest.raises(DataError, match=f"model{ending}"):
        read_weights(path)


@pytest.mark.parametrize("ending", ENDINGS)
def test_no_tensors_no_file_and_a_folder(tmp_path, ending):
    path = tmp_path / f"model{ending}"
    with pytest.raises(DataError, match="No such file"):
        read_weights(path)
    path.write_bytes(encode_weights({}, path))
    with pytest.raises(DataError, match="holds no tensors"):
        read_weights(path)
    path.unlink()
    path.mkdir()
    with pytest.raises(DataError, match="Is a directory"):
        read_weights(path)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_without_rights(tmp_path):
    path = tmp_path / "model.npz"
    path.write_bytes(b"PK")
    path.chmod(0)
    with pytest.raises(DataError, match="Permission denied"):
        read_weights(path)


def test_places_that_cannot_be_written(tmp_path):
    check_place(tmp_path / "new.npz")
    with pytest.raises(UsageError, match=r"there is no folder .*nowhere"):
        check_place(tmp_path / "nowhere" / "new.npz")
    (tmp_path / "folder.npz").mkdir()
    with pytest.raises(UsageError, match="it is not a file"):
        check_place(tmp_path / "folder.npz")
