"""A browser that opens pages for tests, and complains of what a page says or asks for."""

import os
import shutil
from contextlib import contextmanager

import pytest
from playwright.sync_api import sync_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome")
NO_BROWSER = "no Chromium on PATH: apt-get install -y chromium, or name one with ROSETTA_CHROMIUM"
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def which_browser():
    """The path of Chromium: $ROSETTA_CHROMIUM, or the first on PATH; None if there is none."""
    return os.environ.get("ROSETTA_CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)


@pytest.fixture(scope="module")
def browser():
    """A headless Chromium."""
    found = which_browser()
    if found is None:
        (pytest.fail if os.environ.get("CI") else pytest.skip)(NO_BROWSER)
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=found, args=ARGUMENTS)
        yield running
        running.close()


@pytest.fixture
def opened(browser, page_file):
    """Open `page_file` or another page, as watched_pages."""
    with watched_pages(browser, "file:") as open_page:

        def open_file(width=1280, scheme="light", path=page_file, drawn=True):
            page = open_page(path.as_uri(), width, scheme)
            if drawn:
                page.wait_for_selector("html[data-drawn]")
            return page

        yield open_file


@contextmanager
def watched_pages(browser, home):
    """Lend a function that opens a page, without a network.

    At the end nothing may have been said on the console, nor asked of an address that does not begin with `home`.
    """
    complaints, requests, contexts = [], [], []

    def open_page(url, width=1280, scheme="light"):
        screen = {"width": width, "height": 900}
        context = browser.new_context(viewport=screen, color_scheme=scheme, offline=True)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: complaints.append(f"{url}: {message.type}: {message.text}"))
        page.on("pageerror", lambda error: complaints.append(f"{url}: {error}"))
        page.on("dialog", lambda dialog: complaints.append(f"{url}: dialog: {dialog.message}"))
        context.on("request", lambda request: requests.append(request.url))
        page.goto(url)
        return page

    yield open_page
    for context in contexts:
        context.close()
    outside = [f"asked for {url}" for url in requests if not url.startswith((home, "data:", "blob:"))]
    assert not complaints and not outside, "; ".join(complaints + outside)
