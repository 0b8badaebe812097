"""Tolerances follow the measured noise, and the loss's does not forget."""

from rosettabench.proof.comparison import Deviation
from rosettabench.proof.tolerance import FIRST_LOGITS, GUIDES, LARGEST, MIXED, SAFETY, Tolerances


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


def test_each_tensor_has_its_own_noise_however_many_there_are():
    """A kernel that is a thousand times as noisy allows the others nothing."""
    noise = [Deviation("gradient", 1, f"block{number}.kernel", 1e-6) for number in range(1000)]
    noise += [Deviation("gradient", 1, "block0.kernel", 5e-4), Deviation("gradient", 2, "block1.kernel", 5e-4)]
    tolerances = Tolerances(noise)
    assert tolerances.of(Deviation("gradient", 1, "block0.kernel", 0.0)) == SAFETY * 5e-4
    assert tolerances.of(Deviation("gradient", 1, "block1.kernel", 0.0)) == GUIDES["gradient"]


def test_no_noise_allows_more_than_a_hundredth_but_in_mixed_precision():
    noise = [Deviation("gradient", 1, "kernel", 0.05)]
    off = Deviation("gradient", 1, "kernel", 0.0)
    assert Tolerances(noise).of(off) == LARGEST
    assert Tolerances(noise, "bfloat16").of(off) == SAFETY * 0.05
    shares = [Deviation("dropout share", None, "hidden", 3.0), Deviation("margin", 0, None, 0.3)]
    assert [Tolerances(noise).of(one) for one in shares] == [5.0, 0.5], "these are no relative deviations"


def test_the_first_logits_have_a_guide_of_their_own_in_float32_on_a_cpu():
    """Nothing has been trained yet: what differs is one forward pass."""
    first, later = (Deviation("logits", step, None, 0.0) for step in (0, 1))
    assert Tolerances([]).of(first) == FIRST_LOGITS < Tolerances([]).of(later) == GUIDES["logits"]
    assert Tolerances([Deviation("logits", 0, None, 1e-6)]).of(first) == SAFETY * 1e-6, "deep networks have more noise"
    assert Tolerances([], device="cuda").of(first) == GUIDES["logits"]
    assert Tolerances([], "bfloat16").of(first) == MIXED["bfloat16"]["logits"]
