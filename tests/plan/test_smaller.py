"""A workload that there is no room for is tried with smaller batches, and what takes whose place is told."""

import pytest

from rosettabench.catalogue.suite import Stopping, all_suites
from rosettabench.catalogue.workload import find_workload
from rosettabench.errors import UsageError
from rosettabench.plan.budget import ALL, fit_contests
from rosettabench.plan.estimate import TimeEstimate
from rosettabench.plan.left_out import sentences
from rosettabench.plan.plan import make_plan
from rosettabench.plan.request import RunRequest
from rosettabench.plan.smaller import with_smaller_batches
from rosettabench.statistics.interval import fewest_rounds
from rosettabench.statistics.ranking import pairs

STOPPING = Stopping(processes=1, rounds=(10, 20), round_seconds=1.0, turns=2)
REQUEST = RunRequest(
    workloads=("fashion-mlp", "resnet50-features"),
    contenders=("pytorch", "mxnet-gluon"),
    control=False,
    stopping=STOPPING,
)
SIZES = {"resnet50-features": (8, 2)}
SAMPLE_S = {"fashion-mlp": 1e-4, "resnet50-features": 0.2}
SAMPLE_BYTES = {"fashion-mlp": 1e3, "resnet50-features": 1e8}


def fit(budget=None, free=1e12):
    """Fit requests whose steps take time and memory in proportion to their batch, and a second to start."""

    def fitting(request):
        contests = []
        for planned in make_plan(request):
            name, batch = planned.workload.name, planned.setting.batch_size
            contests.append((planned, TimeEstimate(1.0, batch * SAMPLE_S[name], batch * SAMPLE_BYTES[name], ())))
        return fit_contests(request, contests, budget, free, lambda one: frozenset("A"))

    return fitting


def batches(request):
    return {planned.workload.name: planned.setting.batch_size for planned in make_plan(request)}


@pytest.mark.parametrize(
    ("budget", "expected"),
    [(None, 32), (200.0, 32), (80.0, 8), (25.0, 2)],
)
def test_the_largest_batch_that_fits_is_taken(budget, expected):
    kept = with_smaller_batches(REQUEST, SIZES, fit(budget)).request
    assert batches(kept) == {"fashion-mlp": 32, "resnet50-features": expected}
    said = sentences(kept.left_out)
    if expected == 32:
        assert said == []
    else:
        (sentence,) = said
        assert sentence.startswith("resnet50-features, batch size 32: no time for it within")
        assert f", and batch size {expected} in its place" in sentence
    assert RunRequest.model_validate(kept.model_dump(mode="json")) == kept, "a resumed run reads it again"
    assert batches(RunRequest.model_validate(kept.model_dump(mode="json"))) == batches(kept)


def test_too_little_memory_makes_batches_smaller_too():
    kept = with_smaller_batches(REQUEST, SIZES, fit(free=1e9)).request
    assert batches(kept)["resnet50-features"] == 8
    assert "need about 3.2 GB at once; 1.0 GB are free, and batch size 8 in its place" in sentences(kept.left_out)[0]


def test_rounds_enough_for_a_verdict_go_before_large_batches():
    """There is time for ten rounds of 32 images, but the intervals of six pairs and four claims take more of them."""
    request = REQUEST.model_copy(update={"contenders": ("pytorch", "mxnet-gluon", "jax", "tensorflow"), "tests": 4})
    needed = fewest_rounds(tests=4 * pairs(4))
    assert needed > STOPPING.rounds[0]
    starts_and_mlp = 2.0 + 0.5 * needed
    for batch in (32, 24):
        budget = starts_and_mlp + STOPPING.turns * batch * SAMPLE_S["resnet50-features"] * needed
        kept = with_smaller_batches(request, {"resnet50-features": (24, 16)}, fit(budget))
        assert batches(kept.request) == {"fashion-mlp": 32, "resnet50-features": batch}
        assert kept.verdicts == ALL
        assert kept.request.stopping.rounds[0] >= needed
    assert "no time for enough rounds for a verdict, and batch size 24 in" in sentences(kept.request.left_out)[0]


def test_where_no_batch_gives_a_verdict_the_largest_that_fits_is_taken():
    request = REQUEST.model_copy(update={"tests": 10_000})
    kept = with_smaller_batches(request, {"resnet50-features": (31, 30)}, fit(150.0))
    assert batches(kept.request) == {"fashion-mlp": 32, "resnet50-features": 32}
    assert kept.verdicts < ALL


def test_where_no_batch_is_small_enough_the_workload_is_left_out_as_it_is():
    kept = with_smaller_batches(REQUEST, SIZES, fit(9.0)).request
    assert batches(kept) == {"fashion-mlp": 32}
    assert sentences(kept.left_out) == [
        "resnet50-features, batch size 32: no time for it within 9 s; one claim asked for it"
    ]


def test_who_names_a_batch_gets_no_other():
    request = REQUEST.model_copy(update={"axes": {"batch_size": [32]}})
    kept = with_smaller_batches(request, SIZES, fit(25.0)).request
    assert batches(kept) == {"fashion-mlp": 32}


def test_nothing_fits_but_with_a_smaller_batch():
    request = REQUEST.model_copy(update={"workloads": ("resnet50-features",)})
    kept = with_smaller_batches(request, SIZES, fit(20.0)).request
    assert batches(kept) == {"resnet50-features": 2}
    assert "nothing fits into 20 s" in sentences(kept.left_out)[0]
    with pytest.raises(UsageError, match="nothing fits into 5 s: resnet50-features with 2 contenders"):
        with_smaller_batches(request, SIZES, fit(5.0))


def test_suites_name_batches_that_are_smaller():
    for suite in all_suites().values():
        for name, sizes in suite.smaller.items():
            assert name in suite.workloads
            assert list(sizes) == sorted(sizes, reverse=True)
            assert 0 < sizes[-1] <= sizes[0] < find_workload(name).batch_size
