"""The measures of forecasts and the seasonalities against GluonTS's own, on real series with drawn sample paths."""

import json
import subprocess
from pathlib import Path

import numpy as np
import pytest
from laboratory import environment

from rosettabench.data.series.frequency import Frequency
from rosettabench.data.series.prepare_series import prepare_series
from rosettabench.data.series.series import Series, files, save
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

SCRIPT = Path(__file__).with_name("gluonts_evaluator.py")
SAMPLES = 100


@pytest.fixture(scope="module")
def gluonts():
    """The interpreter of the environment with GluonTS on PyTorch."""
    return environment("gluonts-torch@0.17.0").python


def judged(gluonts, folder, alias):
    """What GluonTS finds of the forecasts in `folder`."""
    command = [str(gluonts), str(SCRIPT), str(folder), alias]
    return json.loads(subprocess.run(command, capture_output=True, check=True, text=True).stdout)


def drawn(series, horizon, seed=7):
    """Sample paths that lie about the truth, as a model's would, each series with an error of its own."""
    rng = np.random.default_rng(seed)
    paths = np.empty((len(series), SAMPLES, horizon))
    for own, one in zip(paths, series, strict=True):
        middle = np.nan_to_num(one.values[-horizon:], nan=np.nanmean(one.values))
        spread = 0.3 * np.abs(middle).mean() + 0.1
        own[:] = middle + spread * rng.normal(size=horizon) + spread * rng.standard_t(5, (SAMPLES, horizon))
    return paths


def check(gluonts, folder, series, paths, frequency):
    """Compare every measure of every series, and of all together, with GluonTS's."""
    save(folder, series)
    np.save(folder / "paths.npy", paths)
    found = judged(gluonts, folder, frequency.alias)
    season, horizon = frequency.seasonality, paths.shape[2]
    assert found["seasonality"] == season
    forecasts = [
        Forecast(one.values[:-horizon], one.values[-horizon:], own) for one, own in zip(series, paths, strict=True)
    ]
    ordered = [np.sort(one.paths, axis=0) for one in forecasts]
    medians = [quantile(own, 0.5) for own in ordered]
    pairs = list(zip(forecasts, medians, strict=True))
    same = {"rtol": 1e-12, "atol": 0, "equal_nan": True}
    np.testing.assert_allclose([seasonal_error(one.past, season) for one in forecasts], found["seasonal_error"], **same)
    np.testing.assert_allclose([mase(one.past, one.truth, own, season) for one, own in pairs], found["mase"], **same)
    np.testing.assert_allclose([smape(one.truth, own) for one, own in pairs], found["smape"], **same)
    losses = [
        [quantile_loss(one.truth, quantile(own, level), level) for level in LEVELS]
        for one, own in zip(forecasts, ordered, strict=True)
    ]
    unseen = np.array([not np.isfinite(one.truth).any() for one in forecasts])
    expected = np.array(found["losses"], float)
    assert np.isnan(expected[unseen]).all()  # GluonTS leaves out what is 0 here: the sums are the same
    np.testing.assert_allclose(np.array(losses)[~unseen], expected[~unseen], **same)
    own = forecast_accuracy(forecasts, season)
    together = [own.mase, own.smape, own.mean_weighted_quantile_loss]
    np.testing.assert_allclose(together, found["together"], rtol=1e-12)


@pytest.mark.slow
@pytest.mark.environment
@pytest.mark.parametrize("key", ["hospital", "tourism_monthly", "tourism_quarterly", "m1_yearly", "nn5_daily"])
def test_every_measure_is_gluonts_own(gluonts, real_data, tmp_path, key):
    prepared = prepare_series(key, data_dir=real_data, cache=tmp_path / "cache", offline=True)
    assert not prepared.is_stand_in
    series = list(prepared)
    check(gluonts, tmp_path, series, drawn(series, prepared.horizon), prepared.frequency)


@pytest.mark.slow
@pytest.mark.environment
def test_gaps_zeros_and_flat_series_are_treated_alike(gluonts, tmp_path):
    rng, horizon = np.random.default_rng(3), 6
    whole = np.round(10 * rng.random(40))
    gaps, unseen, lone, flat, flat_later = (whole.copy() for _ in range(5))
    gaps[[1, 2, 20, -2]] = np.nan
    unseen[-horizon:] = np.nan
    lone[:-horizon] = np.nan
    flat[:] = 0
    flat_later[:-horizon] = 3
    columns = [whole, gaps, unseen, lone, whole[-horizon - 1 :], whole[-horizon - 12 :], whole[-horizon - 13 :]]
    series = [Series(str(place), None, values) for place, values in enumerate([*columns, flat, flat_later])]
    paths = drawn(series, horizon)
    paths[-2] = 0
    paths[0, :, 0] = series[0].values[-horizon]
    check(gluonts, tmp_path, series[:-1], paths[:-1], Frequency.of("monthly"))
    check(gluonts, tmp_path, series, paths, Frequency.of("monthly"))  # one without a scale: the mean is infinite


@pytest.mark.slow
@pytest.mark.environment
@pytest.mark.parametrize("word", ["half_hourly", "10_minutes", "hourly", "4_seconds", "weekly", "7_minutes"])
def test_seasonalities_are_gluonts_own(gluonts, tmp_path, word):
    frequency = Frequency.of(word)
    series = [Series("T1", None, np.arange(20.0))]
    check(gluonts, tmp_path, series, np.ones((1, 3, 4)), frequency)
    assert all(path.exists() for path in files(tmp_path))
