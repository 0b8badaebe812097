"""Workloads without classes: several labels are told by the area under their ROC curves, forecasts by a likelihood."""

from dataclasses import replace
from math import nan
from types import SimpleNamespace

from rows import figure_of

from rosettabench.report.tables import contest as tables
from rosettabench.store.record import FigureName
from rosettabench.summary.entry import summarise_areas, summarise_likelihoods
from rosettabench.summary.records import Accuracy, MetricValue


def evaluated(*values, labels=13):
    """A contender's rows with an evaluation after each of some epochs."""
    details = [{"samples": 181, "epoch": epoch, "labels": labels, "of": 14} for epoch, _ in enumerate(values, start=1)]
    entry = SimpleNamespace(id=1)
    areas = [figure_of(entry, FigureName.MEAN_AUC, one, own) for one, own in zip(values, details, strict=True)]
    entry.figures = [figure_of(entry, FigureName.EVALUATE, 3.0), *areas]
    return entry


def test_the_last_one_is_shown_with_what_it_is_the_mean_of():
    areas = summarise_areas(evaluated(0.6123, 0.71234))
    assert [(area.epoch, area.value, area.samples) for area in areas] == [(1, 0.6123, 181), (2, 0.71234, 181)]
    cell = tables.area_cell(areas)
    assert (cell.text, cell.note) == ("0.712", "epoch 2, 13 of 14 labels")
    whole = tables.area_cell(summarise_areas(evaluated(0.5, labels=14)))
    assert (whole.text, whole.note) == ("0.500", "epoch 1")


def test_a_network_that_was_better_before_its_last_epoch_shows_both():
    entropies = [MetricValue("cross-entropy", epoch, value, 435) for epoch, value in ((1, 1.71), (4, 1.48), (10, 1.69))]
    nothing = SimpleNamespace(metrics=(), likelihoods=(), areas=(), accuracies=())
    overfitted = SimpleNamespace(**vars(nothing) | {"metrics": entropies})
    assert tables.metric_cell(overfitted).note == "epoch 10; best: 1.48 in epoch 4"
    assert tables.metric_cell(SimpleNamespace(**vars(nothing) | {"metrics": entropies[:2]})).note == "epoch 4"
    correct = [Accuracy(epoch, value, 25_000) for epoch, value in ((1, 0.81), (2, 0.8724), (3, 0.8622), (None, 0.9012))]
    last = tables.metric_cell(SimpleNamespace(**vars(nothing) | {"accuracies": correct[:3]}))
    assert (last.text, last.note) == ("86.2%", "epoch 3; best: 87.2% in epoch 2")
    elsewhere = tables.metric_cell(SimpleNamespace(**vars(nothing) | {"accuracies": correct}))
    assert (elsewhere.text, elsewhere.note) == ("90.1%", "")
    assert tables.metric_cell(nothing).text == tables.NOTHING.text
    diverged = [MetricValue("cross-entropy", epoch, value, 435) for epoch, value in ((1, nan), (2, 1.7), (3, nan))]
    assert "best: 1.70 in epoch 2" in tables.metric_cell(SimpleNamespace(**vars(nothing) | {"metrics": diverged})).note
    only = SimpleNamespace(**vars(nothing) | {"metrics": diverged[:1]})
    assert tables.metric_cell(only).note == "epoch 1", "nothing is better than it"
    areas = summarise_areas(evaluated(0.75, 0.71234))
    assert tables.area_cell(areas).note == "epoch 2; best: 0.750 in epoch 1, 13 of 14 labels"


def test_after_a_training_a_narrow_terminal_leaves_the_metric(contests):
    contest = next(iter(contests.values()))
    for epoch, spare in ((3, 0), (None, 1)):
        scores = (Accuracy(epoch, 0.87, 10_000),)
        evaluated_so = replace(contest, entries=tuple(replace(one, accuracies=scores) for one in contest.entries))
        (metric,) = (one for one in tables.ranking_table(evaluated_so).columns if one.title == "test accuracy")
        assert metric.spare == spare


def test_the_ranking_has_it_in_the_place_of_accuracy(contests):
    contest = next(iter(contests.values()))
    plain = tables.ranking_table(contest)
    assert "test accuracy" in [column.title for column in plain.columns]
    areas = summarise_areas(evaluated(0.71234))
    scored = replace(contest, entries=tuple(replace(entry, areas=areas, accuracies=()) for entry in contest.entries))
    table = tables.ranking_table(scored)
    place = [column.title for column in table.columns].index("test mean ROC AUC")
    assert table.rows[0][place].text == "0.712"


def test_forecasts_are_told_by_their_likelihood_and_that_they_were_shown_the_truth(contests):
    evaluated_twice = SimpleNamespace(id=1)
    detail = {"epoch": 3, "samples": 8}
    evaluated_twice.figures = [figure_of(evaluated_twice, FigureName.MEAN_NLL, one, detail) for one in (7.5, -0.12345)]
    likelihoods = summarise_likelihoods(evaluated_twice)
    assert [(one.epoch, one.value, one.samples) for one in likelihoods] == [(3, 7.5, 8), (3, -0.12345, 8)]
    contest = next(iter(contests.values()))
    entries = tuple(replace(entry, likelihoods=likelihoods, accuracies=()) for entry in contest.entries)
    table = tables.ranking_table(replace(contest, entries=entries))
    place = [column.title for column in table.columns].index("horizon NLL, true lags")
    assert (table.rows[0][place].text, table.rows[0][place].note) == ("-0.123", "epoch 3")


def test_a_cross_entropy_of_a_language_model_has_its_unit(contests):
    contest = next(iter(contests.values()))
    metrics = (MetricValue("cross-entropy", 1.9, 4, 1742),)
    scored = replace(contest, entries=tuple(replace(one, metrics=metrics, accuracies=()) for one in contest.entries))
    for tokens, title in ((64, "test cross-entropy, nats per token"), (None, "test cross-entropy")):
        table = tables.ranking_table(replace(scored, tokens=tokens))
        assert title in [column.title for column in table.columns]
