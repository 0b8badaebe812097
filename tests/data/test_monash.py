"""The catalogue of the Monash archive, and where a data folder has its files."""

import csv
import re
import zipfile
from pathlib import Path

import pytest

from rosettabench import published
from rosettabench.data.readers.tsf import read_tsf
from rosettabench.data.series.frequency import Frequency
from rosettabench.data.series.monash import SETS, all_monash_sets, monash_set
from rosettabench.errors import DataError, UsageError

HOSPITAL = "@attribute series_name string\n@frequency {frequency}\n@data\nT1:1,2,3\n"

SHAPES = {  # of the study: {(frequency, context, horizon): how many sets}
    ("yearly", 2, 6): 3,
    ("yearly", 2, 4): 1,
    ("quarterly", 5, 8): 4,
    ("monthly", 15, 18): 3,
    ("monthly", 15, 24): 1,
    ("monthly", 15, 12): 4,
    ("weekly", 65, 13): 1,
    ("weekly", 65, 8): 3,
    ("weekly", 10, 8): 2,
    ("weekly", 6, 5): 1,
    ("daily", 9, 14): 1,
    ("daily", 9, 56): 1,
    ("daily", 9, 30): 8,
    ("hourly", 210, 48): 1,
    ("hourly", 210, 24): 1,
    ("hourly", 210, 168): 2,
    ("hourly", 30, 168): 2,
    ("half_hourly", 420, 336): 1,
    ("10_minutes", 50, 1008): 1,
}


def test_the_study_has_41_sets_which_are_those_of_its_results():
    study = {key for key, entry in all_monash_sets().items() if entry.study}
    with (Path(published.__file__).parent / "results.csv").open(encoding="utf-8") as file:
        told = {row["setting"] for row in csv.DictReader(file) if row["study"] == "deepar-2024"}
    named = {word.removeprefix("series=") for word in told} - {"all"}
    assert len(study) == 41 and study == named


def test_their_contexts_and_horizons_are_the_studys():
    counts = dict.fromkeys(SHAPES, 0)
    for entry in all_monash_sets().values():
        if entry.study:
            counts[entry.frequency, entry.context, entry.horizon] += 1
    assert counts == SHAPES


@pytest.mark.parametrize("entry", all_monash_sets().values(), ids=lambda entry: entry.key)
def test_each_entry_is_whole(entry):
    assert Frequency.of(entry.frequency) and entry.series >= 1
    assert all(re.fullmatch(r"([0-9a-f]{64})?", one) for one in (entry.zip_sha256, entry.tsf_sha256))
    for remote in entry.remotes:
        assert remote.url == f"https://zenodo.org/records/{entry.record}/files/{entry.files[0]}.zip"


def test_no_two_sets_share_a_file_a_record_or_a_checksum():
    sets = all_monash_sets().values()
    for told in (
        [file for entry in sets for file in entry.files],
        [entry.record for entry in sets if entry.record],
        [one for entry in sets for one in (entry.zip_sha256, entry.tsf_sha256) if one],
    ):
        assert len(told) == len(set(told))


def test_the_file_says_where_its_facts_come_from():
    assert "zip_sha256: of the archive there" in SETS.read_text(encoding="utf-8")


def test_an_unknown_set_gets_the_nearest_offered():
    with pytest.raises(UsageError) as error:
        monash_set("hospitals")
    assert "'hospital'" in error.value.hint


# -- where files are found --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("place", [".", "monash-tsf", "original", "converted", "monash-tsf/converted"])
@pytest.mark.parametrize("ending", ["tsf", "zip"])
def test_a_file_is_found_in_each_of_its_places(tmp_path, place, ending):
    path = tmp_path / place / f"hospital_dataset.{ending}"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("anything")
    source = monash_set("hospital").find(tmp_path)
    assert source.paths == {ending: path} and source.folder == path.parent


def test_the_whole_set_is_taken_before_a_part_of_it_and_the_unpacked_file_before_the_archive(tmp_path):
    (tmp_path / "original").mkdir()
    for name in (
        "kaggle_web_traffic_weekly_1000_dataset.tsf",
        "original/kaggle_web_traffic_weekly_dataset.zip",
        "original/kaggle_web_traffic_weekly_dataset.tsf",
    ):
        (tmp_path / name).write_text("anything")
        found = monash_set("kaggle_web_traffic_weekly").find(tmp_path)
        assert found.paths == {name[-3:]: tmp_path / name}
    assert monash_set("hospital").find(tmp_path) is None


def test_every_real_file_is_that_of_one_set(real_data):
    found = {}
    for entry in all_monash_sets().values():
        source = entry.find(real_data)
        if source:
            (path,) = source.paths.values()
            found[path] = entry
    assert set(found) == set((real_data / "monash-tsf").rglob("*.tsf"))
    for path, entry in found.items():
        read = read_tsf(path)
        assert read.horizon in (None, entry.horizon) and read.frequency.word == entry.frequency
        assert len(read.rows) == (1000 if "1000" in path.name else entry.series)


# -- reading ----------------------------------------------------------------------------------------------------------


def test_a_horizon_in_the_header_wins(tmp_path):
    path = tmp_path / "hospital_dataset.tsf"
    path.write_text(HOSPITAL.format(frequency="monthly"))
    hospital = monash_set("hospital")
    assert hospital.read(hospital.find(tmp_path)).horizon == 12
    path.write_text("@horizon 2\n" + path.read_text())
    assert hospital.read(hospital.find(tmp_path)).horizon == 2


def test_series_of_another_frequency_are_another_set(tmp_path):
    (tmp_path / "hospital_dataset.tsf").write_text(HOSPITAL.format(frequency="weekly"))
    hospital = monash_set("hospital")
    with pytest.raises(DataError, match=r"hospital_dataset\.tsf holds weekly series, where monthly ones were expected"):
        hospital.read(hospital.find(tmp_path))


def test_a_frequency_that_the_header_lacks_is_the_sets(tmp_path):
    with zipfile.ZipFile(tmp_path / "hospital_dataset.zip", "w") as archive:
        archive.writestr(
            "hospital_dataset.tsf", HOSPITAL.format(frequency="monthly").replace("@frequency monthly\n", "")
        )
    hospital = monash_set("hospital")
    assert hospital.read(hospital.find(tmp_path)).frequency == Frequency.of("monthly")
