"""idx files: what is written is read, and nothing that is cut off, changed or of another kind."""

import gzip

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from originals import idx

from rosettabench.data.readers.idx import read_idx
from rosettabench.errors import DataError

BYTES = arrays(np.uint8, array_shapes(min_dims=1, max_dims=3, max_side=6))


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    return tmp_path_factory.mktemp("idx") / "images-idx3-ubyte.gz"


@given(array=BYTES, packed=st.booleans())
def test_what_is_written_is_read(path, array, packed):
    path.write_bytes(gzip.compress(idx(array)) if packed else idx(array))
    assert np.array_equal(read_idx(path, array.shape), array)


@given(array=BYTES, packed=st.booleans(), data=st.data())
def test_a_file_that_is_cut_anywhere_is_refused(path, array, packed, data):
    whole = gzip.compress(idx(array)) if packed else idx(array)
    path.write_bytes(whole[: data.draw(st.integers(0, len(whole) - 1))])
    with pytest.raises(DataError, match=r"images-idx3-ubyte\.gz"):
        read_idx(path, array.shape)


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"\x89PNG" + bytes(100), "magic number"),
        (bytes([0, 0, 0x0D, 1, 0, 0, 0, 3]) + bytes(12), "magic number"),  # float32
        (idx(np.zeros((4, 3), np.uint8)), "magic number"),  # two axes
        (idx(np.zeros(4, np.uint8)), "announces 4 bytes, where 3 were expected"),
        (idx(np.zeros(3, np.uint8)) + b"x", "holds more, where 3 bytes were expected"),
        (idx(np.zeros(3, np.uint8))[:-1], "holds only 2, where 3 bytes were expected"),
        (gzip.compress(idx(np.zeros(3, np.uint8)), mtime=0)[:-9], "cut off or damaged"),  # the time would be its name
    ],
)
def test_a_wrong_file_is_named_with_what_was_expected(path, content, expected):
    path.write_bytes(content)
    with pytest.raises(DataError, match=expected) as caught:
        read_idx(path, (3,))
    assert str(path) in caught.value.what
    assert caught.value.hint
