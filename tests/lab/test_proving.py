"""Proofs alone, several at the same time: all are made, on processors of their own, and Ctrl-C ends them at once."""

import os
import shutil
import signal
import time
from pathlib import Path
from threading import Thread

import psutil
import pytest
from commands import NUMPY, THIRD_PARTY, ended, finish, turns, workers
from hypothesis import given
from hypothesis import strategies as st
from laboratory import environment

from rosettabench.catalogue.contender import parse_contender
from rosettabench.catalogue.workload import find_workload
from rosettabench.errors import EnvironmentFault, ProofError, WorkerError
from rosettabench.lab.arrangement import able_reference
from rosettabench.lab.competitor import Competitor
from rosettabench.lab.proving import by_engines
from rosettabench.lab.registrar import Registrar
from rosettabench.plan.plan import cell_key
from rosettabench.proof.register import enter_run, is_current, read_register
from rosettabench.resources.processors import lane_processors, processors_in_turn


def test_two_cells_of_an_engine_are_not_proven_side_by_side():
    asked = "pytorch:eager,pytorch:compiled,pytorch:tuned,keras[jax]:eager,keras[torch],jax:eager,jax,mxnet-module"
    competitors = [Competitor(parse_contender(text), None, None, 0) for text in asked.split(",")]
    assert [one.label for one in by_engines(competitors)] == [
        *("pytorch", "keras[jax]:eager", "keras[torch]", "mxnet-module"),
        *("pytorch:compiled", "jax:eager", "pytorch:tuned", "jax"),
    ]
    assert by_engines(by_engines(competitors)) == by_engines(competitors)


CONTESTS = ("prove", "fashion-mlp", "-f", NUMPY, "--set", "batch_size=8,16", "-j", "2")


def together(process):
    """How many workers a controller had at most at the same time, and the processors of each contender's.

    It looks until the controller ends. A contender works in the folder of its entry.
    """
    most, seen = 0, {}
    while process.poll() is None:
        try:
            alive = workers(process)
            seen |= {one.pid: (Path(one.cwd()), tuple(one.cpu_affinity())) for one in alive}
        except psutil.NoSuchProcess:  # one has ended while it was looked at
            continue
        most = max(most, len(alive))
        time.sleep(0.05)
    return most, [processors for folder, processors in seen.values() if folder.name.startswith("entry-")]


@pytest.mark.environment
def test_where_no_environment_can_be_made_a_named_interpreter_computes_the_reference(rosetta, store, tmp_path):
    none = {"ROSETTA_CACHE": str(tmp_path / "cache"), "ROSETTA_PYTHON_3_11": str(tmp_path / "no-python")}
    torch = environment("pytorch@2.13.0").python
    words = ("prove", "fashion-mlp", "--offline", "--set", "batch_size=8")
    code, _, err = finish(rosetta(*words, "-f", NUMPY, **none))
    assert code == 5 and "no float64 reference can be made for fashion-mlp" in err, "NumPy's has no PyTorch"
    code, _, err = finish(rosetta(*words, "-f", f"{NUMPY},pytorch@{torch}", **none))
    assert code == 0, err
    assert f"{torch} computes the reference: an environment for it cannot be made." in err
    certificates = [one.certificate for entry in store().run().contests[0].entries for one in entry.certifications]
    assert [one.body["reference"] for one in certificates if one.passed] == ["reference-pytorch"] * 2


def test_a_named_interpreter_that_does_not_start_is_a_reason_and_no_crash(tmp_path):
    def refuse(lock):
        raise EnvironmentFault("no Python was found", "Install one.")

    with pytest.raises(ProofError, match=f"no Python was found.*there is no {tmp_path / 'python'}"):
        able_reference(find_workload("fashion-mlp"), refuse, {tmp_path / "python"})


@pytest.mark.slow
@pytest.mark.environment
def test_two_lanes_prove_two_contests(rosetta, store, all_processors):
    process = rosetta(*CONTESTS)
    most, own = together(process)
    code, out, err = finish(process)
    assert code == 0, err
    run = store().run()
    assert [contest.setting["batch_size"] for contest in run.contests] == [8, 16]
    for contest in run.contests:
        (entry,) = contest.entries
        assert contest.setting["threads"] == max(1, len(os.sched_getaffinity(0)) // 2)
        assert [one.certificate.passed for one in entry.certifications] == [True]
        assert entry.certifications[0].certificate.body["setting"] == {
            axis: contest.setting[axis] for axis in entry.certifications[0].certificate.body["setting"]
        }
        assert not entry.blocks
    assert [event.kind for event in run.events].count("stopped") == 2
    assert run.events[-1].kind == "finished"
    assert out.count("equal work, proven") == 2
    assert most >= 2, "two workers at a time"
    if len(os.sched_getaffinity(0)) >= 2:
        assert len(set(own)) == len(own) == 2, "and each lane on processors of its own"


@pytest.mark.slow
@pytest.mark.environment
def test_ctrl_c_ends_all_lanes_and_resume_proves_the_rest(rosetta, store, all_processors):
    process = rosetta(*CONTESTS)
    while process.poll() is None and len(workers(process)) < 2:
        time.sleep(0.05)
    alive = workers(process)
    process.send_signal(signal.SIGINT)
    code, _, err = finish(process, 30)
    assert code == 130, err
    assert ended(alive)
    run = store().run()
    assert run.events[-1].kind == "interrupted"
    assert not run.failures, "to be interrupted is no failure of a worker"
    assert "not proven" not in err
    code, _, err = finish(rosetta("resume"))
    assert code == 0, err
    for contest in store().run().contests:
        assert contest.entries[0].certifications[-1].certificate.passed
        assert not turns(contest.entries[0]), "what was begun as proofs goes on as proofs"


@pytest.mark.slow
@pytest.mark.environment
def test_what_is_missing_is_proven_and_nothing_else(rosetta, store):
    def certificates():
        return [contest.entries[0].certifications[0].certificate.id for contest in store().run().contests]

    words = ("prove", "fashion-mlp", "-f", NUMPY, "-j", "2", "--set")
    finish(rosetta(*words, "batch_size=8"))
    [known] = certificates()
    code, out, err = finish(rosetta(*words, "batch_size=8,16", "--missing"))
    assert code == 0, err
    assert out.count("equal work, proven") == 2
    assert certificates()[0] == known
    made = certificates()[1]
    finish(rosetta(*words, "batch_size=8,16"))
    assert not {known, made} & set(certificates()), "without the word everything is proven again"


@pytest.mark.slow
@pytest.mark.environment
def test_when_the_budget_is_over_no_proof_begins(rosetta, store):
    code, out, err = finish(rosetta("prove", "fashion-mlp", "-f", NUMPY, "--budget", "0.001s"))
    assert code == 0, err
    run = store().run()
    assert not run.contests[0].entries[0].certifications
    assert f"No time was left for 1 cell: rosetta resume {run.id}" in out
    assert "1 of 1 cells are to be proven" in err


@pytest.mark.slow  # .ci/run does the same, with twenty cells
@pytest.mark.environment
def test_a_drawn_cell_is_proven_and_entered_into_a_register(rosetta, store, tmp_path):
    """Third parties have cells of their own, and none in our register: of two contenders one can be drawn."""
    words = ("prove", "fashion-mlp", "-f", f"pytorch,{NUMPY}", "--sample", "2", "--draw", "any", "-j", "2")
    code, out, err = finish(rosetta(*words))
    assert code == 0, err
    assert out.count("equal work, proven") == 1
    path = tmp_path / "register.csv"
    assert enter_run(store().run(), path) == 1
    [line] = read_register(path).values()
    workload, contender = find_workload("fashion-mlp"), parse_contender("pytorch")
    assert line.key == cell_key(workload, contender)
    assert is_current(line, workload, contender)
    assert 0 < line.ratio < 1 and line.seconds > 0
    assert enter_run(store().run(), path) == 1, "entered again, it is still one line"
    assert list(read_register(path).values()) == [line]


@pytest.mark.slow
@pytest.mark.environment
def test_who_is_not_proven_is_told_and_the_others_go_on(rosetta, store, tmp_path):
    package = tmp_path / "package"
    shutil.copytree(THIRD_PARTY, package)
    wrong = package / "rosetta_numpy" / "workloads" / "fashion_mlp" / "numpy.py"
    wrong.write_text(wrong.read_text().replace("+ hyper.epsilon", "+ 1e-3"))
    words = ("prove", "fashion-mlp", "tiny-features", "-f", NUMPY)
    code, out, err = finish(rosetta(*words, PYTHONPATH=str(package)))
    assert code == 5
    assert "fashion-mlp · numpy" in err and "not proven" in err
    assert "epsilon is 1e-3" in out
    certificates = [contest.entries[0].certifications[0].certificate for contest in store().run().contests]
    assert [(one.body["workload"], one.passed) for one in certificates] == [
        ("fashion-mlp", False), ("tiny-features", True)
    ]  # fmt: skip


def test_a_reference_is_made_once_for_all_who_wait_for_it():
    made = []

    def make():
        made.append(time.sleep(0.2))
        return "the reference"

    registrar = Registrar(None, None, "", make, again=True)
    found = []
    threads = [Thread(target=lambda: found.append(registrar.reference())) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (found, len(made)) == (["the reference"] * 3, 1)


def test_a_reference_that_cannot_be_made_is_tried_once_and_told_to_everybody():
    tried = []

    def make():
        tried.append(True)
        raise WorkerError("crash", "the worker died")

    registrar = Registrar(None, None, "", make, again=True)
    for _ in range(2):
        with pytest.raises(ProofError, match="the reference failed: the worker died"):
            registrar.reference()
    assert len(tried) == 1


@given(st.integers(1, 70), st.integers(0, 70))
def test_a_lane_has_as_many_processors_as_threads_and_its_own_while_there_are_enough(threads, lane):
    every = processors_in_turn()
    own = lane_processors(threads, lane)
    assert len(own) == min(threads, len(every)) and set(own) <= set(every)
    if (lane + 1) * threads <= len(every):
        assert not set(own) & {one for before in range(lane) for one in lane_processors(threads, before)}


@pytest.mark.slow
@pytest.mark.environment
def test_a_library_that_a_killed_compiler_left_unfinished_is_named(answer, tmp_path):
    """PyTorch loads it in every later process; who deletes it can go on."""
    words, kept = ("prove", "fashion-mlp", "-f", "pytorch:compiled", "--offline"), tmp_path / "inductor"
    assert answer(*words, TORCHINDUCTOR_CACHE_DIR=str(kept))[0] == 0
    for library in kept.glob("*/*.main.so"):
        os.truncate(library, 100)
    code, output, errors = answer(*words, TORCHINDUCTOR_CACHE_DIR=str(kept))
    assert code == 5
    said = output + errors
    assert ".main.so: cannot read file data" in said
    assert "A process was killed while it compiled this file: delete it, and try again." in said
    shutil.rmtree(kept)
    assert answer(*words, TORCHINDUCTOR_CACHE_DIR=str(kept))[0] == 0
