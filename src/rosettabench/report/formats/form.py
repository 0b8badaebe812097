"""The formats of a report, and their renderers."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rosettabench.summary.records import RunSummary


class Format(StrEnum):
    """The formats of a report."""

    HTML = "html"
    MARKDOWN = "markdown"
    CSV = "csv"
    JSON = "json"
    PNG = "png"
    TERMINAL = "terminal"

    @property
    def suffix(self) -> str:
        """The suffix of its file."""
        return "md" if self is Format.MARKDOWN else self.value


def render(summary: RunSummary, form: Format) -> bytes:
    """Return the report in a file format; text is UTF-8."""
    if form is Format.PNG:
        from rosettabench.report.formats.image import render_image

        return render_image(summary)
    return render_text(summary, form).encode()


def render_text(summary: RunSummary, form: Format) -> str:
    """Return the report in a text format."""
    if form is Format.MARKDOWN:
        from rosettabench.report.formats.markdown import render_markdown

        return render_markdown(summary)
    if form is Format.CSV:
        from rosettabench.report.tables.trainings import render_raw

        return render_raw(summary)
    if form is Format.JSON:
        from rosettabench.report.formats.record import render_json

        return render_json(summary)
    from rosettabench.report.formats.html import render_html

    return render_html(summary)
