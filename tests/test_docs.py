"""The pages: every link leads somewhere, what the code states is what they say, and the README is short."""

import importlib
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
LINK = re.compile(r"\]\(([^)#\s]*)(?:#([^)\s]*))?\)")

MOST_WORDS = 800
"""Of the README: nobody reads more before the first command."""


def anchors(page: Path) -> set[str]:
    """Return what links to headings of a page may end with, as GitHub forms it."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_leads_somewhere(page):
    for target, anchor in LINK.findall(page.read_text(encoding="utf-8")):
        if "://" in target:
            continue
        place = (page.parent / target).resolve() if target else page
        assert place.exists(), target
        assert not anchor or anchor in anchors(place), f"{target}#{anchor}"


def test_every_page_stands_in_the_index():
    index = ROOT / "docs" / "README.md"
    listed = {(index.parent / target).resolve() for target, _ in LINK.findall(index.read_text(encoding="utf-8"))}
    assert {page for page in PAGES if "docs" in page.parts[-3:]} - listed == {index}


def test_the_readme_is_short():
    assert len((ROOT / "README.md").read_text(encoding="utf-8").split()) <= MOST_WORDS


@pytest.fixture
def generate(monkeypatch):
    """The program that writes the parts of pages which the code states."""
    monkeypatch.syspath_prepend(str(ROOT / "docs"))
    return importlib.import_module("generate")


def test_what_the_code_states_is_on_the_pages(generate, capsys):
    assert generate.main(["--check"]) == 0, capsys.readouterr().out
    pages = "".join(page.read_text(encoding="utf-8") for page in PAGES)
    for part in generate.PARTS:
        assert f"<!-- generated: {part} -->" in pages, f"{part} is on no page"


def test_a_stale_page_is_named_and_written_anew(generate, tmp_path, capsys):
    stale = tmp_path / "docs" / "reference" / "exit-codes.md"
    stale.parent.mkdir(parents=True)
    whole = (ROOT / "docs" / "reference" / "exit-codes.md").read_text(encoding="utf-8")
    stale.write_text(whole.replace("| 2 | `UsageError` |", "| 2 | `Mistake` |"), encoding="utf-8")
    assert generate.main(["--check"], tmp_path / "docs") == 1
    assert capsys.readouterr().out == "stale: docs/reference/exit-codes.md\n"
    assert generate.main([], tmp_path / "docs") == 0
    assert stale.read_text(encoding="utf-8") == whole
