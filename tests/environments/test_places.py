from pathlib import Path

from rosettabench.places import cache_dir, data_dir_default, store_url


def test_variables_move_every_place(monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("ROSETTA_CACHE", "~/cache")
    monkeypatch.setenv("ROSETTA_DATA", "data")
    monkeypatch.setenv("ROSETTA_STORE", "postgresql://host/results")
    monkeypatch.chdir(tmp_path)
    assert cache_dir() == tmp_path / "cache"
    assert data_dir_default() == tmp_path / "data"
    assert store_url() == "postgresql://host/results"


def test_without_variables_they_are_the_users_own_folders(monkeypatch, tmp_path):
    for name in ("ROSETTA_CACHE", "ROSETTA_STORE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("ROSETTA_DATA", "")
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("XDG_CACHE_HOME", "XDG_DATA_HOME"):
        monkeypatch.delenv(name, raising=False)
    assert tmp_path in cache_dir().parents
    assert cache_dir().name == "rosettabench"
    assert data_dir_default() is None
    assert store_url().startswith(f"sqlite:///{tmp_path}")
    assert Path(store_url().removeprefix("sqlite:///")).name == "results.sqlite"
