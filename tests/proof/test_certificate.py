"""A certificate is bound to what it certifies, and damage shows."""

import json
import sqlite3

import pytest
from hypothesis import given
from hypothesis import strategies as st
from laboratory import make_work

from rosettabench.catalogue.framework import all_frameworks
from rosettabench.catalogue.workload import find_workload
from rosettabench.environments.environment import Environment
from rosettabench.errors import StoreError
from rosettabench.proof.certificate import certificate_body, certificate_key, subject_of
from rosettabench.proof.check import Check
from rosettabench.report.words.proof import extent_words
from rosettabench.store.digest import digest
from rosettabench.store.schema import Certificate, Certification
from rosettabench.store.store import Store, now
from rosettabench.summary.proof import summarise_certification


def key(work, packages=None, mode="eager", weights="w", version="3.11.7", path=None):
    """The key of a PyTorch certificate under given circumstances."""
    entry = all_frameworks()["pytorch"]
    entry = entry.model_copy(update={"path": path}) if path else entry
    where = Environment("pytorch@2.13.0", None, "managed", packages or {"torch": "2.13.0"}, "d", version)
    return certificate_key(subject_of(entry, mode, where, work, weights))


def test_any_change_makes_a_certificate_stale(tmp_path):
    work = make_work(find_workload("fashion-mlp"), tmp_path)
    other = make_work(find_workload("fashion-mlp"), tmp_path / "b16", batch_size=16)
    adapter = tmp_path / "pytorch.py"
    adapter.write_text(all_frameworks()["pytorch"].path.read_text() + "\nONE_MORE = 1\n")
    commented = tmp_path / "commented" / "pytorch.py"
    commented.parent.mkdir()
    commented.write_text(all_frameworks()["pytorch"].path.read_text() + "\n# one more line\n")
    keys = [
        key(work),
        key(work, packages={"torch": "2.13.1"}),
        key(work, mode="compiled"),
        key(work, weights="others"),
        key(work, version="3.12.0"),
        key(other),
        key(work, path=adapter),
    ]
    assert len(set(keys)) == len(keys)
    assert key(work) == keys[0]
    assert key(work, path=commented) == keys[0]


@pytest.mark.parametrize("variable", ["XLA_FLAGS", "ATEN_CPU_CAPABILITY", "MKL_CBWR", "OMP_SCHEDULE", "BEAM"])
def test_a_variable_that_changes_arithmetic_belongs_to_it(tmp_path, monkeypatch, variable):
    work = make_work(find_workload("fashion-mlp"), tmp_path)
    before = key(work)
    monkeypatch.setenv(variable, "one")
    assert key(work) != before
    monkeypatch.delenv(variable)
    monkeypatch.setenv("EDITOR", "one")
    assert key(work) == before


def test_a_changed_implementation_makes_it_stale(tmp_path):
    from laboratory import tamper
    from smaller import with_files

    work = make_work(find_workload("fashion-mlp"), tmp_path)
    source = work.workload.implementation("pytorch")

    def planted(changes, folder):
        return with_files(work, {"pytorch": tamper(source, changes, tmp_path / folder / source.name)})

    untouched = planted((), "same")
    changed = planted((("eps=hyper.epsilon", "eps=1e-7"),), "other")
    assert key(untouched) == key(work)
    assert key(changed) != key(work)


@given(st.floats(0, 1), st.floats(0, 1))
def test_a_check_passes_within_its_tolerance_only(deviation, tolerance):
    assert Check("logits", 0, None, deviation, tolerance).passed is (deviation <= tolerance)


def test_what_is_no_number_never_passes():
    assert not Check("logits", 0, None, float("nan"), 1.0).passed
    assert not Check("logits", 0, None, float("inf"), 1.0).passed
    body = certificate_body({}, [Check("logits", 0, None, float("inf"), 1e-5)], "r", 10, None)
    assert body["passed"] is False
    assert body["first_divergence"]["deviation"] is None
    json.dumps(body, allow_nan=False)


def test_it_tells_which_steps_were_guided_and_what_was_excused():
    turned, other = Check("gradient", 2, "conv1.kernel", 1e-3, 1e-2), Check("update", 3, "output.bias", 1e-3, 1e-5)
    body = certificate_body({}, [turned], "r", 4, None, guided=range(1, 4), excused=[turned, other, other])
    assert body["guided"] == [1, 2, 3]
    assert [check["tensor"] for check in body["excused"]] == ["conv1.kernel", "output.bias", "output.bias"]
    row = Certificate(key="k", at="now", passed=True, body=body, digest=digest(body))
    certification = Certification(entry_id=1, certificate_id=1, session=1)
    certification.certificate = row
    found = summarise_certification(certification)
    assert extent_words(found) == (
        "over 4 steps, 3 of them guided, 1 gradient excused because units are at an edge, "
        "2 updates explained by another pass"
    )


def test_a_damaged_certificate_is_told(tmp_path):
    store = Store(f"sqlite:///{tmp_path}/results.sqlite")
    body = certificate_body({"workload": "x"}, [Check("loss", 0, None, 1.0, 1e-5)], "r", 10, None)
    store.add(Certificate(key="k", at=now(), passed=False, body=body, digest=digest(body)))
    assert store.certificate("k").body == body
    with sqlite3.connect(tmp_path / "results.sqlite") as connection:
        connection.execute("DROP TRIGGER certificates_no_update")
        connection.execute("UPDATE certificates SET passed = 1, body = ?", [json.dumps(body | {"passed": True})])
    with pytest.raises(StoreError, match="damaged"):
        store.certificate("k")
