"""Select the cells of our own catalogue that are to be proven, by the register and by what this machine has."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rosettabench.catalogue.contender import Contender, parse_contender
from rosettabench.catalogue.workload import Workload
from rosettabench.environments.check import missing_programs
from rosettabench.environments.interpreter import find_interpreter
from rosettabench.environments.lock import load_lock
from rosettabench.errors import EnvironmentFault
from rosettabench.plan.plan import cell_key
from rosettabench.proof.register import draw_cells, every_cell, is_current, read_register
from rosettabench.resources.processors import usable_cores

EAGER = "eager"
"""The mode without compilation, which needs no compiler."""


@dataclass(frozen=True)
class SelectedCells:
    """The `cells` to prove, (workload, label), and how many are left out, as this machine cannot prove them."""

    cells: tuple[tuple[str, str], ...]
    left_out: int


def select_cells(
    workloads: Sequence[str], contenders: Sequence[str], stale: bool, sample: int | None, draw: str
) -> SelectedCells:
    """Return the cells of `workloads` and `contenders`: those `stale` in the register, or a `sample` of them."""
    known = read_register()
    labels = {parse_contender(text).label for text in contenders}

    def is_meant(workload: Workload, contender: Contender) -> bool:
        """Return whether a cell is to be proven."""
        if workload.name not in workloads or contender.label not in labels:
            return False
        return not stale or not is_current(known.get(cell_key(workload, contender)), workload, contender)

    cells = [cell for cell in every_cell() if is_meant(*cell)]
    contenders_of = {contender.label: contender for _, contender in cells}
    here = {label for label, contender in contenders_of.items() if can_prove(contender)}
    able = [cell for cell in cells if cell[1].label in here and cell[0].devices <= usable_cores()]
    left_out = len(cells) - len(able)
    if sample is not None:
        able = draw_cells(sample, draw, able, known)
    return SelectedCells(tuple((workload.name, contender.label) for workload, contender in able), left_out)


def can_prove(contender: Contender) -> bool:
    """Return whether this machine has the Python of a contender, and the compiler if it needs one."""
    lock = load_lock(str(contender.lock))
    try:
        find_interpreter(lock.python)
    except EnvironmentFault:
        return False
    return contender.mode == EAGER or not missing_programs(lock)
