"""The published data: every row parses, every claim says what it is about, and what is wrong is told."""

import math
import re
from pathlib import Path

import pytest

from rosettabench.catalogue.workload import all_workloads
from rosettabench.errors import UsageError
from rosettabench.published.available import MEASURED, catalogue, lacking
from rosettabench.published.claim import all_claims, read_claims
from rosettabench.published.result import all_results, read_results
from rosettabench.published.study import all_studies
from rosettabench.report.words.note import note_words

STUDIES = {"borealis-2018": 12, "rosetta-2018": 113, "smartia-2019": 26, "deepar-2024": 84}
CLAIMS = {"B": 15, "R": 17, "S": 10, "D": 4}


def test_every_published_number_is_there():
    results = all_results()
    assert {name: sum(one.study == name for one in results) for name in STUDIES} == STUDIES
    assert all(math.isfinite(one.value) and one.value > 0 and one.unit for one in results)
    (gluon,) = [one for one in results if one.hardware.startswith("V100-SXM2")]
    assert (gluon.workload, gluon.release, gluon.setting, gluon.value) == (
        "imdb-gru",
        "MXNet 1.3",
        {"epochs": "3"},
        11.4,
    )


def test_every_library_has_frameworks_that_answer_for_it():
    for result in all_results():
        for library in result.library.split(" / "):
            assert library.partition(" (")[0] in all_studies()[result.study].libraries


def test_every_claim_is_there_once_and_is_about_a_study_and_a_known_quantity():
    ids = [claim.id for claim in all_claims()]
    assert len(ids) == len(set(ids))
    assert {letter: sum(one[0] == letter for one in ids) for letter in CLAIMS} == CLAIMS
    assert all(claim.study in all_studies() and claim.parts for claim in all_claims())
    ends = [part.expected.ends for claim in all_claims() for part in claim.parts if part.expected]
    assert all(low <= high and math.isfinite(low if math.isfinite(low) else high) for low, high in ends)


def test_a_workload_that_is_missing_is_said_to_be():
    here = catalogue()
    for claim in all_claims():
        for part in claim.parts:
            missing = f"the workload {part.workload}" in map(note_words, lacking(part, here))
            assert missing == (part.workload not in all_workloads() and not part.shipped)


def test_a_claim_with_a_wider_reach_expands_into_parts():
    (first,) = [claim for claim in all_claims() if claim.id == "B12"]
    assert [part.name for part in first.parts][:2] == ["imdb-lstm, batch size 64", "imdb-lstm, batch size 128"]
    assert len(first.parts) == 8
    assert all(part.a.set == {"batch_size": 1024} for part in first.parts)


def test_the_claim_of_the_guide_is_the_real_one(tmp_path):
    guide = (Path(__file__).parents[2] / "docs" / "reference" / "claims.md").read_text(encoding="utf-8")
    [shown] = re.findall(r"```toml\n(.*?)```", guide, flags=re.DOTALL)
    path = tmp_path / "claims.toml"
    path.write_text(shown, encoding="utf-8")
    (real,) = [claim for claim in all_claims() if claim.id == "S1"]
    assert read_claims(path) == (real,)
    assert all(f"`{quantity}`" in guide for quantity in MEASURED)


GOOD = """
[[claims]]
id = "X1"
study = "rosetta-2018"
says = "One is faster."
published = "2"
workload = "fashion-mlp"
quantity = "time ratio"
a = { frameworks = ["jax"] }
b = { frameworks = ["pytorch"] }
expected = { around = 2.0 }
"""


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('quantity = "time ratio"', 'quantity = "thyme ratio"', "quantity"),
        ('b = { frameworks = ["pytorch"] }', "", "time ratio takes a and b"),
        ("around = 2.0", "low = 3, high = 2", "low is above high"),
        ("around = 2.0", "", "give low, high or both"),
        ('workload = "fashion-mlp"', "", "names no workload"),
        ('study = "rosetta-2018"', "", "study"),
        ("expected = {", "expect = {", "expect"),
        ("[[claims]]", "[[claims]", "is not TOML"),
    ],
)
def test_what_is_wrong_with_a_claim_is_told(tmp_path, old, new, told):
    path = tmp_path / "claims.toml"
    assert old in GOOD
    path.write_text(GOOD.replace(old, new))
    with pytest.raises(UsageError, match=told) as raised:
        read_claims(path)
    assert "docs/reference/claims.md" in raised.value.hint


def test_a_claim_of_a_readers_own_is_read_and_its_id_is_its_own(tmp_path):
    path = tmp_path / "claims.toml"
    path.write_text(GOOD)
    (claim,) = read_claims(path)
    assert claim.parts[0].expected.ends == (2.0 / 1.1, 2.2)
    path.write_text(GOOD + GOOD)
    with pytest.raises(UsageError, match="two claims X1"):
        read_claims(path)


@pytest.mark.parametrize(
    ("value", "setting", "told"), [("nan", "", "finite"), ("fast", "", "number"), ("1", "a", "setting")]
)
def test_what_is_wrong_with_a_number_is_told_with_its_line(tmp_path, value, setting, told):
    path = tmp_path / "results.csv"
    columns = "study,workload,library,release,hardware,quantity,setting,value,unit,note,claim"
    path.write_text(f"{columns}\na,b,c,d,e,f,{setting},{value},s,,\n")
    with pytest.raises(UsageError, match=f"line 2.*{told}"):
        read_results(path)
