"""Whole runs, through the command line, on real data where it is at hand: proven, timed, killed, and gone on with.

The contender is NumPy (tests/third_party), run by this Python as an external environment: it starts at once.
"""

import json
import shutil
import signal
import time
from threading import Lock

import pytest
from commands import NUMPY, QUICK, THIRD_PARTY, ended, finish, rounds, turns, wait_for_turns, workers
from tiers import slow

from rosettabench.cli import main
from rosettabench.lab.registrar import Registrar

pytestmark = pytest.mark.environment


def test_a_whole_run(rosetta, store, tmp_path):
    code, out, err = finish(rosetta("run", "fashion-mlp", "-f", NUMPY, "--rounds", "6", "--verbose", *QUICK))
    assert code == 0, err
    run = store().run()
    (contest,) = run.contests
    first, second = contest.entries
    assert second.control_of == first.label
    for entry in contest.entries:
        assert [certification.certificate.passed for certification in entry.certifications] == [True]
        assert [block.round for block in turns(entry)] == [1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6]
        assert all(block.steps > 0 and block.elapsed_s > 0 for block in entry.blocks)
        assert {figure.name for figure in entry.figures} >= {
            "import_s", "build_s", "load_s", "first_step_s", "evaluate_s", "accuracy", "peak_memory_bytes"
        }  # fmt: skip
    proven = {one.certificate_id for entry in contest.entries for one in entry.certifications}
    assert len(proven) == 1, "the second copy has the certificate of the first"
    pairs = list(zip(turns(first), turns(second), strict=True))
    assert all((a.first, a.steps, a.samples) == (b.first, b.steps, b.samples) for a, b in pairs), "same work"
    early = [pair for pair in zip(first.blocks, second.blocks, strict=True) if pair[0].first + pair[0].steps <= 1000]
    apart = [abs(a.loss - b.loss) / a.loss for a, b in early]  # it grows with the steps, however fast they are
    assert 0 < max(apart) < 1e-5, "the second copy begins with weights that are moved by one unit in the last place"
    for number in range(1, 7):
        places = [[block.position for block in turns(entry) if block.round == number] for entry in contest.entries]
        assert sorted(places) == [[0, 3], [1, 2]], "there and back"
    loads = [event.payload for event in run.events if event.kind == "load"]
    assert [load["round"] for load in loads] == [1, 2, 3, 4, 5, 6]
    assert all(0 <= load["others"] <= 1.1 and load["seconds"] > 0 for load in loads)
    assert {event.kind for event in run.events} >= {"data", "environment", "settings", "stopped", "finished"}
    assert "A/A control" in out
    assert "Run " in out and "rosetta run" in out, "how to repeat it"
    (page,) = tmp_path.glob("*.html")
    assert "fashion-mlp" in page.read_text()


@pytest.mark.slow
def test_certificates_are_used_again_and_proven_again_on_request(rosetta, store):
    words = ("run", "fashion-mlp", "-f", NUMPY, "--rounds", "5", "--no-control", *QUICK)
    for extra in ((), (), ("--prove-again",)):
        code, _, err = finish(rosetta(*words, *extra))
        assert code == 0, err
    ids = [
        store().run(run.id).contests[0].entries[0].certifications[0].certificate_id for run in reversed(store().runs())
    ]
    assert ids[0] == ids[1] != ids[2]


@pytest.mark.slow
def test_a_contest_proves_one_contender_after_the_other(surroundings, tmp_path, monkeypatch):
    for name, value in surroundings().items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(tmp_path)
    alone, proven, certify = Lock(), [], Registrar.certify

    def certify_alone(registrar, competitor, folder):
        assert alone.acquire(blocking=False), "another contender is being proven"
        try:
            proven.append(competitor.label)
            return certify(registrar, competitor, folder)
        finally:
            alone.release()

    monkeypatch.setattr(Registrar, "certify", certify_alone)
    words = ("run", "fashion-mlp", "-f", "pytorch,pytorch:compiled", "--rounds", "8", "--no-control", *QUICK)
    assert main([*words]) == 0
    assert sorted(proven) == ["pytorch", "pytorch:compiled"]


def test_kill_9_of_the_controller_loses_nothing(rosetta, store):
    process = rosetta("run", "fashion-mlp", "-f", NUMPY, "--rounds", "12", *QUICK)
    wait_for_turns(store, process, 4)
    alive = workers(process)
    assert len(alive) >= 2
    process.kill()
    assert ended(alive), "a worker outlived its controller"
    before = {
        entry.label: [(b.id, b.round, b.elapsed_s) for b in turns(entry)] for entry in store().run().contests[0].entries
    }
    code, _, err = finish(rosetta("resume"))
    assert code == 0, err
    assert "resumed" in {event.kind for event in store().run().events}
    for entry in store().run().contests[0].entries:
        after = [(b.id, b.round, b.elapsed_s) for b in turns(entry)]
        assert after[: len(before[entry.label])] == before[entry.label]
        assert {block.session for block in turns(entry)} == {1, 2}
        assert len({(block.round, block.position) for block in turns(entry)}) == len(turns(entry))
        assert {certification.session for certification in entry.certifications} == {1, 2}
    assert min(len(rounds(entry)) for entry in store().run().contests[0].entries) == 12
    code, _, err = finish(rosetta("resume"))
    assert code == 2
    assert "is finished" in err


@pytest.mark.slow
def test_kill_9_of_a_worker_is_a_result(rosetta, store):
    process = rosetta("run", "fashion-mlp", "-f", NUMPY, "--rounds", "30", *QUICK)
    wait_for_turns(store, process, 3)
    victim = workers(process)[0]
    victim.kill()
    code, out, err = finish(process)
    assert code == 7, err
    run = store().run()
    (failure,) = run.failures
    assert (failure.kind, failure.stage) == ("crash", "turn")
    assert "SIGKILL" in failure.what
    counts = sorted((len(turns(entry)), len(rounds(entry))) for entry in run.contests[0].entries)
    assert counts[0][0] >= 3, "the blocks before its death are kept"
    assert counts[1][1] == 30, "the other went on"
    assert "SIGKILL" in out
    before = {entry.label: [block.id for block in turns(entry)] for entry in run.contests[0].entries}
    code, _, err = finish(rosetta("resume"))
    assert code == 0, err
    for entry in store().run().contests[0].entries:
        assert [block.id for block in turns(entry)][: len(before[entry.label])] == before[entry.label]
        assert len(rounds(entry)) >= 30


def test_fresh_processes_share_the_rounds(rosetta, store):
    """Here of a named interpreter: the path in its label once lost the outputs that one process leaves to the last."""
    words = ("run", "fashion-mlp", "-f", NUMPY, "--rounds", "6", "--processes", "3")
    code, _, err = finish(rosetta(*words, *QUICK))
    assert code == 0, err
    for entry in store().run().contests[0].entries:
        by_process = [{block.round for block in turns(entry) if block.session == number} for number in (1, 2, 3)]
        assert by_process == [{1, 2}, {3, 4}, {5, 6}]
        assert {certification.session for certification in entry.certifications} == {1, 2, 3}
        assert len([figure for figure in entry.figures if figure.name == "first_step_s"]) == 3


@pytest.mark.slow
def test_ctrl_c_leaves_a_usable_result(rosetta, store, tmp_path):
    process = rosetta("run", "fashion-mlp", "-f", NUMPY, "--rounds", "200", "--verbose", *QUICK)
    wait_for_turns(store, process, 6)
    alive = workers(process)
    process.send_signal(signal.SIGINT)
    code, out, err = finish(process)
    assert code == 130
    assert ended(alive)
    assert f"rosetta resume {store().run().id}" in err
    assert "A/A control" in out
    assert "rank" in out
    assert list(tmp_path.glob("*.html"))
    assert store().run().events[-1].kind == "interrupted"


def test_ctrl_c_before_anything_is_measured(rosetta, store):
    process = rosetta("run", "fashion-mlp", "-f", NUMPY, "--prove-again")
    while not store().runs():
        time.sleep(0.05)
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    code, _, err = finish(process)
    assert code == 130, err
    assert "Traceback" not in err


@pytest.mark.slow
def test_who_is_missing_is_told_and_the_rest_goes_on(rosetta, store, tmp_path):
    missing = f"pytorch@{tmp_path}/no/python"
    code, out, err = finish(rosetta("run", "fashion-mlp", "-f", f"{NUMPY},{missing}", "--rounds", "8", *QUICK))
    assert code == 7
    (failure,) = store().run().failures
    assert failure.stage == "environment"
    assert "no/python" in failure.what
    assert len(rounds(store().run().contests[0].entries[0])) == 8
    assert "no/python" in out
    assert "Traceback" not in err


@pytest.mark.slow
def test_an_unproven_contender_is_measured_only_if_the_user_insists(rosetta, store, tmp_path):
    package = tmp_path / "package"
    shutil.copytree(THIRD_PARTY, package)
    wrong = package / "rosetta_numpy" / "workloads" / "fashion_mlp" / "numpy.py"
    wrong.write_text(wrong.read_text().replace("+ hyper.epsilon", "+ 1e-3"))
    words = ("run", "fashion-mlp", "-f", NUMPY, "--rounds", "8", "--no-control", *QUICK)
    code, out, _ = finish(rosetta(*words, PYTHONPATH=str(package)))
    assert code == 7
    assert "epsilon is 1e-3" in out
    assert not turns(store().run().contests[0].entries[0])
    _, out, _ = finish(rosetta(*words, "--insist", PYTHONPATH=str(package)))
    assert "What is not proven was not watched" in " ".join(out.split())
    assert len(rounds(store().run().contests[0].entries[0])) == 8
    code, record, _ = finish(rosetta("report", "--format", "json", "--output", "-"))
    (entry,) = json.loads(record)["contests"][0]["entries"]
    assert entry["rank"] is None


@pytest.mark.slow
def test_full_training_evaluates_after_each_epoch(rosetta, store):
    code, _, err = finish(
        rosetta("run", "fashion-mlp", "-f", NUMPY, "--full", "--no-control", "--set", "batch_size=512")
    )
    assert code == 0, err
    (contest,) = store().run().contests
    (entry,) = contest.entries
    accuracies = [figure for figure in entry.figures if figure.name == "accuracy"]
    assert [figure.detail["epoch"] for figure in accuracies] == [1, 2, 3, 4, 5]
    assert all(figure.detail["samples"] == 10_000 for figure in accuracies)
    assert accuracies[-1].value > 0.8
    samples = 60_000 // 512 * 512
    assert sum(block.samples for block in turns(entry)) == 5 * samples


@pytest.mark.slow
def test_how_long_a_full_training_is_can_be_asked_for_and_needs_no_new_proof(rosetta, store):
    words = ("run", "fashion-mlp", "-f", NUMPY, "--full", "--no-control", "--set", "batch_size=1000")
    trained = []
    for length in ("epochs=2", "steps=90"):
        code, out, err = finish(rosetta(*words, "--set", length))
        assert code == 0, err
        (contest,) = store().run().contests
        (entry,) = contest.entries
        evaluated = [figure.detail["epoch"] for figure in entry.figures if figure.name == "accuracy"]
        trained.append((sum(block.steps for block in turns(entry)), evaluated, entry.certifications[0].certificate_id))
        assert f"fashion-mlp, {length.replace('=', ' ')}" in out
    assert [(steps, evaluated) for steps, evaluated, _ in trained] == [(120, [1, 2]), (90, [1, None])]
    assert trained[0][2] == trained[1][2], "a step is proven, however many of them are taken"


def test_a_batch_larger_than_the_data(answer):
    code, _, err = answer("run", "fashion-mlp", "-f", NUMPY, "--set", "batch_size=70000")
    assert code == 2
    assert "a batch of 70000 is larger than the data set of 60000 samples" in err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("run", "fashion-mpl"), "Did you mean 'fashion-mlp'?"),
        slow(("run", "fashion-mlp", "-f", "pytorhc"), "Did you mean 'pytorch'?"),
        slow(("run", "fashion-mlp", "-f", "pytorch:compield"), "Did you mean 'compiled'?"),
        slow(("run", "fashion-mlp", "--set", "batchsize=3"), "Did you mean 'batch_size'?"),
        slow(("run", "fashion-mlp", "--set", "batch_size=many"), "'many' is not a whole number of at least 1"),
        slow(("run", "fashion-mlp", "--set", "precision=float23"), "Did you mean 'float32'?"),
        slow(("run", "fashion-mlp", "--set", "input=laoder"), "Did you mean 'loader'?"),
        slow(("run", "fashion-mlp", "--set", "workers=few"), "'few' is not a whole number from 0 on"),
        (("run", "fashion-mlp", "--set", "workers=2"), "workers=2 needs a loader"),
        slow(("run", "fashion-mlp", "--set", "epochs=2"), "epochs=2 states how long to train"),
        slow(("run", "fashion-mlp", "--full", "--set", "epochs=2", "--set", "steps=9"), "both say how long to train"),
        slow(("run", "fashion-mlp", "-f", "pytorch,pytorch"), "entered twice"),
        slow(("run", "--suite", "quik"), "Did you mean 'quick'?"),
        slow(("run", "--full", "--rounds", "3"), "--full trains to the end"),
        slow(("run", "imdb-gru", "-f", NUMPY), "nothing to run"),
        (("prove",), "name the workloads"),
    ],
)
def test_bad_words_are_told_with_the_nearest_match(answer, words, said):
    code, out, err = answer(*words)
    assert code == 2
    assert said in err + out
    assert "Traceback" not in err
