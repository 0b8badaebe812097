"""A sweep on several machines, without the machines: rows on their way, who may measure, and what is refused."""

import asyncio
import json
import platform
import sys
from pathlib import Path

import pytest

from rosettabench import __version__
from rosettabench.cluster import connection
from rosettabench.cluster.connection import ClusterNode, check_address, load_ray, why_unfit
from rosettabench.cluster.mailbox import Mailbox
from rosettabench.cluster.node import NodeStore
from rosettabench.cluster.parcel import Inbox, pack, unpack, write_row
from rosettabench.cluster.sweep import able_nodes, check_request, error_of
from rosettabench.errors import DataError, EnvironmentFault, FailureKind, StoreError, UsageError, WorkerError
from rosettabench.history.cell import stored_contests
from rosettabench.lab.journal import Journal
from rosettabench.lab.place import counted_rounds, settle
from rosettabench.plan.request import ProveRequest, RunRequest
from rosettabench.report.words.machine import several_machines
from rosettabench.store.content import lines_of
from rosettabench.store.digest import digest
from rosettabench.store.machine import kinds_of_machines
from rosettabench.store.record import Dropped, FailureStage, MeasuredOn, Resumed, Stopped
from rosettabench.store.schema import Block, Certificate, Certification, Contest, Entry, Figure, Run
from rosettabench.store.store import Store, dropped_rounds, machine_of, now
from rosettabench.summary.measured_contest import measured_contests
from rosettabench.summary.run import summarise

HERE = {"processor": "A 1000", "cores": 4, "cores_in_machine": 8, "gpus": []}
OTHER = {**HERE, "processor": "B 2000"}
SETTING = {"batch_size": 32, "device": "cpu", "precision": "float32", "seed": 0, "threads": 2}
STOPPING = {"confidence": 0.95, "margin": 0.02}


def add_contest(store, run):
    """Add a contest with two entries."""
    contest = store.add(Contest(run_id=run.id, workload="fashion-mlp", setting=SETTING, stopping=STOPPING))
    names = {"framework": "a", "mode": "eager", "lock": None, "python": None, "control_of": None}
    for label in "ab":
        store.add(Entry(contest_id=contest.id, label=label, **names))


@pytest.fixture
def store(tmp_path):
    """The user's store, with a run of two contests, and another run before it so that ids begin anywhere."""
    made = Store(str(tmp_path / "user.sqlite"))
    asked = RunRequest().model_dump(mode="json")
    for name in ("before", "run"):
        run = made.add(Run(id=name, at=now(), version="0", command=["rosetta"], request=asked, machine=HERE))
        add_contest(made, run)
        add_contest(made, run)
    return made


def block(entry, number, session=1, phase="turn"):
    """A timed block whose loss is infinite, which JSON has no number for."""
    return Block(
        entry_id=entry.id, at=now(), session=session, phase=phase, round=number, position=0, first=0, steps=1,
        samples=32, elapsed_s=0.1, cpu_s=0.1, loss=float("inf"), learning_rate=1e-3,
    )  # fmt: skip


def certificate(key):
    """A certificate."""
    body = {"key": key}
    return Certificate(key=key, at=now(), passed=True, body=body, digest=digest(body))


def node_store(tmp_path, name, send, shelf="shelf"):
    """The store of a node, with the shelf of its machine."""
    return NodeStore(tmp_path / f"{name}.sqlite", Store(str(tmp_path / f"{shelf}.sqlite")), send)


def test_what_a_node_measures_is_in_the_users_store_row_by_row(store, tmp_path):
    run = store.run("run")
    inbox = Inbox(store)
    node = node_store(tmp_path, "node", lambda row: inbox.add([("1", row)]))
    unpack(pack(run, run.contests[1]), node.engine)
    there = node.run("run").contests[1]
    assert [one.id for one in there.entries] == [one.id for one in run.contests[1].entries]
    for entry in there.entries:
        node.add(block(entry, 1))
        assert store.run("run").contests[1].entries[entry.label == "b"].blocks[-1].loss == float("inf")
        proof = node.certificate("k") or node.add(certificate("k"))
        node.add(Certification(entry_id=entry.id, certificate_id=proof.id, session=1))
    Journal(node, "run", there.id).event(Stopped(why="enough"))
    assert lines_of(store.run("run")) == lines_of(node.run("run"))
    assert len(store.certificates()) == 1, "one certificate for two entries"
    assert not store.run("before").contests[1].entries[0].blocks


def test_an_interrupted_contest_goes_on_with_all_its_rows(store, tmp_path):
    inbox = Inbox(store)
    for attempt, expected in (("1", 1), ("2", 2)):
        run = store.run("run")
        node = node_store(tmp_path, attempt, lambda row, attempt=attempt: inbox.add([(attempt, row)]), shelf=attempt)
        unpack(pack(run, run.contests[0]), node.engine)
        entry = node.run("run").contests[0].entries[0]
        proof = node.certificate("k") or node.add(certificate("k"))
        node.add(Certification(entry_id=entry.id, certificate_id=proof.id, session=expected))
        node.add(block(entry, expected, session=expected))
        assert [one.round for one in node.run("run").contests[0].entries[0].blocks] == [1, 2][:expected]
    back = store.run("run").contests[0].entries[0]
    assert [one.session for one in back.blocks] == [1, 2]
    assert len({one.certificate_id for one in back.certifications}) == 1, "the parcel has what was proven"


def test_a_machine_proves_once_for_all_contests(store, tmp_path):
    sent = []
    first, second = (node_store(tmp_path, name, sent.append) for name in ("one", "two"))
    first.add(certificate("k"))
    assert second.certificate("k").digest == first.certificate("k").digest
    assert [json.loads(row)[0] for row in sent] == ["certificates", "certificates"]
    assert second.certificate("other") is None


def test_two_nodes_that_prove_the_same_keep_two_certificates(store):
    inbox = Inbox(store)
    for attempt in "12":
        body = {"id": 7, "key": "k", "at": now(), "passed": True, "body": {}, "digest": digest({})}
        entry = store.run("run").contests[0].entries[0].id
        values = {"id": 1, "entry_id": entry, "certificate_id": 7, "session": int(attempt)}
        rows = (["certificates", body], ["certifications", values])
        inbox.add([(attempt, json.dumps(row)) for row in rows])
    ids = [one.certificate_id for one in store.run("run").contests[0].entries[0].certifications]
    assert ids == [one.id for one in store.certificates()]
    assert len({*ids}) == 2


def test_rows_that_arrive_together_keep_their_order(store, tmp_path):
    """A hundred nodes send more rows than a disk can confirm one at a time."""
    sent = []
    run = store.run("run")
    for number, contest in enumerate(run.contests):
        node = node_store(tmp_path, str(number), lambda row, number=number: sent.append((str(number), row)))
        unpack(pack(run, contest), node.engine)
        for entry in contest.entries:
            proof = node.certificate("k") or node.add(certificate("k"))
            node.add(Certification(entry_id=entry.id, certificate_id=proof.id, session=1))
            for place in (2, 1, 3):
                node.add(block(entry, place))
        Journal(node, "run", contest.id).event(Stopped(why=f"end of {number}"))
    Inbox(store).add(sent)
    for contest in store.run("run").contests:
        for entry in contest.entries:
            assert [one.round for one in entry.blocks] == [2, 1, 3]
            assert [one.certificate.key for one in entry.certifications] == ["k"]
    assert [one.why for one in Stopped.all_of(store.run("run").events)] == ["end of 0", "end of 1"]


def test_a_run_around_a_contest_has_what_belongs_to_it_alone(store):
    first, second = store.run("run").contests
    proof = store.add(certificate("k"))
    for contest in (first, second):
        for entry in contest.entries:
            store.add(block(entry, 1))
            store.add(Figure(entry_id=entry.id, at=now(), session=1, name="import_s", value=1.0, detail={}))
            store.add(Certification(entry_id=entry.id, certificate_id=proof.id, session=1))
        Journal(store, "run", contest.id).event(Stopped(why=f"end of {contest.id}"))
        Journal(store, "run", contest.id).failure(FailureStage.START, WorkerError(FailureKind.CRASH, f"{contest.id}"))
    Journal(store, "run").event(Resumed())
    whole, around = store.run("run"), store.run_around(second.id)
    assert pack(around, around.contests[1]) == pack(whole, whole.contests[1])
    assert [one.kind for one in around.events] == ["stopped", "resumed"]
    assert [one.what for one in around.failures] == [str(second.id)]
    assert [len(one.entries) for one in around.contests] == [2, 2], "the plan is whole"
    assert not any((*one.blocks, *one.figures, *one.certifications) for one in around.contests[0].entries)


def test_rows_of_which_one_cannot_be_stored_are_not_stored(store):
    good, bad = (write_row(block(store.run("run").contests[0].entries[0], number)) for number in (1, 2))
    table, values = json.loads(bad)
    with pytest.raises(StoreError):
        Inbox(store).add([("1", good), ("1", json.dumps([table, {**values, "at": None}]))])
    assert not store.run("run").contests[0].entries[0].blocks, "nothing of them is confirmed, so nothing is kept"


def test_a_row_is_handed_in_when_it_is_stored(tmp_path):
    async def talk():
        box = Mailbox()
        handed = asyncio.create_task(box.put("1", "row"))
        await box.say("1", "round 1", False)
        await asyncio.sleep(0)
        rows, said = await box.take([], 1.0)
        assert (rows, said) == ([("1", "row")], [("1", "round 1", False)])
        late = asyncio.create_task(box.put("2", "late"))
        await asyncio.sleep(0.05)
        assert not handed.done(), "nobody has stored it yet"
        assert await box.take([True], 1.0) == ([("2", "late")], [])
        assert await handed is True
        assert await box.take([False], 0.0) == ([], [])
        assert await late is False

    asyncio.run(talk())


@pytest.mark.parametrize(("machine", "counted"), [(HERE, [1, 2]), (OTHER, [])])
def test_rounds_of_another_kind_of_machine_do_not_count(store, machine, counted):
    entry = store.run("run").contests[0].entries[0]
    for number in (1, 2):
        store.add(block(entry, number))
    run = store.run("run")
    settle(store, run, run.contests[0], "b", machine)
    run = store.run("run")
    assert counted_rounds(run, run.contests[0]) == counted
    assert dropped_rounds(run, run.contests[0]) == {1, 2} - {*counted}
    assert machine_of(run, run.contests[0]) == machine
    assert machine_of(run, run.contests[1]) == HERE
    assert {type(one) for one in Dropped.all_of(run.events)} <= {Dropped}
    assert [one.node for one in MeasuredOn.all_of(run.events)] == ["b"]
    assert store.placed_runs() == {"run"}


def test_a_begun_contest_waits_for_a_machine_of_its_kind_as_long_as_there_is_one(store):
    same, other = ClusterNode("1", "a", HERE, 0), ClusterNode("2", "b", OTHER, 0)
    small = ClusterNode("3", "c", {**HERE, "cores": 1}, 0)
    fresh = store.run("run")
    assert able_nodes(fresh, fresh.contests[0], [small, other, same]) == [other, same], "it takes two processors"
    store.add(block(fresh.contests[0].entries[0], 1))
    begun = store.run("run")
    assert able_nodes(begun, begun.contests[0], [other, same]) == [same]
    assert able_nodes(begun, begun.contests[0], [other]) == [other]


def test_kinds_of_machines_in_their_order():
    assert kinds_of_machines([HERE, OTHER, {**HERE, "system": "newer"}]) == [HERE, OTHER]


def test_results_are_grouped_by_machine(store):
    run = store.run("run")
    for contest, machine in zip(run.contests, (HERE, OTHER), strict=True):
        settle(store, run, contest, "a", machine)
        for entry in contest.entries:
            for number in range(1, 6):
                store.add(block(entry, number))
    run = store.run("run")
    summary = summarise(run)
    grouped = [(kind["processor"], [one.name for one in contests]) for kind, contests in summary.by_machine]
    first, second = (f"fashion-mlp, contest {contest.id}" for contest in run.contests)
    assert grouped == [("A 1000", [first]), ("B 2000", [second])]
    assert several_machines(summary)[1].startswith("Measured on B 2000")
    assert [one.machine for one in stored_contests(measured_contests(run))] == [HERE, OTHER]


@pytest.mark.parametrize(
    ("changes", "offered", "said"),
    [
        ({}, 1, ""),
        ({"rosettabench": "0.0.9"}, 1, "has Rosettabench 0.0.9, and this command is"),
        ({"python": "3.99.1"}, 1, "has Python 3.99.1"),
        ({"clock": 130.0}, 1, "has a clock that is 29 s ahead"),
        ({"clock": 60.0}, 1, "has a clock that is 40 s behind"),
        ({"clock": 104.0}, 1, ""),
        ({}, 2, "offers the resource rosetta 2 times"),
    ],
)
def test_a_node_that_does_not_fit_is_refused(changes, offered, said):
    facts = {"rosettabench": __version__, "python": platform.python_version(), "clock": 100.5, **changes}
    why = why_unfit(offered, facts, 100.0, 101.0)
    assert why.startswith(said)
    assert bool(why) == bool(said)


@pytest.mark.parametrize("address", ["somewhere", "ray://host", "http://host:80", "host:0", "host:99999", ""])
def test_what_is_no_address_is_told(address):
    with pytest.raises(UsageError, match="is not the address of a Ray cluster"):
        check_address(address)


def test_nobody_answers_at_the_address():
    with pytest.raises(EnvironmentFault, match=r"no Ray cluster answers at 127\.0\.0\.1:1"):
        check_address("127.0.0.1:1")


def test_without_ray_the_command_is_told(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(EnvironmentFault, match="--on needs Ray") as told:
        load_ray()
    assert told.value.hint.endswith(f"{sys.executable} '{connection.REQUIREMENT}'")
    project = (Path(__file__).parents[2] / "pyproject.toml").read_text()
    assert f'ray = ["{connection.REQUIREMENT}"]' in project


@pytest.mark.parametrize(
    ("request_", "said"),
    [
        (RunRequest(budget=60.0), "a budget"),
        (RunRequest(study="smartia-2019"), "a published study"),
        (RunRequest(axes={"device": ["cuda"]}), "a GPU"),
        (ProveRequest(jobs=1), "rosetta prove"),
    ],
)
def test_what_needs_one_machine_is_refused(request_, said):
    with pytest.raises(UsageError, match=said):
        check_request(request_)
    assert check_request(RunRequest(axes={"device": ["cpu"]}))


def test_an_error_of_a_node_is_raised_as_if_it_were_here():
    node = ClusterNode("1", "b", HERE, 0)
    found = error_of(("DataError", "the data are cut off", "rosetta data check"), node)
    assert (type(found), found.what, found.hint) == (DataError, "node b: the data are cut off", "rosetta data check")
    assert isinstance(error_of(("OtherWork", "it cheats", ""), node), WorkerError)
    assert not isinstance(error_of(("Unheard", "of", ""), node), StoreError)
