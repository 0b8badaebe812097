"""A bundle: the same bytes for the same run, everything in it, nothing private, and every change is found."""

import csv
import json
from io import BytesIO, StringIO
from zipfile import ZIP_STORED, ZipFile

import pytest
from drawn_run import HOME, ROUNDS, add_failure, request, write_drawn_run
from hypothesis import given
from hypothesis import strategies as st

from rosettabench.errors import DataError, StoreError, UsageError
from rosettabench.evidence.archive import MANIFEST, pack, unpack
from rosettabench.evidence.collection import collect
from rosettabench.evidence.examination import examine
from rosettabench.evidence.members import members_of, read_members
from rosettabench.plan.request import PeakRequest
from rosettabench.statistics.verdict import Finding
from rosettabench.store.schema import Run
from rosettabench.store.store import Store, now


@pytest.fixture
def new_store(tmp_path):
    """An empty store."""
    return Store(f"sqlite:///{tmp_path}/own.sqlite")


def test_the_same_run_gives_the_same_bytes(drawn_store, content):
    assert pack(members_of(collect(drawn_store.run()))) == content


def test_what_is_read_is_what_was_written(drawn_store, content):
    bundle = collect(drawn_store.run())
    assert read_members(unpack(content)) == bundle
    assert members_of(read_members(unpack(content))) == unpack(content)


def test_it_holds_every_block_and_every_digit(drawn_store, members):
    rows = list(csv.DictReader(StringIO(members["blocks.csv"])))
    run = drawn_store.run()
    blocks = [block for entry in run.contests[0].entries for block in entry.blocks]
    assert len(rows) == len(blocks) == 3 * 2 * ROUNDS
    assert [float(row["elapsed_s"]) for row in rows] == [block.elapsed_s for block in blocks]
    assert [float(row["loss"]) for row in rows] == [block.loss for block in blocks]


def test_it_holds_proofs_locks_machine_and_verdicts(drawn_store, members):
    run = drawn_store.run()
    assert len([name for name in members if name.startswith("certificates/")]) == 3
    locks = {f"locks/{entry.lock}.txt" for entry in run.contests[0].entries}
    assert locks == {name for name in members if name.startswith("locks/")}
    assert json.loads(members["run.json"])["machine"] == run.machine
    (judged,) = json.loads(members["verdicts.json"])
    found = {frozenset((one["faster"], one["slower"])): one["finding"] for one in judged["verdicts"]}
    assert found[frozenset(("pytorch", "jax"))] == Finding.FASTER
    assert found[frozenset(("pytorch", "mxnet-gluon"))] == Finding.EQUIVALENT
    assert "rosetta repeat --check" in members["README.txt"]


def test_the_verdicts_follow_from_the_blocks(content, tmp_path):
    path = tmp_path / "run.zip"
    path.write_bytes(content)
    assert examine(path).differences == ()


def test_folders_names_and_secrets_stay_here(new_store, monkeypatch):
    monkeypatch.setattr("socket.gethostname", lambda: "analytical-engine.example.org")
    monkeypatch.setattr("getpass.getuser", lambda: "lovelace")
    python = f"{HOME}/venv/bin/python"
    asked = request((f"pytorch@{python}", "jax"), data_dir=f"{HOME}/data", control=True)
    words = ("rosetta", "run", "-f", f"pytorch@{python},jax", "--store", "postgresql://ada:pw@db.example.org/x")
    variables = {"NVIDIA_API_KEY": "nvapi-123", "TORCH_HOME": f"{HOME}/torch", "MKL_DEBUG_CPU_TYPE": "5"}
    run_id = write_drawn_run(new_store, asked, command=(*words, "models/own"), variables=variables)
    add_failure(new_store, run_id, f"lovelace on analytical-engine: \x1b[31m{HOME}/x.py died", "Traceback: secret")
    texts = members_of(collect(new_store.run()))
    whole = "\n".join(text for text in texts.values())
    for private in (
        "lovelace",
        "secret-project",
        "Traceback",
        "analytical",
        "nvapi",
        "example.org",
        "pw@",
        "\x1b",
        "models/own",
    ):
        assert private not in whole, private
    assert '"MKL_DEBUG_CPU_TYPE": "5"' in whole, "what is decisive and not private stays"
    labels = [entry["label"] for entry in json.loads(texts["contests.json"])[0]["entries"]]
    assert labels[0].startswith("pytorch@path-") and labels[0].endswith("/python")
    assert labels == [labels[0], "jax", f"{labels[0]}#2"]
    assert read_members(texts).certificates[0].redacted


def test_a_private_word_changes_no_verdict(new_store, tmp_path):
    write_drawn_run(new_store, request((f"pytorch@{HOME}/bin/python", "jax")))
    path = tmp_path / "run.zip"
    path.write_bytes(pack(members_of(collect(new_store.run()))))
    found = examine(path)
    assert found.differences == ()
    assert [one.finding for one in found.bundle.judgements[0].verdicts] == [Finding.FASTER]


def test_only_timed_contests_become_a_bundle(new_store):
    asked = PeakRequest().model_dump(mode="json")
    new_store.add(Run(id="p", at=now(), version="0", command=["rosetta", "peak"], request=asked, machine={}))
    with pytest.raises(UsageError, match="rosetta peak"):
        collect(new_store.run("p"))


def test_a_lock_that_changed_since_is_refused(new_store, monkeypatch):
    write_drawn_run(new_store)
    run = new_store.run()
    event = next(event for event in run.events if event.kind == "environment")
    name = next(iter(event.payload["packages"]))
    event.payload = {**event.payload, "packages": {**event.payload["packages"], name: "0.0.1"}}
    with pytest.raises(UsageError, match=r"has changed since run .*0\.0\.1"):
        collect(run)


def test_a_damaged_certificate_is_refused(new_store):
    write_drawn_run(new_store)
    run = new_store.run()
    run.contests[0].entries[0].certifications[0].certificate.digest = "0" * 64
    with pytest.raises(StoreError, match="damaged"):
        collect(run)


@given(st.data())
def test_a_changed_byte_of_any_member_is_found(content, data):
    with ZipFile(BytesIO(content)) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    name = data.draw(st.sampled_from(sorted(parts)))
    place = data.draw(st.integers(0, len(parts[name]) - 1))
    other = data.draw(st.integers(0, 255).filter(lambda byte: byte != parts[name][place]))
    parts[name] = parts[name][:place] + bytes([other]) + parts[name][place + 1 :]
    file = BytesIO()
    with ZipFile(file, "w", ZIP_STORED) as archive:  # with a checksum of its own that fits
        for one, part in parts.items():
            archive.writestr(one, part)
    with pytest.raises(DataError):
        unpack(file.getvalue())


@given(st.data())
def test_a_changed_byte_of_the_file_is_found_or_changes_no_member(content, data):
    place = data.draw(st.integers(0, len(content) - 1))
    other = data.draw(st.integers(0, 255).filter(lambda byte: byte != content[place]))
    changed = content[:place] + bytes([other]) + content[place + 1 :]
    try:
        found = unpack(changed)
    except DataError:
        return
    assert found == unpack(content), "only the frame of the ZIP changed"


def test_the_manifest_lists_every_other_member(content):
    with ZipFile(BytesIO(content)) as archive:
        listed = json.loads(archive.read(MANIFEST))["members"]
        assert {*listed} == {*archive.namelist()} - {MANIFEST}
