"""The interval covers what it should after every round at once, and knows neither units nor the order of a pair."""

from math import log

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from rosettabench.statistics.evidence import FEWEST_ROUNDS, log_evidence, scales, threshold
from rosettabench.statistics.interval import fewest_rounds, never_refuted, ratio_interval, trimmed_mean

positive = st.floats(0.05, 20)
contests = st.builds(
    lambda seed, rounds, spread, tail: list(
        map(float, np.exp(spread * np.random.default_rng(seed).standard_t(tail, rounds).clip(-50, 50)))
    ),
    st.integers(0, 10**6),
    st.integers(FEWEST_ROUNDS, 80),
    st.floats(1e-4, 0.05),
    st.sampled_from([1, 2, 5, 50]),
)


@given(contests)
def test_inverse_ratios_give_the_inverse_interval(ratios):
    straight, inverse = ratio_interval(ratios), ratio_interval([1 / ratio for ratio in ratios])
    assert (straight is None) == (inverse is None)
    if straight is not None:
        turned = straight.inverse()
        assert inverse.steady == turned.steady
        assert [inverse.ratio, inverse.low, inverse.high] == pytest.approx([turned.ratio, turned.low, turned.high])


@given(contests, positive)
def test_scaling_one_contender_scales_the_interval(ratios, factor):
    before, after = ratio_interval(ratios), ratio_interval([ratio * factor for ratio in ratios])
    assert (before is None) == (after is None)
    if before is not None:
        assert after.ratio == pytest.approx(before.ratio * factor)
        assert after.precision == pytest.approx(before.precision, rel=1e-4, abs=1e-9)


@given(contests, st.floats(0.1, 10))
def test_noise_twice_as_large_makes_an_interval_twice_as_wide(ratios, factor):
    before, after = ratio_interval(ratios), ratio_interval([ratio**factor for ratio in ratios])
    assume(before is not None and after is not None)
    assert log(after.low) == pytest.approx(factor * log(before.low), rel=1e-4, abs=1e-9)
    assert log(after.high) == pytest.approx(factor * log(before.high), rel=1e-4, abs=1e-9)


@given(st.lists(positive, min_size=FEWEST_ROUNDS, max_size=40))
def test_the_estimate_lies_in_the_interval(ratios):
    interval = ratio_interval(ratios)
    assert interval is None or interval.low <= interval.ratio <= interval.high


@given(st.lists(positive, max_size=FEWEST_ROUNDS - 1))
def test_too_few_rounds_give_no_interval(ratios):
    assert ratio_interval(ratios) is None


@pytest.mark.parametrize("wrong", [0.0, -1.0, float("nan"), float("inf")])
def test_an_impossible_ratio_is_refused(wrong):
    with pytest.raises(ValueError, match="positive, finite"):
        ratio_interval([1.0] * 20 + [wrong])


@pytest.mark.parametrize("tests", [1, 6, 45])
def test_equal_rounds_give_an_interval_as_soon_as_any_could(tests):
    rounds = fewest_rounds(0.95, tests)
    assert rounds == FEWEST_ROUNDS or ratio_interval([1.5] * (rounds - 1), 0.95, tests) is None
    interval = ratio_interval([1.5] * rounds, 0.95, tests)
    assert [interval.low, interval.high] == pytest.approx([1.5, 1.5])


@given(st.lists(st.floats(-3, 3), min_size=FEWEST_ROUNDS, max_size=40), st.integers(FEWEST_ROUNDS, 40))
def test_evidence_never_uses_what_comes_later(deviations, rounds):
    """What was thought after a round stays as it was: else stopping would be betting in hindsight."""
    early = log_evidence(np.array(deviations[:rounds]))
    assert log_evidence(np.array(deviations))[:rounds] == pytest.approx(early)


@given(st.integers(0, 10**6), st.integers(1, 12))
def test_evidence_is_a_fair_bet_on_every_sign(seed, more):
    """Over all assignments of signs to given sizes its mean is 1, whatever the sizes: all of them are tried."""
    sizes = np.random.default_rng(seed).standard_cauchy(FEWEST_ROUNDS + more % 4)
    signs = np.array(np.meshgrid(*[[-1, 1]] * len(sizes))).reshape(len(sizes), -1).T
    assert np.exp(log_evidence(signs * sizes)).mean(axis=0) == pytest.approx(np.ones(len(sizes)))


def test_a_bet_that_knows_the_sign_would_not_be_fair():
    """The mistake planted: a scale of the values instead of their sizes lets the stake depend on what it is laid on."""
    sizes = np.random.default_rng(5).standard_cauchy(10)
    signs = np.array(np.meshgrid(*[[-1, 1]] * 10)).reshape(10, -1).T
    knowing = [1 + np.tanh(row * sizes / scales(row * sizes + 1)) for row in signs]
    assert abs(np.prod(knowing, axis=1).mean() - 1) > 0.01


def test_a_burst_in_one_round_does_not_decide():
    quiet = [1.30, 1.31, 1.32, 1.31, 1.30, 1.31, 1.32, 1.31, 1.30, 1.31, 1.30, 1.32]
    hit = [*quiet[:-1], 13.0]
    assert ratio_interval(hit).ratio == pytest.approx(1.31, abs=0.01)
    assert ratio_interval(hit).low > 1.29
    assert ratio_interval(hit).high < 1.36


def test_rounds_that_contradict_each_other_are_told():
    generator = np.random.default_rng(3)
    jump = np.exp(generator.normal(0, 0.01, 40) + np.repeat([0, log(1.5)], 20))
    interval = ratio_interval(list(map(float, jump)))
    assert not interval.steady
    assert interval.low < 1.01
    assert interval.high > 1.49


def noise(generator, kind, size):
    """Logarithms of block-time ratios: what pairs of blocks of equal contenders look like on a shared machine."""
    if kind == "normal":
        return generator.normal(0, 0.05, size)
    if kind == "heavy tails":
        return 0.03 * generator.standard_t(2, size)
    if kind == "variance drift":
        return generator.normal(0, 0.05, size) * np.exp(np.cumsum(generator.normal(0, 0.3, size), axis=-1))
    burst = generator.random(size) < 0.1
    return generator.normal(0, 0.03, size) + burst * generator.exponential(0.5, size) * generator.choice([-1, 1], size)


@pytest.mark.parametrize("kind", ["normal", "heavy tails", "bursts", "variance drift"])
def test_the_truth_is_rarely_refuted_at_any_round(kind):
    logs = noise(np.random.default_rng(20261120), kind, (4000, 60))
    ever = (log_evidence(logs).max(axis=-1) >= threshold(0.95)).mean()
    assert ever <= 0.05


def test_forgetting_that_one_looks_often_would_refute_it():
    """The mistake that all this is there to prevent, planted: Student's t at 95% after every round."""
    logs = noise(np.random.default_rng(7), "normal", (2000, 60))
    counts = np.arange(1, 61)
    means = np.cumsum(logs, axis=-1) / counts
    variances = (np.cumsum(logs**2, axis=-1) - counts * means**2) / np.maximum(1, counts - 1)
    statistics = np.abs(means) / np.sqrt(variances / counts + 1e-12)
    assert (statistics[:, FEWEST_ROUNDS:] > 2.3).any(axis=-1).mean() > 0.12


@pytest.mark.parametrize("kind", ["normal", "heavy tails", "bursts"])
def test_what_the_evidence_refutes_is_what_the_interval_leaves_out(kind):
    for seed in range(20):
        logs = np.log(1.05) + noise(np.random.default_rng(seed), kind, 30)
        interval = ratio_interval(list(map(float, np.exp(logs))))
        refuted = log_evidence(logs).max() >= threshold(0.95)
        assert not interval.steady or refuted == (not interval.low <= 1 <= interval.high)


@pytest.mark.parametrize("rounds", [8, 20, 233])
@pytest.mark.parametrize("exact", [1e-6, 0.01])
def test_an_end_is_refuted_and_a_little_before_it_is_not(rounds, exact):
    limit = threshold(0.95)
    for seed in range(20):
        logs = np.random.default_rng(seed).standard_t(2, rounds)
        middle = trimmed_mean(logs)
        if log_evidence(logs - middle).max() >= limit:
            continue  # the search begins elsewhere
        for end in never_refuted(logs, middle, limit, exact):
            before = middle + (1 - exact) * (end - middle)
            assert not np.isfinite(end) or log_evidence(logs - end).max() >= limit > log_evidence(logs - before).max()
