""".tsf files: what is written is read, and a bad line is named with what was expected there."""

import math
import zipfile
from datetime import datetime

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from originals import tsf

from rosettabench.data.readers.tsf import KINDS, Attribute, read_tsf
from rosettabench.data.series.frequency import Frequency
from rosettabench.errors import DataError

TOLD = {
    "string": st.from_regex(r"[A-Za-z0-9é_.-]([A-Za-z0-9é _.-]*[A-Za-z0-9é_.-])?", fullmatch=True),
    "numeric": st.none() | st.floats(allow_nan=False, allow_infinity=False),
    "date": st.none()
    | st.datetimes(datetime(1000, 1, 1), datetime(2999, 1, 1)).map(lambda d: d.replace(microsecond=0)),
}
VALUES = st.lists(st.none() | st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=20)
HEADERS = st.fixed_dictionaries(
    {},
    optional={
        "relation": st.just("Tourism"),
        "frequency": st.sampled_from(["monthly", "10_minutes", "half_hourly"]),
        "horizon": st.integers(1, 10_000),
        "missing": st.booleans(),
        "equallength": st.booleans(),
        "title": st.just("of which the format knows nothing"),
    },
)

REAL = {  # file: series, shortest, longest, horizon, alias, missing values, series with a start, the first values
    "original/ausgrid_weekly_sample": (299, 156, 156, 8, "W", 0, 299, [207.06, 195.618]),
    "original/hospital_dataset": (767, 84, 84, None, "M", 0, 767, [27, 16]),
    "original/kaggle_web_traffic_dataset_1000_without_missing_values": (1000, 803, 803, 59, "D", 0, 1000, [18, 11]),
    "original/m1_yearly_dataset": (181, 15, 58, 6, "Y", 0, 181, [3600, 7700]),
    "original/tourism_monthly_dataset": (366, 91, 333, 24, "M", 0, 366, [1149.87, 1053.8002]),
    "original/tourism_quarterly_dataset": (427, 30, 130, 8, "Q", 0, 427, [3592.55, 6409.3403]),
    "converted/kaggle_web_traffic_weekly_1000_dataset": (1000, 114, 114, 8, "W", 0, 0, [79, 130]),
    "converted/m3_monthly_dataset": (1428, 66, 144, 18, "M", 0, 0, [2640, 2640]),
    "converted/m4_hourly_dataset": (414, 748, 1008, 48, "h", 0, 0, [605, 586]),
    "converted/m4_weekly_dataset": (359, 93, 2610, 13, "W", 0, 0, [1089.2, 1078.91]),
    "converted/nn5_daily_dataset_with_missing_values": (111, 791, 791, 56, "D", 1677, 0, [13.407, 14.7251]),
    "converted/nn5_weekly_dataset": (111, 113, 113, 8, "W", 0, 0, [141.964285714286]),
    "converted/solar_weekly_dataset": (137, 52, 52, 5, "W", 0, 0, [8946.9, 10540.6]),
    "converted/traffic_weekly_dataset": (862, 104, 104, 8, "W", 0, 0, [6.4875, 7.8092]),
}

GOOD = """# a comment
@relation Tourism
@attribute series_name string
@attribute start_timestamp date
@frequency monthly
@horizon 24
@missing false
@equallength false
@data
T1:1979-01-01 00-00-00:1149.87,1053.8002
"""


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    return tmp_path_factory.mktemp("tsf") / "some_dataset.tsf"


def refused(path, content):
    """The sentence with which a file is refused."""
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(DataError) as caught:
        read_tsf(path)
    assert caught.value.what.startswith(str(path)) and "\n" not in caught.value.what
    return caught.value.what


@given(data=st.data(), header=HEADERS, kinds=st.lists(st.sampled_from(KINDS), min_size=1, max_size=4))
def test_what_is_written_is_read(path, data, header, kinds):
    attributes = {f"a{place}": kind for place, kind in enumerate(kinds)}
    rows = data.draw(st.lists(st.tuples(st.tuples(*map(TOLD.get, kinds)), VALUES), min_size=1, max_size=5))
    path.write_bytes(tsf(attributes, rows, data.draw(st.sampled_from(["utf-8", "cp1252", "utf-8-sig"])), **header))
    read = read_tsf(path)
    assert read.attributes == [Attribute(*one) for one in attributes.items()]
    assert [row.attributes for row in read.rows] == [told for told, _ in rows]
    for row, (_, values) in zip(read.rows, rows, strict=True):
        assert row.values.dtype == np.float64
        assert np.array_equal(row.values, [math.nan if one is None else one for one in values], equal_nan=True)
    assert (read.relation, read.horizon) == (header.get("relation"), header.get("horizon"))
    assert (read.missing, read.equal_length) == (header.get("missing"), header.get("equallength"))
    assert read.frequency == (Frequency.of(header["frequency"]) if "frequency" in header else None)


@pytest.mark.parametrize("file", REAL)
def test_the_real_files(real_data, file):
    series, shortest, longest, horizon, alias, missing, starts, first = REAL[file]
    read = read_tsf(real_data / "monash-tsf" / f"{file}.tsf")
    lengths = [len(row.values) for row in read.rows]
    assert (len(read.rows), min(lengths), max(lengths)) == (series, shortest, longest)
    assert (read.horizon, read.frequency.alias) == (horizon, alias)
    gaps = sum(int(np.isnan(row.values).sum()) for row in read.rows)
    assert gaps == missing and read.missing == (missing > 0) and read.equal_length == (shortest == longest)
    assert sum(start is not None for start in read.starts) == starts
    assert read.rows[0].values[: len(first)].tolist() == first
    assert len(set(read.names)) == series


def test_names_and_starts_are_found_wherever_they_stand(path):
    when = datetime(1999, 12, 31, 23, 59, 58)
    attributes = {"state": "string", "start_timestamp": "date", "series_name": "string"}
    path.write_bytes(tsf(attributes, [(("NSW", when, "T7"), [1.5]), (("VIC", None, ""), [2, None])]))
    read = read_tsf(path)
    assert read.names == ["T7", "T2"] and read.starts == [when, None]
    assert read.column("state") == ["NSW", "VIC"] and read.column("nothing") is None


def test_without_names_and_starts_series_are_numbered(path):
    path.write_bytes(tsf({"horizon": "numeric"}, [((6,), [1]), ((12,), [2])]))
    read = read_tsf(path)
    assert read.names == ["T1", "T2"] and read.starts == [None, None]


def test_a_file_alone_in_an_archive_is_read_packed(tmp_path):
    packed = tmp_path / "some_dataset.zip"
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("readme.txt", "anything")
        archive.writestr("some_dataset.tsf", GOOD)
    assert read_tsf(packed).rows[0].values.tolist() == [1149.87, 1053.8002]
    packed.write_bytes(packed.read_bytes()[:-30])
    with pytest.raises(DataError, match="cut off or damaged"):
        read_tsf(packed)
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("a.tsf", GOOD)
        archive.writestr("b.tsf", GOOD)
    with pytest.raises(DataError, match=r"a\.tsf and b\.tsf, where one \.tsf file was expected"):
        read_tsf(packed)
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("a.tsf", GOOD.replace("1053.8002", "x"))
    with pytest.raises(DataError, match=r"some_dataset\.zip, a\.tsf, line 10: value 2 is 'x'"):
        read_tsf(packed)


@pytest.mark.parametrize(
    ("line", "found", "told"),
    [
        (3, "@attribute series_name", "line 3: an attribute has a name and is string, numeric or date"),
        (3, "@attribute series_name text", "line 3: an attribute has a name and is string, numeric or date"),
        (4, "@attribute series_name string", "line 4: the attribute series_name stands there twice"),
        (5, "@frequency fortnightly", "line 5: there is no frequency 'fortnightly'"),
        (6, "@horizon 0", "line 6: the horizon is a whole number from 1 on, not '0'"),
        (6, "@horizon", "line 6: the horizon is a whole number from 1 on, not ''"),
        (7, "@missing perhaps", "line 7: true or false was expected, not 'perhaps'"),
        (8, "@equallength", "line 8: true or false was expected, not ''"),
        (8, "T1:1", "line 8: a line of the header, which begins with @, was expected before @data, not 'T1:1'"),
        (9, "# @data", "line 10: a line of the header"),
        (10, "# nothing", "has no series after @data"),
        (
            10,
            "T1:1,2",
            "2 attributes (series_name, start_timestamp) and the values, separated by colons, were expected, not 2",
        ),
        (10, "T1:1979-01-01 00:00:00:1", "were expected, not 5 parts"),
        (10, "T1:1979-13-01 00-00-00:1", "start_timestamp is '1979-13-01 00-00-00', where a date like"),
        (
            10,
            "T1:1979-01-01 00-00-00:",
            "line 10: value 1 is '', where a number was expected, or ? where it is missing",
        ),
        (10, "T1:1979-01-01 00-00-00:1,,2", "line 10: value 2 is ''"),
        (10, "T1:1979-01-01 00-00-00:1,2,3.4.5", "line 10: value 3 is '3.4.5'"),
        (10, "T1:1979-01-01 00-00-00:1,?,nan", "line 10: value 3 is 'nan'"),
        (10, "T1:1979-01-01 00-00-00:1e999,1", "line 10: value 1 is '1e999'"),
        (10, "T1:1979-01-01 00-00-00:1,2?", "line 10: value 2 is '2?'"),
    ],
)
def test_a_bad_line_is_named_with_what_was_expected(path, line, found, told):
    lines = GOOD.splitlines()
    lines[line - 1] = found
    assert told in refused(path, "\n".join(lines))


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"", "ends without a line @data"),
        (b"@relation Tourism\n@attribute series_name string\n", "ends without a line @data"),
        (b"@relation Tourism\n@data\nT1:1\n", "line 2: @data stands before any @attribute"),
        (b"\x1f\x8b\x08\x00" + bytes(range(1, 9)), "line 1: a line of the header"),
        ("@data".encode("utf-16"), "line 1: a line of the header"),
    ],
)
def test_what_is_no_tsf_file_is_refused(path, content, told):
    assert told in refused(path, content)


@given(st.binary(max_size=200), st.integers(0, len(GOOD)))
def test_whatever_the_bytes_are_there_is_one_sentence_or_a_file(path, noise, place):
    path.write_bytes(GOOD.encode()[:place] + noise + GOOD.encode()[place:])
    try:
        assert read_tsf(path).rows
    except DataError as error:
        assert str(path) in error.what
