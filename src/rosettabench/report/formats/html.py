"""The report as one HTML file that opens offline and loads nothing.

The file contains Vega, Vega-Lite and Vega-Embed once (from vl-convert). A content security policy forbids every
connection, and every script except the two whose hashes it names. Vega's interpreter is used, so that `eval` need not
be allowed. Jinja escapes every text. Data for scripts goes through `tojson`, which escapes <, >, & and U+2028.
"""

from __future__ import annotations

import re
import shlex
from base64 import b64encode
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib.metadata import version
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from rosettabench.files import replace_file
from rosettabench.places import cache_dir
from rosettabench.report.charts import contest as charts
from rosettabench.report.charts.forecasts import Picture, contest_pictures, pictures
from rosettabench.report.charts.theme import DARK, LIGHT, SANS, SHAPES, Theme
from rosettabench.report.formats.record import render_json
from rosettabench.report.tables import contest as tables
from rosettabench.report.tables.account import account_sentences, account_tables
from rosettabench.report.tables.forecasts import forecasts_table
from rosettabench.report.tables.reasons import reason_tables
from rosettabench.report.tables.releases import progress_sentences, releases_table
from rosettabench.report.tables.resources import resources_table
from rosettabench.report.tables.studies import study_tables
from rosettabench.report.tables.trainings import render_raw, training_tables
from rosettabench.report.tables.whole import whole_tables
from rosettabench.report.words import contest as sentences
from rosettabench.report.words import figures
from rosettabench.report.words.answer import headline
from rosettabench.report.words.machine import machine_words
from rosettabench.report.words.proof import extent_words, proof_words, standing_words
from rosettabench.report.words.reasons import pair_headlines, remarks
from rosettabench.report.words.shortfall import shortfall_headlines
from rosettabench.report.words.trainings import SENTENCE, scale_words
from rosettabench.report.words.verdict import control_sentence, verdict_sentences
from rosettabench.summary.records import RunSummary

if TYPE_CHECKING:
    from jinja2 import Environment, Template
    from markupsafe import Markup

TITLES = {
    "overview": "All contests",
    "ranking": "Time relative to the fastest, with intervals",
    "releases": "Then and now: speed by day of release",
    "losses": "Training loss",
    "blocks": "Every timed block",
    "throughput": "Throughput, samples per second",
    "costs": "Seconds before the first steady step",
    "memory": "Peak memory of the process tree",
}
"""{kind of chart: its heading}."""


@dataclass(frozen=True)
class Frame:
    """What is around a report that is a page of a site: links to other pages, scripts, and files of raw data.

    All addresses are relative to the page. `links` are (text, address); `files` are {suffix: address}.
    """

    links: tuple[tuple[str, str], ...]
    scripts: tuple[str, ...]
    files: Mapping[str, str]


def render_html(summary: RunSummary, frame: Frame | None = None, specs: Sequence[charts.Charts] | None = None) -> str:
    """Return the report as a self-contained HTML page, or as a page of a site within a frame.

    `specs` are the charts of its contests, if they are at hand.
    """
    if specs is None:
        specs = [charts.contest_charts(contest, summary.labels) for contest in summary.contests]
    drawn = {f"{kind}-{i}": spec for i, kinds in enumerate(specs) for kind, spec in kinds.items()}
    sets = summary.trainings.sets if summary.trainings else ()
    forecasts = [pictures(found, summary.labels) for found in sets]
    paths = [contest_pictures(contest, summary.labels) for contest in summary.contests]
    whole = charts.overview(summary)
    drawn |= {"overview-0": whole} if whole else {}
    drawn |= by_id("forecast", forecasts) | by_id("paths", paths)
    scripts = [] if frame else [libraries(), resource("report.js")]
    return page_template().render(
        run=summary,
        whole=whole,
        answers="; ".join(headline(one).answer for one in summary.compared),
        not_equal_work=SENTENCE,
        specs=specs,
        forecasts=forecasts,
        paths=paths,
        data=page_data(drawn, None if frame else summary),
        frame=frame,
        stem=file_stem(summary),
        scripts=scripts,
        hashes=[script_hash(script) for script in scripts],
        style=resource("report.css"),
    )


def page_data(drawn: Mapping[str, Any], summary: RunSummary | None = None) -> dict[str, Any]:
    """Return the data for report.js: the charts by id, the themes, and the raw data of a page without files beside."""
    stem = file_stem(summary) if summary else ""
    files = {f"{stem}.csv": render_raw(summary), f"{stem}.json": render_json(summary)} if summary else {}
    return {
        "charts": drawn,
        "themes": {theme.name: theme.config() for theme in (LIGHT, DARK)},
        "files": files,
    }


def by_id(kind: str, found: Sequence[Sequence[Sequence[Picture]]]) -> dict[str, dict[str, Any]]:
    """Return {id: specification} of rows of charts, with the ids that the template gives to sets or contests."""
    return {
        f"{kind}-{place}-{row}-{column}": one.spec
        for place, rows in enumerate(found)
        for row, side_by_side in enumerate(rows)
        for column, one in enumerate(side_by_side)
    }


def file_stem(summary: RunSummary) -> str:
    """Return the name of the run's files without suffix: the run's id, with safe characters only."""
    safe = "".join(sign if sign.isascii() and (sign.isalnum() or sign in "-_") else "-" for sign in summary.id)
    return f"rosetta-report-{safe}"


@cache
def page_template() -> Template:
    """Return the template of a report. It is kept: a site has a page for each run."""
    return environment().get_template("report.html.j2")


def environment() -> Environment:
    """Return the environment of the templates, which escapes all texts."""
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from pydantic_core import to_json

    found = Environment(
        loader=PackageLoader("rosettabench.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    found.policies["json.dumps_function"] = lambda data, **_: to_json(data).decode()  # compiled
    found.filters["whole_options"] = whole_options
    found.globals.update(
        FUNCTIONS,
        tables=tables,
        figures=figures,
        sentences=sentences,
        shell=shlex.join,
        titles=TITLES,
        themes=(LIGHT, DARK),
        palette=palette,
        shapes=SHAPES,
        sans=SANS,
    )
    return found


def whole_options(sentence: str) -> Markup:
    """Return a sentence in which no line ends inside an option, as in ``--processes 5``: browsers break at hyphens."""
    from markupsafe import Markup, escape

    return Markup(OPTION.sub(r'<span class="option">\g<0></span>', str(escape(sentence))))  # noqa: S704 (escaped)


OPTION = re.compile(r"--[a-z-]+(?: \d+)?")
"""An option of the command line in a sentence, with its number."""


FUNCTIONS = {
    one.__name__: one
    for one in (
        *(
            study_tables,
            whole_tables,
            forecasts_table,
            reason_tables,
            releases_table,
            resources_table,
            training_tables,
            account_tables,
        ),
        *(headline, verdict_sentences, control_sentence, extent_words, proof_words, standing_words, machine_words),
        *(pair_headlines, shortfall_headlines, remarks, scale_words, progress_sentences, account_sentences),
    )
}
"""{name in templates: function for tables and words}."""


def palette(theme: Theme, labels: tuple[str, ...]) -> list[tuple[int, str]]:
    """Return (place, colour) for each contender of the run, as the charts assign them."""
    return [(place, theme.contenders[place % len(theme.contenders)]) for place in range(len(labels))]


@cache
def libraries() -> str:
    """Return Vega, Vega-Lite and Vega-Embed as one script, in the version that Altair's specifications need.

    To bundle them takes two seconds, so the script is kept in the cache.
    """
    import altair
    import vl_convert

    release = ".".join(altair.SCHEMA_VERSION.split(".")[:2])
    kept = cache_dir() / "scripts" / f"vega-lite-{release}-{version('vl-convert-python')}.js"
    if kept.is_file():
        return inline_script(kept.read_text(encoding="utf-8"))
    script = vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;", vl_version=release)
    with suppress(OSError):  # a report needs no cache: that may be read-only, or its disk full
        kept.parent.mkdir(parents=True, exist_ok=True)
        replace_file(kept, script.encode())
    return inline_script(script)


def resource(name: str) -> str:
    """Return the text of a file in the templates' folder."""
    return inline_script(files("rosettabench.report").joinpath("templates", name).read_text(encoding="utf-8"))


def inline_script(script: str) -> str:
    """Return a script in a form that is safe within <script> tags. Only our own and libraries' scripts are passed."""
    if "</script" in script.lower() or "<!--" in script:
        script = script.replace("</", "<\\/").replace("<!--", "<\\!--")
    return script.replace("\r\n", "\n")


def script_hash(script: str) -> str:
    """Return the script's hash in the form of a content security policy."""
    return f"'sha256-{b64encode(sha256(script.encode()).digest()).decode()}'"
