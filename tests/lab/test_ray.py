"""Whole sweeps on a Ray cluster on this machine: ray_nodes.py says what is simulated.

They need Ray: .venv/bin/python -m uv pip install --python .venv/bin/python 'ray[client]~=2.60'
"""

import random
import re
import signal
import subprocess
import sys
import time
from itertools import pairwise

import psutil
import pytest
from commands import NUMPY, QUICK, ended, finish, rounds, turns
from ray_nodes import RayNodes, is_worker, processes_below

from rosettabench.store.record import MeasuredOn, Stopped
from rosettabench.store.store import events_of

pytest.importorskip("ray", reason="no Ray here: the first lines of this file say what brings it")
pytestmark = [pytest.mark.environment, pytest.mark.slow]

SIZES = (16, 32, 64, 96)
ROUNDS = 12
SWEEP = ("run", "fashion-mlp", "-f", NUMPY, "--set", "threads=1", "--rounds", str(ROUNDS), *QUICK)
SIX = (*SWEEP, "--set", f"batch_size={','.join(map(str, SIZES))}")
MANY = tuple(range(8, 200, 8))


@pytest.fixture
def nodes(surroundings, tmp_path):
    """A cluster whose head measures nothing, without other nodes."""
    made = RayNodes(tmp_path, surroundings(PYTHONDONTWRITEBYTECODE=""))
    yield made
    made.end()


def begun(run):
    """{contest: its node} of those that have a complete round, and have not ended."""
    found = {}
    for contest in run.contests:
        happened = events_of(run, contest)
        has_round = all(rounds(entry) for entry in contest.entries)
        if has_round and not Stopped.all_of(happened):
            found[contest.id] = MeasuredOn.last_of(happened).node
    return found


def wait_for_a_contest(store, process, gone=()):
    """Wait until a contest on a living node has a complete round; return (contest, node) of one, drawn by lot."""
    end = time.monotonic() + 240
    while time.monotonic() < end:
        found = begun(store().run()) if store().runs() else {}
        living = [(contest, node) for contest, node in found.items() if node not in gone]
        if living:
            return random.choice(living)  # noqa: S311 (which node dies, is no secret)
        if process.poll() is not None:
            raise AssertionError(process.communicate())
        time.sleep(0.1)
    raise AssertionError("no contest begins")


def content(run):
    """{id of a block: what was measured}."""
    blocks = [block for contest in run.contests for entry in contest.entries for block in entry.blocks]
    return {one.id: (one.entry_id, one.session, one.phase, one.round, one.position, one.elapsed_s) for one in blocks}


def spans(run):
    """{node: [(first, last moment of the blocks) of each of its attempts]}."""
    found = {}
    for contest in run.contests:
        placed = [event for event in events_of(run, contest) if event.kind == MeasuredOn.KIND]
        moments = [block.at for entry in contest.entries for block in entry.blocks]
        for number, event in enumerate(placed):
            until = placed[number + 1].at if number + 1 < len(placed) else "9"
            own = [moment for moment in moments if event.at <= moment < until]
            if own:
                found.setdefault(event.payload["node"], []).append((min(own), max(own)))
    return found


def check_measured_once(run):
    """Every contest ended once, with the rounds that were asked for, and no two contests shared a node at a time."""
    for contest in run.contests:
        assert len(Stopped.all_of(events_of(run, contest))) == 1
        assert min(len(rounds(entry)) for entry in contest.entries) == ROUNDS
        for entry in contest.entries:
            places = [(one.round, one.position) for one in turns(entry)]
            assert len({*places}) == len(places)
            assert {one.session for one in entry.certifications} >= {one.session for one in turns(entry)}
            assert all(one.certificate.passed for one in entry.certifications)
    for attempts in spans(run).values():
        ordered = sorted(attempts)
        assert all(first[1] < second[0] for first, second in pairwise(ordered))
    assert run.events[-1].kind == "finished"


def test_nodes_die_and_nothing_is_lost(nodes, rosetta, store, tmp_path):
    for name in "abc":
        nodes.add(name)
    nodes.open()
    process = rosetta(*SIX, "--on", nodes.address)
    contest, victim = wait_for_a_contest(store, process)
    before = content(store().run())
    orphans = nodes.kill(victim)
    assert orphans, "the node was at work"
    assert ended(orphans), "a worker outlived its node"
    code, out, err = finish(process, 500)
    assert code == 0, err
    run = store().run()
    check_measured_once(run)
    after = content(run)
    assert before.items() <= after.items(), "a finished block is lost"
    placed = {one.id: [event.node for event in MeasuredOn.all_of(events_of(run, one))] for one in run.contests}
    assert placed[contest][0] == victim != placed[contest][1]
    assert sum(map(len, placed.values())) == len(SIZES) + 1, "only the contest of the dead node began twice"
    assert {node for names in placed.values() for node in names} == {*"abc"}
    (killed,) = [one for one in run.contests if one.id == contest]
    assert {one.session for entry in killed.entries for one in turns(entry)} == {1, 2}, "it was resumed"
    assert f"node {victim} died; its blocks are kept" in err
    assert "3 nodes: " in err
    assert f"{len(SIZES) - 1} of {len(SIZES)} contests done" in err
    for name in {node for names in placed.values() for node in names}:
        assert list((tmp_path / f"cache-{name}" / "prepared").iterdir()), "data are made on each machine"
        assert (tmp_path / f"cache-{name}" / "ray" / "certificates.sqlite").exists()
    assert re.search(r"A/A control|fashion-mlp", out)


def test_five_nodes_die_in_a_sweep_of_24_contests(nodes, rosetta, store):
    """After each death another node joins, so that three measure."""
    for name in "abc":
        nodes.add(name)
    nodes.open()
    process = rosetta(*SWEEP, "--set", f"batch_size={','.join(map(str, MANY))}", "--on", nodes.address)
    before, gone = {}, []
    for successor in "defgh":
        _, victim = wait_for_a_contest(store, process, gone)
        before |= content(store().run())
        assert ended(nodes.kill(victim)), "a worker outlived its node"
        gone.append(victim)
        nodes.add(successor)
    code, _, err = finish(process, 900)
    assert code == 0, err
    run = store().run()
    assert len(run.contests) == len(MANY) == 24
    check_measured_once(run)
    assert before.items() <= content(run).items(), "a finished block is lost"
    attempts = [event.node for one in run.contests for event in MeasuredOn.all_of(events_of(run, one))]
    assert len(MANY) < len(attempts) <= len(MANY) + len(gone)
    assert {*attempts} >= {*gone}
    assert {*attempts} & {*"defgh"}, "a node that joins measures, too"


def test_ctrl_c_ends_the_tasks_and_resume_continues_on_the_cluster(nodes, rosetta, store):
    nodes.add("a")
    nodes.open()
    process = rosetta(*SWEEP, "--on", nodes.address)
    wait_for_a_contest(store, process)
    workers = [one for one in processes_below(nodes.started["a"]) if is_worker(one)]
    assert workers
    before = content(store().run())
    process.send_signal(signal.SIGINT)
    code, _, err = finish(process)
    assert code == 130, err
    assert ended(workers)
    assert f"rosetta resume {store().run().id} --on {nodes.address}" in err
    code, _, err = finish(rosetta("resume", "--on", f"ray://127.0.0.1:{nodes.client_port}"))
    assert code == 0, err
    check_measured_once(store().run())
    assert before.items() <= content(store().run()).items()
    assert {"interrupted", "resumed"} <= {event.kind for event in store().run().events}


def test_a_ray_of_this_machine_ends_with_the_command(rosetta, store):
    process = rosetta(*SWEEP, "--on", "ray")
    wait_for_a_contest(store, process)
    below = psutil.Process(process.pid).children(recursive=True)
    assert any("raylet" in one.name() for one in below)
    code, _, err = finish(process)
    assert code == 0, err
    check_measured_once(store().run())
    assert ended(below), "something of Ray is left"


FROM_PYTHON = """
import sys
import rosettabench
from rosettabench.catalogue.suite import Stopping

stopping = Stopping(rounds=(3, 3), processes=1, round_seconds=0.3)
axes = {"threads": 1, "batch_size": "16,32"}
found = rosettabench.run("fashion-mlp", frameworks=sys.argv[1:], axes=axes, stopping=stopping, on="ray")
print(found.proven, [contest.name for contest in found.contests])
"""


def test_a_run_from_python_is_spread_over_a_cluster(surroundings, store):
    words = [sys.executable, "-c", FROM_PYTHON, NUMPY]
    done = subprocess.run(words, env=surroundings(), capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1].startswith("True ['fashion-mlp, batch size 16'"), done.stdout
    placed = [MeasuredOn.last_of(events_of(store().run(), one)) for one in store().run().contests]
    assert len(placed) == 2
    assert all(placed), "Ray measured them"


def test_a_cluster_that_asks_for_a_token_says_how_to_give_it(surroundings, rosetta, tmp_path):
    nodes = RayNodes(tmp_path, surroundings(), RAY_AUTH_MODE="token", RAY_AUTH_TOKEN="0" * 64)
    try:
        code, _, err = finish(rosetta(*SWEEP, "--on", nodes.address))
    finally:
        nodes.end()
    assert code == 3, err
    assert "RAY_AUTH_MODE=token" in err


def test_a_node_that_offers_too_much_is_refused_before_anything_is_measured(nodes, rosetta, store):
    nodes.add("greedy", times=2)
    nodes.open()
    code, _, err = finish(rosetta(*SWEEP, "--on", nodes.address))
    assert code == 3
    assert "node greedy offers the resource rosetta 2 times" in err
    assert not any(entry.blocks for entry in store().run().contests[0].entries)


def test_the_head_dies_and_the_run_goes_on_in_a_new_cluster(nodes, rosetta, store, tmp_path, surroundings):
    nodes.add("a")
    nodes.open()
    process = rosetta(*SWEEP, "--on", nodes.address)
    wait_for_a_contest(store, process)
    workers = [one for one in processes_below(nodes.started["a"]) if is_worker(one)]
    before = content(store().run())
    nodes.kill("head")
    code, _, err = finish(process, 240)
    assert code == 3, err
    assert f"the Ray cluster at {nodes.address} went away" in err
    assert f"rosetta resume {store().run().id} --on" in err
    assert ended(workers, 240), "a worker outlived its cluster"
    nodes.end()
    (tmp_path / "again").mkdir()
    again = RayNodes(tmp_path / "again", surroundings())
    try:
        again.add("b")
        again.open()
        code, _, err = finish(rosetta("resume", "--on", again.address))
    finally:
        again.end()
    assert code == 0, err
    check_measured_once(store().run())
    assert before.items() <= content(store().run()).items(), "a finished block is lost"
