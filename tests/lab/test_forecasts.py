"""What sample paths are worth: judged as those of libraries are, kept with it, and made by a full training."""

import json
from datetime import datetime
from math import inf

import numpy as np
import pytest
from commands import finish

from rosettabench.data.series.frequency import Frequency
from rosettabench.data.series.series import PreparedSeries, Series, save
from rosettabench.errors import WorkerError
from rosettabench.lab.forecasts import judge_forecasts
from rosettabench.store.record import LEVELS, JudgedForecasts, ShownSeries


@pytest.fixture
def reply(tmp_path):
    """Two series, the second of which never changes before its horizon, and a reply that names paths of them."""
    values = [1, 2, 3, 4, 5, 6], [7, 7, 7, 7, 8, 9]
    save(tmp_path, [Series(f"T{n}", datetime(2001, 3, 1), np.array(one, float)) for n, one in enumerate(values)])
    series = PreparedSeries("any", "original", "", "", tmp_path, Frequency.of("yearly"), 2, 2)

    def replied(paths):
        np.save(tmp_path / "samples.npy", np.array(paths, np.float32))
        files = {"samples": str(tmp_path / "samples.npy")}
        return series, {"files": files, "elapsed_s": 1.5, "cpu_s": 2.5}

    return replied


def test_paths_are_judged_by_their_median(reply):
    """Errors of 1 and 2 where the past went up by 1 a year; the measures are told even where one is infinite."""
    found = judge_forecasts(*reply([[[6, 4]] * 3 + [[0, 0], [99, 99]], [[8, 8]] * 5]), seed=3)
    assert (found.series, found.samples, found.seed, found.predict_s, found.predict_cpu_s) == (2, 5, 3, 1.5, 2.5)
    assert found.mase == inf, "a series that did not change has no scale"
    assert found.smape == pytest.approx(((2 / 11 + 2 * 2 / 10) / 2 + (0 + 2 / 17) / 2) / 2)
    assert [one.place for one in found.forecasts] == [0, 1]
    assert found.forecasts[0].quantiles[LEVELS.index(0.5)] == (6, 4)
    assert JudgedForecasts.model_validate(json.loads(json.dumps(found.payload()))) == found


def test_numbers_that_are_none_are_a_failure(reply):
    with pytest.raises(WorkerError, match="not finite"):
        judge_forecasts(*reply([[[6, np.nan]], [[8, 8]]]), seed=0)


@pytest.mark.slow
@pytest.mark.environment
def test_a_full_training_ends_in_forecasts(rosetta, store, tmp_path):
    words = ("run", "deepar-monash", "-f", "pytorch", "--full", "--no-control", "--set", "steps=20", "--insist")
    code, out, err = finish(rosetta(*words, "--set", "threads=1"), seconds=500)
    assert code == 0, err
    run = store().run()
    (entry,) = run.contests[0].entries
    (found,) = [JudgedForecasts.model_validate(one.payload) for one in run.events if one.kind == JudgedForecasts.KIND]
    (shown,) = [ShownSeries.model_validate(one.payload).shown for one in run.events if one.kind == ShownSeries.KIND]
    assert [one.place for one in found.forecasts] == [one.place for one in shown]
    assert found.samples == 100 and 0 < found.mase < inf and 0 < found.smape < 2
    horizon = len(shown[0].truth)
    assert all(len(row) == horizon for one in found.forecasts for row in one.quantiles)
    assert all(list(step) == sorted(step) for one in found.forecasts for step in zip(*one.quantiles, strict=True))
    assert entry.certifications[0].certificate.passed
    for told in ("MASE", "sMAPE", "wQL", "100 sample paths"):
        assert told in " ".join(out.split()), told
    page = next(tmp_path.glob("rosetta-report-*.html")).read_text(encoding="utf-8")
    assert page.count('class="forecast"') == len(shown)
