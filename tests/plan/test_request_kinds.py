"""Requests as a store keeps them: read again as what they were, those of version 0.1, too, and of no version at all."""

import sys
from pathlib import Path

import pytest

from rosettabench.catalogue.suite import Stopping
from rosettabench.errors import EnvironmentFault, StoreError, UsageError
from rosettabench.plan.request import (
    CalibrateRequest,
    ExplainRequest,
    PeakRequest,
    ProveRequest,
    RunRequest,
    Terms,
    TrainingRequest,
    VerifyRequest,
    read_request,
    trainings_asked,
)
from rosettabench.store.kind import RunKind, kind_of

MLP = {"workloads": ("fashion-mlp",), "contenders": ("pytorch", "jax")}
TRAININGS = TrainingRequest(sets=("hospital",), libraries=("gluonts[torch]",))
EACH = [
    RunRequest(**MLP, own_axes={"fashion-mlp": {"batch_size": [8]}}, stopping=Stopping(rounds=(8, 8))),
    RunRequest(**MLP, study="deepar-2024", shipped=TRAININGS),
    ProveRequest(**MLP, jobs=2, only=(("fashion-mlp", "jax"),)),
    ExplainRequest(**MLP, seconds=3.0, profile=True),
    CalibrateRequest(**MLP, contests=3, planted=0.05),
    VerifyRequest(**MLP),
    TRAININGS,
    PeakRequest(threads=2),
]


@pytest.mark.parametrize("request_", EACH, ids=lambda one: one.kind.value)
def test_each_is_read_as_what_it_was(request_):
    assert read_request(request_.model_dump(mode="json")) == request_


OLD = {"workloads": ["fashion-mlp"], "contenders": ["pytorch"], "proving": 0, "examining": None, "planted": 0.0}


@pytest.mark.parametrize(
    ("stored", "wanted"),
    [
        (OLD | {"repeats": 1, "control": False}, RunRequest(**MLP | {"contenders": ("pytorch",)}, control=False)),
        (OLD | {"proving": 2}, ProveRequest(**MLP | {"contenders": ("pytorch",)}, jobs=2)),
        (
            OLD | {"examining": {"seconds": 4.0, "starts": 2, "profile": False}},
            ExplainRequest(**MLP | {"contenders": ("pytorch",)}, seconds=4.0, starts=2),
        ),
        (
            OLD | {"planted": 0.05, "repeats": 7},
            CalibrateRequest(**MLP | {"contenders": ("pytorch",)}, contests=7, planted=0.05),
        ),
        ({"peak": {"threads": 1, "device": "cpu"}}, PeakRequest()),
        ({"shipped": {"sets": ["hospital"], "libraries": ["gluonts[torch]"]}, "study": "deepar-2024"}, TRAININGS),
    ],
    ids=lambda one: one.kind.value if hasattr(one, "kind") else "",
)
def test_those_of_version_0_1_are_read(stored, wanted):
    assert read_request(stored) == wanted
    assert kind_of(stored) is wanted.kind


def test_trainings_are_found_alone_and_beside_contests():
    assert [trainings_asked(one.model_dump(mode="json")) for one in EACH[1:3]] == [TRAININGS, None]
    assert trainings_asked(TRAININGS.model_dump(mode="json")) == TRAININGS


@pytest.mark.parametrize(
    "stored", [{"kind": "dance"}, {"kind": "run", "later": 1}, {"kind": "prove", "jobs": 0}, {"peak": 3}]
)
def test_what_nobody_understands_is_a_sentence(stored):
    with pytest.raises(StoreError, match="does not understand"):
        read_request(stored)


def test_a_run_of_a_later_version_is_no_run_that_measured():
    kind = kind_of({"kind": "dance"})
    assert kind is RunKind.OTHER
    assert not kind.is_timed and not kind.has_contenders


def test_interpreters_of_all_and_of_single_frameworks():
    here = sys.executable
    terms = Terms.read(None, None, False, 900.0, [here, "jax=/bin/sh", "keras=/bin/ls"])
    assert terms.interpreter("pytorch:compiled") == Path(here)
    assert terms.interpreter("jax:eager") == Path("/bin/sh")
    assert terms.interpreter("keras[torch]") == Path("/bin/ls")
    assert Terms.read(None, None, False, 900.0).interpreter("jax") is None
    for words in ([here, here], ["jax=/bin/sh", "jax=/bin/ls"], ["jaks=/bin/sh"]):
        with pytest.raises(UsageError):
            Terms.read(None, None, False, 900.0, words)
    with pytest.raises(EnvironmentFault):
        Terms.read(None, None, False, 900.0, ["jax=/nowhere/python"])
