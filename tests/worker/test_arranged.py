"""What a worker makes of the arrays that it is given, before anything is timed."""

from types import SimpleNamespace

import numpy as np

from rosetta_worker.framework import Framework, Setting


def arranged(inputs, **functions):
    return Framework(SimpleNamespace(**functions), Setting()).arranged(inputs)


def test_bytes_become_numbers_from_0_to_1_each_rounded_once():
    found = arranged(np.arange(256, dtype=np.uint8).reshape(4, 64))
    assert found.dtype == np.float32
    assert np.array_equal(found.ravel(), (np.arange(256) / 255.0).astype(np.float32))


def test_other_numbers_stay_as_they_are():
    for kind in (np.float32, np.int32):
        array = np.arange(6, dtype=kind).reshape(2, 3)
        assert arranged(array).dtype == kind and np.array_equal(arranged(array), array)


def test_bytes_are_turned_as_the_implementation_asks():
    images = np.arange(24, dtype=np.uint8).reshape(1, 3, 4, 2)
    found = arranged(images, arrange=lambda array: array.transpose(0, 2, 3, 1))
    assert found.shape == (1, 4, 2, 3) and found.flags.c_contiguous
    assert np.array_equal(found.transpose(0, 3, 1, 2), arranged(images))
