"""Preparing a data set: where it is found, what is kept, and what happens when something goes wrong on the way."""

import errno
import hashlib
import json
import os
import signal
import subprocess
import sys
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import originals
import pytest

from rosettabench.data import registry, shelf
from rosettabench.data.data_set import Remote
from rosettabench.data.prepare import prepare
from rosettabench.errors import DataError, UsageError

FLAT = {"shape": [784]}
IMAGE = {"shape": [1, 28, 28]}
UNREACHABLE = [Remote("train-images-idx3-ubyte.gz", "http://127.0.0.1:9/train-images-idx3-ubyte.gz", "md5:0")]


@pytest.fixture
def data_dir(tmp_path, monkeypatch):
    """A data folder with a small Fashion-MNIST, which the registry takes for the real one."""
    folder = tmp_path / "data"
    small = originals.fashion_mnist(folder / "fashion-mnist", remotes=UNREACHABLE)
    monkeypatch.setitem(registry.SETS, "fashion-mnist", small)
    return folder


@pytest.fixture
def cache(tmp_path):
    return tmp_path / "cache"


def fashion(cache, data_dir=None, form=FLAT, **options):
    return prepare("fashion-mnist", form, data_dir=data_dir, cache=cache, **options)


def leftovers(cache):
    """What is in the cache beside complete folders in their places, and locks."""
    folders = [path for path in (cache / "prepared").iterdir() if path.suffix != ".lock"]
    return [path.name for path in folders if "." in path.name or not (path / "manifest.json").exists()]


# -- what comes out ---------------------------------------------------------------------------------------------------


def test_a_worker_can_map_what_was_prepared(cache, data_dir):
    prepared = fashion(cache, data_dir, IMAGE)
    inputs = np.load(prepared.train.inputs, mmap_mode="r")
    labels = np.load(prepared.test.labels, mmap_mode="r")
    assert isinstance(inputs, np.memmap) and inputs.shape == (50, 1, 28, 28) and inputs.dtype == np.float32
    assert labels.shape == (20,) and labels.dtype == np.int32
    assert (prepared.train.samples, prepared.test.samples) == (50, 20)
    assert prepared.origin == "original" and not prepared.is_stand_in
    assert str(data_dir / "fashion-mnist") in prepared.note
    assert prepared.is_intact()


def test_the_real_data_sets_are_prepared(real_data, cache):
    prepared = prepare("fashion-mnist", FLAT, data_dir=real_data, cache=cache)
    assert (prepared.train.samples, prepared.test.samples, prepared.origin) == (60_000, 10_000, "original")
    assert prepared.digest == "262ab87f334ac468df59e3e2f888721972583d551afed01cf03e57dd19b47d83"
    again = prepare("fashion-mnist", FLAT, data_dir=real_data / "fashion-mnist", cache=cache)
    assert (again.digest, again.folder) == (prepared.digest, prepared.folder)


def test_the_second_time_nothing_is_read(cache, data_dir, monkeypatch):
    first = fashion(cache, data_dir)
    monkeypatch.setattr(type(registry.SETS["fashion-mnist"]), "read", None)
    assert fashion(cache, data_dir) == first


def test_each_form_has_a_folder_and_a_digest_of_its_own(cache, data_dir):
    flat, image = fashion(cache, data_dir, FLAT), fashion(cache, data_dir, IMAGE)
    assert flat.folder != image.folder and flat.digest != image.digest


def test_the_digest_does_not_depend_on_place_time_or_packing(tmp_path, cache, data_dir):
    before = fashion(cache, data_dir)
    other = tmp_path / "elsewhere"
    originals.fashion_mnist(other)
    for path in other.iterdir():
        os.utime(path, (1, 1))
    assert fashion(tmp_path / "cache2", other).digest == before.digest


def test_the_digest_is_the_same_for_every_format_of_the_reviews(tmp_path, cache, monkeypatch):
    texts = originals.reviews()
    monkeypatch.setitem(registry.SETS, "imdb", originals.imdb(texts))
    originals.write_archive(tmp_path / "archive", texts)
    originals.write_folder(tmp_path / "folder", texts)
    originals.write_npz(tmp_path / "npz", texts)
    found = [
        prepare("imdb", originals.GRU, data_dir=tmp_path / name, cache=cache) for name in ("archive", "folder", "npz")
    ]
    assert len({prepared.digest for prepared in found}) == 1
    assert len({prepared.folder for prepared in found}) == 3


def test_a_changed_original_is_prepared_again(tmp_path, cache, monkeypatch):
    texts = originals.reviews()
    monkeypatch.setitem(registry.SETS, "imdb", originals.imdb(texts))
    originals.write_folder(tmp_path / "data", texts)
    first = prepare("imdb", originals.GRU, data_dir=tmp_path / "data", cache=cache)
    review = next((tmp_path / "data").rglob("train/neg/*.txt"))
    review.write_text(review.read_text()[::-1])
    with pytest.raises(DataError, match="ids in its train part"):
        prepare("imdb", originals.GRU, data_dir=tmp_path / "data", cache=cache)
    assert first.is_intact()


# -- where it is found ------------------------------------------------------------------------------------------------


def test_without_network_there_is_a_stand_in_that_says_so(cache, data_dir, tmp_path):
    empty = tmp_path / "empty"
    empty.mkdir()
    prepared = fashion(cache, empty)
    assert prepared.origin == "stand-in" and prepared.is_stand_in
    assert prepared.note == (
        f"Stand-in made by Rosettabench, not the real Fashion-MNIST, because {empty} holds no files of it "
        "and there is no connection to 127.0.0.1."
    )
    assert prepared.digest != fashion(cache, data_dir).digest


def test_offline_downloads_nothing(cache, data_dir):
    prepared = fashion(cache, offline=True)
    assert prepared.origin == "stand-in"
    assert "because downloads are switched off" in prepared.note


def test_a_data_folder_that_does_not_exist_is_an_error(cache, data_dir):
    with pytest.raises(DataError, match="does not exist"):
        fashion(cache, data_dir / "misspelt")


@pytest.mark.parametrize("offline", [True, False])
def test_a_wrong_file_is_never_hidden_by_a_stand_in(cache, data_dir, offline):
    path = data_dir / "fashion-mnist" / "train-images-idx3-ubyte.gz"
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(DataError, match=str(path)):
        fashion(cache, data_dir, offline=offline)
    assert leftovers(cache) == []


def test_a_download_is_prepared_and_later_used_offline(cache, data_dir, monkeypatch):
    handler = partial(Quiet, directory=data_dir / "fashion-mnist")
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        monkeypatch.setitem(registry.SETS, "fashion-mnist", served(data_dir, server.server_port))
        prepared = fashion(cache)
        server.shutdown()
    assert prepared.origin == "download"
    assert prepared.note == f"Fashion-MNIST, downloaded from 127.0.0.1:{server.server_port}."
    assert prepared.digest == fashion(cache, data_dir).digest
    assert fashion(cache, offline=True) == prepared


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


def served(data_dir, port):
    """The small data set, with remotes on this machine."""
    folder = data_dir / "fashion-mnist"
    remotes = [
        Remote(
            path.name, f"http://127.0.0.1:{port}/{path.name}", f"sha256:{hashlib.sha256(path.read_bytes()).hexdigest()}"
        )
        for path in sorted(folder.iterdir())
    ]
    return originals.fashion_mnist(folder, remotes=remotes)


def test_an_unknown_set_offers_the_nearest(cache):
    with pytest.raises(UsageError) as caught:
        prepare("fashon-mnist", FLAT, data_dir=None, cache=cache)
    assert "fashion-mnist" in caught.value.hint


def test_a_wrong_form_is_refused_before_anything_is_done(cache, data_dir):
    with pytest.raises(UsageError):
        fashion(cache, data_dir, {"shape": [28]})
    assert not cache.exists()


# -- what is kept -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("damage", ["missing array", "cut array", "no manifest", "cut manifest", "foreign manifest"])
def test_a_damaged_folder_is_prepared_again(cache, data_dir, damage):
    first = fashion(cache, data_dir)
    array, manifest = first.train.inputs, first.folder / "manifest.json"
    if damage == "missing array":
        array.unlink()
    elif damage == "cut array":
        os.truncate(array, 1_000)
    elif damage == "no manifest":
        manifest.unlink()
    elif damage == "cut manifest":
        manifest.write_text(manifest.read_text()[:-9])
    else:
        manifest.write_text(json.dumps([1]))
    second = fashion(cache, data_dir)
    assert second == first and second.is_intact()
    assert leftovers(cache) == []


def test_a_changed_byte_is_found_by_the_full_check(cache, data_dir):
    prepared = fashion(cache, data_dir)
    with prepared.train.inputs.open("r+b") as file:
        file.seek(-1, os.SEEK_END)
        file.write(b"\x7f")
    assert not prepared.is_intact()
    prepared.discard()
    assert fashion(cache, data_dir).is_intact()


def test_the_user_s_folder_is_not_touched(cache, data_dir):
    def state():
        return sorted((str(path), path.stat().st_mtime_ns) for path in data_dir.rglob("*"))

    before = state()
    fashion(cache, data_dir)
    assert state() == before


# -- when something goes wrong ----------------------------------------------------------------------------------------

PREPARE = """
import os, sys
from pathlib import Path
sys.path.insert(0, os.environ["TESTS"])
import originals
from rosettabench.data import registry
from rosettabench.data.prepare import prepare
registry.SETS["fashion-mnist"] = originals.fashion_mnist(Path(f"{sys.argv[2]}.{os.getpid()}"))
def run():
    print(prepare("fashion-mnist", {"shape": [784]}, data_dir=Path(sys.argv[1]), cache=Path(sys.argv[2])).digest)
"""


def start(script, *arguments):
    environment = {**os.environ, "TESTS": str(Path(__file__).parent)}
    command = [sys.executable, "-c", PREPARE + script, *map(str, arguments)]
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


KILLED = """
import signal
from rosettabench.data import shelf
def killed(*_):
    os.kill(os.getpid(), signal.SIGKILL)
if sys.argv[3] == "while writing":
    shelf.digest = killed
else:
    rename = Path.rename
    Path.rename = lambda path, new: killed() if "unfinished" in path.name else rename(path, new)
run()
"""


@pytest.mark.parametrize("moment", ["while writing", "between the renames"])
def test_a_killed_preparation_leaves_nothing_that_is_taken_for_data(tmp_path, cache, data_dir, moment):
    if moment == "between the renames":
        os.truncate(fashion(cache, data_dir).train.inputs, 1_000)  # a damaged folder has to make way first
    process = start(KILLED, tmp_path / "data", cache, moment)
    process.communicate()
    assert process.returncode == -signal.SIGKILL
    assert leftovers(cache)
    prepared = fashion(cache, data_dir)
    assert prepared.is_intact()
    assert leftovers(cache) == []


def test_runs_that_want_the_same_at_once_get_the_same(tmp_path, cache, data_dir):
    processes = [start("run()", data_dir, cache) for _ in range(5)]
    outputs = [process.communicate() for process in processes]
    assert [process.returncode for process in processes] == [0] * 5, outputs
    assert len({out for out, _ in outputs}) == 1
    assert leftovers(cache) == []


FULL = """
import resource
from rosettabench.errors import DataError
resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, 60_000))
try:
    run()
except DataError as error:
    print(error.what, error.hint)
"""


def test_a_disk_without_room_is_told_and_left_clean(tmp_path, cache, data_dir):
    process = start(FULL, tmp_path / "data", cache)
    out, err = process.communicate()
    assert "Fashion-MNIST could not be prepared" in out and str(cache) in out, err
    assert "Make room" in out
    assert leftovers(cache) == []


def test_a_full_disk_is_told_in_words(cache, data_dir, monkeypatch):
    def full(*_, **__):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "/somewhere/train_inputs.npy")

    monkeypatch.setattr(shelf, "save_array", full)
    with pytest.raises(DataError, match="No space left on device"):
        fashion(cache, data_dir)
    assert leftovers(cache) == []


def test_a_cache_that_cannot_be_made_is_told(tmp_path, data_dir):
    (tmp_path / "file").write_text("")
    with pytest.raises(DataError, match="Fashion-MNIST could not be prepared") as caught:
        fashion(tmp_path / "file" / "cache", data_dir)
    assert "choose another cache folder" in caught.value.hint


@pytest.fixture
def permissions(tmp_path):
    """Skip where permissions bind nobody, as is so for root."""
    forbidden = tmp_path / "forbidden"
    forbidden.touch(mode=0)
    if os.access(forbidden, os.R_OK):
        pytest.skip("this user may read and write everything")


@pytest.mark.usefixtures("permissions")
def test_no_permission_is_told(cache, data_dir):
    (data_dir / "fashion-mnist" / "train-images-idx3-ubyte.gz").chmod(0)
    with pytest.raises(DataError, match="Permission denied"):
        fashion(cache, data_dir)


@pytest.mark.usefixtures("permissions")
def test_a_shared_cache_that_is_read_only_serves_what_it_has(cache, data_dir):
    first = fashion(cache, data_dir)
    (cache / "prepared").chmod(0o555)
    try:
        assert fashion(cache, data_dir) == first
    finally:
        (cache / "prepared").chmod(0o755)
