"""Every mistake is caught on the network as it is, at the first check that fails, by ten times what is allowed."""

import pytest
from laboratory import make_work, references_to
from test_plants import prove
from whole_plants import LESS, STANDS_OUT, whole_plants

from rosettabench.catalogue.workload import find_workload

pytestmark = [pytest.mark.environment, pytest.mark.slow]


@pytest.fixture(scope="session")
def whole_references(tmp_path_factory):
    """Work and reference of each workload at the extents of its own proof, made once."""
    return references_to(lambda name, folder: make_work(find_workload(name), folder), tmp_path_factory)


@pytest.mark.parametrize("plant", whole_plants(), ids=lambda plant: f"{plant.workload}: {plant.name}")
def test_mistake_is_caught_in_the_whole_network(plant, whole_references, tmp_path):
    proof = prove(plant, whole_references, tmp_path)
    failed = [check for check in proof.checks if not check.passed]
    assert failed, "the proof holds, and must not"
    first = failed[0]
    print(
        "PLANT",
        plant.workload,
        plant.name,
        first.quantity,
        first.tensor,
        f"{first.share:.3g} ×",
        proof.cause,
        sep=" | ",
    )
    assert first.share > LESS.get((plant.workload, plant.name), STANDS_OUT), first
    assert "half precision" not in (proof.cause or "") or "float16" in plant.name, proof.cause
    assert "is missing from the model" not in (proof.cause or ""), proof.cause
    assert plant.cause in (proof.cause or ""), proof.cause
