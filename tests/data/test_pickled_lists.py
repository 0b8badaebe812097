"""Lists in pickles are read; nothing that a pickle asks for is done."""

import contextlib
import os
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosettabench.data.readers.pickled_lists import PickleRefused, lists_of_numbers

LISTS = st.lists(st.lists(st.integers(-(2**31), 2**31 - 1) | st.integers(0, 300)), max_size=8)

PYTHON_2 = (
    b"\x80\x02cnumpy.core.multiarray\n_reconstruct\nq\x01cnumpy\nndarray\nq\x02K\x00\x85q\x03U\x01bq\x04\x87q\x05Rq\x06"
    b"(K\x01K\x02\x85q\x07cnumpy\ndtype\nq\x08U\x02O8q\tK\x00K\x01\x87q\nRq\x0b(K\x03U\x01|q\x0cNNNJ\xff\xff\xff\xff"
    b"J\xff\xff\xff\xffK?tq\rb\x89]q\x0e(]q\x0f(K\x01M\x9aVe]q\x10K\x07aetq\x11b."
)
"""How Python 2, with which Keras' file was made, pickles the array of [1, 22170] and [7]."""


def object_array(lists):
    array = np.empty(len(lists), object)
    array[:] = lists
    return array


@given(LISTS, st.sampled_from([2, 3, 4, 5]))
def test_what_numpy_pickles_is_read(lists, protocol):
    # Protocol 5 would hand the buffer out of band, but object arrays have none.
    found = lists_of_numbers(pickle.dumps(object_array(lists), protocol))
    assert [element.tolist() for element in found] == lists


def test_long_lists_are_pickled_in_pieces_and_read_as_one():
    lists = [list(range(2_501)), [5] * 1_001]
    assert [element.tolist() for element in lists_of_numbers(pickle.dumps(object_array(lists), 4))] == lists


def test_a_pickle_of_python_2_is_read():
    assert [element.tolist() for element in lists_of_numbers(PYTHON_2)] == [[1, 22_170], [7]]


class Malicious:
    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return os.mkdir, (str(self.path),)


@pytest.mark.parametrize("protocol", range(6))
def test_a_call_is_refused_and_not_made(tmp_path, protocol):
    proof = tmp_path / "called"
    for thing in (Malicious(proof), [Malicious(proof)], object_array([[1, Malicious(proof)]])):
        with pytest.raises(PickleRefused):
            lists_of_numbers(pickle.dumps(thing, protocol))
    assert not proof.exists()
    pickle.loads(pickle.dumps(Malicious(proof), protocol))  # noqa: S301 - the trap works for those who unpickle
    assert proof.exists()


@pytest.mark.parametrize(
    "thing", [[[1]], (1,), None, np.arange(3), np.array([{}]), np.array([None]), np.array([["a"]])]
)
def test_other_things_are_refused(thing):
    with pytest.raises(PickleRefused):
        lists_of_numbers(pickle.dumps(thing, 4))


@pytest.mark.parametrize("lists", [[["a"]], [[1.5]], [[None]], [[2**70]], [[[1]]]])
def test_lists_of_other_things_are_refused(lists):
    with pytest.raises(PickleRefused):
        lists_of_numbers(pickle.dumps(object_array(lists), 4))


@given(st.data())
def test_a_pickle_that_is_cut_anywhere_is_refused(data):
    whole = pickle.dumps(object_array([[1, 300, 70_000], [2]]), data.draw(st.sampled_from([2, 4])))
    with pytest.raises(PickleRefused):
        lists_of_numbers(whole[: data.draw(st.integers(0, len(whole) - 1))])


@given(st.data())
def test_a_pickle_with_changed_bytes_is_read_or_refused(data):
    damaged = bytearray(pickle.dumps(object_array([[1, 300, 70_000], [2]]), data.draw(st.sampled_from([2, 4]))))
    for _ in range(3):
        damaged[data.draw(st.integers(0, len(damaged) - 1))] = data.draw(st.integers(0, 255))
    with contextlib.suppress(PickleRefused):
        assert all(element.dtype == np.int64 for element in lists_of_numbers(bytes(damaged)))
