"""Axes through the command line: contests by value, and a cell that says what its framework cannot do."""

import pytest
from commands import NUMPY, QUICK, finish

pytestmark = pytest.mark.environment

DECAY = "decay-0.9-every-10-epochs"


def test_a_schedule_is_a_contest_of_its_own(rosetta, store):
    axes = (f"--set=schedule=constant,{DECAY}", "--set=batch_size=3000", "--set=threads=1")
    words = ("run", "fashion-mlp", "-f", f"pytorch,{NUMPY}", "--rounds", "5", "--no-control")
    code, out, err = finish(rosetta(*words, *axes, *QUICK))
    assert code == 7, err
    constant, decay = store().run().contests
    assert (constant.setting["schedule"], decay.setting["schedule"]) == ("constant", DECAY)
    for contest in (constant, decay):
        [certificate] = [one.certificate for one in contest.entries[0].certifications]
        assert certificate.passed
        assert certificate.body["setting"].get("schedule", "constant") == contest.setting["schedule"]
    [failure] = store().run().failures
    assert (failure.kind, failure.contest_id) == ("unsupported", decay.id)
    assert "knows no schedule" in failure.what
    assert f"fashion-mlp, schedule {DECAY}" in out
    per_epoch = next(event.payload["train"] for event in store().run().events if event.kind == "data") // 3000
    for block in decay.entries[0].blocks:
        assert block.learning_rate == pytest.approx(1e-3 * 0.9 ** (block.first // per_epoch // 10))


def test_a_schedule_that_a_workload_does_not_state_is_refused_before_anything_starts(rosetta, store):
    code, _, err = finish(rosetta("run", "fashion-mlp", "-f", NUMPY, "--set", "schedule=steps", *QUICK))
    assert code == 2
    assert "fashion-mlp states no steps of its learning rate" in err
    assert "cifar-resnet56" in err
