"""The pages of the site but those of runs. All addresses are relative, so that it opens from a folder, too."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from rosettabench.report.charts.timeline import line_names, timeline_spec
from rosettabench.report.formats.html import Frame, environment, libraries, page_data, resource
from rosettabench.report.formats.timeline import level_change_sentence, quiet_sentence, timeline_table
from rosettabench.report.site.contents import ContestSeries, FindingGroup, SiteContents, frameworks_in, places_of
from rosettabench.report.site.names import page_name
from rosettabench.report.tables.table import Table
from rosettabench.report.words.finding import MEANINGS
from rosettabench.report.words.machine import MACHINE, machine_value

if TYPE_CHECKING:
    from rosettabench.history.timeline import Timeline

LISTED = 100
"""Runs of a cell that its table shows: the newest. The chart shows all."""

COLOURED = 200
"""Contenders of a page that have a colour of their own."""

NAVIGATION = {
    "Results": "index.html",
    "Workloads": "workloads/index.html",
    "Frameworks": "frameworks/index.html",
    "Machines": "machines/index.html",
    "History": "history.html",
    "Findings": "findings/index.html",
    "Proofs": "proofs.html",
    "Runs": "runs/index.html",
}
"""{text: address} of the links above each page."""

SCRIPTS = ("assets/vega.js", "assets/report.js", "assets/site.js")
"""The scripts of every page."""


@dataclass(frozen=True)
class Address:
    """The addresses of pages, seen from one that is `root` away from the start: "" or "../"."""

    root: str

    def workload(self, name: str) -> str:
        """Return the address of a workload's page."""
        return f"{self.root}workloads/{page_name(name)}.html"

    def framework(self, name: str) -> str:
        """Return the address of a framework's page."""
        return f"{self.root}frameworks/{page_name(name)}.html"

    def machine(self, key: str) -> str:
        """Return the address of a machine's page."""
        return f"{self.root}machines/{page_name(key)}.html"

    def finding(self, group: FindingGroup) -> str:
        """Return the address of a finding's page."""
        return f"{self.root}findings/{finding_name(group)}.html"

    def run(self, stem: str) -> str:
        """Return the address of a run's page."""
        return f"{self.root}runs/{stem}.html"

    def data(self, stem: str, suffix: str) -> str:
        """Return the address of a run's raw data."""
        return f"{self.root}data/{stem}.{suffix}"


def finding_name(group: FindingGroup) -> str:
    """Return the name of a finding's file."""
    return page_name("\n".join((group.kind, group.workload, group.contender, group.machine)))


def links_from(page: str) -> tuple[tuple[str, str], ...]:
    """Return the links above a page; that to itself has no address."""
    root = "../" * page.count("/")
    return tuple((text, "" if address == page else root + address) for text, address in NAVIGATION.items())


def run_frame(stem: str) -> Frame:
    """Return what is around the report of a run."""
    page = f"runs/{stem}.html"
    files = {suffix: f"../data/{stem}.{suffix}" for suffix in ("csv", "json")}
    return Frame(links_from(page), tuple(f"../{script}" for script in SCRIPTS[:2]), files)


def render_assets() -> Iterator[tuple[str, bytes]]:
    """Yield (path, content) of the files that all pages share."""
    yield "assets/vega.js", libraries().encode()
    yield "assets/report.js", resource("report.js").encode()
    yield "assets/site.js", resource("site.js").encode()
    style = (
        environment()
        .get_template("site.css.j2")
        .render(
            styles=[resource("report.css"), resource("site.css")],
            coloured=[f"c{place}" for place in range(COLOURED)],
        )
    )
    yield "assets/site.css", style.encode()


class Pages:
    """Renders the pages from the contents of a store; `proofs` are (heading, table) of the matrices."""

    def __init__(self, contents: SiteContents, proofs: Sequence[tuple[str, Table]], damaged: Sequence[str]) -> None:
        """`damaged` are the keys of damaged certificates, which the page of proofs names. Nothing is rendered yet."""
        self.contents = contents
        self.proofs = proofs
        self.damaged = damaged

    @cached_property
    def templates(self) -> Any:  # noqa: ANN401 (jinja2 is imported late)
        """The environment of the templates."""
        found = environment()
        found.globals.update(
            meanings=MEANINGS,
            level_change_sentence=level_change_sentence,
            quiet_sentence=quiet_sentence,
            history_table=history_table,
            line_names=line_names,
            places_of=places_of,
            listed=LISTED,
        )
        found.filters.update(twice=lambda text: (text, text), frameworks_in=frameworks_in, frameworks_of=frameworks_of)
        return found

    def all(self) -> Iterator[tuple[str, bytes]]:
        """Yield (path, content) of every page."""
        yield self.page("index.html", "start", "Results")
        yield self.page("history.html", "history", "History")
        yield self.page("proofs.html", "proofs", "Proofs of equal work", proofs=self.proofs, damaged=self.damaged)
        yield self.page("workloads/index.html", "workloads", "Workloads")
        yield self.page("frameworks/index.html", "frameworks", "Frameworks")
        yield self.page("machines/index.html", "machines", "Machines")
        yield self.page("findings/index.html", "findings", "Findings")
        yield self.page("runs/index.html", "runs", "Runs")
        for name in self.contents.workloads:
            yield self.workload(name)
        for name in self.contents.frameworks:
            yield self.framework(name)
        for key, title in self.contents.machines.items():
            yield self.machine(key, title)
        for group in self.contents.findings:
            yield self.page(f"findings/{finding_name(group)}.html", "finding", group.title, group=group)

    def workload(self, name: str) -> tuple[str, bytes]:
        """Return the page of a workload: its newest answers, their histories and earlier contests."""
        series = [one for one in self.contents.series if one.workload == name]
        labels = labels_of(series)
        charts: dict[str, Any] = {}
        for place, one in enumerate(series):
            ranking, history = one.newest.contest.chart, timeline_spec(one.timelines, labels)
            if ranking:
                charts[f"ranking-{place}"] = recolour(ranking, list(one.newest.run.labels), list(labels))
            if history:
                charts[f"history-{place}"] = history
        values = {"series": series, "charts": charts, "labels": labels}
        return self.page(f"workloads/{page_name(name)}.html", "workload", name, **values)

    def framework(self, name: str) -> tuple[str, bytes]:
        """Return the page of a framework: its place in the newest contest of every series, and its findings."""
        series = self.contents.with_framework(name)
        findings = [one for one in self.contents.findings if name in frameworks_of(one)]
        return self.page(
            f"frameworks/{page_name(name)}.html", "framework", name, series=series, framework=name, findings=findings
        )

    def machine(self, key: str, title: str) -> tuple[str, bytes]:
        """Return the page of a machine: its newest answers, its facts, its runs."""
        newest = next(one for one in self.contents.runs if one.machine == key)
        return self.page(
            f"machines/{page_name(key)}.html",
            "machine",
            title,
            key=key,
            facts=[
                (MACHINE.get(name, name.replace("_", " ")), machine_value(name, value))
                for name, value in newest.facts.items()
            ],
        )

    def page(self, path: str, template: str, title: str, **values: Any) -> tuple[str, bytes]:  # noqa: ANN401
        """Return (path, content) of one page."""
        charts: Mapping[str, Any] = values.get("charts", {})
        root = "../" * path.count("/")
        text = self.templates.get_template(f"site-{template}.html.j2").render(
            title=title,
            contents=self.contents,
            address=Address(root),
            root=root,
            links=links_from(path),
            scripts=SCRIPTS if charts else SCRIPTS[2:],
            data=page_data(charts) if charts else None,
            **values,
        )
        return path, text.encode()


def labels_of(series: Sequence[ContestSeries]) -> tuple[str, ...]:
    """Return the contenders of a page, each once: a contender has one colour on it."""
    ranked = [place.label for one in series for place in one.newest.contest.places]
    return tuple(dict.fromkeys([*ranked, *(name for one in series for name in line_names(one.timelines))]))


def recolour(spec: Any, run: list[str], page: list[str]) -> Any:  # noqa: ANN401 (any part of a specification)
    """Return a chart whose colours and marks go by the contenders of a page instead of those of its run."""
    if isinstance(spec, dict):
        return {
            name: page if name == "domain" and part == run else recolour(part, run, page) for name, part in spec.items()
        }
    return [recolour(part, run, page) for part in spec] if isinstance(spec, list) else spec


def frameworks_of(group: FindingGroup) -> set[str]:
    """Return the frameworks that a finding is about: that of its contender, or of the pair that it names."""
    if group.framework:
        return {group.framework}
    pair = set(group.contender.split(" and ")) if group.contender else set()
    places = group.occurrences[0].held.contest.places
    return {place.framework for place in places if place.label in pair}


def history_table(one: Timeline) -> Table:
    """Return the table of a history without its bars, which the chart shows; the newest LISTED runs."""
    table = timeline_table(replace(one, points=one.points[-LISTED:]))
    kept = [place for place, column in enumerate(table.columns) if column.title != "level"]
    columns = tuple(table.columns[place] for place in kept)
    return replace(table, columns=columns, rows=tuple(tuple(row[place] for place in kept) for row in table.rows))
