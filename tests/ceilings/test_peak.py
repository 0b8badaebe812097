"""``rosetta peak``, as users have it."""

import json
import os

import pytest
from command_line import run_command
from laboratory import environment
from tiers import slow

from rosettabench.places import cache_dir
from rosettabench.store.store import Store


@pytest.fixture
def rosetta(tmp_path):
    """Run the command line with a store of its own; return the finished process."""

    def run(*words, cache=None):
        own = {"ROSETTA_STORE": f"sqlite:///{tmp_path}/results.sqlite", "ROSETTA_CACHE": str(cache or cache_dir())}
        return run_command(words, os.environ | own, tmp_path)

    return run


@pytest.fixture
def store(tmp_path):
    return lambda: Store(f"sqlite:///{tmp_path}/results.sqlite")


SHORT = ("--threads", "1", "--seconds", "1")


@pytest.mark.slow
@pytest.mark.environment
def test_two_frameworks_and_numpy_are_measured_and_kept(rosetta, store):
    for name in ("pytorch@2.13.0", "mxnet@1.9.1"):
        environment(name)
    words = ("peak", "-f", "pytorch,mxnet-gluon", "--precision", "float32,bfloat16", *SHORT, "--json")
    done = rosetta(*words)
    assert done.returncode == 0, done.stderr
    record = json.loads(done.stdout)
    assert (record["threads"], record["device"]) == (1, "cpu")
    assert {one["library"] for one in record["series"]} == {"pytorch", "mxnet-gluon", "numpy"}
    ceilings = {(one["kind"], one["what"]): one for one in record["ceilings"]}
    assert set(ceilings) == {("product", "float32"), ("product", "bfloat16"), ("copy", "memory")}
    sound = [one for one in record["series"] if one["what"] == "float32" and one["fault"] is None]
    assert ceilings["product", "float32"]["rate"] == max(one["best"] for one in sound)
    assert ceilings["product", "bfloat16"]["library"] == "pytorch"
    refused = {(one["library"], one["what"]): one["why"] for one in record["refused"]}
    assert set(refused) == {("mxnet-gluon", "bfloat16"), ("numpy", "bfloat16")}
    kept = store().run(record["run"])
    assert [event.kind for event in kept.events].count("ceiling") == len(record["series"])
    assert kept.events[-1].kind == "finished"


@pytest.mark.slow
@pytest.mark.environment
def test_the_table_says_what_the_ceiling_is(rosetta, store):
    environment("pytorch@2.13.0")
    done = rosetta("peak", "-f", "pytorch", "--precision", "float32", *SHORT)
    assert done.returncode == 0, done.stderr
    assert "This machine with 1 thread on cpu" in done.stdout
    assert "Ceiling, float32: " in done.stdout
    assert "GB/s" in done.stdout and "FLOP/s" in done.stdout
    run = store().runs()[0]
    resumed = rosetta("resume", run.id)
    assert resumed.returncode == 2
    assert "has no contest to continue" in resumed.stderr
    assert "there is no run" in rosetta("report").stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("-f", "pytroch"), "there is no framework 'pytroch'\nDid you mean 'pytorch'?"),
        slow(("--precision", "float23"), "there is no precision 'float23'\nDid you mean 'float32'?"),
        (("--device", "gpu"), "there is no device 'gpu'"),
        slow(("-f", "pytorch:eagre"), "there is no mode of pytorch 'eagre'"),
        (("--threads", "0"), "threads"),
        slow(("-f", "pytorch,pytorch"), "pytorch is named twice"),
    ],
)
def test_words_that_mean_nothing(rosetta, store, words, said):
    done = rosetta("peak", *words)
    assert done.returncode == 2
    assert said in done.stderr
    assert not store().runs()


def test_nothing_installed_is_a_sentence(rosetta, tmp_path):
    done = rosetta("peak", cache=tmp_path / "empty")
    assert done.returncode == 2
    assert "no framework is installed here yet" in done.stderr
    assert "rosetta peak -f pytorch" in done.stderr
