"""The real environments, in the user's own cache folder: made the first time, found from then on."""

import pytest
from laboratory import environment

from rosettabench.cli.env import found_by, imported_by
from rosettabench.environments.environment import Environments, external
from rosettabench.environments.lock import all_locks
from rosettabench.environments.torch_build import nvidia_driver
from rosettabench.places import cache_dir

MODULES = {
    "chainer@7.8.1": ["chainer"],
    "gluonts-mxnet@0.17.0": ["gluonts.mx", "gluonts.evaluation"],
    "gluonts-torch@0.17.0": ["gluonts.torch", "gluonts.evaluation"],
    "jax@0.10.2": ["jax", "flax", "optax"],
    "mxnet@1.9.1": ["mxnet"],
    "pytorch-onnx@2.13.0": ["torch", "onnx", "onnxscript"],
}


@pytest.mark.environment
@pytest.mark.parametrize("lock", all_locks(), ids=lambda lock: lock.name)
def test_each_can_be_made_and_its_framework_imported(lock):
    made = environment(lock.name)
    findings = Environments(cache_dir() / "environments").check(
        made, MODULES.get(lock.name, imported_by(lock)), found_by(lock)
    )
    assert [finding for finding in findings if finding.subject not in lock.needs] == []
    assert external(made.python).packages == made.packages
    if not nvidia_driver() and made.packages.get("torch", "").endswith("+cpu"):
        assert not [name for name in made.packages if name.startswith("nvidia")]
