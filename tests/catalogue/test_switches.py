"""The switches that were tried: every name in the file exists, and the page of the docs is what the file says."""

import re
from pathlib import Path

import pytest
from pydantic import ValidationError

from rosettabench.catalogue.framework import competing_frameworks
from rosettabench.catalogue.switch import Switch, all_switches
from rosettabench.catalogue.workload import all_workloads
from rosettabench.report.tables.switches import switches_markdown

DOCS = Path(__file__).resolve().parents[2] / "docs"
STATED = {
    "frameworks": ["jax"],
    "releases": ["0.10.2"],
    "device": "cpu",
    "kind": "convolution",
    "what": "a thing",
    "how": "thing=True",
    "gains": True,
    "page": "reference/axes.md",
    "heading": "Modes",
    "measured": [{"workload": "fashion-cnn", "before": 2, "after": 1, "unit": "ms"}],
}


def headings(page):
    """The headings of a page of the docs below its title."""
    return re.findall(r"^##+ (.+)$", (DOCS / page).read_text(encoding="utf-8"), re.MULTILINE)


@pytest.mark.parametrize("switch", all_switches(), ids=lambda one: f"{one.frameworks[0]}-{one.how}")
def test_what_a_switch_names_exists(switch):
    assert switch.heading in headings(switch.page)
    for name in switch.frameworks:
        entry = competing_frameworks()[name]
        assert set(switch.releases) <= set(entry.releases)
        assert set(switch.in_force) <= set(entry.modes)
    for trial in switch.measured:
        assert trial.workload in all_workloads() or " " in trial.workload, "neither a workload nor words"
        assert trial.unit != "×" or trial.after == 1


def test_no_switch_stands_there_twice():
    found = [(one.frameworks, one.kind, one.how) for one in all_switches()]
    assert len(found) == len(set(found))


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"gains": False}, "became faster"),
        ({"measured": []}, "became faster"),
        ({"measured": [{"workload": "fashion-cnn", "before": 1, "after": 2, "unit": "ms"}]}, "became faster"),
        ({"gains": False, "measured": []}, "neither numbers nor an outcome"),
        ({"kind": "magic"}, "kind"),
        ({"measured": [{"workload": "fashion-cnn", "before": 0, "after": 1, "unit": "ms"}]}, "greater than 0"),
        ({"unknown": 1}, "unknown"),
    ],
)
def test_a_switch_that_contradicts_itself_is_refused(change, why):
    Switch(**STATED)
    with pytest.raises(ValidationError, match=why):
        Switch(**STATED | change)


def test_a_switch_covers_what_it_was_tried_in():
    switch = Switch(**STATED)
    assert switch.covers("jax", "0.10.2", "cpu")
    assert switch.covers("jax", None, "cpu"), "an interpreter of the user's own may hold any release"
    assert not switch.covers("jax", "0.9.0", "cpu")
    assert not switch.covers("keras[jax]", "0.10.2", "cpu")
    assert not switch.covers("jax", "0.10.2", "cuda")


def test_the_page_has_the_table_of_the_file():
    table = switches_markdown()
    assert table in (DOCS / "reference" / "axes.md").read_text(encoding="utf-8"), (
        f"docs/reference/axes.md lacks:\n\n{table}"
    )
