"""Tolerances follow the measured noise, and the loss's does not forget."""

from rosettabench.proof.comparison import Deviation
from rosettabench.proof.tolerance import GUIDES, LARGEST, MANY, MIXED, SAFETY, Tolerances


def test_the_larger_noise_counts_and_the_guide_is_the_least():
    tolerances = Tolerances([Deviation("gradient", 3, "a", 1e-4), Deviation("gradient", 3, "a", 4e-4)])
    assert tolerances.of(Deviation("gradient", 3, "a", 0.0)) == SAFETY * 4e-4
    assert tolerances.of(Deviation("gradient", 2, "a", 0.0)) == GUIDES["gradient"]
    assert tolerances.of(Deviation("gradient", 3, "b", 0.0)) == GUIDES["gradient"]


def test_a_loss_that_agrees_by_chance_does_not_narrow_the_tolerance_again():
    noise = [Deviation("loss", step, None, value) for step, value in enumerate([1e-7, 4e-5, 2e-6, 5e-5])]
    noise += [Deviation("logits", step, None, value) for step, value in enumerate([1e-3, 1e-5])]
    tolerances = Tolerances(noise)
    assert [tolerances.noise(Deviation("loss", step, None, 0.0)) for step in range(4)] == [1e-7, 4e-5, 4e-5, 5e-5]
    assert tolerances.noise(Deviation("logits", 1, None, 0.0)) == 1e-5


def test_many_tensors_share_the_largest_noise_of_their_kind():
    """Of one quantity and one step; and in a small model each keeps its own."""
    for count, expected in ((MANY, 2e-3), (MANY - 1, 1e-6)):
        noise = [Deviation("gradient", 1, f"block{number}.kernel", 1e-6) for number in range(count)]
        noise += [
            Deviation("gradient", 1, "block0.kernel", 2e-3),
            Deviation("gradient", 2, "block1.kernel", 5e-1),
            Deviation("state", 1, "block1.kernel", 0.1),
        ]
        assert Tolerances(noise).noise(Deviation("gradient", 1, "block1.kernel", 0.0)) == expected


def test_no_kind_answers_for_another():
    noise = [Deviation("parameter", 1, f"block{number}.kernel", 1e-6) for number in range(MANY)]
    noise += [Deviation("gradient", 1, f"block{number}.kernel", 1e-6) for number in range(MANY)]
    noise += [Deviation("parameter", 1, "block1.bias", 1e-2), Deviation("parameter", 1, "output.bias", 1e-5)]
    found = {
        name: Tolerances(noise).noise(Deviation("parameter", 1, name, 0.0)) for name in ("block3.kernel", "output.bias")
    }
    assert found == {"block3.kernel": 1e-6, "output.bias": 1e-2}


def test_no_noise_allows_more_than_a_hundredth_but_in_mixed_precision():
    noise = [Deviation("gradient", 1, "kernel", 0.05)]
    off = Deviation("gradient", 1, "kernel", 0.0)
    assert Tolerances(noise).of(off) == LARGEST
    assert Tolerances(noise, MIXED["bfloat16"]).of(off) == SAFETY * 0.05
    shares = [Deviation("dropout share", None, "hidden", 3.0), Deviation("margin", 0, None, 0.3)]
    assert [Tolerances(noise).of(one) for one in shares] == [5.0, 0.5], "these are no relative deviations"
