"""Charts are made without Vega-Lite's schema, for speed: with it they are the same, and it accepts them."""

import pytest
from altair.utils.schemapi import debug_mode

from rosettabench.report.charts import contest as charts


@pytest.mark.parametrize("kind", ["ranking", "losses", "blocks", "throughput", "memory", "costs"])
def test_a_chart_is_the_same_with_and_without_the_schema(summary, kind):
    for contest in summary.contests:
        quick = charts.contest_charts(contest, summary.labels)[kind]
        with debug_mode(True):
            checked = getattr(charts, kind)(contest, summary.labels).to_dict(validate=True)
        assert {part: checked.get(part) for part in ("layer", "data", "datasets", "description", "height")} == {
            part: quick.get(part) for part in ("layer", "data", "datasets", "description", "height")
        }
