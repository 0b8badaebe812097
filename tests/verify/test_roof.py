"""An installation's own products below the machine's ceiling: measured, told, and a cause where they are low."""

import pytest
from venvs import make_venv

from rosettabench.catalogue.contender import parse_contender
from rosettabench.ceilings.bench import BenchLibrary, baseline
from rosettabench.ceilings.ceiling import Ceiling
from rosettabench.ceilings.peak import Peak, Works
from rosettabench.environments.environment import external
from rosettabench.lab.display import Silent
from rosettabench.lab.run import Laboratory
from rosettabench.report.formats.verification import roof_words
from rosettabench.store.store import Store
from rosettabench.verify.roof import LOW, Roof, measure_roof, roof_causes

SETTING = {"precision": "float32", "threads": 1, "device": "cpu"}


def below(share):
    return Roof("float32", 1, share * 1e11, Ceiling("product", "float32", 1e11, "jax", 4096))


def test_low_products_are_a_cause_and_others_are_none():
    [cause] = roof_causes(below(LOW - 0.01))
    assert "49% of what jax reaches" in cause.what
    assert roof_causes(below(LOW)) == roof_causes(below(1.02)) == roof_causes(None) == []


def test_the_share_is_told_and_so_is_that_there_is_none():
    assert "93% of this machine's ceiling (100 GFLOP/s, jax)" in roof_words(below(0.93))
    assert roof_words(Roof("float32", 2, 1e9, None)).endswith("rosetta peak does that.")


@pytest.mark.slow
@pytest.mark.environment
def test_an_installation_is_held_against_what_others_reached_and_not_against_itself(tmp_path):
    laboratory = Laboratory(Store(f"sqlite:///{tmp_path / 'results.sqlite'}"), tmp_path / "cache", Silent())
    python = make_venv(tmp_path / "venv")
    library = BenchLibrary(parse_contender("pytorch", python), external(python))

    def measured():
        return measure_roof(laboratory, library, SETTING, 120, ["rosetta", "verify"])

    assert measured().ceiling is None
    works = Works(("float32",), (), 1, "cpu", 0.5)
    Peak(laboratory.store, laboratory.display, works, 120).measure([baseline()], ["rosetta", "peak"])
    found = measured()
    assert found.ceiling.library == "numpy"
    assert found.share == pytest.approx(found.rate / found.ceiling.rate)
    assert found.rate > 1e9
