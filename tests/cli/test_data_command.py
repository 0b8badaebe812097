"""``rosetta data`` prepares what the workloads ask for, says where it came from, and mends what was damaged."""

from rosettabench.cli.data import wanted_forms
from rosettabench.data.registry import SETS


def test_each_form_once():
    forms = wanted_forms(None)
    assert len(forms) == len({repr(form) for form in forms})
    assert {name for name, _ in forms} == {*SETS, "monash-tourism_monthly"}
    assert {name for name, _ in wanted_forms(["imdb"])} == {"imdb"}


def test_prepared_from_the_folder_and_mended_when_damaged(rosetta, real_data, tmp_path):
    first = rosetta("data", "fashion-mnist", "--data-dir", real_data)
    assert str(real_data) in first.stdout
    assert "60,000 training and 10,000 test samples" in first.stdout
    arrays = sorted((tmp_path / "cache" / "prepared").glob("*/test_labels.npy"))
    with arrays[0].open("r+b") as file:
        file.seek(200)
        file.write(b"\x07\x07")
    second = rosetta("data", "fashion-mnist", "--data-dir", real_data)
    assert "was damaged: it is prepared again" in second.stderr
    assert (second.returncode, second.stdout) == (0, first.stdout)


def test_a_stand_in_is_called_one(rosetta):
    output = rosetta("data", "fashion-mnist", "--offline").stdout
    assert "Stand-in" in output
    assert "not the real" in output
