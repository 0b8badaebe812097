"""The ratio of mean times, beside that of usual rounds."""

import numpy as np
import pytest

from rosettabench.statistics.between import PRIOR
from rosettabench.statistics.means import mean_ratio
from rosettabench.statistics.ranking import compare
from rosettabench.statistics.verdict import Finding

EVEN = dict.fromkeys(range(1, 21), 1.0)


def test_it_is_the_ratio_of_the_sums_and_turns_round():
    a, b = {1: 1.0, 2: 2.0, 3: 3.0}, {1: 2.0, 2: 2.0, 3: 5.0, 4: 9.0}
    found, back = mean_ratio(a, b, {}), mean_ratio(b, a, {})
    assert found.ratio == pytest.approx(1.5)
    assert (back.ratio, back.low, back.high) == pytest.approx((1 / 1.5, 1 / found.high, 1 / found.low))
    assert mean_ratio({1: 1.0}, {1: 1.0}, {}) is None


@pytest.mark.parametrize("processes", [{}, {number: (number + 3) // 4 for number in EVEN}])
def test_its_interval_holds_the_truth_as_often_as_it_says(processes):
    draw = np.random.default_rng(7)
    held = 0
    for _ in range(400):
        machine_change = draw.lognormal(0, 0.1, 20)
        a, b = (
            dict(zip(EVEN, map(float, machine_change * draw.lognormal(0, 0.05, 20)), strict=True)) for _ in range(2)
        )
        found = mean_ratio(a, b, processes)
        held += found.low <= 1 <= found.high
    assert 0.92 <= held / 400 <= 0.98


def test_a_few_processes_of_many_contenders_are_pooled_with_the_prior():
    draw = np.random.default_rng(8)
    a, b = ({number: float(draw.lognormal(0, 0.3)) for number in EVEN} for _ in range(2))
    found = mean_ratio(a, b, {number: number // 6 for number in EVEN}, tests=105)
    assert np.log(found.high / found.low) / 2 < PRIOR.reach(1, 0.95, 105)


@pytest.mark.parametrize(("stalled", "finding"), [(1.0, Finding.EQUIVALENT), (6.0, Finding.OPEN)])
def test_one_long_turn_is_no_difference_in_usual_rounds_and_one_in_all(stalled, finding):
    draw = np.random.default_rng(1)
    a, b = ({number: float(draw.lognormal(0, 0.002)) for number in EVEN} for _ in range(2))
    b[7] = stalled
    (verdict,) = compare({"a": a, "b": b}, 0.95, 0.02)
    assert verdict.finding is finding
    (turned,) = compare({"b": b, "a": a}, 0.95, 0.02)
    assert turned.finding is finding
