"""Lasagne on Theano: what both do by themselves, as docs/findings.md has it, that a proof sees it, and what is kept."""

import json
import os
import subprocess
from pathlib import Path

import pytest
from laboratory import Plant, environment
from test_plants import prove

from rosettabench.catalogue.roots import worker_folder
from rosettabench.client.machine import COMPILED
from rosettabench.places import cache_dir

pytestmark = [pytest.mark.environment, pytest.mark.slow]

CHECK = Path(__file__).parent / "check_lasagne.py"


def checked(**variables):
    """What the script says in Lasagne's environment, with these environment variables."""
    words = [str(environment("lasagne@0.1").python), "-W", "ignore", str(CHECK), str(worker_folder())]
    kept = {COMPILED: str(cache_dir() / "compiled")}
    done = subprocess.run(words, capture_output=True, text=True, timeout=300, env={**os.environ, **kept, **variables})
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def found():
    return checked()


def test_a_relu_has_half_a_derivative_at_zero_and_none_here(found):
    assert found["rectify"] == {"own": [0.5], "theano": [0.5], "here": [0]}


def test_a_max_pooling_hands_the_gradient_to_each_of_equal_numbers_and_here_to_one(found):
    assert found["pool"] == {"own": [1, 1, 1, 1], "here": [1, 0, 0, 0]}


def test_a_gru_trains_its_first_state_unless_told_otherwise(found):
    assert "layer.hid_init" in found["gru"]


def test_products_are_those_of_numpys_own_library(found):
    assert "openblas" in found["blas"]


def test_what_was_compiled_with_other_flags_is_not_used(found):
    other = checked(THEANO_FLAGS="optimizer_verbose=False")["compiledir"]
    assert Path(other).parent != Path(found["compiledir"]).parent
    assert cache_dir() / "compiled" in Path(other).parents


def test_its_own_rectify_is_caught(references, tmp_path):
    """By itself; with its convolutions: as-shipped.toml."""
    ours = "from rosetta_worker.layers.lasagne import correlate"
    changes = ((f"{ours}, rectify", f"from lasagne.nonlinearities import rectify\n{ours}"),)
    proof = prove(Plant("rectify", "fashion-cnn", changes, "", "", (), "lasagne", "compiled"), references, tmp_path)
    failed = next(check for check in proof.checks if not check.passed)
    assert (failed.quantity, failed.step) == ("gradient", 0)
