"""ChestX-ray14: both forms in which it is published, a part of it, and files that are not what they should be."""

import csv
import io

import numpy as np
import pytest
from PIL import Image

from rosettabench.data import registry
from rosettabench.data.prepare import prepare
from rosettabench.data.progress import silent
from rosettabench.data.readers.picture import square
from rosettabench.data.sets.chestxray14 import ChestXray14, names_of
from rosettabench.data.sets.findings import FINDINGS, LISTED, LISTS, films, findings_of, label_files, part_of
from rosettabench.errors import DataError, UsageError

FORM = {"shape": [3, 40, 40]}
HEADER = "Image Index,Finding Labels,Follow-up #,Patient ID,Patient Age"
ROWS = {
    "00000001_000.png": ("Cardiomegaly|Emphysema", 1),
    "00000002_000.png": ("No Finding", 2),
    "00021563_001.png": ("Hernia", 21_563),
    "00021564_000.png": ("Mass", 21_564),
    "00024643_000.png": ("Mass", 24_643),
    "00024644_000.png": ("Pneumothorax|Infiltration", 24_644),
    "00030805_000.png": ("No Finding", 30_805),
}


def png(mode="L", size=(50, 60), seed=0):
    """The bytes of a PNG image of noise."""
    bands = {"L": (), "RGB": (3,), "RGBA": (4,)}[mode]
    pixels = np.random.default_rng(seed).integers(0, 256, (size[1], size[0], *bands), dtype=np.uint8)
    target = io.BytesIO()
    Image.fromarray(pixels, mode).save(target, "PNG")
    return target.getvalue()


def write(folder, rows=ROWS):
    """Write the table of a small ChestX-ray14, and its images in two folders; return the folder."""
    lines = [f"{name},{words},0,{patient},58" for name, (words, patient) in rows.items()]
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "Data_Entry_2017.csv").write_text("\n".join([HEADER, *lines]) + "\n")
    for number, name in enumerate(rows):
        place = folder / f"images_{1 + number % 2:03}" / "images"
        place.mkdir(parents=True, exist_ok=True)
        (place / name).write_bytes(png(seed=number))
    return folder


def write_lists(folder):
    """Write the same as three lists, the images of each part in the part of its own; return the folder."""
    write(folder)
    rows = {name: findings_of(words, "") for name, (words, _) in ROWS.items()}
    (folder / "Data_Entry_2017.csv").unlink()
    (folder / "labels").mkdir()
    for part, file in LISTS.items():
        own = [name for name, (_, patient) in ROWS.items() if part_of(str(patient), "") == part]
        lines = [" ".join([name, *(str(rows[name][FINDINGS.index(one)]) for one in LISTED)]) for name in own]
        (folder / "labels" / file).write_text("\n".join(lines))  # the last line without its end, as published
    return folder


def read(folder, form=FORM, **made):
    data_set = ChestXray14(**made)
    return list(data_set.read(data_set.find(folder), form, silent))


def test_the_real_lists_and_images_at_hand(real_data):
    """112,120 images are listed, each with its own labels; a thousand of them are here."""
    folder = real_data / "chestxray14"
    if not folder.is_dir():
        pytest.skip(f"no ChestX-ray14: {folder} does not exist")
    known = films(label_files(folder))
    assert len(known) == 112_120
    assert sum(film.findings[FINDINGS.index("Hernia")] for film in known.values()) == 227  # as published
    with (folder / "sample_index.csv").open() as file:  # names its columns
        for row in csv.DictReader(file):
            assert known[row["image"]].findings == tuple(int(row[name]) for name in FINDINGS)
    source = ChestXray14().find(folder)
    assert "of 112,120 images, of which" in source.part and "split as train_list.txt" in source.part
    train, test = ChestXray14(most={"train": 3, "test": 2}).read(source, FORM, silent)
    assert train.inputs.shape == (3, 3, 40, 40) and test.labels.shape == (2, 14)
    assert train.inputs.dtype == train.labels.dtype == np.float32 and set(np.unique(train.labels)) <= {0, 1}


def test_an_image_is_stretched_and_normalised(tmp_path):
    """Every number by plain reading of the rule: grey to RGB, 264×264, 40×40, ImageNet's mean and deviation."""
    folder = write(tmp_path)
    train, _ = read(folder)
    names = names_of("train", films(label_files(folder)), list(ROWS))
    for place, name in enumerate(names):
        (path,) = folder.rglob(name)
        picture = Image.open(path).convert("RGB").resize((264, 264), Image.Resampling.BILINEAR)
        pixels = np.asarray(picture.resize((40, 40), Image.Resampling.BILINEAR)).astype(np.float64) / 255
        for colour, (mean, deviation) in enumerate([(0.485, 0.229), (0.456, 0.224), (0.406, 0.225)]):
            expected = (pixels[:, :, colour] - mean) / deviation
            assert np.abs(train.inputs[place, colour] - expected).max() < 1e-6


def test_patients_are_split_by_their_numbers(tmp_path):
    train, test = read(write(tmp_path))
    assert (train.part, len(train.inputs), test.part, len(test.inputs)) == ("train", 3, "test", 2)
    shown = {tuple(np.array(FINDINGS)[row > 0]) for row in train.labels}
    assert shown == {("Cardiomegaly", "Emphysema"), (), ("Hernia",)}
    assert {tuple(np.array(FINDINGS)[row > 0]) for row in test.labels} == {("Infiltration", "Pneumothorax"), ()}
    assert list(FINDINGS) == sorted(FINDINGS) and sorted(LISTED) == list(FINDINGS)


def test_both_forms_give_the_same(tmp_path):
    one, other = read(write(tmp_path / "table")), read(write_lists(tmp_path / "lists"))
    for mine, its in zip(one, other, strict=True):
        assert np.array_equal(mine.inputs, its.inputs) and np.array_equal(mine.labels, its.labels)


def test_what_is_there_is_said(tmp_path, monkeypatch):
    data_set = ChestXray14(most={"train": 2, "test": 512}, images=9)
    monkeypatch.setitem(registry.SETS, "chestxray14", data_set)
    write(tmp_path / "data" / "chestxray14")
    prepared = prepare("chestxray14", FORM, data_dir=tmp_path / "data", cache=tmp_path / "cache")
    assert (prepared.train.samples, prepared.test.samples) == (2, 2)
    assert prepared.origin == "incomplete" and not prepared.is_whole and prepared.is_intact()
    assert prepared.note.endswith(": 7 of 9 images, of which 2 train and 2 test images are used.")


def test_of_several_files_of_one_name_the_largest_is_read(tmp_path):
    folder = write(tmp_path)
    (path,) = folder.rglob("00030805_000.png")
    large = png("RGBA", (300, 300), seed=9)
    (folder / "large").mkdir()
    (folder / "large" / path.name).write_bytes(large)
    _, test = read(folder)
    place = names_of("test", films(label_files(folder)), list(ROWS)).index(path.name)
    expected = square(folder / "large" / path.name, 264, 40)[..., 0] / 255
    assert np.abs(test.inputs[place, 0] * 0.229 + 0.485 - expected).max() < 1e-6


def test_elsewhere_there_is_none(tmp_path):
    assert ChestXray14().find(tmp_path) is None
    (tmp_path / "images_001").mkdir()
    with pytest.raises(DataError, match=r"but not Data_Entry_2017\.csv"):
        ChestXray14().find(tmp_path)


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (lambda content: b"", r"00000002_000\.png is empty"),
        (lambda content: content[:-500], r"00000002_000\.png is cut off, damaged or no picture"),
        (lambda content: b"GIF89a" + content[6:], r"00000002_000\.png is cut off, damaged or no picture"),
        (lambda content: content[:60] + bytes(40) + content[100:], r"00000002_000\.png is cut off, damaged"),
    ],
)
def test_a_damaged_image_is_named_and_nothing_is_left(tmp_path, damage, said):
    folder, cache = write(tmp_path / "data"), tmp_path / "cache"
    (path,) = folder.rglob("00000002_000.png")
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(DataError, match=said):
        prepare("chestxray14", FORM, data_dir=tmp_path / "data", cache=cache)
    assert [file for file in cache.rglob("*") if file.is_file() and file.suffix != ".lock"] == []


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("Hernia", "Hernai", r"line 4: there is no finding 'Hernai'"),
        ("Hernia", "Hernia|", r"line 4: there is no finding ''"),
        (",30805,", ",30806,", r"line 8: there is no patient '30806'"),
        (",30805,58", "", r"line 8: there is no patient ''"),
        ("Finding Labels", "Labels", r"has no column Finding Labels"),
    ],
)
def test_a_wrong_table_is_told_by_line(tmp_path, old, new, said):
    table = write(tmp_path) / "Data_Entry_2017.csv"
    table.write_text(table.read_text().replace(old, new))
    with pytest.raises(DataError, match=said) as caught:
        ChestXray14().find(tmp_path)
    assert str(table) in caught.value.what


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("00000001_000.png 0 1", r"train_list\.txt, line 1: a file name and 14 times 0 or 1 were expected"),
        ("00000001_000.png" + 14 * " 2", r"train_list\.txt, line 1: .* 2 2 2"),
        ("", r"train_list\.txt, line 1"),
    ],
)
def test_a_wrong_list_is_told_by_line(tmp_path, line, said):
    folder = write_lists(tmp_path)
    (folder / "labels" / "train_list.txt").write_text(line + "\n")
    with pytest.raises(DataError, match=said):
        ChestXray14().find(folder)


def test_a_missing_list_is_told(tmp_path):
    folder = write_lists(tmp_path)
    (folder / "labels" / "val_list.txt").unlink()
    with pytest.raises(DataError, match=r"but not val_list\.txt"):
        ChestXray14().find(folder)


@pytest.mark.parametrize("part", ["train", "test"])
def test_a_part_without_images_is_told(tmp_path, part):
    folder = write(tmp_path)
    for name in names_of(part, films(label_files(folder)), list(ROWS)):
        next(folder.rglob(name)).unlink()
    with pytest.raises(DataError, match=f"no PNG image of its {part} part"):
        ChestXray14().find(folder)


@pytest.mark.parametrize(
    "form",
    [
        {},
        {"shape": [1, 64, 64]},
        {"shape": [3, 31, 31]},
        {"shape": [3, 265, 265]},
        {"shape": [3, 64, 32]},
        {"shape": 3},
    ],
)
def test_other_forms_are_refused(form):
    with pytest.raises(UsageError):
        ChestXray14().check(form)


def test_the_stand_in_has_the_sizes_and_can_be_learned():
    """Least squares, as the simplest of learners: its scores part those that have a label from those that have not."""
    from rosettabench.statistics.auc import mean_auc

    (_, inputs, labels), (_, tests, expected) = ChestXray14().stand_in({"shape": [3, 33, 33]})
    assert inputs.shape == (1_024, 3, 33, 33) and tests.shape == (512, 3, 33, 33)
    assert inputs.dtype == labels.dtype == np.float32 and labels.shape == (1_024, 14)
    assert 0.1 < labels.mean() < 0.15
    places = np.arange(2, 33, 4)
    seen, unseen = (images[:, 0][:, places[:, None], places].reshape(len(images), -1) for images in (inputs, tests))
    weights = np.linalg.lstsq(np.c_[seen, np.ones(len(seen))], labels, rcond=None)[0]
    area = mean_auc(np.c_[unseen, np.ones(len(unseen))] @ weights, expected)
    assert all(area.defined) and 0.6 < area.value < 0.99
