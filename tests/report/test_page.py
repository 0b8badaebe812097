"""The HTML page in headless Chromium, as a reader opens it: from disk, on a desk or a phone, by day or at night."""

import csv
import io
import json
import re
import shlex
from dataclasses import replace
from itertools import pairwise

import pytest
from sample_run import HOSTILE, HOSTILE_ERROR
from test_theme import contrast
from trained_runs import trained_run

from rosettabench.report.formats.html import file_stem, render_html, whole_options
from rosettabench.report.formats.samples import sample_rows
from rosettabench.report.words.answer import headline
from rosettabench.summary.run import summarise

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def page_file(summary, tmp_path_factory):
    """The page of the sample run."""
    path = tmp_path_factory.mktemp("page") / "report.html"
    path.write_text(render_html(summary), encoding="utf-8")
    return path


def test_every_forecast_is_drawn(opened, tmp_path):
    path = tmp_path / "trainings.html"
    path.write_text(render_html(summarise(trained_run(tmp_path, {"hospital": {42: (2.0, 8.0)}}))), encoding="utf-8")
    page = opened(path=path)
    assert page.locator("figure.forecast svg .mark-area path").count() == 2 * 2 * 2
    assert "not equal work" in page.locator("h1").inner_text()


def test_every_chart_is_drawn_with_marks(opened, summary):
    page = opened()
    for number, contest in enumerate(summary.contests):
        for kind in ("ranking", "losses", "blocks", "throughput", "memory", "costs"):
            chart = page.locator(f"#{kind}-{number}")
            assert chart.locator("svg").count() == 1, f"{kind} of {contest.name}"
            assert chart.locator("svg [role='graphics-symbol'] path, svg path[role='graphics-symbol']").count() > 0
        points = page.locator(f"#ranking-{number} svg .mark-symbol path")
        assert points.count() == len(contest.ranked)
    assert page.locator("[data-failed]").count() == 0


def test_the_page_begins_with_the_verdicts(opened, summary):
    page = opened()
    answers = page.locator(".verdicts .answer").all_inner_texts()
    assert answers == [f"{headline(contest).answer}." for contest in summary.contests]
    assert page.locator(".verdicts .answer").last.bounding_box()["y"] < 900
    sizes = page.evaluate(
        "['.answer', 'h2', 'p.evidence'].map(s => parseFloat(getComputedStyle(document.querySelector(s)).fontSize))"
    )
    assert sizes[0] > sizes[1] > sizes[2]


@pytest.mark.parametrize("width", [390, 768, 1280])
def test_the_page_never_scrolls_sideways(opened, width):
    page = opened(width)
    page.evaluate("document.querySelectorAll('details').forEach(details => { details.open = true; })")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    charts = page.evaluate(
        """[...document.querySelectorAll('.chart')]
        .map(chart => [chart.clientWidth, chart.querySelector('svg').getBoundingClientRect().width])"""
    )
    assert all(svg <= place + 1 for place, svg in charts)
    captions = page.evaluate(
        "[...document.querySelectorAll('caption .said')].map(c => c.getBoundingClientRect().right)"
    )
    assert max(captions) <= width


def test_day_and_night_differ_and_can_both_be_read(opened):
    page = opened(scheme="light")
    by_day = colours(page)
    page.emulate_media(color_scheme="dark")
    page.wait_for_selector("html[data-drawn='dark']")
    at_night = colours(page)
    assert all(by_day[name] != at_night[name] for name in by_day)
    for found in (by_day, at_night):
        ground = found.pop("ground")
        assert all(contrast(colour, ground) >= 4.5 for name, colour in found.items() if name != "mark")
        assert contrast(found["mark"], ground) >= 3


def colours(page):
    """Return the colours that are really in force, as #rrggbb."""
    found = page.evaluate(
        """() => {
            const style = (selector) => getComputedStyle(document.querySelector(selector));
            return {
                ground: style("body").backgroundColor, ink: style(".answer").color, quiet: style("caption").color,
                alarm: style("td.marked").color, chart: style("#ranking-0 .mark-text text").fill,
                mark: style("#ranking-0 .mark-symbol path").fill,
            };
        }"""
    )
    return {
        name: "#" + "".join(f"{int(part):02x}" for part in re.findall(r"\d+", rgb)[:3]) for name, rgb in found.items()
    }


def test_a_contender_has_the_same_colour_in_charts_and_tables(opened, summary):
    page = opened()
    for number, contest in enumerate(summary.contests):
        shown = page.locator(f"#ranking-{number} svg .mark-symbol path")
        for place, entry in enumerate(contest.ranked):
            in_chart = shown.nth(place).evaluate("path => getComputedStyle(path).fill")
            mark = page.locator(f"#contest-{number} tbody th .mark.c{summary.labels.index(entry.label)}").first
            assert mark.evaluate("mark => getComputedStyle(mark).color") == in_chart


def test_hostile_text_is_text(opened):
    page = opened()
    body = page.locator("body").inner_text()
    assert HOSTILE in body
    assert "</script><script>alert(2)</script><img src=x onerror=alert(3)>" in body
    assert page.locator("img").count() == 0
    assert page.locator("script:not([type])").count() == 2
    assert HOSTILE in page.locator("#blocks-2").evaluate("chart => JSON.stringify(page.charts[chart.id])")


def test_no_line_ends_inside_an_option(browser):
    sentence = "The interval allows for that (--processes 5 measures it). <b> & more"
    said = str(whole_options(sentence))
    assert said.endswith("&lt;b&gt; &amp; more"), "the rest is escaped"
    page = browser.new_page()
    page.set_content(f"<style>.option {{ white-space: nowrap }}</style><p style='width: 1px'>{said}</p>")
    assert page.locator(".option").inner_text() == "--processes 5"
    lines = "() => document.querySelector('.option').getClientRects().length"
    assert page.evaluate(lines) == 1
    page.close()


def test_hostile_text_in_a_tooltip_is_text(opened, summary):
    page = opened()
    number = len(summary.contests) - 1
    place = [entry.label for entry in summary.contests[number].timed].index(HOSTILE)
    page.locator(f"#throughput-{number} svg .mark-rect path").nth(place).hover(force=True)
    tooltip = page.locator("#vg-tooltip-element.visible")
    tooltip.wait_for()
    assert HOSTILE in tooltip.inner_text()
    assert tooltip.locator("script").count() == 0


def test_the_raw_samples_can_be_downloaded(opened, summary, tmp_path):
    page = opened()
    with page.expect_download() as waiting:
        page.get_by_text("Raw samples (CSV)").click()
    assert waiting.value.suggested_filename == f"{file_stem(summary)}.csv"
    text = waiting.value.path().read_text(encoding="utf-8")
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    assert [float(row["elapsed_s"]) for row in rows] == [row["elapsed_s"] for row in sample_rows(summary)]
    with page.expect_download() as waiting:
        page.get_by_text("Whole record (JSON)").click()
    assert json.loads(waiting.value.path().read_text(encoding="utf-8"))["id"] == summary.id


def test_every_table_of_a_stand_in_says_so(opened):
    page = opened()
    captions = page.locator("#contest-2 caption").all_text_contents()
    assert len(captions) >= 4
    assert all("Stand-in data: not the real imdb" in caption for caption in captions)
    assert "Stand-in" not in page.locator("#contest-0").inner_text()


def test_the_page_can_be_read_without_eyes(opened):
    page = opened()
    assert page.locator("h1").count() == 1
    levels = page.evaluate("[...document.querySelectorAll('h1,h2,h3,h4')].map(h => Number(h.tagName[1]))")
    assert all(after <= before + 1 for before, after in pairwise(levels))
    assert page.evaluate("[...document.querySelectorAll('table')].every(table => table.caption.textContent.trim())")
    assert page.evaluate("[...document.querySelectorAll('.chart')].every(chart => chart.ariaLabel.length > 20)")
    assert page.evaluate("new Set([...document.querySelectorAll('[id]')].map(e => e.id)).size") == page.evaluate(
        "document.querySelectorAll('[id]').length"
    )


def test_the_whole_run_stands_above_its_contests(opened, summary):
    page = opened()
    assert page.locator("#overview-0 svg").count() == 1
    names = page.locator("section[aria-labelledby=overview] tbody tr td:first-child").all_inner_texts()
    assert names == [contest.name for contest in summary.contests]
    for link in page.locator(".contents a").all():
        assert page.locator(link.get_attribute("href")).count() == 1


def test_a_click_on_a_heading_sorts_by_numbers_with_their_units(opened):
    page = opened()
    table = page.locator("#contest-0 .table table").first
    head = table.locator("th", has_text="time per step")
    times = f"td:nth-child({1 + head.evaluate('head => head.cellIndex')})"
    before = table.locator(times).all_inner_texts()
    head.locator("button").click()
    assert head.get_attribute("aria-sort") == "ascending"
    head.locator("button").click()
    assert table.locator(times).all_inner_texts() == before[::-1], "the ranking goes from fast to slow"


def test_every_command_has_a_button_that_copies_it(opened, summary):
    page = opened()
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.locator("#repeat ~ .copy").click()
    page.locator("#repeat ~ .copy", has_text="copied").wait_for()  # the page's policy forbids waiting by a script
    assert page.evaluate("navigator.clipboard.readText()") == shlex.join(summary.command)


def test_a_table_that_is_wider_than_the_screen_says_so(opened):
    assert opened(width=390).locator(".table.wider").count() > 0
    assert opened(width=1280).locator("#contest-0 .table.wider").count() == 0


def test_the_policy_stops_a_script_that_got_in(browser, page_file):
    """The guard behind the escaping: a script that is not ours does not run, and no connection is made."""
    page = browser.new_page()
    page.goto(page_file.as_uri())
    page.evaluate(
        "const s = document.createElement('script'); s.textContent = 'window.pwned = 1'; document.body.append(s)"
    )
    assert page.evaluate("window.pwned") is None
    assert page.evaluate("fetch('http://localhost:9/').then(() => 'sent', error => 'stopped')") == "stopped"
    page.close()


def test_a_run_without_anything_is_a_page_too(opened, summary, tmp_path):
    path = tmp_path / "empty.html"
    path.write_text(render_html(replace(summary, contests=(), labels=(), faults=())), encoding="utf-8")
    assert "no contest" in opened(path=path).locator(".answer").inner_text()


def test_the_page_is_one_small_file(page_file):
    text = page_file.read_text(encoding="utf-8")
    assert len(text.encode()) < 3_000_000
    assert "<link" not in text and " src=" not in re.sub(r"<script.*?</script>", "", text, flags=re.DOTALL).replace(
        "&lt;img src=x", ""
    )
    assert HOSTILE_ERROR.split("</script>")[1] not in text
