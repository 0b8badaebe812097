"""Windows of time series: lags, features and ages by hand, what is drawn, and what a model is never shown."""

from datetime import datetime
from itertools import pairwise
from math import log10, pi

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rosettabench.data.prepare import prepare
from rosettabench.data.series import windows as module
from rosettabench.data.series.channels import CHANNELS, ages, for_the_scale, inputs_of, time_features
from rosettabench.data.series.frequency import Frequency
from rosettabench.data.series.lags import LAGS, lag_values, lags_of, observed_places
from rosettabench.data.series.series import PreparedSeries, Series, save
from rosettabench.data.series.windows import continued_inputs, draw_windows, known_inputs, labels_of, portions, samples
from rosettabench.errors import UsageError

NAN = float("nan")
MONTHLY = Frequency.of("monthly")


def prepared(folder, *values, context=2, horizon=3, frequency=MONTHLY):
    """A prepared set of series that begin in March 2001."""
    folder.mkdir(exist_ok=True)
    save(folder, [Series(f"T{n}", datetime(2001, 3, 1), np.array(one, float)) for n, one in enumerate(values)])
    return PreparedSeries("any", "original", "", "", folder, frequency, context, horizon)


# -- lags -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("season", "lags"),
    [
        (1, range(1, 17)),
        (4, (1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 15, 16, 17, 19)),
        (7, (1, 2, 3, 4, 5, 6, 7, 8, 13, 14, 15, 20, 21, 22, 27, 28)),
        (12, (1, 2, 3, 4, 5, 6, 7, 11, 12, 13, 23, 24, 25, 35, 36, 37)),
        (144, (1, 2, 3, 4, 5, 6, 7, 143, 144, 145, 287, 288, 289, 431, 432, 433)),
    ],
)
def test_lags_are_the_latest_and_those_around_each_season(season, lags):
    assert lags_of(season) == tuple(lags)


@given(st.integers(1, 400))
def test_lags_are_distinct_and_ascend_from_the_value_before(season):
    lags = lags_of(season)
    assert len(lags) == LAGS and lags[:7] == (1, 2, 3, 4, 5, 6, 7)
    assert all(one < other for one, other in pairwise(lags))
    assert all(min(lag % season, -lag % season) <= 1 for lag in lags[7:])


def test_a_value_that_nobody_knows_is_0():
    history, places = np.array([1.0, 2.0, NAN, 4.0]), np.array([-1, 0, 1, 3, 4, 5])
    assert lag_values(history, places, (1, 2)).tolist() == [[0, 0], [0, 0], [1, 0], [0, 2], [4, 0], [0, 4]]
    assert observed_places(history, places).tolist() == [False, True, True, True, False, False]


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=60), st.integers(-5, 70), st.sampled_from([1, 4, 12]))
def test_a_lag_is_the_value_so_far_back(values, place, season):
    found = lag_values(np.array(values), np.array([place]), lags_of(season))[0]
    expected = [values[place - lag] if 0 <= place - lag < len(values) else 0 for lag in lags_of(season)]
    assert found.tolist() == expected


# -- features ---------------------------------------------------------------------------------------------------------


def test_months_have_their_place_in_the_year():
    """March is the third of twelve: two have gone by."""
    sines = time_features(MONTHLY, datetime(2001, 3, 1), np.array([0, 1, 10]))
    turns = 2 * pi * np.array([2, 3, 0]) / 12
    expected = np.stack([np.sin(turns), np.cos(turns)] * 2, 1)
    assert sines == pytest.approx(expected, abs=1e-12)


def test_hours_have_their_place_in_the_day_and_days_in_the_week():
    hourly = time_features(Frequency.of("hourly"), datetime(2001, 3, 1, 18), np.array([0, 6]))
    assert hourly[:, :2] == pytest.approx(np.array([[-1, 0], [0, 1]]), abs=1e-9)
    thursday, week_later = (
        time_features(Frequency.of("daily"), datetime(2001, 3, day), np.array([0])) for day in (1, 8)
    )
    assert thursday[0, :2] == pytest.approx([0, 1], abs=1e-12)  # 1970 began on one
    assert week_later[0, :2] == pytest.approx(thursday[0, :2], abs=1e-9)


@given(
    st.sampled_from(["10_minutes", "half_hourly", "hourly", "daily", "weekly", "monthly", "quarterly", "yearly"]),
    st.datetimes(datetime(1700, 1, 1), datetime(2100, 1, 1)),
    st.integers(0, 10_000),
)
def test_a_season_repeats_and_every_feature_lies_on_a_circle(word, start, place):
    frequency = Frequency.of(word)
    now, later = time_features(frequency, start, np.array([place, place + frequency.cycle]))
    assert now[:2] == pytest.approx(later[:2], abs=1e-9)
    assert np.hypot(now[::2], now[1::2]) == pytest.approx(1, abs=1e-9)


@pytest.mark.parametrize(
    ("word", "when", "observations"),
    [
        ("monthly", datetime(1971, 2, 27), 13),
        ("quarterly", datetime(1969, 12, 1), -1),
        ("yearly", datetime(1979, 5, 5), 9),
        ("weekly", datetime(1970, 1, 15), 2),
        ("half_hourly", datetime(1970, 1, 2), 48),
    ],
)
def test_observations_are_counted_from_1970(word, when, observations):
    assert Frequency.of(word).since_1970(when) == observations


def test_the_age_is_counted_from_the_first_observation():
    assert ages(np.array([-3, 0, 8])).tolist() == [log10(2), log10(2), 1]


def test_the_scale_is_that_of_what_the_context_has():
    """Five steps, two of context: the values of these are those before steps 1 and 2."""
    values, places = np.arange(1.0, 9.0), np.arange(3, 8)
    assert for_the_scale(values, places, 2).tolist() == [False, True, True, False, False]
    values[4] = NAN
    assert for_the_scale(values, places, 2).tolist() == [False, True, False, False, False]
    assert for_the_scale(values, places - 4, 2).tolist() == [False, False, True, False, False]


@given(st.integers(1, 6), st.integers(1, 6), st.integers(0, 40), st.data())
def test_no_step_is_shown_what_it_is_to_foresee(context, horizon, more, data):
    """Whatever comes at a place and behind it, the step there sees the same."""
    end = context + horizon + more
    values = np.array(data.draw(st.lists(st.floats(-1e6, 1e6), min_size=end, max_size=end)))
    places = np.arange(end - context - horizon, end)
    step = data.draw(st.integers(0, len(places) - 1))
    changed = values.copy()
    changed[places[step] :] = NAN
    one, other = (inputs_of(history, None, MONTHLY, places, context) for history in (values, changed))
    assert np.array_equal(one[: step + 1], other[: step + 1])
    known = inputs_of(values[: places[step]], None, MONTHLY, places, context)
    assert np.array_equal(one[: step + 1], known[: step + 1])


# -- windows ----------------------------------------------------------------------------------------------------------


def test_a_window_by_hand(tmp_path):
    """Values 1 to 9 less the sixth, context 2, horizon 3: the window that ends at the eighth."""
    series = prepared(tmp_path, [1, 2, 3, 4, 5, NAN, 7, 8, 9])
    inputs, labels = samples(series, [(0, 8)])
    assert inputs.shape == (1, 5, CHANNELS) and inputs.dtype == labels.dtype == np.float32
    assert labels[0].tolist() == [[4, 1], [5, 1], [0, 0], [7, 1], [8, 1]]
    assert inputs[0, :, :3].tolist() == [[3, 2, 1], [4, 3, 2], [5, 4, 3], [0, 5, 4], [7, 0, 5]]
    assert inputs[0, :, -1].tolist() == [0, 1, 1, 0, 0]
    assert inputs[0, :, -2] == pytest.approx(np.log10([5, 6, 7, 8, 9]))


def test_what_begins_before_its_series_is_filled_up_in_front(tmp_path):
    series = prepared(tmp_path, [1, 2, 3, 4])
    inputs, labels = samples(series, [(0, 4)])
    assert labels[0].tolist() == [[0, 0], [1, 1], [2, 1], [3, 1], [4, 1]]
    assert inputs[0, :2, :16].tolist() == [[0] * 16] * 2 and inputs[0, :, -1].tolist() == [0, 0, 1, 0, 0]


@given(st.lists(st.integers(4, 30), min_size=1, max_size=5), st.integers(1, 6), st.integers(1, 3))
def test_windows_lie_within_the_training_part(tmp_path_factory, lengths, context, horizon):
    series = prepared(
        tmp_path_factory.mktemp("series"), *(range(one) for one in lengths), context=context, horizon=horizon
    )
    drawn = list(draw_windows(series, 50))
    assert drawn == list(draw_windows(series, 50))
    for place, end in drawn:
        assert min(horizon + 1, lengths[place] - horizon) <= end <= lengths[place] - horizon


def test_every_series_and_every_end_are_drawn_alike(tmp_path):
    """Two series of very different lengths, 8,000 windows: each share within five standard errors."""
    series = prepared(tmp_path, range(11), range(1_000))
    drawn = np.array(list(draw_windows(series, 8_000)))
    assert abs((drawn[:, 0] == 0).mean() - 1 / 2) < 5 * np.sqrt(1 / 4 / len(drawn))
    ends, times = np.unique(drawn[drawn[:, 0] == 0, 1], return_counts=True)
    assert ends.tolist() == [4, 5, 6, 7, 8]
    assert np.abs(times / times.sum() - 1 / 5).max() < 5 * np.sqrt(4 / 25 / times.sum())


def test_the_test_part_is_the_last_window_of_each_series_and_its_context_does_not_count(tmp_path):
    series = prepared(tmp_path, range(1, 10), [5, 6, 7, 8, NAN, 10])
    train, test = portions(series, 20)
    assert (train.part, test.part, train.inputs.shape) == ("train", "test", (20, 5, CHANNELS))
    assert test.labels[..., 0].tolist() == [[5, 6, 7, 8, 9], [6, 7, 8, 0, 10]]
    assert test.labels[..., 1].tolist() == [[0, 0, 1, 1, 1], [0, 0, 1, 0, 1]]


def test_long_windows_are_fewer(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "BYTES", 7 * 5 * CHANNELS * 4 + 1)
    train, _ = portions(prepared(tmp_path, range(100)), 20)
    assert len(train.inputs) == 7


@given(st.lists(st.floats(-1e6, 1e6, width=32) | st.just(NAN), max_size=12), st.integers(-5, 15), st.integers(1, 9))
def test_labels_are_the_values_that_are_there(values, first, steps):
    labels = labels_of(np.array(values), np.arange(first, first + steps))
    for place, (value, weight) in zip(range(first, first + steps), labels, strict=True):
        there = 0 <= place < len(values) and not np.isnan(values[place])
        assert (value, weight) == ((values[place], 1) if there else (0, 0))


# -- prepared ---------------------------------------------------------------------------------------------------------


def test_windows_are_prepared_once(tmp_path):
    where = {"data_dir": None, "cache": tmp_path, "offline": True}
    first = prepare("monash-hospital", {"windows": 40}, **where)
    assert first.is_stand_in and first.is_intact()
    assert (first.train.samples, first.test.samples) == (40, 200)
    assert np.load(first.train.inputs, mmap_mode="r").shape == (40, 15 + 12, CHANNELS)
    assert prepare("monash-hospital", {"windows": 40}, **where) == first
    assert prepare("monash-hospital", {"windows": 41}, **where).digest != first.digest


@pytest.mark.parametrize("form", [{}, {"windows": 0}, {"windows": 1.5}, {"windows": 3, "length": 2}])
def test_another_form_is_refused(tmp_path, form):
    with pytest.raises(UsageError, match="windows = 16000"):
        prepare("monash-hospital", form, data_dir=None, cache=tmp_path, offline=True)


def test_an_unknown_set_of_series_offers_the_nearest(tmp_path):
    with pytest.raises(UsageError) as caught:
        prepare("monash-hospitl", {"windows": 3}, data_dir=None, cache=tmp_path, offline=True)
    assert "hospital" in caught.value.hint


# -- forecasts --------------------------------------------------------------------------------------------------------


def test_a_forecaster_knows_nothing_of_what_lies_ahead(tmp_path):
    """Two sets that differ in their horizon alone; of the fourth observation the one before it is known."""
    one = prepared(tmp_path / "one", [1, 2, 3, 4, 5, 6], [9, NAN, 7, 6, 5, 4])
    other = prepared(tmp_path / "other", [1, 2, 3, -4, 50, 6], [9, NAN, 7, 0, 0, NAN])
    shown = known_inputs(one, [0, 1])
    assert shown.shape == (2, 5, CHANNELS) and np.array_equal(shown, known_inputs(other, [0, 1]))
    assert shown[0, 2:, :3].tolist() == [[3, 2, 1], [0, 3, 2], [0, 0, 3]]


def test_what_was_drawn_takes_the_place_of_what_came(tmp_path):
    """The true values, continued by themselves, are the windows that are tested with; by others, those of others."""
    series = prepared(tmp_path, [1, 2, 3, 4, 5, 6], [9, 8, 7, 6, 5, 4])
    inputs, _ = samples(series, [(1, 6), (0, 6)])
    assert np.array_equal(continued_inputs(series, [1, 0], np.array([[[6, 5, 4]], [[4, 5, 6]]])), inputs)
    paths = continued_inputs(series, [0], np.array([[[10, 11, 12], [20, 21, 22]]], np.float32))
    assert paths[:, 2:, :3].tolist() == [[[3, 2, 1], [10, 3, 2], [11, 10, 3]], [[3, 2, 1], [20, 3, 2], [21, 20, 3]]]
    assert np.array_equal(paths[..., LAGS:], np.repeat(inputs[1:, :, LAGS:], 2, 0)), "the scale is that of the context"
