"""Every planted mistake fits the code that it changes: most of them are only planted by `./rosetta test --all`."""

import pytest
from laboratory import tampered_files
from plants import DRAWN_PLANTS, PLANTS
from test_passes import BLOCKS, KNOWN, WIDE, on_a_cpu
from whole_plants import whole_plants

from rosettabench.catalogue.workload import find_workload

IN_PASSES = [*KNOWN, *BLOCKS, WIDE]
LISTS = {
    "small networks": PLANTS,
    "samplers": DRAWN_PLANTS,
    "whole networks": whole_plants(),
    "passes that differ": IN_PASSES,
    "passes on a CPU": [on_a_cpu(plant) for plant in IN_PASSES],
}


@pytest.mark.parametrize("plants", LISTS.values(), ids=LISTS)
def test_every_planted_mistake_fits(plants, tmp_path):
    for number, plant in enumerate(plants):
        tampered_files(plant, find_workload(plant.workload), tmp_path / str(number))
