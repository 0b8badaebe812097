"""Data of one's own: arrays in files, arrays that a function returns, arrays that are drawn."""

import pickle

import numpy as np
import pytest
from pydantic import ValidationError

from rosettabench.catalogue.data_entry import DataEntry, OwnFunction
from rosettabench.data.own.function import call_function
from rosettabench.data.own.prepare_own import prepare_own
from rosettabench.errors import DataError


def prepared(stated, folder):
    """What workers read of data that a workload in `folder` states."""
    found = prepare_own(DataEntry.model_validate(stated).form, folder, folder / "cache", lambda *_: None)
    return found, {
        part: tuple(np.load(path) for path in (files.inputs, files.labels))
        for part, files in (("train", found.train), ("test", found.test))
    }


def test_arrays_in_files(tmp_path):
    np.save(tmp_path / "x.npy", np.arange(40, dtype=np.float64).reshape(20, 2))
    np.savez(tmp_path / "y.npz", classes=np.arange(20))
    found, parts = prepared({"train": "x.npy", "labels": "y.npz:classes"}, tmp_path)
    assert parts["train"][0].dtype == np.float32
    assert parts["train"][1].dtype == np.int32
    assert [len(parts[part][0]) for part in ("train", "test")] == [18, 2]  # the last tenth
    assert parts["test"][1].tolist() == [18, 19]
    again, _ = prepared({"train": "x.npy", "labels": "y.npz:classes"}, tmp_path)
    assert again.folder == found.folder
    np.save(tmp_path / "x.npy", np.ones((20, 2)))
    changed, parts = prepared({"train": "x.npy", "labels": "y.npz:classes"}, tmp_path)
    assert changed.digest != found.digest
    assert parts["train"][0].min() == 1


def test_without_labels_the_inputs_are_the_labels(tmp_path):
    np.save(tmp_path / "x.npy", np.random.default_rng(0).normal(size=(30, 3)))
    _, parts = prepared({"train": "x.npy"}, tmp_path)
    assert np.array_equal(*parts["train"])


def test_a_function(tmp_path):
    source = "import numpy as np\n\ndef load():\n    return {'train': np.ones((4, 2)), 'labels': np.arange(4), "
    (tmp_path / "data.py").write_text(source + "'test': np.zeros((2, 2)), 'test_labels': np.arange(2)}\n")
    found, parts = prepared({"function": "data.py"}, tmp_path)
    assert parts["test"][0].tolist() == [[0, 0], [0, 0]]
    assert "data.py" in found.note
    (tmp_path / "data.py").write_text("def other():\n    return [[1.0]] * 20, list(range(20))\n")
    _, parts = prepared({"function": "data.py:other"}, tmp_path)
    assert parts["train"][1].tolist() == list(range(18))


def test_arrays_that_are_drawn(tmp_path):
    stated = {
        "random": {"samples": 50, "test": 5, "inputs": {"shape": [3]}, "labels": {"values": "integers", "below": 4}}
    }
    found, parts = prepared(stated, tmp_path)
    assert parts["train"][0].shape == (50, 3)
    assert set(parts["train"][1]) == {0, 1, 2, 3}
    assert found.origin == "drawn"
    assert abs(float(parts["train"][0].std()) - 1) < 0.2


def test_several_inputs_by_name(tmp_path):
    """Whole numbers beside real ones become real; they are whole if all are."""
    time = np.random.default_rng(0).normal(size=(20, 2, 3)).astype(np.float32)
    np.save(tmp_path / "user.npy", np.arange(20))
    np.save(tmp_path / "time.npy", time)
    files = {"user": "user.npy", "time": "time.npy"}
    found, parts = prepared({"train": files, "labels": "user.npy"}, tmp_path)
    assert "user.npy, time.npy" in found.note
    inputs = parts["train"][0]
    assert inputs.dtype == np.float32
    assert inputs[:, 0].tolist() == list(range(18))
    assert np.array_equal(inputs[:, 1:].reshape(-1, 2, 3), time[:18])
    _, parts = prepared({"train": {"time": "time.npy"}, "labels": "user.npy"}, tmp_path)
    assert parts["train"][0].shape == (18, 2, 3), "an only input keeps its shape"
    _, parts = prepared({"train": {"a": "user.npy", "b": "user.npy"}}, tmp_path)
    assert parts["train"][0].dtype == np.int32
    assert parts["test"][0].tolist() == [[18, 18], [19, 19]]


def test_a_function_returns_several_inputs_by_name(tmp_path):
    source = "def load():\n    return {'train': {'user': [3, 4], 'time': [[.5], [.25]]}, 'labels': [0, 1], "
    (tmp_path / "data.py").write_text(source + "'test': {'user': [5], 'time': [[1.]]}, 'test_labels': [1]}\n")
    _, parts = prepared({"function": "data.py"}, tmp_path)
    assert parts["train"][0].tolist() == [[3, 0.5], [4, 0.25]]
    assert parts["test"][0].tolist() == [[5, 1]]


def test_several_inputs_that_are_drawn(tmp_path):
    inputs = {"user": {"values": "integers", "below": 7}, "item": {"values": "integers", "below": 7}}
    _, parts = prepared({"random": {"samples": 99, "inputs": inputs}}, tmp_path)
    user, item = parts["train"][0].T
    assert set(user) == set(item) == set(range(7))
    assert not np.array_equal(user, item)


BAD_FILES = {
    "differ in their number of samples: 10 of a, 9 of b": {"train": {"a": "x.npy", "b": "short.npy"}},
    "whole number of a is above": {"train": {"a": "large.npy", "b": "x.npy"}},
    "cannot be read": {"train": "gone.npy"},
    "holds objects of Python": {"train": "objects.npy"},
    "is not a file of arrays": {"train": "text.npy"},
    "has no array z": {"train": "two.npz:z"},
    "holds several arrays": {"train": "two.npz"},
    "not one for each sample": {"train": "x.npy", "labels": "short.npy"},
    "not finite": {"train": "nan.npy"},
    "does not fit into 32 bits": {"train": "large.npy"},
}


@pytest.mark.parametrize("said", BAD_FILES)
def test_bad_files(said, tmp_path):
    np.save(tmp_path / "x.npy", np.ones((10, 2)))
    np.save(tmp_path / "short.npy", np.ones(9))
    np.save(tmp_path / "nan.npy", np.full((10, 2), np.nan))
    np.save(tmp_path / "large.npy", np.full((10, 2), 2**40))
    np.savez(tmp_path / "two.npz", a=np.ones(3), b=np.ones(3))
    (tmp_path / "objects.npy").write_bytes(b"")
    np.save(tmp_path / "objects.npy", np.array([{}], dtype=object), allow_pickle=True)
    (tmp_path / "text.npy").write_text("not an array")
    with pytest.raises(DataError) as error:
        prepared(BAD_FILES[said], tmp_path)
    assert said in error.value.what


def test_a_pickle_is_never_loaded(tmp_path):
    class Bomb:
        def __reduce__(self):
            return (open, (str(tmp_path / "exploded"), "w"))

    (tmp_path / "x.npy").write_bytes(pickle.dumps(Bomb()))
    with pytest.raises(DataError):
        prepared({"train": "x.npy"}, tmp_path)
    assert not (tmp_path / "exploded").exists()


BAD_FUNCTIONS = {
    "other inputs for test": "def load():\n    return {'train': {'a': [1]}, 'test': {'b': [1]}, 'labels': [1]}\n",
    "'a b' cannot be the name": "def load():\n    return {'train': {'a b': [1]}}\n",
    "labels with the type object": "def load():\n    return {'train': [1], 'labels': {'a': [1]}}\n",
    "line 2: load() failed: ValueError: no rows": "def load():\n    raise ValueError('no rows')\n",
    "has no attribute 'load'": "def other():\n    pass\n",
    "is to return a dictionary": "def load():\n    return {'x': [1.0]}\n",
    "not numbers": "def load():\n    return {'train': ['a']}\n",
    "has not returned after": "import time\n\ndef load():\n    time.sleep(60)\n",
}


@pytest.mark.parametrize("said", BAD_FUNCTIONS)
def test_bad_functions(said, tmp_path):
    (tmp_path / "data.py").write_text(BAD_FUNCTIONS[said])
    limit = 1.0 if "returned after" in said else None
    with pytest.raises(DataError) as error:
        call_function(OwnFunction(function="data.py"), tmp_path, tmp_path, limit)
    assert said in error.value.what
    assert "data.py" in error.value.what


@pytest.mark.parametrize(
    "stated",
    [
        {},
        {"train": "x.npy", "test": "t.npy", "labels": "y.npy"},
        {"train": "x.npy", "function": "data.py"},
        {"random": {"samples": 3, "inputs": {}}, "train": "x.npy"},
        {"random": {"samples": 3, "inputs": {"values": "integers"}}},
        {"random": {"samples": 0, "inputs": {}}},
        {"trian": "x.npy"},
        {"train": {}},
        {"train": {"a b": "x.npy"}},
        {"train": {"a": "x.npy"}, "labels": "y.npy", "test": {"b": "x.npy"}, "test_labels": "y.npy"},
        {"random": {"samples": 3, "inputs": {"a b": {"shape": [3]}}}},
        {"random": {"samples": 3, "inputs": {"a": {"shape": [3]}, "b": {"values": "integers"}}}},
    ],
)
def test_statements_that_are_none(stated):
    with pytest.raises(ValidationError):
        DataEntry.model_validate(stated)
