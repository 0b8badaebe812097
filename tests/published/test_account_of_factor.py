"""The account of the factor between two libraries, from a run with trainings and contests whose truth is known."""

import csv
import io
import json
import random
from math import prod

import pytest
from measured_runs import write_contest
from rich.console import Console
from sample_run import Player
from trained_runs import LIBRARIES, absent, trained_run

from rosettabench.report.formats.form import Format, render_text
from rosettabench.report.formats.terminal import print_details
from rosettabench.report.tables.account import EVERY, account_sentences, missing_words
from rosettabench.store.store import Store
from rosettabench.summary.run import summarise

TORCH = {"setup_s": 0.3, "first_s": 0.1, "input_s": 2.0, "checkpoints_s": 0.6, "steps_s": 7.0}
MXNET = {"setup_s": 0.1, "first_s": 5.9, "input_s": 4.0, "checkpoints_s": 2.0, "steps_s": 28.0}
TOLD = dict(zip(LIBRARIES, (TORCH, MXNET), strict=True))
WHOLE = {42: (10.0, 40.0), 43: (10.0, 40.0)}
EQUAL = {"pytorch": 1e-3, "mxnet-gluon:compiled": 2e-3, "mxnet-gluon": 3e-3}


def joined(folder, sets, equal, *, told=TOLD, **more):
    """The summary of a run that trained on `sets`, and had a contest for each set in `equal`."""
    trained_run(folder, dict.fromkeys(sets, WHOLE), parts=told, contests=True, **more)
    store = Store(f"sqlite:///{folder}/results.sqlite")
    draw = random.Random(1)  # noqa: S311 (drawn for show)
    for series, contenders in equal.items():
        write_contest(store, "first", "deepar-monash", {"series": series}, contenders, draw, "original")
    return summarise(store.run("first"))


def by_name(account):
    return {factor.name: factor.value for factor in account.factors}


def test_the_factors_are_those_that_were_put_in_and_multiply_to_the_whole(tmp_path):
    (account,) = joined(tmp_path, ["hospital"], {"hospital": EQUAL}).accounts
    found = by_name(account)
    assert [*found] == ["as shipped", "input", "checkpoints", "start", "models", "equal work"]
    assert found["as shipped"] == pytest.approx(4)
    assert found["input"] == pytest.approx(4 / (36 / 8))
    assert found["checkpoints"] == pytest.approx((36 / 8) / (34 / 7.4))
    assert found["start"] == pytest.approx((34 / 7.4) / (28 / 7))
    assert found["equal work"] == pytest.approx(2, rel=0.03)
    assert found["models"] == pytest.approx(4 / found["equal work"])
    assert prod(value for name, value in found.items() if name != "as shipped") == pytest.approx(4)
    equal = account.factors[-1]
    assert equal.low < 2 < equal.high
    assert account.dispatch.value == pytest.approx(1.5, rel=0.03)
    assert account.seconds[LIBRARIES[1]]["start"] == pytest.approx(6)
    assert (account.fast, account.slow, account.missing) == (*LIBRARIES, None)


def test_libraries_that_were_named_the_other_way_round_change_nothing(tmp_path):
    (account,) = joined(tmp_path, ["hospital"], {}, libraries=LIBRARIES[::-1]).accounts
    assert account.fast == LIBRARIES[0] and by_name(account)["as shipped"] == pytest.approx(4)


def test_the_sum_over_sets_is_weighted_by_the_steps(tmp_path):
    slower = {label: 3 * step for label, step in EQUAL.items()} | {"mxnet-gluon:compiled": 12e-3}
    *_, every = joined(tmp_path, ["hospital", "m1_yearly"], {"hospital": EQUAL, "m1_yearly": slower}).accounts
    assert every.series is None and account_sentences([every])[0][0] == EVERY
    assert by_name(every)["equal work"] == pytest.approx((2 + 12) / (1 + 3), rel=0.03)
    assert sum(every.seconds[LIBRARIES[1]].values()) == pytest.approx(160)


@pytest.mark.parametrize(
    "contenders", [{}, EQUAL | {"mxnet-gluon:compiled": Player("mxnet-gluon:compiled", 1, proof="failed")}]
)
def test_without_proof_nothing_is_said_of_equal_work(tmp_path, contenders):
    equal = {"hospital": contenders} if contenders else {}
    account, other, every = joined(tmp_path, ["hospital", "m1_yearly"], equal | {"m1_yearly": EQUAL}).accounts
    assert [*by_name(account)][-1] == "steps" and by_name(account)["steps"] == pytest.approx(4)
    assert "not both proven and measured" in missing_words(account)
    assert [*by_name(other)][-1] == "equal work"
    assert [*by_name(every)][-1] == "steps" and "not all of them" in missing_words(every)


def test_a_set_that_one_did_not_train_on_is_a_row_with_a_reason(tmp_path):
    why = "not run: a window has 756 steps"
    missing = absent("hospital", LIBRARIES[1], None, "too long", why)
    trained_run(tmp_path, {"hospital": {42: (10.0, None)}, "m1_yearly": WHOLE}, parts=TOLD, absences=[missing])
    summary = summarise(Store(f"sqlite:///{tmp_path}/results.sqlite").run("first"))
    account, other = summary.accounts
    assert not account.factors and why in missing_words(account)
    assert other.factors
    assert why in render_text(summary, Format.MARKDOWN)


def test_trainings_from_before_there_were_parts_have_no_account(tmp_path):
    (account,) = joined(tmp_path, ["hospital"], {"hospital": EQUAL}, told=None).accounts
    assert not account.factors and "do not report" in missing_words(account)


def test_every_form_of_the_report_has_both_halves_and_the_account(tmp_path):
    summary = joined(tmp_path, ["hospital"], {"hospital": EQUAL})
    out = io.StringIO()
    print_details(summary, Console(file=out, width=200))
    for text in (out.getvalue(), render_text(summary, Format.MARKDOWN), render_text(summary, Format.HTML)):
        plain = " ".join(text.replace("\\", "").split())
        assert "As shipped gluonts[mxnet] trains 4.00× as long as gluonts[torch]" in plain
        assert "what remains at equal work" in plain
        assert "Library against library, not equal work" in plain
        assert "pytorch is fastest" in plain
    rows = list(csv.DictReader(io.StringIO(render_text(summary, Format.CSV))))
    trained = [row for row in rows if row["library"]]
    assert len(trained) == 4 and {float(row["input_s"]) for row in trained} == {2.0, 4.0}
    assert {row["contender"] for row in rows if not row["library"]} == {*EQUAL}
    (account,) = json.loads(render_text(summary, Format.JSON))["accounts"]
    assert account["factors"][0]["value"] == pytest.approx(4)
    assert summary.labels == (*EQUAL, *LIBRARIES)
