"""CNTK and Caffe2: what they do by themselves, as docs/findings.md has it, and that a proof sees it."""

import json
import math
import os
import subprocess
from pathlib import Path

import pytest
from laboratory import Plant, environment, make_work, open_session
from test_plants import prove

from rosettabench.catalogue.framework import find_framework
from rosettabench.catalogue.roots import worker_folder
from rosettabench.catalogue.workload import find_workload
from rosettabench.errors import WorkerError
from rosettabench.plan.learning_rate import DECAY

pytestmark = [pytest.mark.environment, pytest.mark.slow]

HERE = Path(__file__).parent
SLOPES = (1.0, 0.5, 1e-7)
"""The gradients of the three steps that the checks take."""


def check(lock):
    """What the check script of a library prints in its environment."""
    where, name = environment(lock), {"cntk@2.7": "check_cntk.py", "pytorch@1.0.0": "check_caffe2.py"}[lock]
    words = [str(where.python), "-W", "ignore", str(HERE / name), str(worker_folder())]
    done = subprocess.run(words, capture_output=True, text=True, timeout=300, env={**os.environ, **where.variables})
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


@pytest.fixture(scope="module")
def cntk():
    return check("cntk@2.7")


@pytest.fixture(scope="module")
def caffe2():
    return check("pytorch@1.0.0")


def published(first=1, hat=False, batch=1):
    """Algorithm 1 of Kingma and Ba (2015) at a rate of 1, and what is otherwise about a library's.

    Steps are counted from `first`; epsilon is that of `hat`; and gradients are the sum over a `batch`, not the mean.
    """
    mean = square = 0.0
    ways = []
    for step, slope in enumerate(SLOPES, first):
        slope *= batch
        mean, square = 0.9 * mean + 0.1 * slope, 0.999 * square + 0.001 * slope**2
        correction = math.sqrt(1 - 0.999**step)
        epsilon = 1e-8 if hat else 1e-8 * correction
        ways.append(mean / (1 - 0.9**step) * correction / (math.sqrt(square) + epsilon))
    return pytest.approx(ways, rel=2e-5)  # 1 - 0.999 in float32 is off by that


def test_the_adam_of_cntk_divides_its_rate_by_the_batch(cntk):
    """By itself, and asked for a minibatch of that size; ignoring the size, it makes the steps that it is told."""
    assert [4 * way for way in cntk["adam"]["own"]["steps"]] == published(hat=True, batch=4)
    assert cntk["adam"]["minibatch"] == cntk["adam"]["own"]
    assert cntk["adam"]["ignore"]["steps"] == published(hat=True)
    assert cntk["adam"]["own"]["rates"] == [1.0, 1.0, 1.0]


def test_the_adam_here_is_the_published_one_in_cntk(cntk):
    assert cntk["adam"]["here"]["steps"] == published()
    assert cntk["adam"]["here"]["rates"] == pytest.approx([1.0, 1.0, 1.0])
    assert cntk["settled"] < 2**-24


def test_momentum_has_unit_gain_in_cntk_and_is_nesterovs_in_caffe2(cntk, caffe2):
    """Of a gradient of 1 and then none; as the workload has it, 1 and 0.9."""
    assert cntk["momentum"]["own"]["steps"] == pytest.approx([0.1, 0.09])
    assert caffe2["momentum"]["own"] == pytest.approx([1.9, 0.81])
    assert cntk["momentum"]["here"]["steps"] == caffe2["momentum"]["here"] == pytest.approx([1.0, 0.9])


def test_the_adam_of_caffe2_takes_its_first_step_for_the_second(caffe2):
    assert caffe2["adam"]["own"] == published(first=2, hat=True)
    assert caffe2["adam"]["here"] == published()


def test_a_row_that_a_batch_names_twice_makes_two_steps_in_caffe2(caffe2):
    never, twice, once, _ = caffe2["embedding"]
    assert (never, twice) == (0, pytest.approx(1 + once))


def test_a_max_pool_of_caffe2_hands_its_gradient_to_all_that_are_equal(caffe2):
    """Of windows 1 1 1 1, 0 2 2 1 and 3 4 5 6; the one here to the first of them."""
    assert caffe2["pool"]["own"] == [[1, 1, 1, 1], [0, 1, 1, 0], [0, 0, 0, 1]]
    assert caffe2["pool"]["here"] == [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 0, 1]]


def test_an_lstm_of_caffe2_trains_its_first_state_unless_it_is_given_one(caffe2):
    assert {"lstm/initial_hidden_state", "lstm/initial_cell_state"} < set(caffe2["lstm"])


def test_the_epsilon_of_cntks_own_adam_is_caught(references, tmp_path):
    """By itself, with the rate that was asked for; with the rate that it makes of that: as-shipped.toml."""
    own = (
        "def adam(parameters, rate, beta1, beta2, epsilon, size):\n"
        "    return C.adam(\n"
        "        parameters, rate, beta1, variance_momentum=beta2, epsilon=epsilon,\n"
        "        minibatch_size=C.learners.IGNORE)\n"
    )
    changes = (("from rosetta_worker.optimizers.cntk import adam\n", own),)
    proof = prove(Plant("epsilon hat", "fashion-mlp", changes, "", "", (), "cntk", "compiled"), references, tmp_path)
    failed = next(check for check in proof.checks if not check.passed)
    assert (failed.quantity, failed.step) == ("update", 0)
    assert "before the bias correction" in proof.cause


@pytest.mark.parametrize("framework", ["cntk", "caffe2"])
def test_they_know_no_schedule_and_say_so(framework, tmp_path):
    work = make_work(find_workload("fashion-mlp"), tmp_path / "work", schedule=DECAY)
    entry = find_framework(framework)
    with pytest.raises(WorkerError, match=r"policy|schedule") as refused:
        open_session(entry, entry.mode, environment(entry.locks[0]), work, tmp_path)
    assert refused.value.kind == "unsupported"
