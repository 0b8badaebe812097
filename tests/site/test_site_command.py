"""The command ``rosetta site``: what it writes, refuses, takes over and survives."""

import json
import shutil
import sqlite3
import time
from threading import Thread

import psutil
import pytest
from site_runs import ALIKE, RESERVED, write_night

from rosettabench.cli import main
from rosettabench.report.site import folder as folders
from rosettabench.report.site.folder import MARKER
from rosettabench.report.site.names import page_name
from rosettabench.store.store import Store


def make(out, store):
    """Write the site and return the exit code."""
    return main(["site", str(out), "--store", str(store)])


@pytest.mark.slow
def test_there_is_a_page_for_each(site):
    for name in ("index", "history", "proofs", "workloads/index", "frameworks/index", "machines/index", "runs/index"):
        assert (site / f"{name}.html").is_file()
    assert (site / "workloads/fashion-mlp.html").is_file()
    assert (site / "frameworks/jax.html").is_file()
    assert len(list((site / "machines").glob("*.html"))) == 1 + 4
    text = (site / "findings/index.html").read_text(encoding="utf-8")
    assert "Failed proof: keras[tensorflow] on fashion-cnn" in text
    assert text.index("Failed proof") < text.index("Missing contender")


@pytest.mark.slow
def test_names_that_become_the_same_file_have_their_own(site):
    names = {page_name(one) for one in (*ALIKE, RESERVED)}
    assert len({name.lower() for name in names}) == 1 + len(ALIKE)
    assert all((site / "frameworks" / f"{name}.html").is_file() for name in names)
    assert RESERVED not in names
    runs = {page_name(one) for one in ("un/ended", "un ended")}
    assert len(runs) == 2
    assert all((site / "runs" / f"{name}.html").is_file() for name in runs)


@pytest.mark.parametrize("text", ["", ".", "..", "a/b", "-", "é", "x" * 300, "index", "A", "con.x", "\ud800"])
def test_every_text_has_a_safe_name(text):
    name = page_name(text)
    assert name
    assert len(name) <= 70
    assert set(name) <= set("abcdefghijklmnopqrstuvwxyz0123456789_.-")
    assert name.strip(".-") == name
    assert name != page_name(text + "!")


@pytest.mark.slow
def test_a_run_that_has_not_ended_says_so(site):
    text = (site / "runs/index.html").read_text(encoding="utf-8")
    assert "not finished" in text


def test_an_empty_store_has_a_site(tmp_path, capsys):
    Store(str(tmp_path / "empty.sqlite")).engine.dispose()
    assert make(tmp_path / "public", tmp_path / "empty.sqlite") == 0
    assert "This store is empty" in (tmp_path / "public/index.html").read_text(encoding="utf-8")
    assert "0 runs" in capsys.readouterr().out


def test_a_missing_store_is_said(tmp_path, capsys):
    assert make(tmp_path / "public", tmp_path / "none.sqlite") == 6
    assert "there is no results store" in capsys.readouterr().err
    assert not (tmp_path / "public").exists()


@pytest.mark.parametrize("kind", ["folder", "file"])
def test_what_is_no_site_of_ours_is_refused(site_store, tmp_path, capsys, kind):
    out = tmp_path / "mine"
    precious = out / "thesis.txt" if kind == "folder" else out
    precious.parent.mkdir(exist_ok=True)
    precious.write_text("years of work")
    assert make(out, site_store) == 2
    assert "nothing was written" in capsys.readouterr().err
    assert precious.read_text() == "years of work"
    assert [one.name for one in tmp_path.iterdir()] == ["mine"]


def test_a_folder_with_a_marker_of_somebody_else_is_refused(site_store, tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / MARKER).write_text("[]")
    assert make(tmp_path / "mine", site_store) == 2


def small_store(path):
    """Write a store with two runs."""
    store = Store(str(path))
    write_night(store, "first", 1, "Imaginary 9000", ("jax", "pytorch"))
    write_night(store, "second", 2, "Imaginary 9000", ("jax", "pytorch"))
    store.engine.dispose()
    return path


@pytest.mark.slow
def test_what_did_not_change_is_taken_over_and_what_did_is_made_again(tmp_path):
    store, out = small_store(tmp_path / "s.sqlite"), tmp_path / "public"
    assert make(out, store) == 0
    before = {name: (out / "runs" / f"{name}.html").stat().st_ino for name in ("first", "second")}
    added = Store(str(store))
    write_night(added, "third", 3, "Imaginary 9000", ("jax", "pytorch"))
    added.engine.dispose()
    (out / "data/second.csv").unlink()  # somebody tidied up: the run is made again
    assert make(out, store) == 0
    assert (out / "runs/first.html").stat().st_ino == before["first"]
    assert (out / "data/second.csv").is_file()
    index = (out / "index.html").read_text(encoding="utf-8")
    assert "3 runs" in index
    assert "run third" in index
    again = tmp_path / "again"
    assert make(again, store) == 0
    for path in sorted(one.relative_to(again) for one in again.rglob("*.html")):
        assert (again / path).read_text(encoding="utf-8") == (out / path).read_text(encoding="utf-8"), path


@pytest.mark.slow
def test_several_processes_write_what_one_writes(site, site_store, tmp_path, two_processors):
    out = tmp_path / "public"
    assert make(out, site_store) == 0
    written = {path.relative_to(out): path.read_bytes() for path in out.rglob("*") if path.is_file()}
    assert written == {path.relative_to(site): path.read_bytes() for path in site.rglob("*") if path.is_file()}


@pytest.mark.slow
def test_a_process_that_is_killed_is_told_and_the_old_site_stays(site_store, tmp_path, two_processors, capsys):
    out = tmp_path / "public"
    Thread(target=kill_children, daemon=True).start()
    assert make(out, site_store) == 1
    assert "a process that wrote pages was killed" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def kill_children():
    """Kill the first process that this one starts from now on."""
    own = psutil.Process()
    before = set(own.children())
    while not (new := [one for one in own.children() if one not in before and "spawn_main" in " ".join(one.cmdline())]):
        time.sleep(0.01)
    new[0].kill()


@pytest.mark.slow
def test_a_damaged_extract_is_made_again(tmp_path):
    store, out = small_store(tmp_path / "s.sqlite"), tmp_path / "public"
    assert make(out, store) == 0
    for path in (out / "extracts").iterdir():
        path.write_text('{"id": 1')
    assert make(out, store) == 0
    assert "2 runs" in (out / "index.html").read_text(encoding="utf-8")


@pytest.mark.slow
def test_the_old_site_stays_if_the_new_one_cannot_be_finished(site_store, tmp_path, monkeypatch):
    out = tmp_path / "public"
    assert make(out, small_store(tmp_path / "s.sqlite")) == 0
    before = (out / "index.html").read_bytes()

    def refuse(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(folders.SiteFolder, "write", refuse)
    assert make(out, site_store) == 1
    assert (out / "index.html").read_bytes() == before
    assert sorted(one.name for one in tmp_path.iterdir() if one.is_dir()) == ["public"]


@pytest.mark.slow
def test_what_a_killed_process_left_is_swept_away(tmp_path):
    store, out = small_store(tmp_path / "s.sqlite"), tmp_path / "public"
    (tmp_path / ".public.new.4194304").mkdir()  # above the highest process number of Linux by default
    assert make(out, store) == 0
    assert not (tmp_path / ".public.new.4194304").exists()


@pytest.mark.slow
def test_a_damaged_certificate_is_named_and_proves_nothing(tmp_path, capsys):
    store, out = small_store(tmp_path / "s.sqlite"), tmp_path / "public"
    with sqlite3.connect(store) as connection:
        connection.execute("DROP TRIGGER certificates_no_update")
        [key] = connection.execute("SELECT key FROM certificates WHERE id = 1").fetchone()
        body = json.loads(connection.execute("SELECT body FROM certificates WHERE id = 1").fetchone()[0])
        changed = json.dumps({**body, "steps": 11})
        connection.execute("UPDATE certificates SET body = ? WHERE id = 1", (changed,))
    assert make(out, store) == 0
    assert "1 damaged certificate" in capsys.readouterr().err
    assert key in (out / "proofs.html").read_text(encoding="utf-8")
    assert "Failed proof: jax on fashion-mlp" in (out / "findings/index.html").read_text(encoding="utf-8")


@pytest.mark.slow
def test_a_run_of_another_version_is_listed_with_the_reason(tmp_path):
    store, out = small_store(tmp_path / "s.sqlite"), tmp_path / "public"
    shutil.copy(store, tmp_path / "t.sqlite")
    with sqlite3.connect(tmp_path / "t.sqlite") as connection:
        connection.execute("DROP TRIGGER runs_no_update")
        connection.execute("""UPDATE runs SET request = '{"kind": "run", "unheard": 1}' WHERE id = 'first'""")
    assert make(out, tmp_path / "t.sqlite") == 0
    text = (out / "runs/index.html").read_text(encoding="utf-8")
    assert "whose request this version does not understand" in text
    assert 'href="../runs/first.html"' not in text
    assert 'href="../runs/second.html"' in text
