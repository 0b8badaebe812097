"""The round-off of a sum: of two trials, one sums as PyTorch does, in pairs, and the other in a loop."""

import subprocess
from pathlib import Path

import numpy as np
import pytest
from laboratory import environment

pytestmark = pytest.mark.environment

CHECK = Path(__file__).parent / "check_summation.py"
SHAPE = (2, 3, 128, 128)


@pytest.fixture(scope="module")
def summed(tmp_path_factory):
    folder = tmp_path_factory.mktemp("summation")
    numbers = np.random.default_rng(0).normal(5, 1, SHAPE).astype(np.float32)
    np.save(folder / "numbers.npy", numbers)
    words = [str(environment("pytorch@2.13.0").python), str(CHECK), str(folder)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return numbers, {path.stem: np.load(path) for path in folder.glob("*_*.npy")}


def loop(numbers):
    total = np.float32(0)
    for number in numbers:
        total += number
    return total


def test_a_loop_adds_one_number_after_the_other_there_and_on_the_way_back(summed):
    numbers, found = summed
    channels = numbers.transpose(1, 0, 2, 3).reshape(SHAPE[1], -1)
    expected = np.array([loop(channel) for channel in channels], np.float32)
    np.testing.assert_array_equal(found["loop_total"], expected)
    np.testing.assert_array_equal(found["loop_back"], expected)
    np.testing.assert_array_equal(found["loop_mean"], (expected / np.float32(channels.shape[1]))[None, :, None, None])


def test_its_round_off_is_larger_than_that_of_pairs(summed):
    """Higham, section 4.2: in pairs it grows with the logarithm of their number. Else the trials would be one."""
    numbers, found = summed
    exact = numbers.sum((0, 2, 3), dtype=np.float64)
    off = {name: np.abs(found[f"{name}_total"] - exact).max() / exact.max() for name in ("loop", "pairs")}
    assert off["pairs"] < 3e-7, "two units in the last place of float32 are 2.4e-7"
    assert 3 * off["pairs"] < off["loop"] < 1e-4
