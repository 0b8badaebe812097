"""Forecasts of contenders in every form of the report."""

import csv
import io

import pytest
from rich.console import Console
from sample_run import write_sample_run
from trained_runs import used

from rosettabench.lab.journal import Journal
from rosettabench.report.charts.forecasts import contest_pictures
from rosettabench.report.formats.form import Format, render_text
from rosettabench.report.formats.html import file_stem
from rosettabench.report.formats.terminal import print_details
from rosettabench.report.tables.forecasts import forecasts_table
from rosettabench.store.record import ForecastQuantiles, JudgedForecasts, ShownSeries
from rosettabench.store.store import Store
from rosettabench.summary.run import summarise

WORTH = {"pytorch": (0.784, 0.17, 0.05), "jax": (float("inf"), 0.18, None)}


@pytest.fixture
def forecast(tmp_path):
    """The sample run, in whose first contest two contenders have forecast two series."""
    store = Store(f"sqlite:///{tmp_path}/results.sqlite")
    write_sample_run(store)
    run = store.run()
    contest = run.contests[0]
    shown = used("hospital").shown
    Journal(store, run.id, contest.id).event(ShownSeries(shown=shown))
    quantiles = tuple((20.0 + level,) * len(shown[0].truth) for level in range(5))
    for entry in contest.entries:
        if entry.label in WORTH:
            mase, smape, loss = WORTH[entry.label]
            found = JudgedForecasts(
                series=14,
                samples=100,
                seed=0,
                predict_s=2.0,
                predict_cpu_s=3.0,
                score_s=0.1,
                mase=mase,
                smape=smape,
                mean_weighted_quantile_loss=loss,
                forecasts=tuple(ForecastQuantiles(place=one.place, quantiles=quantiles) for one in shown),
            )
            Journal(store, run.id, contest.id, entry.id).event(found)
    return summarise(store.run())


def test_the_table_has_who_has_forecast(forecast):
    first, *others = forecast.contests
    table = forecasts_table(first)
    assert [[cell.text for cell in row] for row in table.rows] == [
        ["jax", "infinite", "0.180", "–", "2.00 s", "100 ms"],
        ["pytorch", "0.784", "0.170", "0.0500", "2.00 s", "100 ms"],
    ]
    assert "100 sample paths of 14 series" in table.caption
    assert [forecasts_table(one).rows for one in others] == [(), ()]


def test_pictures_stand_side_by_side(forecast):
    first, *others = forecast.contests
    rows = contest_pictures(first, forecast.labels)
    assert [[(one.library, one.series) for one in row] for row in rows] == [
        [("jax", "T<0>"), ("pytorch", "T<0>")],
        [("jax", "T<7>"), ("pytorch", "T<7>")],
    ]
    assert [contest_pictures(one, forecast.labels) for one in others] == [[], []]


def test_every_form_has_the_measures(forecast):
    text = io.StringIO()
    print_details(forecast, Console(file=text, width=200))
    for form in (text.getvalue(), *(render_text(forecast, one) for one in (Format.MARKDOWN, Format.HTML))):
        assert "0.784" in form and "sMAPE" in form
    page = render_text(forecast, Format.HTML)
    assert page.count('class="forecast"') == 4 and 'id="paths-0-1-1"' in page and "T&lt;7&gt;" in page
    assert file_stem(forecast) in page


def test_the_csv_has_them_with_every_block(forecast):
    rows = list(csv.DictReader(io.StringIO(render_text(forecast, Format.CSV))))
    first = [row for row in rows if row["contest"] == forecast.contests[0].name]
    told = {(row["contender"], row["mase"], row["smape"], row["mean_weighted_quantile_loss"]) for row in first}
    assert {("pytorch", "0.784", "0.17", "0.05"), ("jax", "inf", "0.18", ""), ("mxnet-gluon", "", "", "")} <= told
