"""The chart of a history: what it draws, and that no layer is without data, of which Vega complains."""

from rosettabench.history.cell import Key
from rosettabench.history.identity import Identity
from rosettabench.history.timeline import LevelChange, Point, RememberedDoubt, Timeline
from rosettabench.report.charts.timeline import line_names, timeline_spec
from rosettabench.summary.estimate import Estimate

KEY = Key("fashion-mlp", "{}", "jax", "compiled")


def point(number, label="jax", flaw=None):
    """Return a run of a cell."""
    at = f"2026-03-0{number}T02:00:00.000000+00:00"
    return Point(f"night-{number}", at, label, 1e-3, Estimate(1e-3, 9e-4, 1.1e-3, 12), flaw, Identity(), {})


def marks_of(spec):
    """Return the kind of mark of each layer that has data."""
    names = {name for name, rows in spec["datasets"].items() if rows}
    assert all(layer.get("data", spec.get("data"))["name"] in names for layer in spec["layer"])
    return [layer["mark"]["type"] for layer in spec["layer"]]


def test_a_change_of_level_has_a_line_of_its_own():
    points = tuple(map(point, range(1, 5)))
    quiet = timeline_spec([Timeline(KEY, points, ())], ["jax"])
    turned = timeline_spec([Timeline(KEY, points, (LevelChange("night-2", "night-3", 1.5, (), None),))], ["jax"])
    assert marks_of(quiet) == ["line", "rule", "point"]
    assert marks_of(turned) == ["rule", "line", "rule", "point"]


def test_runs_that_are_not_used_have_marks_and_no_line():
    points = tuple(point(number, flaw=RememberedDoubt("busy")) for number in (1, 2))
    assert marks_of(timeline_spec([Timeline(KEY, points, ())], ["jax"])) == ["rule", "point"]


def test_one_run_needs_no_chart():
    assert timeline_spec([Timeline(KEY, (point(1),), ())], ["jax"]) is None


def test_lines_of_one_label_are_told_apart():
    other = Key("fashion-mlp", "{}", "jax", "compiled", "/usr/bin/python3")
    found = [Timeline(KEY, (point(1),), ()), Timeline(other, (point(2),), ())]
    assert line_names(found) == ["jax:compiled", "jax@/usr/bin/python3:compiled"]
