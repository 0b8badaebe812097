"""The report of a study's suite: then beside now, and every claim with its row, in every form."""

import json

import pytest
from measured_runs import Player, measured_run

from rosettabench.published.claim import all_claims
from rosettabench.published.result import all_results
from rosettabench.report.formats.html import render_html
from rosettabench.report.formats.markdown import render_markdown
from rosettabench.report.formats.record import render_json
from rosettabench.report.tables.studies import claims_table, then_and_now_table
from rosettabench.report.words.claim import aside_words

REQUEST = {"study": "smartia-2019", "lacking": ["There is no workload cifar-resnet56 here yet."]}


@pytest.fixture
def summary(tmp_path):
    times = {"mxnet-gluon": 32 / 3571, "keras[tensorflow]": 32 / 5000}
    return measured_run(tmp_path, ("fashion-mlp", {}, times), request=REQUEST)


def test_every_claim_of_the_study_has_its_row(summary):
    table = claims_table(summary.study.outcomes, "")
    assert [row[0].text for row in table.rows] == [f"S{number}" for number in range(1, 11)]
    first = table.rows[0]
    assert first[5].text == "holds"
    assert float(first[4].text) == pytest.approx(0.71, rel=0.03)
    assert "mxnet-gluon over keras[tensorflow]" in first[4].note


def test_then_stands_beside_now(summary):
    rows = then_and_now_table(summary.study).rows
    assert len(rows) == 2, "the numbers of workloads that did not run are not shown"
    keras = next(row for row in rows if row[1].text == "keras-tensorflow")
    assert keras[4].text == "5,000 images/s"
    assert keras[5].note.startswith("keras[tensorflow]")
    assert float(keras[6].text.removesuffix("×")) == pytest.approx(1.0, abs=0.15)


def test_times_of_epochs_are_formed_from_the_step(tmp_path):
    run = measured_run(tmp_path, ("imdb-gru", {"batch_size": 64}, {"pytorch": 1e-3}), request={"study": "rosetta-2018"})
    found = [one for one in run.study.then_and_now if one.library == "pytorch" and one.quantity.startswith("training")]
    assert found
    assert all(one.now.value == pytest.approx(3 * (60_000 // 64) * 1e-3, rel=0.15) for one in found)


def test_what_is_otherwise_than_in_the_study_stands_beside_the_number(tmp_path):
    """A budget may have cut the batch, and of a data set a part may be at hand: an epoch of it is shorter."""
    times = {"pytorch": 1e-3}
    contests = [("resnet50-features", {"batch_size": 2}, times), ("cifar-vgg", {"batch_size": 64}, times)]
    run = measured_run(tmp_path, *contests, request={"study": "rosetta-2018"}, origin="incomplete")
    rows = [row for row in then_and_now_table(run.study).rows if row[1].text == "pytorch" and row[5].note]
    said = {row[0].text: row[5].note for row in rows if "accuracy" not in row[3].text}
    assert said["resnet50-features"].endswith(", batch size 2")
    assert said["cifar-vgg"].endswith(", of 60,000 samples")
    both = [*contests, ("resnet50-features", {"batch_size": 32}, times)]
    run = measured_run(tmp_path, *both, request={"study": "rosetta-2018"}, run_id="second")
    found = [one for one in run.study.then_and_now if one.library == "pytorch" and one.now is not None]
    assert found
    assert {aside_words(one) for one in found} == {""}, "the study's own batch goes first; the data are whole"


def test_a_number_of_two_libraries_has_the_ratio_that_its_claim_has(tmp_path):
    at_best = {"batch_size": 1024, "input": "loader", "workers": 2, "embedding_gradient": "dense"}
    without = [{"batch_size": size, "input": "loader", "workers": 0} for size in (256, 1024)]
    contests = [
        ("imdb-lstm", at_best, {"mxnet-gluon": 1.0, "pytorch": 2.0}),
        *(("imdb-lstm", setting, {"mxnet-gluon": 1.1, "pytorch": 1.0}) for setting in without),
    ]
    run = measured_run(tmp_path, *contests, request={"study": "borealis-2018"})
    found = {one.library: one for one in run.study.then_and_now if one.quantity.startswith("speed ratio")}
    twice, slower = found["mxnet-gluon / pytorch (dense)"], found["pytorch / mxnet-gluon"]
    assert (twice.contender, aside_words(twice)) == ("mxnet-gluon over pytorch", "")
    assert twice.now.value == pytest.approx(2.0, rel=0.03)
    assert twice.now.low < twice.now.value < twice.now.high
    assert twice.now.rounds == len(run.contests[0].ranked[0].rounds)
    assert slower.now.value == pytest.approx(1.1, rel=0.03)
    assert aside_words(slower) == "input loader, workers 0, batch size 256", (
        "the first of the two that it was claimed of"
    )
    assert found["mxnet-gluon / pytorch (sparse)"].now is None


def test_of_the_lowest_and_highest_of_several_every_one_must_have_been_measured(tmp_path):
    ratios = {64: 1.5, 128: 1.1, 256: 1.3, 512: 1.2, 1024: 1.4}
    contests = [
        (
            "imdb-lstm",
            {"batch_size": size, "embedding_gradient": gradient},
            {"pytorch": Player("pytorch", seconds, rounds=40)},
        )
        for size, ratio in ratios.items()
        for gradient, seconds in (("dense", ratio), ("sparse", 1.0))
    ]
    for count, known in ((len(contests), True), (len(contests) - 2, False)):
        request = {"study": "borealis-2018"}
        run = measured_run(tmp_path, *contests[:count], request=request, run_id=f"of-{count}")
        rows = [one for one in run.study.then_and_now if one.library == "pytorch (sparse) / pytorch (dense)"]
        assert [one.quantity for one in rows] == ["speed ratio, ratio lowest", "speed ratio, ratio highest"]
        assert all((one.now is not None) == known for one in rows)
        assert not known or [one.now.value for one in rows] == pytest.approx([1.1, 1.5], rel=0.1)


def test_a_number_names_a_claim_of_its_own_study():
    claims = {claim.id: claim.study for claim in all_claims()}
    named = [result for result in all_results() if result.claim]
    assert named
    assert all(claims[result.claim] == result.study for result in named)


def test_all_forms_have_it(summary):
    html, markdown = render_html(summary), render_markdown(summary)
    record = json.loads(render_json(summary))
    assert len(record["study"]["outcomes"]) == 10
    assert record["study"]["outcomes"][0]["finding"] == "holds"
    for text in (html, markdown):
        assert "does not" in text
        assert "cannot be tested here" in text
        assert "There is no workload cifar-resnet56 here yet." in text.replace("\\", "")


def test_a_run_of_no_study_has_none(tmp_path):
    run = measured_run(tmp_path, ("fashion-mlp", {}, {"pytorch": 1e-3}))
    assert run.study is None
    assert "The study" not in render_markdown(run)
