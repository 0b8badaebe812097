"""The judge: what the truth is comes out, and what cannot be known is not said."""

from dataclasses import replace

import pytest
from measured_runs import measured_run
from sample_run import Player

from rosettabench.plan.setting import AXES
from rosettabench.published.available import Available, catalogue
from rosettabench.published.claim import all_claims, read_claims
from rosettabench.published.judge import judge
from rosettabench.report.words.claim import outcome_words, part_words
from rosettabench.report.words.note import note_words
from rosettabench.summary.study import ClaimFinding

NAMES = {"pytorch": ("eager", "compiled"), "mxnet-gluon": ("eager", "compiled"), "keras[tensorflow]": ("compiled",)}
HERE = Available(
    frameworks={**NAMES, "tensorflow": ("compiled",)},
    written={name: frozenset(NAMES) for name in ("fashion-mlp", "fashion-cnn", "imdb-gru", "imdb-lstm", "cifar-vgg")},
    axes={axis: reader for axis, reader in AXES.items() if axis != "workers"},
)


def claim(name):
    (found,) = [one for one in all_claims() if one.id == name]
    return found


def own_claim(folder, text):
    path = folder / "claims.toml"
    path.write_text(f'[[claims]]\nid = "X"\nstudy = "rosetta-2018"\nsays = "so"\npublished = "so"\n{text}')
    (found,) = read_claims(path)
    return found


def loading(workers):
    """The setting of a contest whose contenders are fed by loaders with so many workers."""
    return {"batch_size": 1024, "input": "loader", "workers": workers}


def mlp(folder, mxnet, keras, **words):
    return measured_run(folder, ("fashion-mlp", {}, {"mxnet-gluon": mxnet, "keras[tensorflow]": keras}), **words)


def test_a_claim_that_is_true_holds(tmp_path):
    outcome = judge(claim("S1"), [mlp(tmp_path, 1e-3 / 0.71, 1e-3)], HERE)
    assert outcome.finding is ClaimFinding.HOLDS
    (part,) = outcome.parts
    assert part.measurement.value == pytest.approx(0.71, rel=0.02)
    assert part.measurement.low < part.measurement.value < part.measurement.high
    assert part.measurement.paired
    assert part.measurement.run == "first"
    assert "Instead of keras2[mxnet]: mxnet-gluon" in outcome_words(outcome)


@pytest.mark.parametrize("origin", ["stand-in", "incomplete", "synthetic"])
def test_data_that_were_not_the_original_are_told(origin, tmp_path):
    outcome = judge(claim("S1"), [mlp(tmp_path, 1e-3 / 0.71, 1e-3, origin=origin)], HERE)
    assert [word for word in map(note_words, outcome.parts[0].measurement.remarks) if "data" in word] == [
        f"{origin} data"
    ]


def test_a_batch_that_the_study_did_not_have_is_told(tmp_path):
    """A budget may have cut it; a claim that names its batch has no such remark, and the study's own goes first."""
    times = {"pytorch": 1e-3, "mxnet-gluon": 2e-3}
    where = "where = {{ batch_size = {} }}\n"
    text = (
        'workload = "imdb-gru"\nquantity = "time ratio"\nexpected = { around = 2.0 }\n'
        'a = { frameworks = ["mxnet-gluon"] }\nb = { frameworks = ["pytorch"] }\n'
    )
    run = measured_run(tmp_path, ("imdb-gru", {"batch_size": 8}, times))
    (part,) = judge(own_claim(tmp_path, text), [run], HERE).parts
    assert [*map(note_words, part.measurement.remarks)] == ["with a batch of 8, where the study had 64"]
    assert "with a batch of 8, where the study had 64" in part_words(part).lower()
    (part,) = judge(own_claim(tmp_path, text + where.format(8)), [run], HERE).parts
    assert part.measurement.remarks == ()
    both = measured_run(
        tmp_path, ("imdb-gru", {"batch_size": 8}, times), ("imdb-gru", {"batch_size": 64}, times), run_id="second"
    )
    (part,) = judge(own_claim(tmp_path, text), [both], HERE).parts
    assert part.measurement.remarks == ()


def test_an_order_with_another_batch_is_told_and_the_studys_own_goes_first(tmp_path):
    text = 'workload = "imdb-gru"\nquantity = "order by time"\namong = [["pytorch"], ["mxnet-gluon"]]\n'
    times = {"pytorch": 1e-3, "mxnet-gluon": 2e-3}
    run = measured_run(tmp_path, ("imdb-gru", {"batch_size": 8}, times))
    (part,) = judge(own_claim(tmp_path, text), [run], HERE).parts
    assert [*map(note_words, part.measurement.remarks)] == ["with a batch of 8, where the study had 64"]
    both = measured_run(
        tmp_path, ("imdb-gru", {"batch_size": 8}, times), ("imdb-gru", {"batch_size": 64}, times), run_id="second"
    )
    (part,) = judge(own_claim(tmp_path, text), [both], HERE).parts
    assert part.measurement.remarks == ()


def test_a_ratio_the_wrong_way_up_is_caught(tmp_path):
    outcome = judge(claim("S1"), [mlp(tmp_path, 1e-3, 1e-3 / 0.71)], HERE)
    assert outcome.finding is ClaimFinding.FAILS
    assert outcome.parts[0].measurement.value == pytest.approx(1 / 0.71, rel=0.02)
    assert "the other way round" in outcome_words(outcome)
    planted = claim("S1").model_copy(
        update={"parts": tuple(part.model_copy(update={"a": part.b, "b": part.a}) for part in claim("S1").parts)}
    )
    assert judge(planted, [mlp(tmp_path, 1e-3 / 0.71, 1e-3, run_id="again")], HERE).finding is ClaimFinding.FAILS


def test_time_and_throughput_are_each_others_inverse(tmp_path):
    run = mlp(tmp_path, 3e-3, 1e-3)
    arms = 'workload = "fashion-mlp"\na = {frameworks = ["mxnet-gluon"]}\nb = {frameworks = ["keras[tensorflow]"]}\n'
    time = judge(own_claim(tmp_path, f'{arms}quantity = "time ratio"\nexpected = {{around = 3}}'), [run], HERE)
    rate = judge(own_claim(tmp_path, f'{arms}quantity = "throughput ratio"\nexpected = {{around = 3}}'), [run], HERE)
    assert (time.finding, rate.finding) == (ClaimFinding.HOLDS, ClaimFinding.FAILS)
    one, other = time.parts[0].measurement, rate.parts[0].measurement
    assert (one.low, one.high) == pytest.approx((1 / other.high, 1 / other.low))


def test_it_says_what_the_contest_says(tmp_path):
    run = mlp(tmp_path, 2e-3, 1e-3)
    (verdict,) = run.contests[0].verdicts
    found = judge(claim("S1"), [run], HERE).parts[0].measurement
    assert (1 / found.high, 1 / found.low) == pytest.approx((verdict.interval.low, verdict.interval.high))


def test_a_size_that_is_wrong_in_the_right_direction_is_told_so(tmp_path):
    outcome = judge(claim("S1"), [mlp(tmp_path, 3e-3, 1e-3)], HERE)
    assert outcome.finding is ClaimFinding.FAILS
    assert "the direction is right, the size is not" in outcome_words(outcome).lower()


def test_an_interval_that_reaches_beyond_is_open(tmp_path):
    edge = 0.71 / 1.1
    outcome = judge(claim("S1"), [mlp(tmp_path, 1e-3 / edge, 1e-3)], HERE)
    assert outcome.finding is ClaimFinding.OPEN
    assert "reaches beyond" in outcome_words(outcome)


@pytest.mark.parametrize("wrong", [{"proof": "none"}, {"proof": "failed"}, {"rounds": 4}])
def test_nobody_is_judged_without_a_proof_or_enough_rounds(tmp_path, wrong):
    run = mlp(tmp_path, Player("mxnet-gluon", 1e-3 / 0.71, **wrong), 1e-3)
    outcome = judge(claim("S1"), [run], HERE)
    assert outcome.finding is ClaimFinding.OPEN
    assert outcome.parts[0].measurement.value is None
    assert "Cannot be judged: mxnet-gluon" in outcome_words(outcome)


def test_nothing_measured_is_not_enough_data():
    outcome = judge(claim("S1"), [], HERE)
    assert outcome.finding is ClaimFinding.OPEN
    assert "no run has measured both" in outcome_words(outcome).lower()


def test_another_setting_is_no_answer(tmp_path):
    contest = ("fashion-mlp", {"batch_size": 256}, {"mxnet-gluon": 1e-3 / 0.71, "keras[tensorflow]": 1e-3})
    assert judge(claim("S1"), [measured_run(tmp_path, contest)], HERE).finding is ClaimFinding.OPEN


def test_what_is_lacking_is_named_and_becomes_testable_by_itself(tmp_path):
    outcome = judge(claim("B7"), [], HERE)
    assert outcome.finding is ClaimFinding.UNTESTABLE
    assert "the axis workers (2 or 1)" in outcome_words(outcome)
    more = replace(HERE, axes=AXES)
    assert judge(claim("B7"), [], more).finding is ClaimFinding.OPEN
    assert "a GPU" in outcome_words(judge(claim("S3"), [], HERE))
    assert "a GPU" not in outcome_words(judge(claim("S3"), [], replace(HERE, gpus=1)))
    assert "it needs rosetta shipped" in outcome_words(judge(claim("D1"), [], HERE))
    assert "a measurement of the GPU utilisation" in outcome_words(judge(claim("B4"), [], replace(more, gpus=1)))
    contests = [("imdb-lstm", loading(n), {"mxnet-gluon": s}) for n, s in ((1, 3e-3), (2, 1e-3))]
    run = measured_run(tmp_path, *contests)
    outcome = judge(claim("B7"), [run], more)
    assert outcome.finding is ClaimFinding.FAILS
    assert not outcome.parts[0].measurement.paired
    assert "unpaired" in outcome_words(outcome)


def test_across_contests_the_range_is_wider_and_holds_the_truth(tmp_path):
    more = replace(HERE, axes=AXES)
    contests = [("imdb-lstm", loading(n), {"mxnet-gluon": s, "pytorch": 1e-3}) for n, s in ((1, 1.516e-3), (2, 1e-3))]
    found = judge(claim("B7"), [measured_run(tmp_path, *contests)], more).parts[0].measurement
    assert found.low < 1.516 < found.high
    paired = judge(claim("S1"), [mlp(tmp_path, 1e-3 / 0.71, 1e-3, run_id="paired")], HERE).parts[0].measurement
    assert found.high / found.low > paired.high / paired.low


def test_contests_of_two_runs_are_never_compared(tmp_path):
    more = replace(HERE, axes=AXES)
    runs = [
        measured_run(
            tmp_path,
            ("imdb-lstm", loading(n), {"mxnet-gluon": 1e-3}),
            run_id=f"run{n}",
        )
        for n in (1, 2)
    ]
    outcome = judge(claim("B7"), runs, more)
    assert outcome.finding is ClaimFinding.OPEN
    assert outcome.parts[0].measurement.value is None


def test_batches_are_compared_by_sample_not_by_step(tmp_path):
    text = """workload = "fashion-mlp"
quantity = "throughput ratio"
a = {frameworks = ["pytorch"], set = {batch_size = 256}}
b = {frameworks = ["pytorch"], set = {batch_size = 32}}
expected = {low = 3, high = 5}"""
    contests = [("fashion-mlp", {"batch_size": batch}, {"pytorch": step}) for batch, step in ((32, 1e-3), (256, 2e-3))]
    found = judge(own_claim(tmp_path, text), [measured_run(tmp_path, *contests)], HERE).parts[0].measurement
    assert found.value == pytest.approx(4.0, rel=0.15)


def test_one_part_that_fails_refutes_and_parts_that_cannot_be_tested_do_not_count(tmp_path):
    here = replace(HERE, written={"imdb-gru": frozenset({"tensorflow", "keras[tensorflow]"})})
    slow = measured_run(tmp_path, ("imdb-gru", {}, {"keras[tensorflow]": 2e-3, "tensorflow:compiled": 1e-3}))
    outcome = judge(claim("R1"), [slow], here)
    assert outcome.finding is ClaimFinding.OPEN, "one part of seven confirms nothing"
    assert outcome_words(outcome).startswith("Of 7 parts: 1 holds, 6 cannot be tested here. ")
    assert "It needs" in outcome_words(outcome), "it says what is missing"
    fast = measured_run(
        tmp_path, ("imdb-gru", {}, {"keras[tensorflow]": 1e-3, "tensorflow:compiled": 2e-3}), run_id="fast"
    )
    assert judge(claim("R1"), [fast, slow], here).finding is ClaimFinding.FAILS, "the newest run counts"


def test_modes_are_told_apart(tmp_path):
    contest = ("cifar-vgg", {}, {"mxnet-gluon": 1.72e-3, "mxnet-gluon:compiled": 1e-3})
    outcome = judge(claim("R11"), [measured_run(tmp_path, contest)], HERE)
    assert outcome.finding is ClaimFinding.HOLDS
    assert outcome.parts[0].measurement.what == "mxnet-gluon over mxnet-gluon:compiled"


def order_claim(folder, *names):
    among = ", ".join(f'["{name}"]' for name in names)
    return own_claim(folder, f'workload = "fashion-mlp"\nquantity = "order by time"\namong = [{among}]')


def test_an_order(tmp_path):
    times = {"pytorch": 1e-3, "mxnet-gluon": 2e-3, "keras[tensorflow]": 3e-3}
    run = measured_run(tmp_path, ("fashion-mlp", {}, times))
    right = judge(order_claim(tmp_path, *times), [run], HERE)
    assert right.finding is ClaimFinding.HOLDS
    assert "3 of 3 pairs as published" in outcome_words(right)
    wrong = judge(order_claim(tmp_path, *reversed(times)), [run], HERE)
    assert wrong.finding is ClaimFinding.FAILS
    assert "3 the other way round" in outcome_words(wrong)
    few = judge(order_claim(tmp_path, "cntk", "pytorch", "mxnet-gluon"), [run], HERE)
    assert few.finding is ClaimFinding.OPEN, "two of three libraries confirm nothing"
    assert outcome_words(few).endswith("Not measured: 1 of the 3 libraries (cntk).")
    refuted = judge(order_claim(tmp_path, "cntk", "mxnet-gluon", "pytorch"), [run], HERE)
    assert refuted.finding is ClaimFinding.FAILS, "and refute it"
    assert judge(order_claim(tmp_path, "cntk", "pytorch"), [run], HERE).finding is ClaimFinding.UNTESTABLE


def test_the_largest_over_the_smallest(tmp_path):
    times = {"pytorch": 1e-3, "mxnet-gluon": 1.5e-3, "keras[tensorflow]": 1.2e-3}
    text = 'workload = "fashion-mlp"\nquantity = "largest over smallest time"\n'
    text += "among = [" + ", ".join(f'["{name}"]' for name in times) + "]\nexpected = {high = %s}"
    run = measured_run(tmp_path, ("fashion-mlp", {}, times))
    outcome = judge(own_claim(tmp_path, text % 1.7), [run], HERE)
    assert outcome.finding is ClaimFinding.HOLDS
    assert outcome.parts[0].measurement.value == pytest.approx(1.5, rel=0.02)
    assert outcome.parts[0].measurement.what == "mxnet-gluon over pytorch"
    assert judge(own_claim(tmp_path, text % 1.3), [run], HERE).finding is ClaimFinding.FAILS
    more = text.replace('["pytorch"]', '["cntk"], ["pytorch"]')
    assert judge(own_claim(tmp_path, more % 1.7), [run], HERE).finding is ClaimFinding.OPEN, (
        "the fourth may be the slowest"
    )
    low = more.replace("high = %s", "low = 1.8")
    assert judge(own_claim(tmp_path, low), [run], HERE).finding is ClaimFinding.OPEN, "or the fastest"
    assert judge(own_claim(tmp_path, more % 1.3), [run], HERE).finding is ClaimFinding.FAILS


def test_accuracies_take_seeds(tmp_path):
    text = """workload = "fashion-mlp"
quantity = "accuracy difference"
a = {frameworks = ["pytorch"]}
b = {frameworks = ["mxnet-gluon"]}
expected = {low = 0.03, high = 0.07}"""
    contests = [
        (
            "fashion-mlp",
            {"seed": seed},
            {
                "pytorch": Player("pytorch", 1e-3, accuracies=[0.5, 0.85 + seed / 1000]),
                "mxnet-gluon": Player("mxnet-gluon", 1e-3, accuracies=[0.5, 0.80 + seed / 900]),
            },
        )
        for seed in range(3)
    ]
    run = measured_run(tmp_path, *contests)
    outcome = judge(own_claim(tmp_path, text), [run], HERE)
    assert outcome.finding is ClaimFinding.HOLDS
    assert outcome.parts[0].measurement.value == pytest.approx(0.05, abs=0.001)
    one = measured_run(tmp_path, contests[0], run_id="one")
    assert "--set seed=0,1,2" in outcome_words(judge(own_claim(tmp_path, text), [one], HERE))


def test_cpu_use_is_paired_by_rounds(tmp_path):
    text = """workload = "fashion-mlp"
quantity = "CPU ratio"
a = {frameworks = ["pytorch"]}
b = {frameworks = ["mxnet-gluon"]}
expected = {around = 1.0}"""
    run = measured_run(tmp_path, ("fashion-mlp", {}, {"pytorch": 1e-3, "mxnet-gluon": 3e-3}))
    outcome = judge(own_claim(tmp_path, text), [run], HERE)
    assert outcome.finding is ClaimFinding.HOLDS, "three times the time, but as many cores"
    assert outcome.parts[0].measurement.value == pytest.approx(1.0)


def test_a_first_epoch_takes_more_than_one_process(tmp_path):
    outcome = judge(claim("B15"), [measured_run(tmp_path, ("imdb-lstm", {"batch_size": 256}, {"pytorch": 1e-3}))], HERE)
    assert outcome.finding is ClaimFinding.OPEN
    assert "--processes 2" in outcome_words(outcome)


def chest(folder, a, b, **words):
    """A run with DenseNet-121 fed by loaders from real data, and from synthetic data in memory."""
    contests = [("real", "loader", a), ("synthetic", "memory", b)]
    name = "chestxray-densenet121"
    return measured_run(
        folder,
        *((name, {"data": data, "input": fed, "workers": 0}, {"pytorch": seconds}) for data, fed, seconds in contests),
        **words,
    )


def test_what_the_loader_costs_is_real_data_through_it_over_synthetic_data_in_memory(tmp_path):
    """And of whom has no loader it is said, which says nothing of the others."""
    here = catalogue()
    outcome = judge(claim("R16"), [chest(tmp_path, 1.15, 1.0)], here)
    torch = outcome.parts[0]
    assert torch.measurement.value == pytest.approx(1.15, rel=0.1)
    assert torch.measurement.low < 1.15 < torch.measurement.high
    assert not torch.measurement.paired
    chainer = outcome.parts[3]
    assert (chainer.finding, part_words(chainer)) == (ClaimFinding.UNTESTABLE, "It needs a loader of chainer.")
    assert outcome.finding is ClaimFinding.OPEN, "the others are not measured"
    slow = judge(claim("R16"), [chest(tmp_path, 4.0, 1.0, run_id="slow")], here)
    assert (slow.finding, slow.parts[0].finding) == (ClaimFinding.FAILS, ClaimFinding.FAILS)


def test_accuracies_on_synthetic_data_tell_nothing(tmp_path):
    text = (
        'workload = "fashion-mlp"\na = {frameworks = ["pytorch"]}\nb = {frameworks = ["mxnet-gluon"]}\n'
        'quantity = "accuracy difference"\nexpected = {low = 0.0}'
    )
    for origin, told in (("original", "Over 3 seeds"), ("synthetic", "0 seeds were trained to the end")):
        contests = [
            (
                "fashion-mlp",
                {"seed": seed},
                {
                    "pytorch": Player("pytorch", 1e-3, accuracies=[0.5, 0.85 + seed / 1000]),
                    "mxnet-gluon": Player("mxnet-gluon", 1e-3, accuracies=[0.5, 0.80 + seed / 900]),
                },
            )
            for seed in range(3)
        ]
        run = measured_run(tmp_path, *contests, run_id=origin, origin=origin)
        assert told in outcome_words(judge(own_claim(tmp_path, text), [run], HERE))
