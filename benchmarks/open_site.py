"""Opens every page of a site in headless Chromium twice: as wide as a phone, in light colours; as a desktop, in dark.

    .venv/bin/python benchmarks/open_site.py SITE

A page is wrong if it says anything on the console, asks for anything outside the folder, has a chart that could not be
drawn, is wider than the screen, or links to a file that is not there. Chromium has no network meanwhile. The exit code
is 1 if a page is wrong, or if there is none.
"""

import argparse
import sys
from pathlib import Path
from time import monotonic
from urllib.parse import unquote, urlparse

from playwright.sync_api import Browser, sync_playwright
from playwright.sync_api import Error as BrowserError

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from browsers import ARGUMENTS, NO_BROWSER, watched_pages, which_browser

VIEWS = ((390, "light"), (1280, "dark"))
"""Widths of the screen in pixels, and colour schemes."""

LINKS = "[...document.querySelectorAll('a[href]')].map(one => one.href)"
OPEN_DETAILS = "document.querySelectorAll('details').forEach(one => { one.open = true; })"
WIDTH = "document.documentElement.scrollWidth"


def faults_of(browser: Browser, site: Path, page: Path, width: int, scheme: str) -> list[str]:
    """Return what is wrong with a page of the `site` on a screen of this `width`."""
    found = []
    try:
        with watched_pages(browser, site.as_uri()) as open_page:
            opened = open_page(page.as_uri(), width, scheme)
            if opened.locator(".chart").count():
                opened.wait_for_selector("html[data-drawn]")
            opened.evaluate(OPEN_DETAILS)
            failed, wide = opened.locator("[data-failed]").count(), opened.evaluate(WIDTH)
            found += [f"{failed} charts could not be drawn"] if failed else []
            found += [f"it is {wide} pixels wide"] if wide > width else []
            links = {unquote(urlparse(link).path) for link in opened.evaluate(LINKS)}
            found += [f"there is no {link}" for link in sorted(links) if not Path(link).is_file()]
    except (AssertionError, BrowserError) as error:
        found.append(str(error))
    return found


def main() -> int:
    """Open the pages, and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("site", type=Path)
    site, start = parser.parse_args().site.resolve(), monotonic()
    pages, wrong = sorted(site.rglob("*.html")), 0
    chromium = which_browser()
    if chromium is None:
        raise SystemExit(NO_BROWSER)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=ARGUMENTS)
        for page in pages:
            faults = [
                f"on {width} pixels: {one}"
                for width, scheme in VIEWS
                for one in faults_of(browser, site, page, width, scheme)
            ]
            wrong += bool(faults)
            for fault in faults:
                print(f"{page.relative_to(site)}: {fault}", flush=True)
        browser.close()
    print(f"{len(pages)} pages, {wrong} of them wrong; {monotonic() - start:.0f} s")
    return 1 if wrong or not pages else 0


if __name__ == "__main__":
    sys.exit(main())
