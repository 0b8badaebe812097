"""Completion in the shell with the Tab key: names from the catalogue, and runs from the store.

In a list such as ``-f pytorch,jax``, the word after the last comma is completed.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from rosettabench.errors import RosettaError

if TYPE_CHECKING:
    from rosettabench.catalogue.contender import Contender

Offers = list[tuple[str, str]]
"""Possible completions, each with a description."""

KINDS = ("workloads", "frameworks", "suites", "environments", "runs")
"""The kinds of things that ``rosetta list`` lists."""


def complete_kind(incomplete: str) -> list[str]:
    """Offer the kinds of ``rosetta list``."""
    return [kind for kind in KINDS if kind.startswith(incomplete)]


def complete_workloads(incomplete: str) -> Offers:
    """Offer workloads."""
    from rosettabench.catalogue.workload import all_workloads

    return [(name, workload.title) for name, workload in all_workloads().items() if name.startswith(incomplete)]


def complete_suites(incomplete: str) -> Offers:
    """Offer suites."""
    from rosettabench.catalogue.suite import all_suites

    return [(name, suite.title) for name, suite in all_suites().items() if name.startswith(incomplete)]


def complete_studies(incomplete: str) -> Offers:
    """Offer published studies."""
    from rosettabench.published.study import all_studies

    return [(name, study.title) for name, study in all_studies().items() if name.startswith(incomplete)]


def complete_work(incomplete: str) -> Offers:
    """Offer workloads and suites, for arguments that take either."""
    return [*complete_workloads(incomplete), *complete_suites(incomplete)]


def complete_contenders(incomplete: str) -> Offers:
    """Offer contenders, each framework in each of its releases and modes, for a list with commas."""
    from rosettabench.catalogue.contender import every_contender

    return behind_comma(incomplete, [(one.label, describe_contender(one)) for one in every_contender()])


def describe_contender(contender: Contender) -> str:
    """Return a contender in words: its framework's title, with a release; or its mode."""
    entry = contender.entry
    if contender.mode != entry.mode:
        return entry.modes[contender.mode]
    return entry.title if contender.lock == entry.locks[0] else f"{entry.title} {contender.release}"


def complete_frameworks(incomplete: str) -> Offers:
    """Offer frameworks, including references, for a list with commas."""
    from rosettabench.catalogue.framework import all_frameworks

    written = {name: entry.title for name, entry in all_frameworks().items() if entry.files is None}
    return behind_comma(incomplete, list(written.items()))


def complete_data_sets(incomplete: str) -> Offers:
    """Offer the data sets of workloads."""
    from rosettabench.catalogue.workload import all_workloads
    from rosettabench.data.registry import data_set

    names = sorted({workload.data.set for workload in all_workloads().values()})
    return [(name, data_set(name).title) for name in names if name.startswith(incomplete)]


def complete_sets(incomplete: str) -> Offers:
    """Offer sets of the Monash archive."""
    from rosettabench.data.series.monash import all_monash_sets

    return [(key, one.title) for key, one in all_monash_sets().items() if key.startswith(incomplete)]


def complete_libraries(incomplete: str) -> Offers:
    """Offer libraries that train as shipped, for a list with commas."""
    from rosettabench.shipped.library import all_libraries

    return behind_comma(incomplete, [(name, library.title) for name, library in all_libraries().items()])


def complete_runs(incomplete: str) -> Offers:
    """Offer the runs in the store."""
    from rosettabench.cli.stored import stored_runs

    try:
        return [(run.id, " ".join(run.command)) for run in stored_runs(None) if run.id.startswith(incomplete)]
    except RosettaError:  # an error message would appear in the middle of the typed line: offer nothing
        return []


def behind_comma(incomplete: str, offers: Iterable[tuple[str, str]]) -> Offers:
    """Complete the last word of a list with commas, without the words that the list already has."""
    before, comma, last = incomplete.rpartition(",")
    taken = before.split(",")
    return [(before + comma + word, told) for word, told in offers if word.startswith(last) and word not in taken]
