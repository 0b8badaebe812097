"""The register of proofs: a line for each cell, which counts as long as the code is what was proven."""

import csv
from dataclasses import replace
from math import inf

import pytest
from processors import PROCESSORS

from rosettabench.catalogue.contender import parse_contender
from rosettabench.catalogue.framework import competing_frameworks
from rosettabench.catalogue.roots import worker_folder
from rosettabench.catalogue.workload import all_workloads, find_workload
from rosettabench.errors import StoreError
from rosettabench.plan.plan import cell_key
from rosettabench.proof import certificate, meaning
from rosettabench.proof.register import (
    RegisterLine,
    draw_cells,
    every_cell,
    identity_of,
    is_current,
    read_register,
    seconds_of,
    worst_ratio,
    write_register,
)
from rosettabench.proof.selection import SelectedCells, select_cells
from rosettabench.proof.standing import Standing, judge_line
from rosettabench.resources.processors import confine_children

MLP, PYTORCH = find_workload("fashion-mlp"), parse_contender("pytorch")
CELLS = every_cell()


def line(ratio=0.5, identity=None, cell=(MLP, PYTORCH), seconds=2.0):
    """A line about a cell, of the code as it stands if no other identity is given."""
    setting = "batch_size=8 device=cpu threads=1"
    return RegisterLine(
        *cell_key(*cell),
        setting,
        identity or identity_of(*cell),
        ratio,
        seconds,
        "Imaginary 9000, 2 cores",
        "2026-11-24",
    )


@pytest.mark.parametrize(
    ("found", "standing"),
    [
        (None, Standing.OPEN),
        (line(), Standing.PROVEN),
        (line(ratio=1.5), Standing.FAILED),
        (line(ratio=inf), Standing.FAILED),
        (line(identity="0" * 16), Standing.STALE),
        (line(ratio=1.5, identity="0" * 16), Standing.OPEN),
    ],
)
def test_what_a_line_says_of_its_cell(found, standing):
    assert judge_line(MLP, PYTORCH, found).standing is standing


def test_what_is_written_is_read(tmp_path):
    lines = [line(cell=cell, ratio=ratio) for cell, ratio in zip(CELLS[:5], (0.0, 0.123, 1.0, 7.5, inf), strict=True)]
    write_register(reversed(lines), tmp_path / "register.csv")
    assert list(read_register(tmp_path / "register.csv").values()) == sorted(lines, key=lambda one: one.key)
    assert read_register(tmp_path / "none.csv") == {}


@pytest.mark.parametrize("change", [{"ratio": "much"}, {"seconds": ""}, {"machine": None}])
def test_a_damaged_line_is_told_with_its_number(tmp_path, change):
    path = tmp_path / "register.csv"
    write_register([line()], path)
    with path.open(newline="") as file:
        [row] = csv.DictReader(file)
    kept = {name: text for name, text in (row | change).items() if text is not None}
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(kept))
        writer.writeheader()
        writer.writerow(kept)
    with pytest.raises(StoreError, match="line 2"):
        read_register(path)


def test_the_worst_ratio_is_that_of_the_check_nearest_to_its_tolerance():
    checks = [(0.0, 0.0), (1e-5, 1e-4), (3e-5, 6e-5)]
    body = {"checks": [{"deviation": deviation, "tolerance": tolerance} for deviation, tolerance in checks]}
    assert worst_ratio(body) == 0.5
    body["checks"].append({"deviation": None, "tolerance": 1.0})
    assert worst_ratio(body) == inf


def stale_after(monkeypatch, path, old, new):
    """The cells whose identity changes when a text in a file of the worker does."""
    before = {cell_key(*cell): identity_of(*cell) for cell in CELLS}
    there = worker_folder() / path
    source = there.read_text(encoding="utf-8")
    assert old in source
    now, file_digest = meaning.python_digest(source.replace(old, new)), meaning.file_digest
    for module in (certificate, meaning):
        monkeypatch.setattr(module, "file_digest", lambda one: now if one == there else file_digest(one))
    return {cell_key(*cell) for cell in CELLS if identity_of(*cell) != before[cell_key(*cell)]}


def test_a_comment_in_the_file_that_all_share_makes_no_cell_stale(monkeypatch):
    assert len(CELLS) > 300
    assert stale_after(monkeypatch, "framework.py", "import functools\n", "import functools  # a comment\n") == set()


def test_a_changed_epsilon_makes_exactly_its_cells_stale(monkeypatch):
    stale = stale_after(monkeypatch, "workloads/fashion_mlp/chainer.py", "eps=hyper.epsilon", "eps=1e-7")
    assert stale == {("fashion-mlp", "chainer", "eager")}


def test_a_changed_way_of_several_devices_makes_exactly_the_cells_stale_that_need_them(monkeypatch):
    stale = stale_after(monkeypatch, "parallel/pytorch.py", "broadcast_buffers=False", "broadcast_buffers=True")
    assert stale == {cell_key(*cell) for cell in CELLS if cell[1].framework == "pytorch" and cell[0].devices > 1}
    assert len(stale) == 3


def test_a_cell_of_two_devices_is_counted_as_left_out_where_there_is_one_processor():
    with confine_children(PROCESSORS[:1]):
        found = select_cells(["cifar-resnet56", "cifar-resnet56:halves"], ["pytorch"], False, None, "")
    assert found == SelectedCells((("cifar-resnet56", "pytorch"),), 1)


@pytest.mark.slow
def test_a_changed_optimizer_makes_exactly_the_cells_stale_that_use_it(monkeypatch):
    """Of Lasagne's cells all but that of cifar-vgg, which is trained by gradient descent, import its Adam."""
    stale = stale_after(monkeypatch, "optimizers/lasagne.py", "import theano\n", "import theano\nEPSILON = 1e-7\n")
    lasagne = {cell_key(*cell) for cell in CELLS if cell[1].framework == "lasagne"}
    assert stale == {key for key in lasagne if key[0] != "cifar-vgg"}


@pytest.mark.slow
def test_a_change_to_the_loop_makes_every_cell_of_a_python_worker_stale(monkeypatch):
    stale = stale_after(monkeypatch, "loop.py", "POOL = 8", "POOL = 9")
    assert stale == {cell_key(*cell) for cell in CELLS if not cell[1].entry.program}


def test_another_text_draws_other_cells_and_the_same_text_the_same():
    drawn = {text: [cell_key(*cell) for cell in draw_cells(20, text, CELLS, {})] for text in ("one", "other")}
    assert [len(set(cells)) for cells in drawn.values()] == [20, 20]
    assert len(set(drawn["one"]) & set(drawn["other"])) < 10
    assert drawn["one"] == [cell_key(*cell) for cell in draw_cells(20, "one", reversed(CELLS), {})]


def test_a_cell_is_drawn_as_often_as_its_proof_is_short():
    known = {one.key: one for one in (line(cell=CELLS[0], seconds=10.0), line(cell=CELLS[1], seconds=30.0))}
    drawn = [draw_cells(1, str(number), CELLS[:2], known)[0] for number in range(400)]
    assert 270 < drawn.count(CELLS[0]) < 330, "three of four"


def test_a_cell_that_is_not_known_takes_as_long_as_the_mean():
    known = {one.key: one for one in (line(cell=CELLS[0], seconds=10.0), line(cell=CELLS[1], seconds=30.0))}
    assert seconds_of(list(known), known) == 40.0
    assert seconds_of([cell_key(*CELLS[2])], known) == 20.0
    assert seconds_of([cell_key(*CELLS[2])], {}) == 0.0


def test_every_line_is_about_a_cell_that_there_is_and_none_has_failed():
    """Whether a line counts is for `rosetta matrix` to show: a change may make lines stale, and never wrong."""
    cells = {cell_key(*cell): cell for cell in CELLS}
    register = read_register()
    assert register.keys() <= cells.keys()
    for key, found in register.items():
        assert found.is_proven or not is_current(found, *cells[key]), f"{key} has failed its proof"


def test_third_parties_have_no_lines():
    assert {workload.name for workload, _ in CELLS} <= set(all_workloads())
    assert {contender.framework for _, contender in CELLS} <= set(competing_frameworks())
    assert all(contender.entry.path.is_relative_to(worker_folder()) for _, contender in CELLS)
    assert is_current(replace(line(), seconds=9.0), MLP, PYTORCH)
    assert not is_current(None, MLP, PYTORCH)
