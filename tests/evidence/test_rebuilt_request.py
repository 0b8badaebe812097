"""The request of a bundle, asked for here: rebuilt from validated values, and refused where it cannot be equal."""

import sys
from pathlib import Path

import pytest
from drawn_run import request, write_drawn_run

from rosettabench.errors import DataError, EnvironmentFault, UsageError
from rosettabench.evidence.collection import collect
from rosettabench.evidence.repetition import ReadersParts, check_locks, plan_here, read_parts, request_here
from rosettabench.resources.processors import usable_cores
from rosettabench.store.store import Store


@pytest.fixture(scope="module")
def bundle(drawn_store):
    """The bundle of the drawn run."""
    return collect(drawn_store.run())


def asked_otherwise(bundle, **values):
    """Return a bundle whose request has other values."""
    run = bundle.run.model_copy(update={"request": bundle.run.request.model_copy(update=values)})
    return bundle.model_copy(update={"run": run})


def test_the_same_contests_are_planned(bundle):
    asked = request_here(bundle, ReadersParts())
    (planned,) = plan_here(bundle, asked, None)
    assert planned.setting.as_json() == bundle.contests[0].setting.model_dump()
    assert [one.label for one in planned.contenders] == [one.label for one in bundle.contests[0].entries]
    check_locks(bundle)


def test_what_the_machine_decided_is_stated(tmp_path, monkeypatch):
    store = Store(f"sqlite:///{tmp_path}/own.sqlite")
    monkeypatch.setattr("rosettabench.plan.setting.usable_cores", lambda: 1)
    write_drawn_run(store, request(axes={}))
    bundle = collect(store.run())
    monkeypatch.setattr("rosettabench.plan.setting.usable_cores", lambda: 64)
    (planned,) = plan_here(bundle, request_here(bundle, ReadersParts()), None)
    assert planned.setting.threads == 1


def test_other_threads_on_request(bundle):
    asked = request_here(bundle, ReadersParts(threads=usable_cores()))
    (planned,) = plan_here(bundle, asked, usable_cores())
    assert planned.setting.threads == usable_cores()


def test_more_threads_than_processors(bundle, monkeypatch):
    monkeypatch.setattr("rosettabench.evidence.repetition.usable_cores", lambda: 0)
    with pytest.raises(UsageError, match="used 1 threads; this machine has 0"):
        request_here(bundle, ReadersParts())


def test_a_gpu_that_is_not_here(bundle, monkeypatch):
    monkeypatch.setattr("rosettabench.evidence.repetition.gpu_names", list)
    contest = bundle.contests[0]
    setting = contest.setting.model_copy(update={"device": "cuda"})
    changed = bundle.model_copy(update={"contests": (contest.model_copy(update={"setting": setting}),)})
    with pytest.raises(UsageError, match="used a GPU"):
        request_here(changed, ReadersParts())


@pytest.mark.parametrize("name", ["path-1/my-gpt", "./evil", "/home/evil", ".."])
def test_a_folder_of_the_author_is_never_opened(bundle, name):
    with pytest.raises(UsageError, match="folder of the run's author"):
        request_here(asked_otherwise(bundle, workloads=(name,)), ReadersParts())


def test_the_readers_folder_takes_its_place(bundle, tmp_path):
    changed = asked_otherwise(bundle, workloads=("path-1/my-gpt",))
    asked = request_here(changed, ReadersParts(folders={"my-gpt": tmp_path}))
    assert asked.workloads == (str(tmp_path),)


@pytest.mark.parametrize("text", ["pytorch@path-1/python", "pytorch@/bin/sh:compiled", "pytorch@../x"])
def test_an_interpreter_of_the_author_is_never_started(bundle, text):
    changed = asked_otherwise(bundle, contenders=(text,))
    with pytest.raises(UsageError, match="ran in an interpreter of the run's author"):
        request_here(changed, ReadersParts())
    here = Path(sys.executable)
    asked = request_here(changed, ReadersParts(pythons={"pytorch": here}))
    assert asked.contenders[0].startswith(f"pytorch@{here}")
    assert asked.contenders[0].endswith(":compiled") == text.endswith(":compiled")


@pytest.mark.parametrize("values", [{"python": Path("/bin/sh")}, {"pythons": {"pytorch": Path("/bin/sh")}}])
def test_an_interpreter_for_all_is_never_started(bundle, values):
    with pytest.raises(UsageError, match="ran in an interpreter of the run's author"):
        request_here(asked_otherwise(bundle, **values), ReadersParts())


def test_paths_and_limits_are_the_readers(bundle, tmp_path):
    changed = asked_otherwise(bundle, data_dir=Path("/etc"), offline=False, timeout=1e300)
    asked = request_here(changed, ReadersParts(data_dir=tmp_path, offline=True, timeout=60.0))
    assert (asked.data_dir, asked.offline, asked.timeout) == (tmp_path, True, 60.0)


@pytest.mark.parametrize(
    "values",
    [
        {"contenders": ("--help; rm -rf /",)},
        {"axes": {"threads": [1], "colour": [1]}},
        {"axes": {"threads": [0]}},
        {"axes": {"device": ["cpu,cuda"]}},
        {"axes": {name: list(range(1, 500)) for name in ("threads", "batch_size", "seed")}},
        {"own_axes": {"fashion-mlp": {"threads": ["/x"]}}},
        {"study": "../x"},
        {"confidence": 7.0},
        {"tests": 0},
    ],
)
def test_values_that_no_command_has(bundle, values):
    with pytest.raises((DataError, UsageError)):
        request_here(asked_otherwise(bundle, **values), ReadersParts())


@pytest.mark.parametrize(
    "values",
    [
        {"turns": 3},
        {"rounds": (40, 20)},
        {"rounds": (1, 10**9)},
        {"processes": 0},
        {"seconds": -1.0},
        {"precision": 0.0},
    ],
)
def test_rules_that_no_command_has(bundle, values):
    stopping = bundle.run.request.stopping.model_copy(update=values)
    with pytest.raises(DataError, match="stopping rules that no run has"):
        request_here(asked_otherwise(bundle, stopping=stopping), ReadersParts())


def test_other_contests_than_the_bundle_states(bundle):
    changed = asked_otherwise(bundle, contenders=("pytorch", "jax"))
    with pytest.raises(UsageError, match="has other contenders here"):
        plan_here(changed, request_here(changed, ReadersParts()), None)
    changed = asked_otherwise(bundle, axes={"threads": [1], "seed": [0, 1]})
    with pytest.raises(UsageError, match="1 contests, and here there are 2"):
        plan_here(changed, request_here(changed, ReadersParts()), None)


def test_a_lock_that_is_not_ours_is_never_installed(bundle):
    name = next(iter(bundle.locks))
    more = {name: bundle.locks[name] + "\nevil==1.0\n"}
    with pytest.raises(EnvironmentFault, match="other packages than the one of this Rosettabench"):
        check_locks(bundle.model_copy(update={"locks": more}))
    with pytest.raises(EnvironmentFault, match=r"no lock 'evil@1\.0'"):
        check_locks(bundle.model_copy(update={"locks": {"evil@1.0": "evil==1.0\n"}}))


def test_comments_of_a_lock_do_not_matter(bundle):
    check_locks(bundle.model_copy(update={"locks": {name: f"# of old\n{text}" for name, text in bundle.locks.items()}}))


def test_options_name_each_thing_once():
    assert read_parts("--python", ["a=/x", "/y"]) == {"a": Path("/x"), "": Path("/y")}
    with pytest.raises(UsageError, match="twice"):
        read_parts("--python", ["a=/x", "a=/y"])
    with pytest.raises(UsageError, match="names no path"):
        read_parts("--workload", ["my-gpt="])
