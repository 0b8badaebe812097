"""The report as one image: the ranking of every contest, for a slide or a message."""

from __future__ import annotations

from typing import Any

from rosettabench.errors import UsageError
from rosettabench.report.charts.contest import ranking
from rosettabench.report.charts.theme import LIGHT
from rosettabench.report.words.answer import headline
from rosettabench.report.words.contest import warning
from rosettabench.summary.records import ContestSummary, RunSummary

WIDTH = 640
"""Width of the plots in pixels, before `SCALE`."""
SCALE = 2.0
"""Device pixels per pixel: sharp on any screen."""


def render_image(summary: RunSummary) -> bytes:
    """Return a PNG with the ranking of each contest below its verdict. Raises UsageError if no contender is ranked."""
    import vl_convert

    rankings = [(one, ranking(one, summary.labels)) for one in summary.contests]
    drawn = [(contest, spec) for contest, spec in rankings if spec is not None]
    if not drawn:
        raise UsageError(
            f"run {summary.id} has no ranking to draw", hint="rosetta report --format html shows why nobody is ranked."
        )
    whole = {
        "$schema": drawn[0][1]["$schema"],
        "vconcat": [under_verdict(contest, spec) for contest, spec in drawn],
        "datasets": {name: rows for _, spec in drawn for name, rows in spec["datasets"].items()},
        "spacing": 34,
        "padding": 24,
        "resolve": {"scale": {"color": "shared"}},
        "config": {**LIGHT.config(), "background": LIGHT.ground},
    }
    return bytes(vl_convert.vegalite_to_png(whole, scale=SCALE, allowed_base_urls=[]))


def under_verdict(contest: ContestSummary, ranking: dict[str, Any]) -> dict[str, Any]:
    """Return the chart of a contest's `ranking` below its verdict, with the warning of a stand-in."""
    said = headline(contest)
    title = {
        "text": f"{contest.name}: {said.answer}",
        "subtitle": [line for line in (said.evidence, warning(contest)) if line],
        "subtitleColor": LIGHT.quiet,
    }
    inner = {part: ranking[part] for part in ("layer", "data", "description", "height")}
    return {**inner, "width": WIDTH, "title": title}
