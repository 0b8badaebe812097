"""What is stored is read back as it was, and what came later counts."""

from trained_runs import LIBRARIES, absent, paced, trained_run, training, used

from rosettabench.shipped.results import Results


def test_everything_is_read_back(tmp_path):
    run = trained_run(
        tmp_path, {"hospital": {42: (2.0, 8.0), 43: (2.0,)}}, absences=[absent("hospital", LIBRARIES[1], 43)]
    )
    found = Results.of(run)
    assert found.sets["hospital"] == used("hospital")
    assert [*found.installed] == [*LIBRARIES]
    assert found.training("hospital", LIBRARIES[1], 42, 2) == training("hospital", LIBRARIES[1], 42, 8.0)
    assert found.has("hospital", LIBRARIES[0], 43, 2) and not found.has("hospital", LIBRARIES[1], 43, 2)
    assert not found.has("hospital", LIBRARIES[0], 43, 100)
    assert [one.what for one in found.absences.values()] == ["no answer to 'train' within 60 s"]


def test_numbers_that_are_not_finite_pass_through_json():
    endless = training("hospital", LIBRARIES[0], 42, 1.0, mase=float("inf"), smape=None)
    (found,) = Results.read([("training", endless.payload())]).trainings.values()
    assert endless.payload()["mase"] == "Infinity"
    assert found.mase == float("inf") and found.smape is None


def test_a_training_that_was_done_after_all_ends_its_absence():
    found = Results()
    for record in (absent("hospital", LIBRARIES[0], 42), absent("hospital", LIBRARIES[0]), paced("hospital", 3, 2)):
        found.take(record)
    assert len(found.absences) == 2
    found.take(training("hospital", LIBRARIES[0], 42, 1.0))
    assert not found.absences
    assert found.paces["hospital"].epochs == 3


def test_what_was_left_out_is_no_failure():
    assert absent("hospital", LIBRARIES[0]).is_failure
    assert not absent("hospital", LIBRARIES[0], kind="too long").is_failure
    assert not absent("hospital", LIBRARIES[0], kind="budget").is_failure
