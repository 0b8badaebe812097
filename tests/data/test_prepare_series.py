"""Preparing sets of time series: what comes out, where it comes from, what a note says of it, and what is kept."""

import hashlib
import threading
import zipfile
from datetime import datetime
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from originals import tsf

from rosettabench.data.series import monash
from rosettabench.data.series.frequency import Frequency
from rosettabench.data.series.monash import all_monash_sets, monash_set
from rosettabench.data.series.prepare_series import prepare_series
from rosettabench.data.series.series import PreparedSeries, Series, save
from rosettabench.errors import DataError, UsageError

ATTRIBUTES = {"series_name": "string", "start_timestamp": "date"}
WHEN = datetime(1865, 1, 1)
ROWS = [
    (("first", WHEN), [1, 2, 3, 4, 5]),
    (("second", None), [6, None, 8]),
    (("short", WHEN), [1, 2]),
]


@pytest.fixture
def cache(tmp_path):
    return tmp_path / "cache"


@pytest.fixture
def data_dir(tmp_path):
    """A data folder with a small hospital."""
    folder = tmp_path / "data"
    folder.mkdir()
    (folder / "hospital_dataset.tsf").write_bytes(tsf(ATTRIBUTES, ROWS, frequency="monthly", horizon=2))
    return folder


def hospital(cache, data_dir=None, **options):
    return prepare_series("hospital", data_dir=data_dir, cache=cache, offline=True, **options)


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


# -- what comes out ---------------------------------------------------------------------------------------------------


def test_series_are_mapped_from_flat_arrays(cache, data_dir):
    prepared = hospital(cache, data_dir)
    assert (prepared.frequency.word, prepared.context, prepared.horizon, len(prepared)) == ("monthly", 15, 2, 2)
    first, second = prepared
    assert (first.name, first.start, first.values.tolist()) == ("first", WHEN, [1, 2, 3, 4, 5])
    assert (second.name, second.start) == ("second", None)
    assert np.array_equal(second.values, [6, np.nan, 8], equal_nan=True)
    assert isinstance(first.values, np.memmap) and first.values.dtype == np.float64
    assert prepared.training(0)[:2] == ("first", WHEN)
    assert prepared.training(0).values.tolist() == [1, 2, 3] and prepared.truth(0).tolist() == [4, 5]
    with pytest.raises(IndexError):
        prepared[2]
    assert {name: array.tolist() for name, array in prepared.arrays.items() if name in ("offsets", "starts")} == {
        "offsets": [0, 5, 8],
        "starts": [int((WHEN - datetime(1970, 1, 1)).total_seconds()), np.iinfo(np.int64).min],
    }
    assert prepared.is_intact()


@given(
    st.lists(
        st.builds(
            Series,
            st.text(st.characters(exclude_characters="\n", exclude_categories=["Cs"]), max_size=5),
            st.none() | st.datetimes(datetime(1, 1, 1)).map(lambda when: when.replace(microsecond=0)),
            st.lists(st.floats(), min_size=1, max_size=5).map(np.array),
        ),
        min_size=1,
        max_size=5,
    )
)
def test_what_is_saved_is_read(tmp_path_factory, series):
    folder = tmp_path_factory.mktemp("series")
    held = save(folder, series)
    read = PreparedSeries("any", "original", "", "", folder, Frequency.of("daily"), 1, 1)
    assert held["series"] == len(read) == len(series)
    for one, other in zip(series, read, strict=True):
        assert (one.name, one.start) == (other.name, other.start)
        assert one.values.tobytes() == other.values.tobytes()


def test_the_real_sets_are_prepared(real_data, cache):
    prepared = prepare_series("tourism_monthly", data_dir=real_data, cache=cache)
    assert (len(prepared), prepared.horizon, prepared.origin) == (366, 24, "original")
    assert prepared.note.endswith("monash-tsf/original.")
    assert prepared.digest == "050315b2a68bc4bf9eea2f23dabee2337ff0b886d6e846cfa058e62c208e1829"
    assert prepared[0].start == datetime(1979, 1, 1)
    part = prepare_series("kaggle_web_traffic_weekly", data_dir=real_data / "monash-tsf", cache=cache)
    assert part.origin == "incomplete" and not part.is_whole
    assert part.note.endswith("converted; 1,000 of 145,063 series; 1,000 of 1,000 series have no start time.")


def test_the_digest_is_of_the_numbers_and_not_of_the_file(tmp_path, cache, data_dir):
    before = hospital(cache, data_dir)
    packed = tmp_path / "packed"
    packed.mkdir()
    with zipfile.ZipFile(packed / "hospital_dataset.zip", "w") as archive:
        content = (data_dir / "hospital_dataset.tsf").read_bytes().replace(b"\r\n", b"\n")
        archive.writestr("hospital_dataset.tsf", b"# another comment\n" + content)
    after = hospital(cache, packed)
    assert after.digest == before.digest and after.folder != before.folder
    (packed / "hospital_dataset.tsf").write_bytes(content.replace(b"@horizon 2", b"@horizon 1"))
    assert hospital(cache, packed).digest != before.digest


def test_the_note_says_what_the_file_lacks(cache, data_dir):
    prepared = hospital(cache, data_dir)
    assert prepared.origin == "incomplete"
    assert prepared.note == (
        f"hospital of the Monash archive, the original files in {data_dir}; 3 of 767 series; 1 series no longer than "
        "the horizon are left out; 1 of 8 values are missing; 1 of 2 series have no start time; not byte for byte the "
        "file whose checksum is known."
    )


def test_the_second_time_nothing_is_read(cache, data_dir, monkeypatch):
    first = hospital(cache, data_dir)
    monkeypatch.setattr(monash, "read_tsf", None)
    again = hospital(cache, data_dir)
    assert again == first


# -- where it comes from ----------------------------------------------------------------------------------------------


def test_without_a_file_there_is_a_stand_in_that_says_so(cache, tmp_path):
    prepared = hospital(cache, tmp_path)
    assert prepared.is_stand_in and not prepared.is_whole
    assert prepared.note.startswith(
        "Stand-in made by Rosettabench, not the real hospital of the Monash archive, because"
    )
    assert (len(prepared), prepared.horizon, prepared.frequency.word) == (200, 12, "monthly")


def test_a_stand_in_may_be_asked_for_and_the_original_insisted_on(cache, data_dir, tmp_path):
    assert hospital(cache, data_dir, asked="synthetic").origin == "synthetic"
    assert hospital(cache, data_dir, asked="real").origin == "incomplete"
    with pytest.raises(DataError, match="data=real asks for hospital of the Monash archive"):
        hospital(cache, tmp_path, asked="real")


def test_a_download_is_prepared_and_later_used_offline(cache, data_dir, monkeypatch):
    packed = data_dir / "4656014" / "files" / "hospital_dataset.zip"
    packed.parent.mkdir(parents=True)
    with zipfile.ZipFile(packed, "w") as archive:
        archive.write(data_dir / "hospital_dataset.tsf", "hospital_dataset.tsf")
    known = monash_set("hospital").model_copy(
        update={"zip_sha256": hashlib.sha256(packed.read_bytes()).hexdigest(), "series": 3}
    )
    monkeypatch.setitem(all_monash_sets(), "hospital", known)
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=data_dir)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        monkeypatch.setattr(monash, "ZENODO", f"http://127.0.0.1:{server.server_port}")
        prepared = prepare_series("hospital", data_dir=None, cache=cache)
        server.shutdown()
    assert prepared.origin == "download" and prepared.digest == hospital(cache, data_dir).digest
    assert hospital(cache) == prepared


def test_what_has_no_known_checksum_is_not_downloaded(cache):
    prepared = prepare_series("m4_hourly", data_dir=None, cache=cache)
    assert prepared.is_stand_in and "taken from a folder that you name" in prepared.note


@pytest.mark.parametrize("content", ["@attribute series_name string\n@data\n", "@data"])
def test_a_wrong_file_is_never_hidden_by_a_stand_in(cache, data_dir, content):
    path = data_dir / "hospital_dataset.tsf"
    path.write_text(content)
    with pytest.raises(DataError, match=str(path)):
        hospital(cache, data_dir)
    assert not [one for one in (cache / "prepared").iterdir() if one.suffix != ".lock"]


def test_series_that_are_all_too_short_are_an_error(cache, data_dir):
    (data_dir / "hospital_dataset.tsf").write_bytes(tsf(ATTRIBUTES, ROWS))
    with pytest.raises(DataError, match="No series of hospital of the Monash archive is longer than its horizon, 12"):
        hospital(cache, data_dir)


def test_an_unknown_set_offers_the_nearest(cache):
    with pytest.raises(UsageError) as caught:
        prepare_series("hospitl", data_dir=None, cache=cache)
    assert "hospital" in caught.value.hint


# -- stand-ins --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "key", ["m1_yearly", "solar_10_minutes", "australian_electricity_demand", "weather", "sunspot"]
)
def test_a_stand_in_repeats_itself_and_is_long_enough(key):
    entry = monash_set(key)
    frequency, horizon, series = entry.stand_in()
    assert (frequency.word, horizon) == (entry.frequency, entry.horizon)
    assert len(series) == min(entry.series, 200)
    assert all(len(one.values) >= horizon + 4 * (entry.context + horizon) for one in series)
    if frequency.cycle == 1:
        return
    apart = [np.abs(one.values[frequency.cycle :] - one.values[: -frequency.cycle]).mean() for one in series]
    beside = [np.abs(np.diff(one.values)).mean() for one in series]
    assert np.mean(apart) < 0.8 * np.mean(beside)


def test_stand_ins_are_the_same_on_every_machine():
    total = hashlib.sha256()
    for key in ("hospital", "nn5_daily"):
        for one in monash_set(key).stand_in().series:
            total.update(one.values.tobytes())
    assert total.hexdigest() == "b834b8dab6265c8db0cafa9087ad6838b0272d0936f3aa958d47ed2af49c723c"


def test_no_two_sets_have_the_same_stand_in():
    first, second = (monash_set(key).stand_in().series[0] for key in ("m3_yearly", "m4_yearly"))
    assert not np.array_equal(first.values[:20], second.values[:20])
