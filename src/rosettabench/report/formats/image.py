"""The report as one image: the ranking of every contest, for a slide or a message."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rosettabench.errors import UsageError
from rosettabench.report.charts import contest as charts
from rosettabench.report.charts.theme import LIGHT
from rosettabench.report.words.answer import headline
from rosettabench.report.words.contest import warning
from rosettabench.summary.records import ContestSummary, RunSummary

if TYPE_CHECKING:
    import altair as alt

WIDTH = 640
"""Width of the plots in pixels, before `SCALE`."""
SCALE = 2.0
"""Device pixels per pixel: sharp on any screen."""


def render_image(summary: RunSummary) -> bytes:
    """Return a PNG with the ranking of each contest below its verdict. Raises UsageError if no contender is ranked."""
    import altair as alt
    import vl_convert

    drawn = [chart for contest in summary.contests if (chart := title_ranking(contest, summary)) is not None]
    if not drawn:
        raise UsageError(
            f"run {summary.id} has no ranking to draw", hint="rosetta report --format html shows why nobody is ranked."
        )
    spec = alt.vconcat(*drawn, spacing=34, padding=24).resolve_scale(color="shared").to_dict()
    spec["config"] = {**LIGHT.config(), "background": LIGHT.ground}
    return bytes(vl_convert.vegalite_to_png(spec, scale=SCALE, allowed_base_urls=[]))


def title_ranking(contest: ContestSummary, summary: RunSummary) -> alt.LayerChart | None:
    """Return a contest's ranking below its verdict, with the warning of a stand-in; None if no contender is ranked."""
    import altair as alt

    chart = charts.ranking(contest, summary.labels)
    said = headline(contest)
    subtitle = [line for line in (said.evidence, warning(contest)) if line]
    title = alt.TitleParams(f"{contest.name}: {said.answer}", subtitle=subtitle, subtitleColor=LIGHT.quiet)
    return chart.properties(width=WIDTH, title=title) if chart is not None else None
