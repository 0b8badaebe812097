"""What MkDocs is told beside mkdocs.yml: the navigation, how to draw a diagram, and what no page may have."""

from __future__ import annotations

import logging
import re
from html import escape
from pathlib import Path
from typing import Any

from merm import render_diagram
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.pages import Page

WARNINGS = logging.getLogger("mkdocs.hooks")

OUTSIDE = re.compile(r"""<(?:link|script|img|iframe)\b[^>]*\b(?:href|src)=["']?(?:https?:)?//[^>]*>""")
"""What a browser would fetch from another machine when it opens a page."""

LINK = re.compile(r"\[([^\]]+)\]\(([^)#:]+\.md)\)")


def on_config(config: MkDocsConfig) -> None:
    """Take the navigation from the start page, and let diagrams be drawn."""
    config.nav = navigation((Path(config.docs_dir) / "README.md").read_text(encoding="utf-8"))
    fence = {"name": "mermaid", "class": "diagram", "format": drawn}
    config.mdx_configs.setdefault("pymdownx.superfences", {})["custom_fences"] = [fence]


def on_post_page(output: str, page: Page, config: MkDocsConfig) -> None:
    """Warn, which --strict makes an error, of whatever a browser would fetch from another machine."""
    for tag in OUTSIDE.findall(output):
        WARNINGS.warning("%s asks another machine: %s", page.file.src_uri, tag)


def navigation(start: str) -> list[dict[str, Any]]:
    """Return the start page, and for each of its headings the pages that are linked below it, by the links' words."""
    nav: list[dict[str, Any]] = [{"Start": "README.md"}]
    for section in re.split(r"^## ", start, flags=re.MULTILINE)[1:]:
        kind = section.partition("\n")[0].partition(":")[0]
        nav.append({kind: [{capitalized(words): page} for words, page in LINK.findall(section)]})
    return nav


def capitalized(words: str) -> str:
    """Return `words` with a capital at the beginning, as a title has it."""
    return words[0].upper() + words[1:]


def drawn(source: str, *_: object, **__: object) -> str:
    """Return a diagram of Mermaid's language as a picture within the page: no script is needed to see it."""
    return f'<figure class="diagram" aria-label="{escape(source)}">{render_diagram(source)}</figure>'
