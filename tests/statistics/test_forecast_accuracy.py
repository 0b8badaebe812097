"""The measures of forecasts: cases computed by hand, and what must hold for all of them."""

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from rosettabench.statistics.forecast_accuracy import (
    LEVELS,
    Forecast,
    forecast_accuracy,
    mase,
    quantile,
    quantile_loss,
    seasonal_error,
    smape,
)

NAN = math.nan

numbers = st.floats(-1e6, 1e6, allow_subnormal=False).filter(lambda one: one == 0 or abs(one) > 1e-6)


@st.composite
def forecasts(draw, observed=numbers):
    """A few series with their forecasts."""
    horizon, samples = draw(st.integers(1, 6)), draw(st.integers(1, 12))
    of = st.builds(
        Forecast,
        arrays(np.float64, st.integers(2, 20), elements=observed),
        arrays(np.float64, horizon, elements=observed),
        arrays(np.float64, (samples, horizon), elements=numbers),
    )
    return draw(st.lists(of, min_size=1, max_size=4))


def array(*values):
    return np.array(values, np.float64)


# -- by hand ----------------------------------------------------------------------------------------------------------


def test_mase_is_the_error_in_units_of_the_naive_one():
    past = array(1, 2, 4, 7)  # from season to season, two apart: 3 and 5
    assert seasonal_error(past, 2) == 4
    assert mase(past, array(10, 10), array(12, 4), 2) == (2 + 6) / 2 / 4


def test_a_past_no_longer_than_the_season_is_measured_from_value_to_value():
    assert seasonal_error(array(1, 2, 4, 7), 4) == seasonal_error(array(1, 2, 4, 7), 1) == 2
    assert seasonal_error(array(1, 2, 4, 7), 3) == 6
    assert math.isnan(seasonal_error(array(1), 1)) and math.isnan(seasonal_error(array(), 12))


def test_missing_values_are_left_out():
    assert seasonal_error(array(1, NAN, 4, 7, 9), 1) == (3 + 2) / 2
    assert mase(array(1, 2, 3), array(NAN, 5), array(100, 7), 1) == 2
    assert smape(array(NAN, 1), array(100, 3)) == 2 * (2 / 4)
    assert quantile_loss(array(NAN, 1), array(100, 3), 0.9) == pytest.approx(2 * 2 * 0.1)


def test_smape_is_relative_to_both_and_leaves_out_where_both_are_nothing():
    assert smape(array(1, 0, 0), array(3, 0, 5)) == (2 / 4 + 5 / 5) / 2 * 2
    assert math.isnan(smape(array(0), array(0)))


def test_the_quantile_loss_weighs_what_is_above_and_below():
    assert quantile_loss(array(10), array(12), 0.9) == pytest.approx(2 * 2 * 0.1)
    assert quantile_loss(array(10), array(8), 0.9) == pytest.approx(2 * 2 * 0.9)
    assert quantile_loss(array(10, 10), array(12, 8), 0.5) == 4


def test_of_a_hundred_paths_the_median_is_the_51st():
    ordered = np.arange(1.0, 101)[:, None]
    assert [quantile(ordered, level)[0] for level in LEVELS] == [11, 21, 31, 41, 51, 60, 70, 80, 90]


def test_all_series_together():
    one = Forecast(array(1, 2, 3), array(4, 5), np.array([[4.0, 5.0], [4.0, 5.0]]))  # perfect
    other = Forecast(array(1, 3, 1), array(10, 30), np.array([[12.0, 24.0]]))
    found = forecast_accuracy([one, other], 1)
    assert found.mase == (0 + 4 / 2) / 2
    assert found.smape == pytest.approx((0 + (2 / 22 + 6 / 54)) / 2)
    losses = [2 * 2 * (1 - level) + 2 * 6 * level for level in LEVELS]
    assert found.mean_weighted_quantile_loss == pytest.approx(np.mean(losses) / (4 + 5 + 10 + 30))


def test_a_series_without_a_measure_is_left_out_of_the_mean():
    seen = Forecast(array(1, 2, 3), array(4.0), np.array([[6.0]]))
    unseen = Forecast(array(1, 2, 3), array(NAN), np.array([[6.0]]))
    unseen_before = Forecast(array(NAN, NAN), array(4.0), np.array([[6.0]]))
    assert forecast_accuracy([seen, unseen], 1) == forecast_accuracy([seen], 1)
    assert forecast_accuracy([seen, unseen_before], 1).mase == 2
    nothing = forecast_accuracy([unseen], 1)
    assert (nothing.mase, nothing.smape, nothing.mean_weighted_quantile_loss) == (None, None, None)
    assert forecast_accuracy([], 1) == nothing


def test_a_series_that_never_changed_has_no_scale():
    flat = array(5, 5, 5)
    assert mase(flat, array(6), array(5), 1) == math.inf
    assert math.isnan(mase(flat, array(5), array(5), 1))


# -- for all ----------------------------------------------------------------------------------------------------------


@given(forecasts(), st.integers(1, 12), st.sampled_from([0.25, 4.0, 1024.0]))
def test_no_measure_depends_on_the_unit(given_ones, seasonality, factor):
    scaled = [Forecast(*(factor * part for part in one)) for one in given_ones]
    found, expected = forecast_accuracy(scaled, seasonality), forecast_accuracy(given_ones, seasonality)
    assert (found.mase, found.smape) == (expected.mase, expected.smape)  # powers of two: not a bit differs
    assert found.mean_weighted_quantile_loss == expected.mean_weighted_quantile_loss


@given(forecasts(), st.integers(1, 12), st.integers(1, 7))
def test_a_perfect_forecast_has_no_error(given_ones, seasonality, samples):
    perfect = [one._replace(paths=np.tile(one.truth, (samples, 1))) for one in given_ones]
    found = forecast_accuracy(perfect, seasonality)
    assert found.mase in (0, None) and found.smape in (0, None) and found.mean_weighted_quantile_loss in (0, None)


@given(forecasts(), st.integers(1, 12))
def test_every_measure_has_its_range(given_ones, seasonality):
    found = forecast_accuracy(given_ones, seasonality)
    assert found.mase is None or found.mase >= 0
    assert found.smape is None or 0 <= found.smape <= 2 + 1e-12
    assert found.mean_weighted_quantile_loss is None or found.mean_weighted_quantile_loss >= 0


@given(forecasts(numbers | st.just(NAN)), st.integers(1, 12), st.randoms())
def test_the_order_of_paths_and_the_place_of_gaps_do_not_matter(given_ones, seasonality, random):
    shuffled = [
        one._replace(paths=one.paths[random.sample(range(len(one.paths)), len(one.paths))]) for one in given_ones
    ]
    assert forecast_accuracy(shuffled, seasonality) == forecast_accuracy(given_ones, seasonality)
    gone = [
        one._replace(truth=np.append(one.truth, NAN), paths=np.pad(one.paths, ((0, 0), (0, 1)))) for one in given_ones
    ]
    assert forecast_accuracy(gone, seasonality) == forecast_accuracy(given_ones, seasonality)


@given(forecasts(), st.floats(0.1, 10))
def test_the_median_minimises_the_absolute_error(given_ones, shift):
    """Quantile loss at one half is the absolute error, whatever is forecast."""
    for one in given_ones:
        assume(np.abs(one.truth).max() < 1e6)
        found = quantile_loss(one.truth, one.truth + shift, 0.5)
        assert found == pytest.approx(np.abs(one.truth + shift - one.truth).sum(), rel=1e-9)
