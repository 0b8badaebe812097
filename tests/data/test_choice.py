"""The axis `data`: originals and nothing else, or what stands in for them, by name; and nothing of it changes what is
found where neither is asked for.
"""

from dataclasses import replace
from pathlib import Path

import originals
import pytest
from laboratory import make_work
from test_prepare import FLAT, UNREACHABLE, fashion

from rosettabench.catalogue.framework import find_framework
from rosettabench.catalogue.workload import find_workload
from rosettabench.data import registry
from rosettabench.data.find import obtainable
from rosettabench.data.prepare import prepare
from rosettabench.environments.environment import Environment
from rosettabench.errors import DataError
from rosettabench.proof.certificate import certificate_key, subject_of

FORM = {"vocabulary": 30000, "length": 150, "keep": "last", "pad": "end"}


@pytest.fixture
def cache(tmp_path):
    return tmp_path / "cache"


@pytest.fixture
def data_dir(tmp_path, monkeypatch):
    """A data folder with a small Fashion-MNIST, which cannot be downloaded."""
    folder = tmp_path / "data"
    small = originals.fashion_mnist(folder / "fashion-mnist", remotes=UNREACHABLE)
    monkeypatch.setitem(registry.SETS, "fashion-mnist", small)
    return folder


def test_real_data_are_what_is_found_where_there_are_originals(real_data, cache):
    found = prepare("fashion-mnist", FLAT, data_dir=real_data, cache=cache)
    real = prepare("fashion-mnist", FLAT, data_dir=real_data, cache=cache, asked="real")
    assert real == found
    assert real.origin == "original"


def test_real_data_are_never_made_up(cache, data_dir, tmp_path):
    """Neither with a folder of other things nor without one; the error says where they were looked for."""
    (tmp_path / "other").mkdir()
    for folder, looked in ((tmp_path / "other", f"{tmp_path}/other holds no files of it"), (None, "no data folder is")):
        assert fashion(cache, folder, offline=True).is_stand_in
        with pytest.raises(DataError, match=looked) as refused:
            fashion(cache, folder, offline=True, asked="real")
        assert "Fashion-MNIST" in refused.value.what and "downloads are switched off" in refused.value.what
        assert "--data-dir" in refused.value.hint and refused.value.what.count(".") <= 1 + str(folder).count(".")
    with pytest.raises(DataError, match=r"no data folder is named and .*127\.0\.0\.1"):
        fashion(cache, asked="real")
    assert fashion(cache, data_dir, asked="real").origin == "original"


def test_real_data_may_be_incomplete_and_say_so(cache, tmp_path, monkeypatch):
    content, small = originals.cifar_10()
    monkeypatch.setitem(registry.SETS, "cifar-10", small)
    folder = tmp_path / "data" / "cifar-10"
    folder.mkdir(parents=True)
    for name in ("data_batch_1.bin", "test_batch.bin"):
        (folder / name).write_bytes(content[name])
    form = {"shape": [3, 32, 32]}
    prepared = prepare("cifar-10", form, data_dir=tmp_path / "data", cache=cache, asked="real")
    assert (prepared.origin, prepared.is_whole) == ("incomplete", False)
    assert "6 of 30 training images" in prepared.note


@pytest.mark.slow
def test_synthetic_data_look_for_nothing_and_are_no_lack(real_data, cache, monkeypatch):
    """Not even into a data folder that is not there; and they are the stand-in, to the last bit."""
    monkeypatch.setattr("rosettabench.data.find.fetch", None)
    asked = [
        prepare("imdb", FORM, data_dir=folder, cache=cache, asked="synthetic")
        for folder in (real_data, None, Path("/nowhere"))
    ]
    assert {(one.origin, one.is_whole, one.is_stand_in) for one in asked} == {("synthetic", True, False)}
    assert all("data=synthetic" in one.note for one in asked)
    stand_in = prepare("imdb", FORM, data_dir=None, cache=cache, offline=True)
    assert stand_in.origin == "stand-in"
    assert {one.digest for one in asked} == {stand_in.digest}
    assert prepare("imdb", FORM, data_dir=real_data, cache=cache).digest != stand_in.digest


def test_drawn_data_are_the_same_under_either_name(cache):
    form = {"shape": [3, 8, 8], "values": "bytes", "train": 5, "test": 2}
    found, asked = (prepare("synthetic", form, data_dir=None, cache=cache, asked=one) for one in ("found", "synthetic"))
    assert (asked.digest, asked.origin) == (found.digest, "drawn")


def test_what_can_be_had_is_known_without_a_download(cache, data_dir, tmp_path):
    """In a folder; or at a source that may be asked, or was; of what is drawn there are no originals."""
    small = registry.SETS["fashion-mnist"]
    (tmp_path / "other").mkdir()
    assert obtainable(small, data_dir, cache, offline=True)
    assert obtainable(small, tmp_path / "other", cache, offline=False)
    assert not obtainable(small, tmp_path / "other", cache, offline=True)
    assert not obtainable(registry.SETS["chestxray14"], None, cache, offline=False)
    assert not obtainable(registry.SETS["synthetic"], data_dir, cache, offline=False)


def test_a_certificate_holds_for_the_data_and_not_for_how_they_were_asked_for(data_dir, cache, tmp_path):
    environment = Environment("pytorch@2.13.0", Path("python"), "managed", {"torch": "2.13.0"}, None)
    entry, workload = find_framework("pytorch"), find_workload("fashion-mlp")
    found = make_work(workload, tmp_path / "found", prepared=fashion(cache, data_dir))
    real = make_work(workload, tmp_path / "real", prepared=fashion(cache, data_dir, asked="real"), data="real")
    made = replace(real, data=fashion(cache, data_dir, asked="synthetic"))
    keys = [certificate_key(subject_of(entry, "eager", environment, one, "weights")) for one in (found, real, made)]
    assert keys[0] == keys[1], "the same arrays"
    assert keys[2] != keys[1], "other ones"
