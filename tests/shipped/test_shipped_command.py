"""``rosetta shipped``, as users have it."""

import csv
import io
import json
import os
import signal
import subprocess
import time

import pytest
from command_line import fresh, run_command
from installed_libraries import installed
from signals import obey_ctrl_c

from rosettabench.places import cache_dir
from rosettabench.shipped.library import all_libraries
from rosettabench.shipped.results import Results
from rosettabench.store.store import Store


@pytest.fixture
def words(tmp_path):
    """The words and surroundings of a command line with a store of its own."""
    own = {
        "ROSETTA_STORE": f"sqlite:///{tmp_path}/results.sqlite",
        "ROSETTA_CACHE": str(cache_dir()),
        "ROSETTA_DATA": "",
        "NO_COLOR": "1",
    }
    return lambda *words: (fresh(*words), {"cwd": tmp_path, "env": os.environ | own, "text": True})


@pytest.fixture
def rosetta(words):
    """Run the command line; return the finished process."""

    def run(*given):
        _, surroundings = words()
        return run_command(given, surroundings["env"], surroundings["cwd"])

    return run


@pytest.fixture
def store(tmp_path):
    return lambda: Store(f"sqlite:///{tmp_path}/results.sqlite")


SHORT = ("--epochs", "1", "--samples", "5", "--threads", "1")


@pytest.mark.slow
@pytest.mark.environment
def test_both_libraries_train_on_real_sets_and_are_reported(rosetta, store, real_data, tmp_path):
    for library in all_libraries().values():
        installed(library)
    done = rosetta("shipped", "m1_yearly", "hospital", "--seeds", "42", *SHORT, "--data-dir", real_data)
    assert done.returncode == 0, done.stderr
    assert done.stdout.lstrip().startswith("Library against library, not equal work")
    assert "Scaled down: 2 of the study's 41 sets, 1 epoch of its 100, 1 seed of its 5." in done.stdout
    assert "gradients are clipped" in done.stdout
    run = store().run()
    found = Results.of(run)
    assert len(found.trainings) == 4 and not found.absences
    assert {one.parsed for one in found.trainings.values()} == {"tsf"}
    hospital = [one for one in found.trainings.values() if one.series == "hospital"]
    assert all(0.6 < one.mase < 1.5 for one in hospital)
    assert all(one.whole_s > one.train_s + one.predict_s + one.parse_s + one.score_s for one in hospital)
    page = (tmp_path / f"rosetta-report-{run.id}.html").read_text(encoding="utf-8")
    assert "forecast-1-3-1" in page and "Library against library" in page
    rows = list(csv.DictReader(io.StringIO(rosetta("report", "--format", "csv", "--output", "-").stdout)))
    assert len(rows) == 4 and {row["data"] for row in rows} == {"original"}
    whole = json.loads(rosetta("report", run.id, "--format", "json", "--output", "-").stdout)
    assert [one["epochs"] for one in whole["trainings"]["sets"]] == [1, 1]
    assert "over 2 of 41 sets" in " ".join(rosetta("claims", "deepar-2024").stdout.split())
    again = rosetta("resume", run.id)
    assert again.returncode == 0, again.stderr
    assert len(Results.of(store().run(run.id)).trainings) == 4


@pytest.mark.slow
@pytest.mark.environment
def test_ctrl_c_keeps_what_is_trained_and_resume_does_the_rest(words, rosetta, store, real_data):
    for library in all_libraries().values():
        installed(library)
    command, surroundings = words("shipped", "m1_yearly", "--seeds", "42,43", *SHORT, "--data-dir", real_data)
    process = subprocess.Popen(
        command, **surroundings, stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=obey_ctrl_c
    )
    end = time.monotonic() + 600
    while time.monotonic() < end and not (store().runs() and Results.of(store().run()).trainings):
        time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=120)
    assert process.returncode == 130
    run = store().run()
    assert f"rosetta resume {run.id}" in said
    before = len(Results.of(run).trainings)
    assert 1 <= before < 4
    done = rosetta("resume", run.id)
    assert done.returncode == 0, done.stderr
    assert len(Results.of(store().run(run.id)).trainings) == 4


@pytest.mark.slow
@pytest.mark.environment
def test_what_is_not_run_for_long_unrolls_is_a_row(rosetta):
    for library in all_libraries().values():
        installed(library)
    words = (
        "shipped",
        "australian_electricity_demand",
        "-f",
        "gluonts[mxnet]",
        *SHORT,
        "--offline",
        "--data",
        "synthetic",
    )
    done = rosetta(*words)
    assert done.returncode == 0, done.stderr
    said = " ".join(done.stdout.split())
    assert "not run: a window has 756 steps" in said
    assert "--long trains it anyway" in said
    assert "not trained" in said


@pytest.mark.parametrize(
    ("given", "code", "said"),
    [
        (("hopsital",), 2, "there is no set of the Monash archive 'hopsital'\nDid you mean 'hospital'?"),
        (("hospital", "-f", "gluonts[pytorch]"), 2, "Did you mean 'gluonts[torch]'?"),
        (("hospital", "--seeds", "42,x"), 2, "'x' is not a seed"),
        (("hospital", "--seeds", ","), 2, "',' is not a seed"),
        (("hospital", "--seeds", "-1"), 2, "'-1' is not a seed"),
        (("hospital", "--epochs", "0"), 2, "epochs"),
        (("hospital", "--budget", "soon"), 2, "'soon' is not a duration"),
        ((), 2, "no set of the Monash archive was found"),
        (("hospital", "--data-dir", "/nowhere"), 4, "The data folder /nowhere does not exist."),
    ],
)
def test_words_that_mean_nothing(rosetta, given, code, said):
    done = rosetta("shipped", *given)
    assert done.returncode == code, done.stderr
    assert said in done.stderr


def test_a_file_that_is_missing_is_an_error_where_real_data_are_asked_for(rosetta, store, tmp_path):
    done = rosetta("shipped", "m1_yearly", "--data", "real", "--data-dir", tmp_path)
    assert done.returncode == 4
    assert "data=real asks for m1_yearly of the Monash archive, which is not here" in done.stderr
    assert not Results.of(store().run()).trainings
