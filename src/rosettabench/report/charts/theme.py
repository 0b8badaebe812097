"""The theme of the charts: a contender has the same colour and mark everywhere, in light, dark and printed reports.

The hues are Okabe and Ito's palette for colour-blind readers ("Color Universal Design", 2008), darkened for a light
background and lightened for a dark one until each has a contrast of 3:1 with it (WCAG 2.2, 1.4.11). A test checks that.
Marks also differ in shape, for print without colour.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

SANS = "-apple-system, 'Segoe UI', 'Helvetica Neue', 'Liberation Sans', Arial, system-ui, sans-serif"

SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-right")
"""Vega's names of the marks, which repeat like the colours. There is one shape fewer than colours, so that 56
contenders look different."""


@dataclass(frozen=True)
class Theme:
    """The colours on one background. `contenders` repeat; `costs` are in the order of the costs."""

    name: str
    ground: str
    ink: str
    quiet: str
    line: str
    wash: str
    alarm: str
    mark: str
    contenders: tuple[str, ...]
    costs: tuple[str, ...]

    def config(self) -> dict[str, Any]:
        """Return the theme as a Vega-Lite config, from which charts take their colours."""
        text = {"labelColor": self.quiet, "titleColor": self.quiet, "labelFontSize": 11, "titleFontSize": 11}
        axis = {
            "domain": False,
            "ticks": False,
            "gridColor": self.line,
            "tickColor": self.quiet,
            "titleFontWeight": "normal",
            "labelPadding": 6,
        }
        return {
            "background": None,
            "font": SANS,
            "view": {"stroke": None},
            "axis": {**text, **axis},
            "legend": {**text, "symbolType": "square", "titleFontWeight": "normal"},
            "title": {"color": self.ink, "fontSize": 14, "fontWeight": 600, "anchor": "start", "offset": 14},
            "text": {"color": self.ink, "fontSize": 12},
            "range": {"category": list(self.contenders), "symbol": list(SHAPES), "ordinal": list(self.costs)},
            "style": {
                "label": {"color": self.ink},
                "quiet": {"color": self.quiet},
                "band": {"color": self.line},
                "track": {"color": self.line},
                "unity": {"color": self.quiet},
                "observed": {"color": self.ink},
            },
        }


LIGHT = Theme(
    name="light",
    ground="#fffefb",
    ink="#1d1c1a",
    quiet="#5f5b54",
    line="#e7e2d8",
    wash="#f6f2ea",
    alarm="#a63a0a",
    mark="#fdeeb5",
    contenders=("#0067a8", "#c04e00", "#007d5c", "#a8487f", "#8a6500", "#566070", "#2583b0", "#8a2020"),
    costs=("#b9c3cf", "#93a3b5", "#6c8098", "#48607b"),
)
DARK = Theme(
    name="dark",
    ground="#16181b",
    ink="#ece9e2",
    quiet="#a8a49b",
    line="#33363b",
    wash="#1f2226",
    alarm="#ff9d6b",
    mark="#38320f",
    contenders=("#5ab4ea", "#ff9357", "#3cc79f", "#e39bc6", "#e3bd4b", "#b4bcc8", "#8fa8ff", "#f27f7f"),
    costs=("#3f4c5c", "#5d7087", "#7f95ae", "#a9bbce"),
)
