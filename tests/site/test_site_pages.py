"""The site in headless Chromium, opened from its folder: filters, links, hostile names, small screens."""

import csv
import json
import re
from pathlib import Path
from urllib.parse import unquote, urlparse

import pytest
from browsers import watched_pages
from sample_run import HOSTILE
from site_runs import CHANGED, NIGHTS

pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.fixture
def visit(browser, site):
    """Open a page of the site, as watched_pages."""
    with watched_pages(browser, site.as_uri()) as open_page:

        def visit_page(path, width=1280, scheme="light", after=""):
            page = open_page((site / path).as_uri() + after, width, scheme)
            if page.locator(".chart").count():
                page.wait_for_selector("html[data-drawn]")
            return page

        yield visit_page


def pages_of(site):
    """Return the paths of all pages."""
    return sorted(str(path.relative_to(site)) for path in site.rglob("*.html"))


@pytest.mark.parametrize("width", [390, 1280])
def test_no_page_is_wider_than_the_screen(visit, site, width):
    for path in pages_of(site):
        page = visit(path, width)
        page.evaluate("document.querySelectorAll('details').forEach(details => { details.open = true; })")
        assert page.evaluate("document.documentElement.scrollWidth") <= width, path
        assert page.locator("[data-failed]").count() == 0, path
        page.context.close()


def test_every_link_of_every_page_resolves(visit, site):
    anchors = {}
    for path in pages_of(site):
        page = visit(path)
        anchors[path] = {*page.evaluate("[...document.querySelectorAll('[id]')].map(one => one.id)")}
        found = page.evaluate(
            "[...document.querySelectorAll('a[href]')].map(one => [one.getAttribute('href'), one.href])"
        )
        page.context.close()
        for href, whole in found:
            assert not re.match(r"[a-z]+:|/", href), f"{path}: {href} is not relative"
            assert Path(unquote(urlparse(whole).path)).is_file(), f"{path}: {href}"
    for path in pages_of(site):
        for href in re.findall(r'href="([^"]+#contest-\d+)"', (site / path).read_text(encoding="utf-8")):
            file, _, anchor = href.partition("#")
            if file:
                other = str(((site / path).parent / file).resolve().relative_to(site.resolve()))
                assert anchor in anchors[other], f"{path}: {href}"


def test_the_start_answers_by_machine(visit):
    page = visit("index.html")
    assert page.locator("section h2 a[href^='machines/']").all_inner_texts()[:1] != []
    for section in page.locator("section[data-group]").all()[:2]:
        machines = section.locator("[data-machine]").evaluate_all("all => all.map(one => one.dataset.machine)")
        assert len(set(machines)) == 1
    assert page.locator(".answers .answer").first.bounding_box()["y"] < 900


def test_the_filters_filter(visit):
    page = visit("index.html")
    everything = page.locator(".answers > li:visible").count()
    page.select_option("select[name=workload]", "fashion-cnn")
    assert 0 < page.locator(".answers > li:visible").count() < everything
    shown = page.locator("[data-day]:visible").evaluate_all("all => all.map(one => one.dataset.workload)")
    assert set(shown) == {"fashion-cnn"}
    assert page.locator("output").inner_text() == f"{len(shown)} of {page.locator('[data-day]').count()} shown"
    assert "workload=fashion-cnn" in page.url
    page.locator(".filters button").click()
    assert page.locator(".answers > li:visible").count() == everything


def test_a_filter_by_day_and_a_filter_in_the_address(visit):
    page = visit("runs/index.html", after="#from=2026-03-03&to=2026-03-05")
    days = page.locator("[data-day]:visible").evaluate_all("all => all.map(one => one.dataset.day)")
    assert days
    assert all("2026-03-03" <= day <= "2026-03-05" for day in days)
    page = visit("runs/index.html", after="#framework=jax&workload=nonsense")
    named = page.locator("[data-day]:visible").evaluate_all("all => all.map(one => one.dataset.framework)")
    assert named
    assert all("jax" in one.split("\n") for one in named)


def test_the_history_has_its_change_of_level(visit, site):
    page = visit("workloads/fashion-mlp.html")
    assert f"From run night-{CHANGED} on slower by" in page.locator("body").inner_text()
    text = (site / "workloads/fashion-mlp.html").read_text(encoding="utf-8")
    data = json.loads(re.search(r'id="page-data">(.*?)</script>', text, re.DOTALL)[1])
    histories = [json.dumps(spec) for name, spec in data["charts"].items() if name.startswith("history-")]
    assert sum("night-0" in one for one in histories) == 1
    assert not any("night-0" in one and "elsewhere" in one for one in histories), "machines are mixed"
    assert page.locator("[id^=history-] svg .mark-symbol path").count() >= 2 * NIGHTS


def test_hostile_text_is_text(visit, site):
    page = visit("index.html")
    assert page.locator("script:not([src]):not([type])").count() == 0
    [path] = [one for one in pages_of(site) if one.startswith("frameworks/script-")]
    assert visit(path).locator("h1").inner_text() == HOSTILE
    assert "Other & Sons <b>1</b>" in page.locator("body").inner_text()


def test_the_policy_stops_a_script_that_got_in(browser, site):
    page = browser.new_page()
    page.goto((site / "index.html").as_uri())
    page.evaluate(
        "const s = document.createElement('script'); s.textContent = 'window.pwned = 1'; document.body.append(s)"
    )
    assert page.evaluate("window.pwned") is None
    assert page.evaluate("fetch('http://localhost:9/').then(() => 'sent', error => 'stopped')") == "stopped"
    page.close()


def test_a_run_is_its_report_with_raw_data_beside(visit, site):
    page = visit("runs/night-0.html")
    assert page.locator("nav.site a[href='../index.html']").count() == 1
    assert page.locator("#ranking-0 svg").count() == 1
    [raw, record] = [one.get_attribute("href") for one in page.locator(".downloads a").all()]
    rows = list(csv.DictReader((site / "runs" / raw).open(encoding="utf-8", newline="")))
    assert len(rows) == 2 * 25
    assert json.loads((site / "runs" / record).read_text(encoding="utf-8"))["id"] == "night-0"


def test_the_site_can_be_read_without_scripts_and_on_paper(browser, site):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto((site / "index.html").as_uri())
    assert page.locator(".answers > li:visible").count() == page.locator(".answers > li").count() > 0
    assert not page.locator(".filters").is_visible()
    context.close()
    page = browser.new_page()
    page.goto((site / "index.html").as_uri())
    page.emulate_media(media="print")
    assert not page.locator(".filters").is_visible()
    page.close()
