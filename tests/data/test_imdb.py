"""The IMDB reviews: Keras' ids from every format, and files that are cut off or not what they should be."""

import io
import pickle
import zipfile

import numpy as np
import originals
import pytest

from rosettabench.data.progress import silent
from rosettabench.data.readers.keras_npz import reviews_of_npz
from rosettabench.data.sets.imdb import Imdb
from rosettabench.errors import DataError, UsageError

KERAS_TRAIN_0 = [1, 14, 22, 16, 43, 530, 973, 1622, 1385, 65, 458, 4468, 66, 3941, 4, 173, 36, 256, 5, 25, 100, 43, 838]
KERAS_TRAIN_1 = [1, 194, 1153, 194, 8255, 78, 228, 5, 6, 1463, 4369, 5012, 134, 26, 4, 715, 8, 118, 1634, 14, 394, 20]
KERAS_TEST_0 = [1, 591, 202, 14, 31, 6, 717, 10, 10, 18142, 10698, 5, 4, 360, 7, 4, 177, 5760, 394, 354, 4, 123, 9]
"""How the first reviews that keras.datasets.imdb.load_data returns begin."""


# -- the published reviews -------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def folder(real_data):
    return real_data / "imdb"


class Recording(Imdb):
    """Keeps the reviews that it has read beside what it makes of them: one reading serves several tests."""

    def _check_counts(self, origin, part, reviews):
        super()._check_counts(origin, part, reviews)
        kept[part] = reviews


kept = {}


@pytest.fixture(scope="module")
def portions(folder):
    """The real reviews as the GRU reads them."""
    data_set = Recording()
    form = {"vocabulary": 30_000, "length": 150, "keep": "last", "pad": "end"}
    return list(data_set.read(data_set.find(folder), form, silent))


@pytest.fixture(scope="module")
def reviews(portions):
    """{part: reviews} of the real text, in its own order."""
    return dict(kept)


@pytest.mark.slow
def test_the_published_reviews_have_as_many_ids_as_keras(reviews):
    assert reviews["train"].total == 5_967_841
    assert reviews["test"].total == 5_770_105
    for part in reviews.values():
        assert np.bincount(part.labels).tolist() == [12_500, 12_500]
        assert min(len(review) for review in part.ids) > 1


@pytest.mark.slow
@pytest.mark.parametrize(
    ("part", "beginning", "length", "label"),
    [("train", KERAS_TRAIN_0, 218, 1), ("train", KERAS_TRAIN_1, 189, 0), ("test", KERAS_TEST_0, 68, 0)],
)
def test_the_reviews_that_keras_shows_first_are_among_them(reviews, part, beginning, length, label):
    of_part = reviews[part]
    places = [place for place, review in enumerate(of_part.ids) if review[: len(beginning)].tolist() == beginning]
    assert [(len(of_part.ids[place]), of_part.labels[place]) for place in places] == [(length, label)]


@pytest.mark.slow
def test_the_published_reviews_as_the_gru_reads_them(portions):
    assert [portion.part for portion in portions] == ["train", "test"]
    for portion in portions:
        assert portion.inputs.shape == (25_000, 150) and portion.inputs.dtype == np.int32
        assert (portion.inputs.min(), portion.inputs.max()) == (0, 29_999)
        short = portion.inputs[:, -1] == 0
        assert 0.1 < short.mean() < 0.5
        assert (portion.inputs[short, 0] == 1).all() and not (portion.inputs[~short, 1:] == 1).any()
        # Neither class comes first: the beginning of a part is a fair sample of it.
        assert 0.45 < portion.labels[:1_000].mean() < 0.55


@pytest.mark.slow
def test_all_published_reviews_pass_through_keras_format(reviews, tmp_path):
    arrays = {}
    for part, of_part in reviews.items():
        ranks = np.empty(len(of_part.ids), object)
        ranks[:] = [(review[1:] - 3).tolist() for review in of_part.ids]
        arrays |= {f"x_{part}": ranks, f"y_{part}": of_part.labels}
    np.savez(tmp_path / "imdb.npz", **arrays)
    for part, found in reviews_of_npz(tmp_path / "imdb.npz", silent).items():
        assert np.array_equal(np.concatenate(found.ids), np.concatenate(reviews[part].ids))
        assert np.array_equal(found.labels, reviews[part].labels)


# -- small originals ------------------------------------------------------------------------------------------------


@pytest.fixture
def texts():
    return originals.reviews()


def read(data_set, folder):
    return list(data_set.read(data_set.find(folder), originals.GRU, silent))


@pytest.mark.parametrize("name", ["aclImdb_v1.tar.gz", "aclImdb_v1_labelled.tar.xz", "aclImdb_v1.tar"])
def test_an_archive_gives_the_ids_of_the_rule(tmp_path, texts, name):
    originals.write_archive(tmp_path, texts, name)
    for portion in read(originals.imdb(texts), tmp_path):
        expected = []
        for (part, word, _), text in texts.items():
            if part == portion.part:
                row = originals.ids(text)[-6:]
                expected.append((row + [0] * (6 - len(row)), int(word == "pos")))
        found = zip(portion.inputs.tolist(), portion.labels.tolist(), strict=True)
        assert sorted(found) == sorted(expected)


def test_every_format_gives_the_same_arrays(tmp_path, texts):
    data_set = originals.imdb(texts)
    originals.write_archive(tmp_path / "archive", texts)
    originals.write_folder(tmp_path / "folder", texts)
    originals.write_npz(tmp_path / "npz", texts)
    archive, *others = (read(data_set, tmp_path / name) for name in ("archive", "folder", "npz"))
    others.append(read(data_set, tmp_path / "folder" / "aclImdb"))
    for other in others:
        for one, two in zip(archive, other, strict=True):
            assert one.part == two.part
            assert np.array_equal(one.inputs, two.inputs) and np.array_equal(one.labels, two.labels)


@pytest.mark.parametrize("change", [{"keep": "middle"}, {"pad": ""}, {"length": 0}, {"vocabulary": 3}, {"more": 1}])
def test_other_forms_are_refused(change):
    with pytest.raises(UsageError):
        Imdb().check({**originals.GRU, **change})


def test_a_form_needs_all_its_entries():
    with pytest.raises(UsageError, match="imdb takes a form"):
        Imdb().check({"vocabulary": 5_000, "length": 500})


def test_a_missing_class_is_named(tmp_path, texts):
    originals.write_folder(tmp_path, {key: text for key, text in texts.items() if key[:2] != ("test", "pos")})
    with pytest.raises(DataError, match=r"aclImdb/test/pos is missing"):
        read(originals.imdb(texts), tmp_path)


def test_a_missing_review_is_counted(tmp_path, texts):
    data_set = originals.imdb(texts)
    originals.write_archive(tmp_path, dict(list(texts.items())[1:]))
    with pytest.raises(DataError, match="holds 3 bad reviews in its train part, where 4 were expected"):
        read(data_set, tmp_path)


def test_a_changed_review_is_noticed(tmp_path, texts):
    data_set = originals.imdb(texts)
    originals.write_archive(tmp_path, {**texts, ("train", "neg", 0): "good"})
    with pytest.raises(DataError, match="ids in its train part"):
        read(data_set, tmp_path)


@pytest.mark.parametrize("name", ["aclImdb_v1.tar.gz", "aclImdb_v1_labelled.tar.xz", "aclImdb_v1.tar"])
@pytest.mark.parametrize("share", [0, 0.3, 0.9])
def test_an_archive_that_is_cut_off_is_named(tmp_path, texts, name, share):
    originals.write_archive(tmp_path, texts, name)
    whole = (tmp_path / name).read_bytes()
    (tmp_path / name).write_bytes(whole[: int(share * len(whole.rstrip(b"\0")))])
    with pytest.raises(DataError, match=name):
        read(originals.imdb(texts), tmp_path)


def test_a_missing_word_index_is_named(tmp_path, texts):
    originals.write_archive(tmp_path, texts)
    (tmp_path / "imdb_word_index.json").unlink()
    with pytest.raises(DataError, match=r"needs Keras' word index, imdb_word_index\.json"):
        originals.imdb(texts).find(tmp_path)


@pytest.mark.parametrize("content", [originals.word_index()[:20], '{"the": 2}', ""])
def test_another_word_index_is_refused(tmp_path, texts, content):
    originals.write_archive(tmp_path, texts)
    (tmp_path / "imdb_word_index.json").write_text(content)
    with pytest.raises(DataError, match=r"imdb_word_index\.json is cut off, or not Keras' word index: its md5 is"):
        read(originals.imdb(texts), tmp_path)


# -- Keras' imdb.npz, changed -----------------------------------------------------------------------------------------


class Trap:
    def __reduce__(self):
        return print, ("this must not be printed",)


def rewrite(path, member, content):
    """Give one member of a zip file another content, or none."""
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    members[member] = content
    with zipfile.ZipFile(path, "w") as archive:
        for name, kept in members.items():
            if kept is not None:
                archive.writestr(name, kept)


def npy(array):
    stream = io.BytesIO()
    np.lib.format.write_array(stream, array)
    return stream.getvalue()


def trapped():
    ranks = np.empty(2, object)
    ranks[:] = [[1, 2], Trap()]
    return npy(ranks)


@pytest.mark.parametrize(
    ("member", "content", "expected"),
    [
        ("x_test.npy", trapped(), "is refused: it wants to use"),
        ("x_test.npy", npy(np.zeros((4, 3), np.int64)), "is not an array of lists"),
        ("x_test.npy", None, "expected x_train, y_train, x_test and y_test"),
        ("x_test.npy", b"no array", "cut off or damaged"),
        ("y_test.npy", npy(np.full(8, 2)), "does not hold a 0 or 1"),
        ("y_test.npy", npy(np.zeros(7, np.int64)), "does not hold a 0 or 1"),
        ("y_test.npy", trapped(), "cut off or damaged"),
        ("x_test.npy", npy(np.array([[1, 2], [-5]], object)), "not a rank|0 or 1"),
    ],
)
def test_a_changed_npz_is_refused_and_runs_nothing(tmp_path, texts, capfd, member, content, expected):
    originals.write_npz(tmp_path, texts)
    rewrite(tmp_path / "imdb.npz", member, content)
    with pytest.raises(DataError, match=expected) as caught:
        read(originals.imdb(texts), tmp_path)
    assert "imdb.npz" in caught.value.what
    assert "must not be printed" not in capfd.readouterr().out


def test_the_trap_is_one(capfd):
    pickle.loads(pickle.dumps(Trap()))  # noqa: S301 - shows that unpickling would have run it
    assert "must not be printed" in capfd.readouterr().out


def test_an_npz_that_is_cut_off_is_named(tmp_path, texts):
    originals.write_npz(tmp_path, texts)
    whole = (tmp_path / "imdb.npz").read_bytes()
    (tmp_path / "imdb.npz").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(DataError, match=r"imdb\.npz is cut off or damaged"):
        read(originals.imdb(texts), tmp_path)
