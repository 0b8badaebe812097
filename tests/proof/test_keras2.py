"""Keras 2 on four back ends: what each does by itself, as docs/findings.md has it, and that a proof sees it."""

import json
import os
import subprocess
from pathlib import Path

import pytest
from laboratory import environment

from rosettabench.catalogue.contender import parse_contender
from rosettabench.catalogue.framework import competing_frameworks
from rosettabench.catalogue.roots import worker_folder
from rosettabench.catalogue.workload import find_workload
from rosettabench.client.machine import worker_variables
from rosettabench.plan.plan import why_missing

pytestmark = [pytest.mark.environment, pytest.mark.slow]

CHECK = Path(__file__).parent / "check_keras2.py"
BACKENDS = ("tensorflow", "theano", "cntk", "mxnet")


@pytest.fixture(scope="module", params=BACKENDS)
def found(request, tmp_path_factory):
    """What the script says on a back end, and the back end."""
    where = environment(competing_frameworks()[f"keras2[{request.param}]"].locks[0])
    variables = worker_variables(1, request.param, True, tmp_path_factory.mktemp("keras"))
    words = [str(where.python), "-W", "ignore", str(CHECK), str(worker_folder())]
    done = subprocess.run(
        words, capture_output=True, text=True, timeout=600, env={**os.environ, **variables, **where.variables}
    )
    assert done.returncode == 0, done.stderr
    return request.param, json.loads(done.stdout.splitlines()[-1])


KEPT = {
    "tensorflow": (1.0, 4.004, 3.0),
    "theano": (0.1, 1.1004, 3.0),
    "cntk": (0.1, 1.0, 3.0),
    "mxnet": (0.1, 1.0, 1.0),
}
"""By back end: mean and variance that Keras' own layer keeps of 0 and 2, and what it makes of 1 with a scale of 3."""


def test_what_a_normalisation_keeps_is_another_thing_on_each_and_one_here(found):
    backend, told = found
    mean, variance, scaled = KEPT[backend]
    own, here = ({**told[kind]} for kind in ("own", "here"))
    assert own == {
        name: pytest.approx(value, rel=1e-3)
        for name, value in (("mean", mean), ("variance", variance), ("scaled", scaled))
    }
    assert here == {
        name: pytest.approx(value, rel=1e-3) for name, value in (("mean", 0.1), ("variance", 1.0), ("scaled", 3.0))
    }


def test_padding_lies_in_front_on_some(found):
    backend, told = found
    assert told["padded"] == (4 if backend == "tensorflow" else 1)


def test_theano_turns_kernels_around(found):
    backend, told = found
    assert told["correlated"] == {"theano": 1, "mxnet": None}.get(backend, 5)


def test_a_recurrence_on_mxnet_computes_with_zeros(found):
    backend, told = found
    assert (told["recurrence"] == 0) == (backend == "mxnet")


def test_every_weight_is_moved_by_the_gradients_of_its_step(found):
    _, told = found
    assert told["steps"] == pytest.approx([10, 10], rel=1e-4)


def test_a_back_end_that_a_workload_is_absent_from_says_why():
    workload = find_workload("chestxray-densenet121")
    assert why_missing(workload, parse_contender("keras2[tensorflow]")) is None
    assert "on TensorFlow alone" in why_missing(workload, parse_contender("keras2[cntk]"))
