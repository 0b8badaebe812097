"""Extracts: of each run, what the other pages of the site show of it, already rendered by the report's own parts.

An extract can be written as JSON beside the page of its run, and read back by the next `rosetta site`, so that only new
runs are summarised again.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pydantic import TypeAdapter

from rosettabench.errors import RosettaError, UsageError
from rosettabench.history.cell import Key, StoredContest
from rosettabench.history.identity import Identity
from rosettabench.history.timeline import Point, RememberedDoubt, points_of
from rosettabench.plan.setting import without_defaults
from rosettabench.report.charts.contest import Charts
from rosettabench.report.site.names import page_name
from rosettabench.report.tables.contest import ranking_table
from rosettabench.report.tables.table import NOTHING, Table, TableCell, estimate_cell, relative_cell
from rosettabench.report.words import contest as sentences
from rosettabench.report.words import figures
from rosettabench.report.words.answer import headline
from rosettabench.report.words.doubt import doubt_words
from rosettabench.report.words.finding import finding_sentence
from rosettabench.report.words.headline import Headline
from rosettabench.report.words.proof import standing_words
from rosettabench.store.kind import RunKind, kind_of
from rosettabench.store.machine import machine_key
from rosettabench.summary.estimate import Estimate
from rosettabench.summary.findings import find_findings
from rosettabench.summary.records import ContestSummary, RunSummary

if TYPE_CHECKING:
    from rosettabench.store.schema import Run

CONFIDENCE = 0.95
"""Of the interval of each point of a history."""

SEVERAL = "rosetta report shows them; the site has one machine for each run."
"""What the site says of a run on machines of several kinds."""


@dataclass(frozen=True)
class PlaceExtract:
    """One contender of a contest: its place, and its figures as cells of tables."""

    label: str
    framework: str
    mode: str
    rank: int | None
    relative: TableCell
    step: TableCell
    standing: str


@dataclass(frozen=True)
class FindingExtract:
    """One finding in a contest: the value of its kind, its contender, the contender's framework, and its sentence."""

    kind: str
    contender: str
    framework: str
    sentence: str


@dataclass(frozen=True)
class ContestExtract:
    """A contest: its answer, its ranking as table and chart, its contenders, and its findings.

    `setting` is JSON with sorted keys, as in a Key of history/cell.py; `words` is the same for a reader.
    """

    name: str
    workload: str
    setting: str
    words: str
    headline: Headline
    ranked: bool
    timed: bool
    ranking: Table
    chart: dict[str, Any] | None
    warning: str
    places: tuple[PlaceExtract, ...]
    findings: tuple[FindingExtract, ...]


@dataclass(frozen=True)
class PointExtract:
    """A Point of history/timeline.py with the key of its cell. `flaw` says why it is not used; "" if it is."""

    key: Key
    label: str
    level: float
    step: Estimate
    flaw: str
    identity: Identity


@dataclass(frozen=True)
class RunExtract:
    """A run: what it was asked, where and when, how it ended, and its contests.

    `machine` is the key of store/machine.py, `facts` are the machine as recorded. `stem` is the name of its files
    without suffix. `fault` is why its contents cannot be shown; "" if they can.
    """

    id: str
    at: str
    kind: RunKind
    state: str
    command: str
    machine: str
    facts: dict[str, Any]
    stem: str
    labels: tuple[str, ...]
    contests: tuple[ContestExtract, ...]
    points: tuple[PointExtract, ...]
    fault: str = ""

    @property
    def workloads(self) -> tuple[str, ...]:
        """Its workloads, each once."""
        return tuple(dict.fromkeys(one.workload for one in self.contests))

    @property
    def frameworks(self) -> tuple[str, ...]:
        """Its frameworks, each once."""
        return tuple(dict.fromkeys(place.framework for one in self.contests for place in one.places))


EXTRACTS = TypeAdapter(RunExtract)
"""Reads and writes extracts."""


def extract_run(
    run: Run, summary: RunSummary, stored_contests: Sequence[StoredContest], charts: Sequence[Charts]
) -> RunExtract:
    """Return the extract of a run from its summary, its contests as history/cell.py has them, and their charts.

    A run on machines of several kinds is not shown: the site has one machine for each run.
    """
    if len(summary.by_machine) > 1:
        return unreadable_run(run, UsageError("its contests were measured on several kinds of machines", SEVERAL))
    return RunExtract(
        id=run.id,
        at=run.at,
        kind=kind_of(run.request),
        state=summary.state,
        command=shlex.join(summary.command),
        machine=machine_key(summary.machine),
        facts=summary.machine,
        stem=page_name(run.id),
        labels=summary.labels,
        contests=tuple(
            extract_contest(contest, drawn.get("ranking"))
            for contest, drawn in zip(summary.contests, charts, strict=True)
        ),
        points=tuple(
            PointExtract(key, one.label, one.level, one.step, doubt_words(one.flaw) if one.flaw else "", one.identity)
            for key, one in points_of(stored_contests, CONFIDENCE)
        ),
    )


def unreadable_run(run: Run, error: RosettaError) -> RunExtract:
    """Return the extract of a run that this version cannot read."""
    return RunExtract(
        id=run.id,
        at=run.at,
        kind=kind_of(run.request),
        state="not readable",
        command=shlex.join(run.command),
        machine=machine_key(run.machine),
        facts=run.machine,
        stem=page_name(run.id),
        labels=(),
        contests=(),
        points=(),
        fault=f"{error.what}. {error.hint}".strip(),
    )


def extract_contest(contest: ContestSummary, chart: dict[str, Any] | None) -> ContestExtract:
    """Return the extract of a contest; `chart` is that of its ranking."""
    frameworks = {entry.label: entry.framework for entry in contest.entries}
    stated = without_defaults(contest.setting)
    return ContestExtract(
        name=contest.name,
        workload=contest.workload,
        setting=json.dumps(contest.setting, sort_keys=True),
        words=", ".join(f"{name.replace('_', ' ')} {value}" for name, value in stated.items()),
        headline=headline(contest),
        ranked=bool(contest.ranked),
        timed=bool(contest.timed),
        ranking=ranking_table(contest),
        chart=chart,
        warning=sentences.warning(contest),
        places=tuple(
            PlaceExtract(
                entry.label,
                entry.framework,
                entry.mode,
                entry.rank,
                relative_cell(entry.relative) if entry.relative else NOTHING,
                estimate_cell(entry.step, figures.seconds, figures.seconds_span),
                standing_words(entry),
            )
            for entry in contest.entries
            if entry.control_of is None
        ),
        findings=tuple(
            FindingExtract(one.kind, one.contender, frameworks.get(one.contender, ""), finding_sentence(one))
            for one in find_findings(contest)
        ),
    )


def remember(run: RunExtract, one: PointExtract) -> Point:
    """Return a point of a run's extract as history/timeline.py knows it."""
    flaw = RememberedDoubt(one.flaw) if one.flaw else None
    return Point(run.id, run.at, one.label, one.level, one.step, flaw, one.identity, run.facts)


def write_extract(found: RunExtract) -> bytes:
    """Return an extract as JSON."""
    return json.dumps(EXTRACTS.dump_python(found)).encode()


def read_extract(text: bytes) -> RunExtract:
    """Return an extract from its JSON. Raises ValueError for any other text."""
    return EXTRACTS.validate_python(json.loads(text))
