"""A study's contests go on until the sizes are known; others stop when it is clear who is faster."""

from rosettabench.catalogue.suite import Stopping
from rosettabench.lab.progress import Judge, Progress
from rosettabench.plan.budget import within_budget
from rosettabench.plan.estimate import TimeEstimate
from rosettabench.plan.plan import make_plan
from rosettabench.plan.request import RunRequest
from rosettabench.published.asked import intervals_together
from rosettabench.published.available import catalogue
from rosettabench.published.claim import all_claims
from rosettabench.statistics.interval import fewest_rounds
from rosettabench.statistics.ranking import pairs


def test_a_decided_pair_is_enough_unless_a_study_asks_by_how_much():
    wobble = [1.0, 1.1, 0.9, 1.05, 0.95, 1.08, 0.92, 1.02, 0.98, 1.03]
    rounds = {"a": dict(enumerate(wobble)), "b": {number: 2 / one for number, one in enumerate(wobble)}}
    progress = Progress(rounds=rounds)
    plain = RunRequest(workloads=("fashion-mlp",), contenders=("a", "b"))
    assert Judge(plain, ["a", "b"], {}).enough(progress) == "all pairs decided"
    asked = plain.model_copy(update={"study": "smartia-2019"})
    assert Judge(asked, ["a", "b"], {}).enough(progress) is None
    exact = {"a": dict.fromkeys(range(12), 1.0), "b": dict.fromkeys(range(12), 2.0)}
    assert Judge(asked, ["a", "b"], {}).enough(Progress(rounds=exact)) == "precise enough"


def test_rounds_of_one_process_that_agree_do_not_decide_what_only_more_processes_can():
    alone = RunRequest(
        workloads=("fashion-mlp",), contenders=("a", "b"), stopping=Stopping(rounds=(8, 40), processes=1)
    )

    def end(factor):
        seconds = {"a": 1.0, "b": factor}
        rounds = {label: dict.fromkeys(range(1, 13), one) for label, one in seconds.items()}
        return Judge(alone, ["a", "b"], {}).enough(Progress(rounds=rounds, processes=dict.fromkeys(range(1, 13), 1)))

    assert end(1.2) == "only more processes can tell more"
    assert end(5.0) == "all pairs decided"


def test_where_a_claim_has_parts_each_takes_more_rounds():
    asked = RunRequest(workloads=("fashion-mlp",), contenders=("a", "b"), study="borealis-2018")
    many = asked.model_copy(update={"tests": 8})

    def rounds(count):
        return Progress(rounds={"a": dict.fromkeys(range(count), 1.0), "b": dict.fromkeys(range(count), 2.0)})

    assert Judge(asked, ["a", "b"], {}).enough(rounds(8)) == "precise enough"
    assert Judge(many, ["a", "b"], {}).enough(rounds(8)) is None
    assert Judge(many, ["a", "b"], {}).enough(rounds(13)) == "precise enough"
    assert Judge(many, ["a", "b"], {}).verdicts(rounds(8)) == Judge(asked, ["a", "b"], {}).verdicts(rounds(8))


def test_how_many_are_tested_together_is_read_from_the_claims():
    for claim, together in (("B5", 5), ("B12", 8), ("B3", 1)):  # the best of five batches; eight parts; it takes a GPU
        assert intervals_together([one for one in all_claims() if one.id == claim], catalogue()) == together


def test_no_workload_is_left_out_for_rounds_that_a_verdict_takes():
    """Two contests of as many rounds as the claims take do not fit, of as many as a ranking takes they do."""
    request = RunRequest(workloads=("imdb-lstm", "imdb-gru"), contenders=("pytorch", "mxnet-gluon"), study="s", tests=8)
    contests = [(planned, TimeEstimate(5.0, 0.5, 1.0, ())) for planned in make_plan(request)]
    stopping = Stopping(rounds=(8, 10), processes=1)
    kept, _, short = within_budget(contests, stopping, 50.0, lambda one: frozenset("A"), request.tests)
    assert (len(kept), short.rounds[0]) == (2, fewest_rounds(tests=pairs(len(contests[0][0].contenders))))
    twice = request.model_copy(update={"workloads": ("imdb-gru",), "axes": {"batch_size": [32, 64]}})
    contests = [(planned, TimeEstimate(5.0, 0.5, 1.0, ())) for planned in make_plan(twice)]
    kept, _, short = within_budget(contests, stopping, 50.0, lambda one: frozenset("A"), request.tests)
    assert (len(kept), short.rounds[0] >= 13) == (1, True)


def test_what_is_kept_of_a_study_has_rounds_enough_for_its_claims():
    request = RunRequest(
        workloads=("imdb-lstm",), contenders=("pytorch", "mxnet-gluon"), study="borealis-2018", tests=8
    )
    contests = [(planned, TimeEstimate(5.0, 0.0, 1.0, ())) for planned in make_plan(request)]
    for processes in (1, 5):
        stopping = Stopping(rounds=(8, 10), processes=processes)
        _, _, short = within_budget(contests, stopping, 30.0, lambda one: frozenset("A"), request.tests)
        assert short.rounds[0] >= fewest_rounds(tests=8 * pairs(len(contests[0][0].contenders)))
        assert short.rounds[0] <= short.rounds[1]
