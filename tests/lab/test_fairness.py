"""Settings in force: read back from real frameworks by one vocabulary, compared, and a difference told or punished."""

import os
import re
import shutil
from pathlib import Path

import pytest
from commands import NUMPY, QUICK, THIRD_PARTY, finish, turns
from hypothesis import given
from hypothesis import strategies as st
from laboratory import environment, make_work, open_session
from processors import PROCESSORS

from rosettabench.catalogue.framework import all_frameworks, competing_frameworks
from rosettabench.catalogue.workload import find_workload
from rosettabench.lab.fairness import EQUAL, REMEDY, differences, partly_compiled
from rosettabench.report.words.contest import difference_sentence
from rosettabench.resources.processors import confine_children, core_of, worker_processors

VALUES = st.one_of(st.booleans(), st.integers(0, 3), st.sampled_from(["cpu", "CPU", "float32"]), st.none())
SETTINGS = st.dictionaries(st.sampled_from([*EQUAL, "layout", "graphs"]), VALUES)
RUNS = st.dictionaries(st.sampled_from(["a", "b", "c"]), SETTINGS)

ALWAYS = {"processors", "process_threads", "processor_isa", "libraries", "threads", "device", "precision", "mode"}
"""What every framework of this project tells on Linux."""


# -- the comparison ----------------------------------------------------------------------------------------------------


@given(RUNS)
def test_equal_settings_never_differ(settings):
    for found in settings.values():
        assert not differences({"one": found, "another": dict(found)})


@given(RUNS, st.sampled_from(EQUAL))
def test_whoever_does_not_tell_is_neither_equal_nor_different(settings, name):
    told = {label: {key: value for key, value in found.items() if key != name} for label, found in settings.items()}
    assert [row for row in differences(settings) if row.name != name] == differences(told)


@given(RUNS)
def test_only_what_must_be_equal_is_judged_and_everybodys_value_is_told(settings):
    for row in differences(settings):
        assert row.name in EQUAL
        assert set(row.values) == {label for label, found in settings.items() if found.get(row.name) is not None}
        assert all(label in row.sentence for label in row.values)


def test_a_difference_as_a_sentence():
    settings = {"pytorch": {"threads": 1, "tf32": False}, "jax": {"threads": 2}, "mxnet-gluon": {"threads": 2}}
    (row,) = differences(settings)
    assert row.sentence == "The setting threads differs: 1 in pytorch; 2 in jax and mxnet-gluon."


def test_what_a_compiler_left_out_is_told_of_whoever_has_it():
    whole = {"compiler": "torch.compile", "graphs": 1, "graph_breaks": 0, "fallbacks": 0}
    settings = {"jax": {"compiler": "XLA", "graphs": 1}, "a": whole, "b": {**whole, "graph_breaks": 1, "fallbacks": 2}}
    (found,) = partly_compiled(settings)
    assert difference_sentence(found) == (
        "b is compiled only in part: Python runs what torch.compile left out (graph breaks: 1, functions given up: 2)."
    )


def test_processors_are_numbers_and_not_amounts():
    (row,) = differences({"pytorch": {"processors": [0]}, "jax": {"processors": [0, 1]}})
    assert row.sentence == "The setting processors differs: no. 0 in pytorch; no. 0, 1 in jax."


# -- the policy --------------------------------------------------------------------------------------------------------


def test_second_threads_of_cores_come_last(monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1, 2, 3, 6})
    monkeypatch.setattr("rosettabench.resources.processors.core_of", lambda processor: str(processor // 2))
    assert [worker_processors(count) for count in (1, 2, 3, 4, 9)] == [
        [0],
        [0, 2],
        [0, 2, 6],
        [0, 1, 2, 6],
        [0, 1, 2, 3, 6],
    ]


def test_a_core_is_named_by_its_threads(tmp_path):
    folder = tmp_path / "cpu3" / "topology"
    folder.mkdir(parents=True)
    (folder / "thread_siblings_list").write_text("3,7\n")
    assert core_of(3, tmp_path) == "3,7"
    assert core_of(4, tmp_path) == "4", "where the system does not tell, each is its own"


def test_only_what_is_started_inside_is_held(monkeypatch):
    before = os.sched_getaffinity(0)
    with pytest.raises(RuntimeError), confine_children([min(before)]):
        assert os.sched_getaffinity(0) == {min(before)}
        raise RuntimeError
    assert os.sched_getaffinity(0) == before


# -- real frameworks ---------------------------------------------------------------------------------------------------


@pytest.mark.environment
@pytest.mark.parametrize(
    ("name", "mode"), [(name, mode) for name, one in competing_frameworks().items() for mode in one.modes]
)
def test_every_framework_obeys_the_policy_and_tells_by_the_vocabulary(name, mode, tmp_path):
    """With one thread asked for, all have one, and one processor: also those that read no variable."""
    entry = competing_frameworks()[name]
    if entry.locks[0].startswith("numpy@"):
        pytest.skip("the framework of the tests has no environment of its own")
    workload = next(work for work in map(find_workload, WORKLOADS) if work.implementation(entry.implementation_name))
    session = open_session(entry, mode, environment(entry.locks[0]), make_work(workload, tmp_path), tmp_path / "one")
    try:
        session.evaluate(2) if entry.exported else session.train(0, 2)
        settings = session.settings()
    finally:
        session.process.close()
    assert settings["processors"] == worker_processors(1)
    assert (settings["threads"], settings["device"], settings["precision"]) == (1, "cpu", "float32")
    assert (settings["mode"], settings["loader_workers"]) == (mode, 0)
    assert settings["process_threads"] >= settings["threads"]
    assert set(settings) >= ALWAYS
    assert set(settings) <= vocabulary(), "a key that docs/explanation/fairness.md does not have"
    if mode == "compiled":
        assert settings.get("graphs", 1) >= 1, "it runs op by op under another name"
        assert not settings.get("graph_breaks") and not settings.get("fallbacks")


@pytest.mark.slow
@pytest.mark.environment
@pytest.mark.parametrize("name", ["mxnet-gluon", "mxnet-module"])
def test_mode_tuned_of_mxnet_has_an_engine_without_threads(name, tmp_path, monkeypatch):
    """The threads of the usual engine compete with those of OpenMP. An engine that the user names stays."""
    monkeypatch.delenv("MXNET_ENGINE_TYPE", raising=False)
    entry = competing_frameworks()[name]
    work = make_work(find_workload("fashion-mlp"), tmp_path)

    def settings_of(mode, folder):
        session = open_session(entry, mode, environment(entry.locks[0]), work, tmp_path / folder)
        try:
            session.train(0, 2)
            return session.settings()
        finally:
            session.process.close()

    usual, tuned = settings_of("compiled", "compiled"), settings_of("tuned", "tuned")
    assert (usual["engine"], tuned["engine"]) == ("ThreadedEnginePerDevice", "NaiveEngine")
    assert tuned["process_threads"] < usual["process_threads"]
    monkeypatch.setenv("MXNET_ENGINE_TYPE", "ThreadedEngine")
    assert settings_of("tuned", "named")["engine"] == "ThreadedEngine"


@pytest.mark.environment
def test_a_reference_has_its_one_thread_on_any_processor(tmp_path, all_processors):
    """Three of them compute side by side: on one processor, a proof would take twice as long."""
    entry = all_frameworks()["reference-pytorch"]
    work = make_work(find_workload("fashion-mlp"), tmp_path)
    session = open_session(entry, entry.mode, environment(entry.locks[0]), work, tmp_path / "one", "float64")
    try:
        settings = session.settings()
    finally:
        session.process.close()
    assert settings["processors"] == sorted(os.sched_getaffinity(0))
    assert settings["threads"] == 1


WORKLOADS = ("fashion-mlp", "fashion-cnn")
"""Workloads that start at once; a convolution shows its layout."""


@pytest.mark.slow
@pytest.mark.environment
@pytest.mark.parametrize(
    "name",
    ["pytorch", "jax", "tensorflow", "keras[tensorflow]", "mxnet-gluon", "mxnet-module", "paddle", "mlx", "tinygrad"],
)
def test_the_layout_is_that_of_the_models_own_tensors(name, tmp_path):
    entry = competing_frameworks()[name]
    work = make_work(find_workload("fashion-cnn"), tmp_path)
    mode = "eager" if "eager" in entry.modes else entry.mode
    session = open_session(entry, mode, environment(entry.locks[0]), work, tmp_path / "one")
    try:
        session.train(0, 1)
        layout = session.settings()["layout"]
    finally:
        session.process.close()
    assert layout == (
        "channels_first"
        if name in ("pytorch", "mxnet-gluon", "mxnet-module", "paddle", "tinygrad")
        else "channels_last"
    )


def vocabulary():
    """The keys that docs/explanation/fairness.md has in its table."""
    text = (Path(__file__).parents[2] / "docs" / "explanation" / "fairness.md").read_text(encoding="utf-8")
    return set(re.findall(r"^\| `(\w+)`", text, re.MULTILINE))


# -- a contest that is unfair ------------------------------------------------------------------------------------------

needs_two = pytest.mark.skipif(len(PROCESSORS) < 2, reason="there is one processor: nobody can have more")
OWN = "        self.model = self.implementation.Model()\n"
MORE = "        import os\n\n        os.sched_setaffinity(0, range(os.cpu_count()))\n"


@pytest.fixture
def greedy(tmp_path):
    """A package with NumPy twice; the second of the two lets itself onto every processor of the machine."""
    package = tmp_path / "package"
    shutil.copytree(THIRD_PARTY, package)
    room = package / "rosetta_numpy"
    adapter = (room / "frameworks" / "numpy.py").read_text()
    assert OWN in adapter, "the plant does not fit any more"
    (room / "frameworks" / "greedy.py").write_text(adapter.replace(OWN, MORE + OWN))
    shutil.copy(room / "workloads" / "fashion_mlp" / "numpy.py", room / "workloads" / "fashion_mlp" / "greedy.py")
    both = f"{NUMPY},{NUMPY.replace('numpy', 'greedy', 1)}"
    words = ("run", "fashion-mlp", "-f", both, "--no-control", "--rounds", "8", "--set", "threads=1", *QUICK)
    return words, {"PYTHONPATH": str(package)}


@pytest.mark.slow
@needs_two
@pytest.mark.environment
def test_whoever_takes_more_processors_is_told_of(rosetta, store, greedy):
    words, variables = greedy
    code, out, err = finish(rosetta(*words, **variables))
    assert code == 0, err
    assert "The setting processors differs" in err
    assert "The setting processors differs" in out
    assert all(turns(entry) for entry in store().run().contests[0].entries), "measured all the same"


@pytest.mark.slow
@needs_two
@pytest.mark.environment
def test_under_strict_it_ends_the_contest(rosetta, store, greedy):
    words, variables = greedy
    code, out, err = finish(rosetta(*words, "--strict", **variables))
    assert code == 7
    failures = store().run().failures
    assert len(failures) == 2
    for failure in failures:
        assert (failure.stage, failure.kind, failure.hint) == ("settings", "unequal", REMEDY)
        assert "processors" in failure.what
    assert not any(entry.blocks for entry in store().run().contests[0].entries), "nothing was timed"
    assert REMEDY in " ".join(out.split())
    assert "Traceback" not in err


@pytest.mark.slow
@pytest.mark.environment
def test_strict_lets_equals_compete(rosetta, store):
    code, _, err = finish(rosetta("run", "fashion-mlp", "-f", NUMPY, "--strict", "--rounds", "5", *QUICK))
    assert code == 0, err
    assert not store().run().failures
