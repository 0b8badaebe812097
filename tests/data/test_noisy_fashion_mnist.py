"""Fashion-MNIST with noise: every sample is mixed as the literature mixes it, with a time step and noise of its own."""

import numpy as np
import originals
import pytest

from rosettabench.catalogue.workload import find_workload
from rosettabench.data.data_set import Portion
from rosettabench.data.sets.noisy_fashion_mnist import NoisyFashionMnist, noisy
from rosettabench.errors import UsageError

FORM = {"steps": 1000, "first_beta": 1e-4, "last_beta": 0.02}


def grey(samples=4000, part="train"):
    """Images of which every pixel is 3 / 4: 0.5 between -1 and 1."""
    return Portion(part, np.full((samples, 784), 0.75, np.float32), np.zeros(samples, np.int32))


def test_a_noisy_image_is_the_image_and_its_noise_in_the_shares_of_its_step():
    _, inputs, noise = noisy(grey(), FORM)
    assert (inputs.shape, noise.shape) == ((4000, 785), (4000, 784))
    assert inputs.dtype == noise.dtype == np.float32
    for sample in range(0, 4000, 400):
        kept = 1.0
        for step in range(int(inputs[sample, 784]) + 1):
            kept *= 1 - (1e-4 + (0.02 - 1e-4) * step / 999)
        expected = kept**0.5 * 0.5 + (1 - kept) ** 0.5 * noise[sample].astype(np.float64)
        assert np.abs(inputs[sample, :784] - expected).max() < 1e-6


def test_time_steps_are_uniform_and_noise_is_normal():
    _, inputs, noise = noisy(grey(), FORM)
    times = inputs[:, 784]
    assert (times.min(), times.max()) == (0, 999)
    assert np.array_equal(times, np.floor(times))
    assert abs(times.mean() - 499.5) < 4 * 288.7 / 4000**0.5
    assert abs(noise.mean()) < 4 / noise.size**0.5
    assert abs(noise.std() - 1) < 4 / (2 * noise.size) ** 0.5


def test_the_draws_are_always_the_same_and_those_of_the_parts_differ():
    once, again, other = noisy(grey(10), FORM), noisy(grey(10), FORM), noisy(grey(10, "test"), FORM)
    assert np.array_equal(once.inputs, again.inputs)
    assert not np.array_equal(once.labels, other.labels)


def test_originals_lie_where_those_of_fashion_mnist_do(tmp_path):
    data_set = NoisyFashionMnist(originals.fashion_mnist(tmp_path / "fashion-mnist"))
    source = data_set.find(tmp_path)
    assert source == data_set.find(tmp_path / "fashion-mnist")
    train, test = data_set.read(source, FORM, lambda word: None)
    assert (train.inputs.shape, test.inputs.shape) == ((50, 785), (20, 785))
    assert data_set.find(tmp_path / "nowhere") is None


def test_a_stand_in_gets_noise_in_the_same_way():
    small = originals.FashionMnist({"train": 50, "test": 20})
    train, _ = NoisyFashionMnist(small).stand_in(FORM)
    plain, _ = small.stand_in({"shape": [784]})
    assert np.array_equal(train.inputs, noisy(plain, FORM).inputs)


@pytest.mark.parametrize("change", [{"steps": 0}, {"steps": 9.5}, {"first_beta": 0.0}, {"last_beta": 1.0}, {"more": 1}])
def test_a_form_that_means_nothing_is_refused(change):
    with pytest.raises(UsageError, match="noisy-fashion-mnist"):
        NoisyFashionMnist().check({**FORM, **change})


def test_the_workload_takes_its_form():
    NoisyFashionMnist().check(find_workload("fashion-diffusion").data.form)
