"""The check that a timed region waits: it holds for frameworks that do, and not for one that no longer does."""

import shutil
from dataclasses import replace

import pytest
from laboratory import environment, tamper
from tiers import slow

from rosettabench.catalogue.framework import competing_frameworks
from rosettabench.errors import WorkerError
from rosettabench.lab.synchronisation import Wait, check_wait
from rosettabench.places import cache_dir

pytestmark = pytest.mark.environment

WAITING = {
    "jax": ("runtime.synchronize()", "pass"),
    "mxnet-gluon": ("mx.nd.waitall()", "pass"),
    "mxnet-module": ("mx.nd.waitall()", "pass"),
}
"""How the frameworks that compute beside the caller on a CPU wait for it, and what does not wait."""


@pytest.mark.slow
@pytest.mark.parametrize("name", WAITING)
def test_a_synchronise_that_does_not_wait_is_caught(name, tmp_path):
    entry = competing_frameworks()[name]
    where = environment(entry.locks[0])
    tampered = tamper(entry.path, [WAITING[name]], tmp_path / entry.path.name)
    (tmp_path / "sound").mkdir()
    (tmp_path / "tampered").mkdir()
    sound = check_wait(entry, where, "cpu", cache_dir(), tmp_path / "sound")
    found = check_wait(replaced(entry, tampered), where, "cpu", cache_dir(), tmp_path / "tampered")
    assert sound.holds and sound.asynchronous, sound
    assert not found.holds, found


@pytest.mark.skipif(shutil.which("nvidia-smi") is not None, reason="there is a GPU here")
@pytest.mark.parametrize("name", ["pytorch", slow("keras[tensorflow]")])
def test_a_framework_that_takes_another_device_is_no_proof(name, tmp_path):
    """Asked for a GPU where there is none, a framework fails, or computes elsewhere: neither may pass for a GPU."""
    entry = competing_frameworks()[name]
    with pytest.raises(WorkerError):
        check_wait(entry, environment(entry.locks[0]), "cuda", cache_dir(), tmp_path)


@pytest.mark.parametrize(
    ("times", "holds", "asynchronous"),
    [
        ((0.001, 0.500, 0.001), True, True),
        ((0.499, 0.500, 0.001), True, False),
        ((0.001, 0.002, 0.500), False, False),
        ((0.001, 0.250, 0.250), False, True),
    ],
)
def test_what_times_show(times, holds, asynchronous):
    wait = Wait("cpu", *times, finite=True)
    assert (wait.holds, wait.asynchronous) == (holds, asynchronous)
    assert not replace(wait, finite=False).holds, "a result that is not finite was perhaps not computed"


def replaced(entry, path):
    """The same framework through another adapter."""
    return entry.model_copy(update={"path": path})
