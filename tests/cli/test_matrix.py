"""``rosetta matrix``: every cell, and what the certificates of a store say of it, as the files are now."""

import io
from collections import Counter
from pathlib import Path
from string import ascii_uppercase

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from rosettabench.catalogue.contender import parse_contender
from rosettabench.catalogue.framework import competing_frameworks, find_framework
from rosettabench.catalogue.workload import Workload, all_workloads, find_workload
from rosettabench.plan.plan import cell_key, why_missing
from rosettabench.plan.series import on_series
from rosettabench.proof.certificate import PROOF_VERSION, files_of
from rosettabench.proof.register import every_cell, read_register
from rosettabench.proof.standing import Standing, cells, judge_line
from rosettabench.report.formats.layout import print_table
from rosettabench.report.tables.matrix import SIGNS, letter_columns, matrix_table
from rosettabench.store.digest import digest
from rosettabench.store.schema import Certificate
from rosettabench.store.store import Store, now

DOCS = Path(__file__).resolve().parents[2] / "docs"
MLP, PYTORCH = find_workload("fashion-mlp"), find_framework("pytorch")


def certificate(passed=True, batch=8, version=PROOF_VERSION, **hashes):
    """A certificate of fashion-mlp in PyTorch, eager, as a store keeps them."""
    body = {
        "workload": "fashion-mlp",
        "framework": "pytorch",
        "mode": "eager",
        "setting": {"batch_size": batch, "device": "cpu"},
        "hashes": files_of(MLP, PYTORCH) | {"weights": "0"} | hashes,
        "proof_version": version,
        "passed": passed,
    }
    return Certificate(key="k", at=now(), passed=passed, body=body, digest=digest(body))


def standing(*certificates, framework="pytorch"):
    """The standing of fashion-mlp in PyTorch, eager."""
    found = [cell for cell in cells([MLP], [PYTORCH], certificates) if cell.mode == "eager"]
    [found] = [cell for cell in found if cell.framework == framework]
    return found.standing, found.batches


@pytest.mark.parametrize(
    ("certificates", "expected"),
    [
        ((), (Standing.OPEN, ())),
        ((certificate(),), (Standing.PROVEN, (8,))),
        ((certificate(), certificate(batch=32)), (Standing.PROVEN, (8, 32))),
        ((certificate(passed=False),), (Standing.FAILED, ())),
        ((certificate(passed=False), certificate()), (Standing.PROVEN, (8,))),
        ((certificate(), certificate(passed=False)), (Standing.FAILED, ())),
        ((certificate(), certificate(passed=False, batch=32)), (Standing.FAILED, (8,))),
        ((certificate(adapter="another"),), (Standing.STALE, ())),
        ((certificate(workload="another"),), (Standing.STALE, ())),
        ((certificate(version=0),), (Standing.STALE, ())),
        ((certificate(passed=False, implementation="another"),), (Standing.OPEN, ())),
        ((certificate(weights="of another seed"),), (Standing.PROVEN, (8,))),
    ],
)
def test_what_certificates_say_of_a_cell(certificates, expected):
    assert standing(*certificates) == expected


@pytest.mark.parametrize("series", ["tourism_monthly", "hospital"])
def test_a_certificate_is_of_the_work_at_the_extents_of_its_proof(series):
    """DeepAR is proven with a decay and a bound that show, and on the windows of the set that was asked for."""
    deepar = find_workload("deepar-monash")
    one = certificate(**files_of(on_series(deepar, series).proven, PYTORCH))
    one.body |= {"workload": deepar.name, "setting": {"batch_size": 8, "series": series}}

    def eager():
        found = cells([deepar], [PYTORCH], [one])
        return next(cell.standing for cell in found if (cell.framework, cell.mode) == ("pytorch", "eager"))

    assert eager() is Standing.PROVEN
    one.body["hashes"] |= {"workload": files_of(deepar, PYTORCH)["workload"]}
    assert eager() is Standing.STALE, "that was another work"


@given(st.lists(st.builds(certificate, st.booleans(), st.sampled_from([8, 32])), max_size=6))
def test_for_each_setting_the_newest_counts(certificates):
    newest = {one.body["setting"]["batch_size"]: one.passed for one in certificates}
    found, batches = standing(*certificates)
    assert batches == tuple(sorted(batch for batch, passed in newest.items() if passed))
    assert (found is Standing.FAILED) == (not all(newest.values()))


def made_with(version, **other):
    """A certificate that was made with a version of PyTorch."""
    one = certificate(**other)
    one.body["packages"] = {"torch": version}
    return one


def test_a_certificate_counts_for_the_release_that_it_was_made_with():
    both = (made_with("1.0.0", passed=False), made_with("2.13.0+cpu"))
    assert standing(*both) == (Standing.PROVEN, (8,))
    assert standing(*both, framework="pytorch@1.0.0") == (Standing.FAILED, ())
    assert standing(made_with("2.12.0")) == (Standing.PROVEN, (8,)), "another version of the user's own"


def test_a_release_has_cells_of_its_own_modes_alone():
    found = [(cell.framework, cell.mode) for cell in cells([MLP], [PYTORCH], [])]
    assert found == [("pytorch", "eager"), ("pytorch", "compiled"), ("pytorch", "tuned"), ("pytorch@1.0.0", "eager")]


def test_a_workload_that_does_not_run_in_a_release_is_missing_there_alone():
    workload = Workload(**{**MLP.model_dump(), "absent": {"pytorch@1.0.0": "its API came later"}})
    found = {cell.framework: cell.standing for cell in cells([workload], [PYTORCH], [])}
    assert found == {"pytorch": Standing.OPEN, "pytorch@1.0.0": Standing.MISSING}
    why = why_missing(workload, parse_contender("pytorch@1.0.0"))
    assert why == "fashion-mlp as it is written does not run in pytorch 1.0.0: its API came later"
    assert why_missing(workload, parse_contender("pytorch")) is None


def test_every_cell_is_in_the_table():
    table = matrix_table(
        cells(all_workloads().values(), list(competing_frameworks().values()), [certificate(passed=False)])
    )
    assert [column.title for column in table.columns[2:]] == list(all_workloads())
    rows = [(row[0].text, row[1].text) for row in table.rows]
    today = [(name, mode) for name, entry in competing_frameworks().items() for mode in entry.modes]
    assert [row for row in rows if "@" not in row[0]] == today
    assert rows[rows.index(("pytorch", "tuned")) + 1] == ("pytorch@1.0.0", "eager")
    [marked] = [(*row[:2], column) for row in table.rows for column, cell in enumerate(row) if cell.marked]
    assert [cell.text for cell in marked[:2]] == ["pytorch", "eager"]
    assert table.columns[marked[2]].title == "fashion-mlp"


def test_a_terminal_of_100_columns_shows_a_line_for_each_contender():
    table = matrix_table(cells(all_workloads().values(), list(competing_frameworks().values()), []))
    terminal = Console(width=100, file=io.StringIO())
    print_table(letter_columns(table), terminal)
    lines = terminal.file.getvalue().splitlines()
    assert sum(len(line.split()) == 1 + len(all_workloads()) for line in lines[3:]) == len(table.rows)
    assert max(map(len, lines)) <= 100
    for letter, workload in zip(ascii_uppercase, all_workloads(), strict=False):
        assert any(f"{letter}={workload}" in line for line in lines), f"{workload} is broken, or missing"


def test_from_the_store_to_the_terminal_and_to_a_file(rosetta, tmp_path):
    Store(f"sqlite:///{tmp_path / 'results.sqlite'}").add(certificate())
    for words in (("matrix", "--own"), ("matrix", "--own", "--markdown")):
        process = rosetta(*words, COLUMNS="300")
        assert process.returncode == 0, process.stderr
        [line] = [line for line in process.stdout.splitlines() if "✓" in line and "eager" in line]
        assert line.replace("|", " ").replace(":", " ").split()[:2] == ["pytorch", "eager"]
        assert "proven (1)" in process.stdout.replace("\\", "")


def test_without_a_store_nothing_is_proven_and_nothing_is_made(rosetta, tmp_path):
    process = rosetta("matrix", "--own", COLUMNS="300")
    assert process.returncode == 0, process.stderr
    assert "✓" not in process.stdout
    assert not (tmp_path / "results.sqlite").exists()


def test_without_a_store_the_register_is_shown(rosetta, tmp_path):
    """What the repository has proven is seen on the first day, and the page of the docs is what is printed."""
    process = rosetta("matrix", "--markdown")
    assert process.returncode == 0, process.stderr
    signs = Counter(sign for line in process.stdout.splitlines()[1:] for sign in line if sign in SIGNS.values())
    stands = [judge_line(*cell, read_register().get(cell_key(*cell))).standing for cell in every_cell()]
    assert signs[SIGNS[Standing.PROVEN]] == stands.count(Standing.PROVEN)
    assert process.stdout.strip() in (DOCS / "reference" / "matrix.md").read_text(encoding="utf-8")
