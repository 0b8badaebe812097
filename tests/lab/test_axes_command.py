"""Axes through the command line: contests by value, and a cell that says what its framework cannot do."""

import pytest
from commands import NUMPY, QUICK, finish

pytestmark = pytest.mark.environment

DECAY = "decay-0.9-every-10-epochs"


@pytest.mark.slow
def test_a_schedule_is_a_contest_of_its_own(rosetta, store):
    axes = (f"--set=schedule=constant,{DECAY}", "--set=batch_size=3000", "--set=threads=1")
    words = ("run", "fashion-mlp", "-f", f"pytorch,{NUMPY}", "--rounds", "8", "--no-control")
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


def test_a_schedule_that_a_workload_does_not_state_is_refused_before_anything_starts(answer, store):
    code, _, err = answer("run", "fashion-mlp", "-f", NUMPY, "--set", "schedule=steps", *QUICK)
    assert code == 2
    assert "fashion-mlp states no steps of its learning rate" in err
    assert "cifar-resnet56" in err


@pytest.mark.slow
def test_every_contest_begins_with_a_maximum_that_holds(rosetta):
    axes = ("--set=batch_size=3000,4000,5000", "--set=threads=1")
    code, _, err = finish(rosetta("run", "fashion-mlp", "-f", NUMPY, "--rounds", "5", "--no-control", *axes, *QUICK))
    assert code == 0, err
    headings = [line for line in err.splitlines() if "/3] fashion-mlp" in line]
    assert len(headings) == 3
    assert all("at most" in heading for heading in headings[1:]), headings


@pytest.mark.slow
def test_synthetic_data_are_named_in_every_table_and_are_no_lack(rosetta, store):
    axes = ("--set=data=found,synthetic", "--set=batch_size=3000", "--set=threads=1")
    code, out, err = finish(rosetta("run", "fashion-mlp", "-f", NUMPY, "--rounds", "5", "--no-control", *axes, *QUICK))
    assert code == 0, err
    found, synthetic = store().run().contests
    assert (found.setting["data"], synthetic.setting["data"]) == ("found", "synthetic")
    used = {event.contest_id: event.payload for event in store().run().events if event.kind == "data"}
    assert used[synthetic.id]["origin"] == "synthetic"
    assert used[synthetic.id]["digest"] != used[found.id]["digest"] or used[found.id]["origin"] == "stand-in"
    assert "fashion-mlp, data synthetic" in out
    assert ("Stand-in data" in out) == (used[found.id]["origin"] == "stand-in")
    [one], [other] = ([row.certificate for row in contest.entries[0].certifications] for contest in (found, synthetic))
    assert one.passed and other.passed


def test_real_data_that_are_not_here_are_refused_before_anything_starts(answer, store, tmp_path):
    (tmp_path / "empty").mkdir()
    words = ("run", "chestxray-densenet121", "-f", "pytorch", "--set", "data=real", *QUICK)
    code, _, err = answer(*words, ROSETTA_DATA=str(tmp_path / "empty"))
    assert code == 4
    assert f"{tmp_path / 'empty'} holds no files of it" in " ".join(err.split()).replace("- ", "-")
    assert "--data-dir" in err
    assert not [row for contest in store().run().contests for entry in contest.entries for row in entry.blocks]


def test_tf32_on_a_processor_is_refused_before_anything_starts(answer):
    code, _, err = answer("run", "fashion-mlp", "-f", NUMPY, "--set", "precision=tf32", *QUICK)
    assert code == 2
    assert "TF32 is a format of NVIDIA's GPUs" in err
    assert "--set device=cuda" in err
