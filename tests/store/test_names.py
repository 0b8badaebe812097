"""What is measured has a name that the store knows."""

from rosettabench.report.tables.resources import KINDS
from rosettabench.resources.counters import COUNTERS
from rosettabench.resources.energy import Rapl
from rosettabench.resources.gpu import GPU_FIGURES
from rosettabench.resources.memory import MEMORY
from rosettabench.store.record import FigureName
from rosettabench.summary.resources import TOGETHER


def test_every_figure_of_resources_has_a_name():
    measured = {*COUNTERS, *MEMORY, *GPU_FIGURES, Rapl.name}
    assert measured == {name.value for name in TOGETHER} == set(KINDS)
    assert measured <= {name.value for name in FigureName}
