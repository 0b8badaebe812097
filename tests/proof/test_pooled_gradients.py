"""Equal gradients, as an average pool hands them on, are rounded alike: by libraries, and by the reference's loop."""

import subprocess
from pathlib import Path

import numpy as np
import pytest
from laboratory import environment

pytestmark = pytest.mark.environment

CHECK = Path(__file__).parent / "check_pooled_gradients.py"
CHANNELS, SIDE = 64, 64
POOLS = (1, 2, 8)
"""The sides of the pools."""


@pytest.fixture(scope="module")
def off(tmp_path_factory):
    """By library or trial of round-off, how far the kernel's gradient is off behind each pool."""
    folder, generator = tmp_path_factory.mktemp("pooled"), np.random.default_rng(0)
    kernel = generator.normal(0, np.sqrt(2 / CHANNELS), (CHANNELS, CHANNELS))
    given = {
        "images": 16 + generator.standard_normal((2, CHANNELS, SIDE, SIDE)),
        "kernel": kernel - kernel.mean(1, keepdims=True),
        "gradients": np.stack([pooled(generator, side) for side in POOLS]),
    }
    for name, array in given.items():
        np.save(folder / f"{name}.npy", array.astype(np.float32))
    for lock, name in {"pytorch@2.13.0": "pytorch", "mxnet@1.9.1": "mxnet"}.items():
        words = [str(environment(lock).python), str(CHECK), str(folder), name]
        done = subprocess.run(words, capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, done.stderr
    found = {path.stem.removeprefix("found_"): np.load(path) for path in folder.glob("found_*.npy")}
    exact = found.pop("exact")
    sizes = np.linalg.norm(exact, axis=(1, 2))
    deviations = {name: np.linalg.norm(one - exact, axis=(1, 2)) / sizes for name, one in found.items()}
    for name, behind in deviations.items():
        print("OFF", name, *(f"{one:.1e}" for one in behind))
    return deviations


def pooled(generator, side):
    """The gradient in front of an average pool: each number is repeated over a square."""
    numbers = generator.standard_normal((2, CHANNELS, SIDE // side, SIDE // side))
    return numbers.repeat(side, 2).repeat(side, 3)


def test_equal_gradients_are_far_off_in_a_library(off):
    each, _, equal = off["mxnet"]
    assert equal > 20 * each, "the kernel's inputs are all near 16: an offset of the gradient adds up over them"


def test_the_trial_that_sums_in_a_loop_shows_it(off):
    assert off["mxnet"] == pytest.approx(off["loop"], rel=0.5)
    assert off["loop"][2] > 20 * off["pairs"][2], "sums in pairs do not"
