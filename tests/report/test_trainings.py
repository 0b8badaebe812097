"""Whole trainings in every form of the report: that they are no equal work is said first."""

import csv
import io
import json

import pytest
from rich.console import Console
from trained_runs import LIBRARIES, absent, paced, trained_run

from rosettabench.published.summary import summarise_whole
from rosettabench.report.charts.forecasts import observed_rows, pictures, scale
from rosettabench.report.formats.form import Format, render_text
from rosettabench.report.formats.terminal import print_details
from rosettabench.report.words.answer import headline
from rosettabench.report.words.trainings import SENTENCE, scale_words

TIMES = {"hospital": {42: (2.0, 8.0), 43: (2.5, 9.0), 44: (2.1, 8.4)}, "m1_yearly": {42: (1.0, None)}}


@pytest.fixture
def summary(tmp_path):
    return summarise_whole(trained_run(tmp_path, TIMES, absences=[absent("m1_yearly", LIBRARIES[1], 42)]))


def printed(summary, width=200):
    text = io.StringIO()
    print_details(summary, Console(file=text, width=width))
    return text.getvalue()


def flat(text):
    return " ".join(text.split())


def test_ratios_are_paired_by_seed(summary):
    hospital, yearly = summary.trainings.sets
    torch, mxnet = hospital.entries
    assert torch.fastest and torch.relative is None
    assert (mxnet.relative.value, mxnet.relative.low, mxnet.relative.high) == pytest.approx((4.0, 3.6, 4.0))
    assert headline(hospital).answer == "gluonts[mxnet] trains 4.00× as long as gluonts[torch] (3.60 to 4.00)"
    assert headline(yearly).answer == "Only gluonts[torch] was trained"
    assert yearly.entries[1].absences == ("no answer to 'train' within 60 s",)


def test_every_form_says_that_it_is_not_equal_work_and_how_much_it_was(summary):
    forms = [printed(summary), *(render_text(summary, form) for form in (Format.MARKDOWN, Format.HTML))]
    for text in forms:
        plain = flat(text).replace("\\", "")
        assert SENTENCE in plain
        assert "Scaled down: 2 of the study's 41 sets, 2 epochs of its 100, 3 seeds of its 5." in plain.replace(
            "&#39;", "'"
        )
        assert "as gluonts[torch] does" in plain
        assert "no answer to" in plain


def test_the_whole_study_is_not_scaled_down(tmp_path):
    from rosettabench.data.series.monash import all_monash_sets

    of_study = [name for name, one in all_monash_sets().items() if one.study]
    times = {name: dict.fromkeys((42, 43, 44, 45, 46), (1.0, 4.0)) for name in of_study}
    found = summarise_whole(trained_run(tmp_path, times, epochs=100)).trainings
    assert scale_words(found) == "41 of the study's 41 sets, 100 epochs of its 100, 5 seeds of its 5."


def test_a_set_that_nobody_trained_on_is_not_counted_and_one_seed_has_no_extremes(tmp_path):
    times = {"hospital": {42: (2.0, 8.0)}, "m1_yearly": {42: (None, None)}}
    found = summarise_whole(trained_run(tmp_path, times)).trainings
    assert scale_words(found).startswith("Scaled down: 1 of the study's 41 sets, 2 epochs of its 100, 1 seed of its 5")
    assert headline(found.sets[0]).answer == "gluonts[mxnet] trains 4.00× as long as gluonts[torch]"
    assert headline(found.sets[1]).answer == "Nothing was trained"


def test_a_narrow_terminal_keeps_what_matters(summary):
    text = printed(summary, 100)
    assert "4.00×" in text and "0.784" in text
    assert "Not enough room for" in text


def test_stand_ins_are_told_in_every_form(tmp_path):
    summary = summarise_whole(trained_run(tmp_path, TIMES, origin="stand-in"))
    for text in (printed(summary), render_text(summary, Format.MARKDOWN), render_text(summary, Format.HTML)):
        assert "hospital of the Monash archive, for a test." in flat(text).replace("\\", "")


def test_the_csv_has_a_row_for_each_training_that_counts(summary):
    rows = list(csv.DictReader(io.StringIO(render_text(summary, Format.CSV))))
    assert len(rows) == 7
    assert {row["library"] for row in rows} == {*LIBRARIES}
    assert float(rows[0]["train_s"]) == 2.0 and rows[0]["data"] == "original"


def test_the_json_has_everything(summary):
    found = json.loads(render_text(summary, Format.JSON))["trainings"]
    assert [one["used"]["series"] for one in found["sets"]] == ["hospital", "m1_yearly"]
    assert found["sets"][0]["entries"][1]["trainings"][0]["forecasts"][0]["place"] == 0
    assert [one["what"] for one in found["differences"]] == ["gradients are clipped", "sample paths of a series"]
    assert found["request"]["epochs"] == 2


def test_a_budget_counts_what_it_allowed(tmp_path):
    run = trained_run(tmp_path, {"hospital": {42: (2.0, 8.0)}}, pace=paced("hospital", 7, 1), budget=60.0)
    assert summarise_whole(run).trainings.sets[0].epochs == 7


def test_pictures_have_all_libraries_side_by_side_on_one_scale(summary):
    rows = pictures(summary.trainings.sets[0], summary.labels)
    assert [[one.library for one in row] for row in rows] == [[*LIBRARIES]] * 2
    domains = [layer["encoding"]["y"]["scale"]["domain"] for one in rows[0] for layer in one.spec["layer"]]
    assert len({tuple(domain) for domain in domains}) == 1


def test_a_gap_is_left_out_and_the_forecast_begins_at_step_1(summary):
    shown = summary.trainings.sets[0].used.shown[0]
    steps = [row["step"] for row in observed_rows(shown)]
    assert steps[0] == -17 and steps[-1] == 6 and -14 not in steps


def test_a_band_that_knows_nothing_does_not_flatten_the_rest(summary):
    shown = summary.trainings.sets[0].used.shown[0]
    wild = (
        summary.trainings.sets[0]
        .entries[0]
        .trainings[0]
        .forecasts[0]
        .model_copy(update={"quantiles": ((-1e9,) * 6, *((20.0,) * 6,) * 3, (1e9,) * 6)})
    )
    low, high = scale(shown, [wild])
    assert -10 < low < 10 and 28 < high < 45


def test_a_page_escapes_what_came_from_a_file(summary):
    assert "T<0>" not in render_text(summary, Format.HTML)
