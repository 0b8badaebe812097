"""Losses that agree, noise that grows, and those that must not be taken for it."""

from math import nan

import numpy as np
import pytest

from rosettabench.watch.agreement import Split
from rosettabench.watch.losses import FLOOR, Losses, floor_of

VOICES = {name: name for name in ("a", "b", "c")}


UNSTABLE = {
    "a": [
        0.6709, 0.6671, 0.6550, 0.6351, 0.6050, 0.6041, 0.5856, 0.5815, 0.5442, 0.6317, 0.5805, 0.5388, 0.6032,
        0.6165, 0.6203, 0.6326, 0.6165, 0.6371, 0.6274, 0.6351, 0.6393, 0.6344, 0.6414, 0.6301, 0.6114, 0.6249,
        0.6280, 0.6264, 0.6239, 0.6328, 0.6303, 0.6346, 0.6163, 0.6153, 0.6249, 0.6235, 0.6175, 0.6184, 0.6180,
        0.6230,
    ],
    "b": [
        0.6709, 0.6671, 0.6550, 0.6351, 0.6051, 0.6042, 0.5851, 0.5796, 0.5356, 0.6567, 0.6080, 0.5955, 0.5500,
        0.5865, 0.6058, 0.6135, 0.5931, 0.6142, 0.5991, 0.6119, 0.6093, 0.6047, 0.6122, 0.5996, 0.5776, 0.5944,
        0.5906, 0.5879, 0.5829, 0.5906, 0.5825, 0.5836, 0.5663, 0.5552, 0.5634, 0.5640, 0.5479, 0.5371, 0.5313,
        0.5460,
    ],
}  # fmt: skip
"""Mean losses of the steps 23 to 62 of imdb-lstm with batches of 1024: PyTorch and MXNet, both honest."""


def noisy(random, size):
    """A loss of 0.5 for everybody, but for noise of a relative size."""
    return {name: 0.5 * (1 + size * random.standard_normal()) for name in VOICES}


def test_honest_noise_may_grow_until_it_is_loud():
    random = np.random.default_rng(0)
    for trial in range(200):
        losses = Losses(VOICES, loud=False)
        for size in np.geomspace(1e-7, 0.05, 40 + trial % 40):
            assert losses.note(noisy(random, size)).agree
        assert losses.on_average().agree


def test_a_unit_that_turns_is_nobodys_fault():
    losses = Losses(VOICES, loud=False)
    losses.note({"a": 0.5, "b": 0.5000005, "c": 0.5})
    assert losses.note({"a": 0.5, "b": 0.5, "c": 0.5002}).agree


def test_a_jump_names_who_jumped():
    losses = Losses(VOICES, loud=False)
    losses.note(dict.fromkeys(VOICES, 2.3))
    assert losses.note({"a": 0.467, "b": 0.751, "c": 0.751}) == Split(odd=("a",))


def test_in_loud_noise_the_average_tells():
    random = np.random.default_rng(0)
    losses = Losses(VOICES, loud=True)
    for _ in range(24):
        assert losses.note({**noisy(random, 0.05), "b": 0.58 * (1 + 0.05 * random.standard_normal())}).agree
    assert losses.on_average() == Split(odd=("b",))


def test_a_late_change_is_seen_in_the_later_half():
    random = np.random.default_rng(0)
    losses = Losses(VOICES, loud=True)
    for number in range(40):
        late = 0.6 if number >= 20 else 0.5
        losses.note({**noisy(random, 0.02), "c": late})
    assert losses.on_average() == Split(odd=("c",))


def test_a_few_wild_blocks_are_nobodys_fault():
    random = np.random.default_rng(0)
    losses = Losses(VOICES, loud=True)
    for number in range(40):
        losses.note({**noisy(random, 0.02), "a": 1.0 if 20 <= number < 25 else 0.5})
    assert losses.on_average().agree, "training jumps now and then, and round-off decides when"


def unstable(copy=None, **more):
    """What is known of contenders that trained like UNSTABLE, beside a copy of "a" if it has losses, and `more`."""
    told = {**UNSTABLE, **more}
    losses = Losses(dict.fromkeys(told, "") | {name: name for name in told}, False, {"a#2": "a"} if copy else None)
    for number in range(40):
        beside = {"a#2": copy[number]} if copy else {}
        assert losses.note({name: values[number] for name, values in told.items()} | beside).agree
    return losses


def drifting(apart):
    """Losses that drift away from "a" in UNSTABLE, from round-off to a relative difference of `apart`."""
    return [loss * (1 + min(apart, 1e-6 * 10**number)) for number, loss in enumerate(UNSTABLE["a"])]


def test_where_equals_drift_apart_averages_may_differ():
    assert not unstable(drifting(0.001)).on_average().agree, "an honest contender is odd where equals stay together"
    assert unstable(drifting(0.01)).on_average().agree, "what copies of PyTorch were apart by in 50 of these steps"


@pytest.mark.parametrize(("equals", "other"), [(0.002, 0.06), (0.006, 0.14)])
def test_who_is_further_away_than_equals_is_odd(equals, other):
    losses = unstable(drifting(equals), b=UNSTABLE["a"], c=drifting(other))
    assert losses.on_average() == Split(odd=("c",))


def test_without_a_control_unstable_training_is_not_compared_on_average():
    losses = unstable()
    assert losses.unknown
    assert losses.on_average().agree
    assert not unstable(drifting(0.06)).unknown


def test_a_copy_that_left_measures_nothing():
    losses = unstable(drifting(0.001))
    assert not losses.unknown and not losses.on_average().agree
    losses.note({"a": 0.6, "b": 0.55})
    assert losses.unknown and losses.on_average().agree


def test_a_copy_is_nobodys_voice():
    losses = Losses(VOICES, False, {"a#2": "a"})
    assert losses.note({"a": 0.5, "b": 0.5, "c": 0.5, "a#2": 0.9}).agree
    assert set(losses.means()) == set(VOICES)


@pytest.mark.parametrize("bad", [nan, float("inf")])
def test_a_loss_that_is_no_number(bad):
    losses = Losses(VOICES, loud=False)
    assert losses.note({"a": 0.5, "b": bad, "c": 0.5}) == Split(odd=("b",))
    assert Losses(VOICES, loud=False).note(dict.fromkeys(VOICES, bad)).agree, "then it is the workload"


def test_a_likelihood_may_cross_zero():
    losses = Losses(VOICES, loud=False)
    losses.note(dict.fromkeys(VOICES, 2.0))
    assert losses.note({"a": 1e-6, "b": -1e-6, "c": 0.0}).agree


def test_who_left_is_not_asked_for():
    losses = Losses(VOICES, loud=False)
    losses.note(dict.fromkeys(VOICES, 0.5))
    losses.note({"a": 0.5, "b": 0.5})
    assert losses.means() == {"a": 0.5, "b": 0.5}
    assert losses.on_average().agree


def two_blocks(second, floor=FLOOR):
    """Losses of contenders that agree in the first block, and in the second have {label: loss}."""
    losses = Losses(VOICES, loud=False)
    losses.note(dict.fromkeys(VOICES, 2.3 * (1 + 1e-7)))
    losses.parted = losses.note(second, floor)
    return losses


def test_round_off_beside_the_reference_is_nobodys_fault():
    assert two_blocks(dict.fromkeys(VOICES, 2.0003)).off_reference([2.3, 2.0], [1e-7, 1e-7]) == {}


def test_all_may_agree_and_the_reference_says_otherwise():
    losses = two_blocks(dict.fromkeys(VOICES, 2.1))
    assert losses.parted.agree
    found = losses.off_reference([2.3, 2.0], [1e-7, 1e-7])
    assert set(found) == set(VOICES)
    assert found["a"].words == "in warm-up block 2 its mean loss is 2.1, that of the reference 2"


def test_who_is_right_by_the_reference_stays():
    assert set(two_blocks({"a": 2.0, "b": 2.0, "c": nan}).off_reference([2.3, 2.0], [1e-7, 1e-7])) == {"c"}


NOISY = {"a": 4.372835, "b": 4.37975, "c": 4.37527}
"""Mean losses of the steps 2 to 6 of cifar-resnet56: of the reference, of PyTorch and of the reference in float32."""


def test_noise_that_grows_within_five_steps_is_nobodys_fault():
    noise = abs(NOISY["a"] - NOISY["c"]) / NOISY["a"]
    assert not two_blocks(NOISY).parted.agree, "without the measured noise an honest contender is odd"
    assert two_blocks(NOISY, floor_of(noise)).parted.agree
    assert two_blocks(NOISY).off_reference([2.3, NOISY["a"]], [1e-7, noise]) == {}


def test_a_loss_that_is_off_by_more_than_the_noise_is_seen():
    """By 1%: less than twice what the noise of cifar-resnet56 allows."""
    noise = abs(NOISY["a"] - NOISY["c"]) / NOISY["a"]
    assert two_blocks({**NOISY, "b": 1.01 * NOISY["a"]}, floor_of(noise)).parted.odd == ("b",)
