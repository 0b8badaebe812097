"""Fed by picture files every framework does the same work, and what goes wrong on the way from them is seen."""

import json
import os
import re
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from laboratory import environment, make_work, open_session, proven, reference, tamper
from PIL import Image
from smaller import small_workload
from test_loaders import LOADERS, MOST, OPENED

from rosettabench.catalogue.framework import competing_frameworks
from rosettabench.catalogue.workload import find_workload
from rosettabench.data.prepare import prepare
from rosettabench.data.readers.pictures import Pictures
from rosettabench.errors import WorkerError

pytestmark = [pytest.mark.environment, pytest.mark.slow]

AUGMENTATION = {"crop": (64, 75), "flip": 0.5}
CELLS = [("pytorch", 0), *MOST.items()]


@pytest.fixture(scope="session")
def photographs(tmp_path_factory):
    """A residual network on small photographs, JPEG files of noise, that are cropped and flipped; and its reference."""
    folder = tmp_path_factory.mktemp("photographs")
    for number in range(30):
        path = folder / "data" / f"n0000000{number % 3 + 1}" / f"{number}.JPEG"
        path.parent.mkdir(parents=True, exist_ok=True)
        Image.fromarray(np.random.default_rng(number).integers(0, 256, (90, 70, 3), np.uint8)).save(path)
    workload = small_workload("imagenet-resnet56", folder, AUGMENTATION)
    where = {"data_dir": folder / "data", "cache": folder / "cache"}
    data = prepare("imagenet", workload.proven.data.form, **where, offline=True, pictures=True)
    work = make_work(workload, folder / "work", prepared=data, input="files")
    return work, reference(work, folder / "reference")


def with_workers(work, workers):
    """The same work, loaded by so many."""
    return replace(work, setting=replace(work.setting, workers=workers))


@pytest.mark.parametrize(("name", "workers"), CELLS)
def test_what_is_decoded_and_augmented_is_equal_work(name, workers, photographs, tmp_path):
    work, exact = photographs
    entry = competing_frameworks()[name]
    proof, settings = proven(entry, entry.mode, with_workers(work, workers), exact, tmp_path)
    assert proof.passed, ([check for check in proof.checks if not check.passed][:3], proof.cause)
    assert (settings["loader"], settings["loader_workers"]) == (LOADERS[name], workers)
    assert settings["decoder"].startswith("Pillow ")
    json.dumps([check.as_json() for check in proof.checks])  # as a certificate keeps them
    looked_at = {check.quantity for check in proof.checks if check.quantity.startswith("augmentation")}
    assert {one.removeprefix("augmentation ") for one in looked_at} == {
        "pictures", "flips", "places", "repeats", "drawn"
    }  # fmt: skip


@pytest.mark.parametrize("workload", ["chestxray-densenet121"])
def test_real_pictures_are_equal_work(workload, real_data, tmp_path):
    work = make_work(find_workload(workload), tmp_path / "work", input="files", workers=2)
    proof, _ = proven(
        competing_frameworks()["pytorch"], "eager", work, reference(work, tmp_path / "reference"), tmp_path
    )
    assert proof.passed, ([check for check in proof.checks if not check.passed][:3], proof.cause)


def test_explanations_can_take_a_step_apart(photographs, tmp_path):
    work, _ = photographs
    entry, size = competing_frameworks()["pytorch"], work.setting.batch_size
    session = open_session(entry, "eager", environment(entry.locks[0]), with_workers(work, 2), tmp_path / "session")
    try:
        assert session.ask("feed", first=0, steps=5)["samples"] == 5 * size
        assert session.train(0, 5).samples == 5 * size
        assert session.ask("reuse", first=0, steps=10)["loss"] > 0
        for request in ("backpropagate", "update"):
            assert session.ask(request, first=0, steps=2)["elapsed_s"] > 0
        assert session.ask("profile", first=0, steps=2, folder=str(tmp_path / "profile"))["operations"]
    finally:
        session.process.close()


@pytest.mark.parametrize(
    ("name", "workers", "said"),
    [("chainer", 0, "trains from memory only"), ("mxnet-module", 2, "in the worker itself")],
)
def test_what_a_framework_does_not_have_it_says(name, workers, said, photographs, tmp_path):
    work, _ = photographs
    entry = competing_frameworks()[name]
    with pytest.raises(WorkerError, match=said) as told:
        open_session(entry, entry.mode, environment(entry.locks[0]), with_workers(work, workers), tmp_path)
    assert told.value.kind == "unsupported"


@pytest.fixture
def own_photographs(photographs, tmp_path):
    """The same work from copies of its pictures, which a test may damage; and their paths."""
    work, _ = photographs
    pictures = work.data.pictures
    copies = [Path(shutil.copy(file.path, tmp_path)) for file in pictures.files]
    own = replace(work.data, pictures=Pictures.of(copies, pictures.side, pictures.rendering))
    return replace(work, data=own), copies


@pytest.mark.parametrize(("name", "workers"), CELLS)
def test_a_file_that_is_damaged_while_it_is_trained_on_is_named(name, workers, own_photographs, tmp_path):
    """In one sentence, whatever the framework's loader makes of what its workers raise."""
    work, copies = own_photographs
    entry = competing_frameworks()[name]
    session = open_session(
        entry, entry.mode, environment(entry.locks[0]), with_workers(work, workers), tmp_path / "session"
    )
    try:
        assert session.ask("feed", first=0, steps=3)["samples"] == 3 * work.setting.batch_size
        for path in copies:
            path.write_bytes(path.read_bytes()[:500])
        with pytest.raises(WorkerError) as told:
            session.ask("feed", first=3, steps=3)
    finally:
        session.process.kill()
    sentence = r"Unreadable: (.*\.JPEG) is empty, cut off, damaged or no picture: fetch it again, or remove it"
    found = re.fullmatch(sentence, told.value.what)
    assert found and Path(found.group(1)) in copies, told.value.what


@pytest.mark.parametrize("workers", [0, 2])
def test_a_damaged_file_does_not_end_the_processes_of_mxnet(workers, own_photographs, tmp_path):
    """Terminated beside their answers they can hang for ever: they answer, go on, and end when they are told to."""
    work, copies = own_photographs
    entry = competing_frameworks()["mxnet-gluon"]
    session = open_session(
        entry, entry.mode, environment(entry.locks[0]), with_workers(work, workers), tmp_path / "session"
    )
    whole = {path: (path.read_bytes(), path.stat()) for path in copies}
    try:
        session.ask("feed", first=0, steps=3)
        for path in copies:
            path.write_bytes(whole[path][0][:500])
        with pytest.raises(WorkerError, match="cut off"):
            session.ask("feed", first=3, steps=3)
        for path, (content, status) in whole.items():
            path.write_bytes(content)
            os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
        assert session.ask("feed", first=6, steps=3)["samples"] == 3 * work.setting.batch_size
        session.ask("close")
        assert session.process._process.wait(20) == 0
    finally:
        session.process.kill()


# -- planted mistakes --------------------------------------------------------------------------------------------------

CARELESS = """        class Careless(object):
            def __getitem__(self, element):
                number, top, left, flip = element
                {change}

        return Loader(Careless(), self.setting.workers, self.device)"""

PLANTS = {
    "a crop that leaves the picture as it is": (
        "source.side = source.stored; return source[[number, 0, 0, flip]]",
        "augmentation pictures",
        "brought as 3 × 75 × 75 numbers where 3 × 64 × 64 are cut out: the crop does nothing",
    ),
    "a crop that makes the whole picture smaller": (
        "source.stored = source.side; return source[[number, 0, 0, flip]]",
        "augmentation pictures",
        "made smaller where a part of it is to be cut out",
    ),
    "a crop in the middle, always": (
        "return source[[number, 5, 5, flip]]",
        "augmentation places",
        "every crop is taken at the same place",
    ),
    "a crop that never reaches the border": (
        "return source[[number, min(top, 8), left, flip]]",
        "augmentation places",
        "taken more often than others",
    ),
    "no flips": ("return source[[number, top, left, 0]]", "augmentation flips", "flipped never"),
    "every picture flipped": ("return source[[number, top, left, 1]]", "augmentation flips", "flipped always"),
    "top and bottom exchanged": (
        "inputs, label = source[element]; return inputs[:, ::-1].copy(), label",
        "augmentation pictures",
        "upside down",
    ),
    "another filter": (
        "source.resampling = 3; return source[element]",
        "augmentation pictures",
        "decoded, stretched or normalised by other rules",
    ),
    "the next picture": (
        "return source[[number ^ 1, top, left, flip]]",
        "augmentation pictures",
        "not those of the project's order",
    ),
    "the second worker repeats the first one's random numbers": (
        """if not hasattr(self, "random"):
                    self.random = np.random.RandomState(0)
                top, left, flip = self.random.randint(0, 12), self.random.randint(0, 12), self.random.randint(0, 2)
                return source[[number, top, left, flip]]""",
        "augmentation repeats",
        "a worker repeats another's random numbers",
    ),
    "one crop for the whole batch": (
        """others = self.__dict__.pop("others", None)
                if others is None:
                    self.others = top, left, flip
                return source[[number, *(others or (top, left, flip))]]""",
        "augmentation repeats",
        "all samples of a batch have the same",
    ),
    "random numbers of its own": (
        """if not hasattr(self, "random"):
                    self.random = np.random.RandomState(torch.utils.data.get_worker_info().id)
                top, left, flip = self.random.randint(0, 12), self.random.randint(0, 12), self.random.randint(0, 2)
                return source[[number, top, left, flip]]""",
        "augmentation drawn",
        "not as the project has drawn it",
    ),
}


@pytest.mark.parametrize("plant", PLANTS)
def test_a_mistake_on_the_way_from_a_file_is_caught_and_named(plant, photographs, tmp_path):
    change, quantity, cause = PLANTS[plant]
    work, exact = photographs
    entry = competing_frameworks()["pytorch"]
    careless = CARELESS.format(change=change)
    adapter = tamper(entry.path, [(OPENED, careless)], tmp_path / "adapters" / entry.path.name)
    proof, _ = proven(entry.model_copy(update={"path": adapter}), entry.mode, with_workers(work, 2), exact, tmp_path)
    failed = [check for check in proof.checks if not check.passed]
    assert failed, "the proof holds, and must not"
    assert failed[0].quantity == quantity
    assert cause in (proof.cause or "")
