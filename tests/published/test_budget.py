"""Time and memory are estimated before anything starts, and what does not fit is told."""

from operator import attrgetter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from measured_runs import measured_run

from rosettabench.catalogue.framework import competing_frameworks
from rosettabench.catalogue.operations import operations_of_step
from rosettabench.catalogue.suite import Stopping, all_suites
from rosettabench.errors import UsageError
from rosettabench.lab import budget_clock
from rosettabench.lab.budget_clock import BudgetClock
from rosettabench.lab.past import past
from rosettabench.plan.budget import (
    FEWEST_PROCESSES,
    answer,
    fit_contests,
    share_equally,
    shorten,
    turns_of_next,
    within_budget,
)
from rosettabench.plan.duration import duration_words, read_duration
from rosettabench.plan.estimate import Past, TimeEstimate, estimate, estimate_each
from rosettabench.plan.left_out import sentences
from rosettabench.plan.plan import make_plan
from rosettabench.plan.request import RunRequest
from rosettabench.plan.scope import scope
from rosettabench.published.asked import claims_asking
from rosettabench.published.available import catalogue
from rosettabench.published.claim import all_claims
from rosettabench.published.study import all_studies
from rosettabench.statistics.between import PRIOR, SpreadBetween, reach_over_processes
from rosettabench.statistics.interval import fewest_rounds
from rosettabench.statistics.ranking import LOOKS, pairs
from rosettabench.store.record import Stopped
from rosettabench.store.store import Store

WORKLOADS = ("fashion-mlp", "fashion-cnn", "imdb-gru")
STOPPING = Stopping(processes=1, rounds=(8, 40), round_seconds=2.0)
REQUEST = RunRequest(workloads=WORKLOADS, contenders=("pytorch", "mxnet-gluon"), control=False, stopping=STOPPING)
MUCH = 1e15


def plan(start_s=10.0, step_s=0.0):
    return [(planned, TimeEstimate(start_s, step_s, 1e9, ())) for planned in make_plan(REQUEST)]


def none_asked(planned):
    return frozenset()


def asked_by(claims, by="workload.name"):
    """Return a function of a contest: the claims, a letter each, that ask for it by its workload, or by a setting."""
    return lambda planned: frozenset(claims.get(attrgetter(by)(planned), ""))


@pytest.mark.parametrize(("text", "seconds"), [("30s", 30), ("10m", 600), ("1h", 3600), ("90", 90), ("1.5 min", 90)])
def test_durations(text, seconds):
    assert read_duration(text) == seconds


@given(st.text(max_size=8))
def test_any_text_is_a_duration_or_a_sentence(text):
    try:
        assert 0 < read_duration(text) < 1e8
    except UsageError as error:
        assert "30s, 10m or 1h" in error.hint


@pytest.mark.parametrize("text", ["", "0s", "-5m", "10 parsecs", "inf", "nan", "1e3s", "999999h"])
def test_what_is_no_duration_is_refused(text):
    with pytest.raises(UsageError, match="not a duration"):
        read_duration(text)


def test_durations_in_words():
    assert [duration_words(one) for one in (45, 720, 7200)] == ["45 s", "12 min", "2.0 h"]
    assert [duration_words(one) for one in (44.1, 200, 7201)] == ["45 s", "4 min", "2.1 h"], "rounded up"


@given(st.floats(20, 5000), st.lists(st.floats(1, 60), min_size=3, max_size=3), st.floats(0, 3), st.floats(0.5, 4))
def test_what_is_kept_fits(budget, starts, step_s, round_s):
    contests = [(one, TimeEstimate(start, step_s, 1.0, ())) for (one, _), start in zip(plan(), starts, strict=True)]
    stopping = STOPPING.model_copy(update={"round_seconds": round_s})
    try:
        kept, left_out, short = within_budget(contests, stopping, budget, none_asked)
    except UsageError as error:
        assert "nothing fits" in error.what
        assert all(found.least(stopping) > budget for _, found in contests)
        return
    assert len(kept) + len(left_out) == len(contests)
    assert sum(found.start_s + short.seconds for _, found in kept) == pytest.approx(budget)
    assert all(short.seconds >= stopping.rounds[0] * min(step_s, 0.5) for _ in kept)
    assert short.round_seconds <= stopping.round_seconds


def test_what_the_fewest_claims_ask_for_goes_first():
    here = catalogue()

    def asked(planned):
        return claims_asking(all_claims(), planned.workload.name, planned.setting.as_json(), here)

    assert all(asked(planned) for planned, _ in plan()[:2])
    kept, left_out, _ = within_budget(plan(), STOPPING, 30.0, asked_by({"fashion-cnn": "A", "imdb-gru": "A"}))
    assert {planned.workload.name for planned, _ in kept} == {"fashion-cnn", "imdb-gru"}
    assert [one.workload for one in left_out] == ["fashion-mlp"]
    assert left_out[0].asked == 0


def test_one_claim_of_a_short_contest_goes_before_two_of_a_long_one():
    contests = [
        (planned, TimeEstimate(start, 0.0, 1.0, ()))
        for (planned, _), start in zip(plan(), (50.0, 5.0, 5.0), strict=True)
    ]
    asked = asked_by({"fashion-mlp": "AB", "fashion-cnn": "C", "imdb-gru": "D"})
    kept, _, _ = within_budget(contests, STOPPING, 40.0, asked)
    assert [planned.workload.name for planned, _ in kept] == ["fashion-cnn", "imdb-gru"]


def sizes(*batches):
    """Return contests of fashion-mlp, one for each batch size, and how long each takes: as many seconds."""
    request = REQUEST.model_copy(update={"workloads": ("fashion-mlp",), "axes": {"batch_size": list(batches)}})
    contests = make_plan(request)
    return [(one, TimeEstimate(float(one.setting.batch_size), 0.0, 1.0, ())) for one in contests]


def kept_sizes(contests, claims, budget, tests=2):
    """Return which of them a study keeps; `claims` are, by batch size, those that ask for it, a letter each."""
    few = STOPPING.model_copy(update={"rounds": (1, 1), "round_seconds": 1e-3})
    kept, _, _ = within_budget(contests, few, budget, asked_by(claims, "setting.batch_size"), tests)
    return [planned.setting.batch_size for planned, _ in kept]


def test_a_study_has_whole_claims_before_parts_of_more():
    contests = sizes(100, 110, 300)
    claims = {100: "ABC", 110: "ABC", 300: "ABCD"}
    assert kept_sizes(contests, claims, 400.0) == [300], "D is had whole; of the others there would be parts"
    assert kept_sizes(contests, claims, 400.0, tests=1) == [100, 110], "no study: what is asked for most, for its time"
    assert kept_sizes(contests, {**claims, 300: "ABC"}, 400.0) == [100, 110], "none is had whole"
    assert kept_sizes(contests, claims, 600.0) == [100, 110, 300], "all fit"


def test_the_claim_that_takes_the_least_more_time_is_had_first():
    contests = sizes(50, 100, 200, 300)
    claims = {50: "AB", 100: "AC", 200: "B", 300: "D"}
    assert kept_sizes(contests, claims, 120.0) == [100], "C alone takes 100 s, A then 50 s more"
    assert kept_sizes(contests, claims, 320.0) == [50, 100], "B would take 200 s more"
    assert kept_sizes(contests, claims, 420.0) == [50, 100, 200], "C, A, then B: D would take 300 s"


@given(
    st.lists(st.integers(1, 200), min_size=1, max_size=6, unique=True),
    st.lists(st.text("ABCDE", max_size=3), min_size=6, max_size=6),
    st.integers(20, 600),
)
def test_claims_had_whole_fit(batches, letters, budget):
    contests, claims = sizes(*batches), dict(zip(batches, letters, strict=False))
    asked = asked_by(claims, "setting.batch_size")
    kept = answer(contests, STOPPING, float(budget), asked)
    assert sum(found.least(STOPPING) for _, found in kept) <= budget
    missing = [one for one in contests if all(one is not other for other in kept)]
    whole = {name for planned, _ in kept for name in asked(planned)} - {
        name for planned, _ in missing for name in asked(planned)
    }
    assert all(asked(planned) & whole for planned, _ in kept) or not missing, "nothing is kept for part of a claim"


def test_a_request_without_what_is_left_out_has_the_rest():
    smaller = fit_contests(REQUEST, plan(), 30.0, MUCH, none_asked).request
    assert [planned.workload.name for planned in make_plan(smaller)] == ["fashion-mlp", "fashion-cnn"]
    assert sentences(smaller.left_out) == ["imdb-gru, batch size 64: no time for it within 30 s; no claim asked for it"]
    assert RunRequest.model_validate(smaller.model_dump(mode="json")) == smaller, "a resumed run reads it again"


def test_processes_are_cut_before_contests_are():
    """The second look first, then processes down to three, then all but one."""
    many = Stopping(processes=5, rounds=(20, 40))
    for budget, processes, looks in ((1000.0, 5, 2), (110.0, 5, 1), (100.0, 4, 1), (75.0, 3, 1), (50.0, 1, 2)):
        kept, _, short = within_budget(plan(start_s=5.0), many, budget, none_asked)
        assert (short.processes, short.looks, len(kept)) == (processes, looks, 3)
        assert sum(found.starts(short) + short.seconds for _, found in kept) == pytest.approx(budget)


@given(st.floats(0, 200), st.lists(st.floats(0, 10), min_size=3, max_size=3), st.floats(0, 3), st.floats(0.5, 4))
def test_no_more_is_planned_than_the_budget(turns, starts, step_s, round_s):
    """With a little more time than the starts of five processes and two looks take."""
    budget = 10 * sum(starts) + turns
    many = Stopping(processes=5, rounds=(20, 40), round_seconds=round_s)
    contests = [(one, TimeEstimate(start, step_s, 1.0, ())) for (one, _), start in zip(plan(), starts, strict=True)]
    try:
        kept, _, short = within_budget(contests, many, budget, none_asked)
    except UsageError as error:
        assert "nothing fits" in error.what
        return
    assert sum(found.most(short) for _, found in kept) <= budget * (1 + 1e-9)


def test_four_processes_tell_much_more_than_three():
    """Where processes of a pair differ by 3%, as equals mostly do; one process of each tells least."""
    three, four, five = (
        reach_over_processes(SpreadBetween(0.03, processes - 1), processes, 0.95, LOOKS).length
        for processes in (FEWEST_PROCESSES - 1, FEWEST_PROCESSES, FEWEST_PROCESSES + 1)
    )
    assert [three, four, five] == pytest.approx([0.114, 0.065, 0.049], abs=0.001)
    assert PRIOR.reach(1, 0.95, 1) == pytest.approx(0.283, abs=0.001)


@given(st.floats(30.0, 2000.0), st.sampled_from([2, 3, 5, 8]))
def test_a_study_loses_contests_rather_than_its_processes(budget, tests):
    """One process of each hardly decides a claim. It is left if no claim can be completed with several."""
    many = Stopping(processes=5, rounds=(20, 40))
    contests = [(planned, TimeEstimate(2.0, 0.0, 1.0, ())) for planned, _ in plan()]
    asked = asked_by({"fashion-mlp": "A", "fashion-cnn": "BC", "imdb-gru": "C"})
    kept, _, short = within_budget(contests, many, budget, asked, tests)
    alone = shorten(many, 4, 1, fewest_rounds())
    if budget >= contests[0][1].least(alone):
        assert short.processes >= 4
        assert contests[0] in kept or len(kept) > 1
    else:
        assert short.processes == 1


@pytest.mark.parametrize(
    ("budget", "processes", "kept_batches"),
    [(250.0, 5, [32, 64]), (110.0, 4, [32]), (60.0, 1, [32, 64])],
)
def test_every_workload_keeps_its_processes_before_its_second_setting(budget, processes, kept_batches):
    """Twice two settings; one process of each decides less than one setting with four. With less time, all get one."""
    request = REQUEST.model_copy(update={"workloads": ("fashion-mlp", "imdb-gru"), "axes": {"batch_size": [32, 64]}})
    many = Stopping(processes=5, rounds=(20, 40))
    contests = [(planned, TimeEstimate(10.0, 0.0, 1.0, ())) for planned in make_plan(request)]
    kept, left_out, short = within_budget(contests, many, budget, none_asked)
    assert short.processes == processes
    assert len(kept) + len(left_out) == 4
    for workload in ("fashion-mlp", "imdb-gru"):
        assert [one.setting.batch_size for one, _ in kept if one.workload.name == workload] == kept_batches


def test_what_a_study_has_left_goes_to_its_processes():
    """Only one claim can be completed, in four processes; then there is time for five, but not for a second look."""
    many = Stopping(processes=5, rounds=(20, 40))
    contests = [(planned, TimeEstimate(10.0, 0.0, 1.0, ())) for planned, _ in plan()]
    asked = asked_by({"fashion-mlp": "A", "fashion-cnn": "A", "imdb-gru": "B"})
    kept, _, short = within_budget(contests, many, 70.0, asked, tests=2)
    assert [planned.workload.name for planned, _ in kept] == ["imdb-gru"]
    assert (short.processes, short.looks, short.seconds) == (5, 1, 20.0)


@pytest.mark.parametrize("contenders", [("pytorch", "mxnet-gluon"), tuple(competing_frameworks())])
def test_rounds_are_as_short_as_so_many_pairs_need(contenders):
    request = REQUEST.model_copy(update={"contenders": contenders, "workloads": ("fashion-mlp",)})
    contests = [(planned, TimeEstimate(5.0, 0.0, 1.0, ())) for planned in make_plan(request)]
    _, _, short = within_budget(contests, STOPPING.model_copy(update={"round_seconds": 4.0}), 20.0, none_asked)
    needed = fewest_rounds(tests=pairs(len(contests[0][0].contenders)))
    assert short.seconds / short.round_seconds >= needed
    assert short.round_seconds > 0.5, "no shorter than they must be"


def test_a_large_budget_has_more_rounds():
    _, _, stopping = within_budget(plan(), STOPPING.model_copy(update={"round_seconds": 1.0}), 600.0, none_asked)
    assert stopping.rounds == (8, 190)
    assert stopping.seconds == 190


@given(st.lists(st.floats(0, 100), min_size=1, max_size=8), st.floats(1, 1000))
def test_time_is_shared_equally_among_those_whose_fewest_rounds_take_less(needs, more):
    seconds = sum(needs) + more
    share = share_equally(seconds, needs)
    assert sum(max(share, need) for need in needs) == pytest.approx(seconds)


def test_a_proof_takes_what_the_register_says_and_comes_once():
    """The cell's own line counts, and what one contest proves, the next of another batch need not."""
    request = REQUEST.model_copy(update={"workloads": ("cifar-vgg",), "axes": {"batch_size": [16, 32], "threads": [1]}})
    planned = make_plan(request)
    known = {("cifar-vgg", "pytorch", "eager"): 1000.0, ("cifar-vgg", "pytorch", "compiled"): 5000.0}
    blind, told = (estimate_each(planned, Past(proof_s=seconds)) for seconds in ({}, known))
    assert 900 < told[0].proof_s - blind[0].proof_s < 1000
    assert told[0].start_s == blind[0].start_s
    assert told[1].proof_s == blind[1].proof_s == 0.0


def test_no_time_for_anything_is_a_sentence():
    with pytest.raises(UsageError, match=r"nothing fits into 5 s: .* with 2 contenders.* takes about 14 s"):
        fit_contests(REQUEST, plan(), 5.0, MUCH, none_asked)


def test_no_memory_for_anything_is_a_sentence():
    with pytest.raises(UsageError, match=r"need about 1.0 GB at once; 0.5 GB are free"):
        fit_contests(REQUEST, plan(), None, 5e8, none_asked)


def test_guesses_are_called_so_and_earlier_contests_are_believed(tmp_path):
    planned = make_plan(REQUEST)[0]
    blind = estimate(planned, Past())
    assert blind.guessed == ("start", "rounds", "memory")
    measured_run(tmp_path, ("fashion-mlp", {}, {"pytorch": 1e-3, "mxnet-gluon": 2e-3}))
    run = Store(f"sqlite:///{tmp_path}/results.sqlite").run()
    known = past([run], run.machine)
    assert known.sample_s["fashion-mlp", "pytorch"] == pytest.approx(1e-3 / 32, rel=0.2)
    seen = estimate(planned, known)
    assert seen.guessed == ("start",), "its end says nothing of the time of its turns"
    assert seen.memory == 2 * 5.1e8
    assert seen.step_s == pytest.approx(3e-3, rel=0.2), "a step of each"
    long = STOPPING.model_copy(update={"round_seconds": 0.001})
    assert seen.round(long) == pytest.approx(long.turns * seen.step_s)
    assert past([run], {**run.machine, "processor": "another"}) == Past(), "another machine says nothing of this one"


def test_work_that_never_ran_here_is_guessed_from_its_operations():
    """A large step is not told as if it were nothing; and a proof comes once, however many processes there are."""
    request = REQUEST.model_copy(update={"workloads": ("imagenet-resnet56", "fashion-mlp"), "axes": {"threads": [1]}})
    large, small = (estimate(planned, Past()) for planned in make_plan(request))
    assert small.most(STOPPING) < 120
    assert large.step_s > 10_000 * small.step_s
    assert large.proof_s > 85, "that of large images in float64 is no matter of seconds"
    assert large.memory > 4 * small.memory
    many = STOPPING.model_copy(update={"processes": 5})
    assert large.starts(many) + 9 * large.proof_s == pytest.approx(10 * large.starts(STOPPING)), (
        "two looks of five each"
    )


def test_a_large_model_is_known_to_be_slow_and_large_before_it_has_run():
    """On two threads 16 images of 256×256 are 0.48 TFLOP, and what comes out of their convolutions a gigabyte."""
    request = REQUEST.model_copy(update={"workloads": ("resnet50-synthetic",), "axes": {"threads": [2]}})
    [planned] = make_plan(request)
    blind = estimate(planned, Past())
    assert operations_of_step(planned.workload) * 16 == pytest.approx(0.479e12, rel=0.01)
    assert blind.step_s == pytest.approx(2 * 0.479e12 / 6e10, rel=0.05), "a step of each"
    outputs = blind.memory / 2 - 3e8 - 16 * 25_636_712
    assert outputs == pytest.approx(16 * 4 * 13.8e6, rel=0.01)
    larger = estimate(make_plan(request.model_copy(update={"axes": {"batch_size": [32], "threads": [2]}}))[0], Past())
    assert larger.memory - blind.memory == pytest.approx(2 * outputs)
    with pytest.raises(UsageError, match=r"resnet50-synthetic does not fit into memory: .* need at least"):
        fit_contests(request, [(planned, blind)], None, 2e9, none_asked)


def test_inference_keeps_nothing_but_its_parameters():
    [planned] = make_plan(REQUEST.model_copy(update={"workloads": ("resnet50-features",)}))
    assert estimate(planned, Past()).memory == 2 * (3e8 + 4 * 23_561_152)


def test_a_suite_of_a_study_says_what_the_catalogue_lacks():
    for name in ("borealis-2018", "deepar-2024", "rosetta-2018", "smartia-2019"):
        suite = all_suites()[name]
        assert suite.study in all_studies()
        try:
            found = scope(suite, 0)
        except UsageError as error:
            assert "rosetta claims" in error.hint
            continue
        assert make_plan(RunRequest(workloads=found.workloads, contenders=found.contenders, own_axes=found.axes))
        lost = {*suite.workloads, *suite.contenders} - {*found.workloads, *found.contenders}
        assert all(any(one in sentence for sentence in found.lacks) for one in lost)
    assert any("device cuda" in sentence for sentence in scope(all_suites()["smartia-2019"], 0).lacks)
    assert not any("device cuda" in sentence for sentence in scope(all_suites()["smartia-2019"], 1).lacks)
    assert "chestxray-densenet121: devices 4 is not available here." in scope(all_suites()["rosetta-2018"], 0).lacks
    hospital = scope(all_suites()["deepar-2024"], 0, lambda name: name == "monash-hospital")
    assert hospital.axes["deepar-monash"] == {"series": ["hospital"]}
    assert "series australian_electricity_demand, solar_10_minutes, " in hospital.lacks[0], "one sentence for all"
    for real in (True, False):
        found = scope(all_suites()["rosetta-2018"], 0, lambda name, real=real: real and name == "chestxray14")
        lost = "chestxray-densenet121: data real is not available here." in found.lacks
        assert (found.axes["chestxray-densenet121"]["data"], lost) == (["synthetic", "real"][: 1 + real], not real)


@given(
    st.floats(0, 1000), st.lists(st.tuples(st.floats(0, 60), st.floats(0, 4)), min_size=1, max_size=6), st.floats(1, 3)
)
def test_what_is_left_is_shared_by_the_contests_that_fit(left, times, slower):
    """Starts and fewest rounds of all fit, or the last contests do without; none begins that does not fit."""
    contests = [TimeEstimate(start, step, 1.0, ()) for start, step in times]
    found = turns_of_next(STOPPING, left, contests, slower)
    first = slower * contests[0].starts(STOPPING) + contests[0].fewest(STOPPING)
    if not found:
        assert left < first
        return
    assert found >= contests[0].fewest(STOPPING)
    assert slower * contests[0].starts(STOPPING) + found <= left * (1 + 1e-9)
    if len(contests) == 1:
        assert slower * contests[0].starts(STOPPING) + found == pytest.approx(left)


def test_a_contest_that_no_longer_fits_gives_its_time_to_those_before_it():
    """Starts of 10 s and rounds of 16 s, in 100 s: equal shares; in 60 s: the last of three does without."""
    contests = [TimeEstimate(10.0, 0.0, 1.0, ())] * 3
    assert contests[0].fewest(STOPPING) == 16.0
    assert turns_of_next(STOPPING, 100.0, contests) == pytest.approx(70.0 / 3)
    assert turns_of_next(STOPPING, 60.0, contests) == pytest.approx(20.0)
    assert turns_of_next(STOPPING, 60.0, contests, slower=2.0) == pytest.approx(40.0), "then only one fits"
    assert turns_of_next(STOPPING, 25.0, contests) == 0.0


def test_without_a_budget_a_contest_has_all_the_time():
    request = RunRequest(workloads=("fashion-mlp",), contenders=("pytorch",), stopping=Stopping(seconds=100.0))
    assert BudgetClock(request, [TimeEstimate(1e6, 1.0, 1.0, ())]).turns_of(1) == 100.0


def test_starts_that_took_longer_than_estimated_are_expected_to_do_so_again(monkeypatch):
    """A start of 40 s in place of 10 s: of the remaining 160 s, two more contests take 80 s to start, not 20."""
    now = iter([0.0, 0.0, 60.0, 60.0])
    monkeypatch.setattr(budget_clock, "monotonic", lambda: next(now))
    request = RunRequest(workloads=("fashion-mlp",), contenders=("pytorch",), stopping=STOPPING, budget=220.0)
    clock = BudgetClock(request, [TimeEstimate(10.0, 0.0, 1.0, ())] * 3)
    assert clock.turns_of(1) == pytest.approx(190.0 / 3)
    clock.ended(1, Stopped(why="precise enough", turns_s=20.0))
    assert clock.turns_of(2) == pytest.approx(40.0)
