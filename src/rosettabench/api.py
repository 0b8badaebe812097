"""The laboratory from Python: prove and run workloads, and get the results as objects.

    import rosettabench

    proofs = rosettabench.prove("./my-gpt")
    assert proofs.proven, proofs.causes
    result = rosettabench.run("./my-gpt", frameworks=["pytorch", "jax"])

The commands ``rosetta prove`` and ``rosetta run`` are built on the same classes and write to the same store.
"""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rosettabench.catalogue.suite import MAIN, Stopping, find_suite
from rosettabench.cluster.sweep import cluster_at, spread
from rosettabench.errors import UsageError
from rosettabench.lab.begin import begin_run
from rosettabench.lab.display import Display, Silent
from rosettabench.lab.run import Laboratory
from rosettabench.places import cache_dir, store_url
from rosettabench.plan.own import absolute_paths, own_contenders
from rosettabench.plan.request import ProveRequest, RunRequest, Terms
from rosettabench.resources.processors import usable_cores
from rosettabench.store.store import Store
from rosettabench.summary.records import ContestSummary, EntrySummary, RunSummary
from rosettabench.summary.run import summarise

Names = Sequence[str | Path]
"""Workloads: names of the catalogue, or paths of folders."""


@dataclass(frozen=True)
class RunResult:
    """The results of a run. In a notebook it is shown as the report."""

    summary: RunSummary

    @property
    def contests(self) -> Sequence[ContestSummary]:
        """The contests, one for each workload and setting."""
        return self.summary.contests

    @property
    def entries(self) -> dict[tuple[str, str], EntrySummary]:
        """{(contest, contender): its results}."""
        return {(contest.name, one.label): one for contest in self.contests for one in contest.entries}

    @property
    def proven(self) -> bool:
        """Whether there are contenders, and each is proven to do equal work."""
        return bool(self.entries) and all(entry.proof.holds for entry in self.entries.values())

    @property
    def causes(self) -> dict[tuple[str, str], str]:
        """{(contest, contender): why it is not proven, and the likely cause}, without those that are proven."""
        from rosettabench.report.words.proof import proof_words

        failed = {key: entry for key, entry in self.entries.items() if not entry.proof.holds}
        return {
            key: "; ".join(
                [proof_words(one.proof), *filter(None, [one.proof.cause]), *(fault.what for fault in one.faults)]
            )
            for key, one in failed.items()
        }

    def save(self, path: str | Path) -> Path:
        """Write the report, in the form that the ending names: html, md, csv, json or png. Return the path."""
        from rosettabench.files import replace_file
        from rosettabench.report.formats.form import Format, render

        path = Path(path)
        form = next((one for one in Format if one.suffix == path.suffix.removeprefix(".")), None)
        if form is None or form is Format.TERMINAL:
            raise UsageError(f"{path} ends in no form of a report", "Write to a file that ends in .html, .md or .json.")
        replace_file(path, render(self.summary, form))
        return path

    def _repr_html_(self) -> str:
        """Return the report as a frame, in which its styles change nothing of the notebook."""
        from rosettabench.report.formats.form import Format, render_text

        page = html.escape(render_text(self.summary, Format.HTML), quote=True)
        return f'<iframe srcdoc="{page}" style="width:100%;height:40em;border:0"></iframe>'


def prove(
    *workloads: str | Path,
    frameworks: Sequence[str] = (),
    axes: Mapping[str, Any] | None = None,
    data_dir: str | Path | None = None,
    offline: bool = False,
    timeout: float = 900.0,
    store: str | None = None,
    display: Display | None = None,
) -> RunResult:
    """Prove that contenders do equal work, and time nothing.

    `workloads` are names of the catalogue or paths of folders; `frameworks` contenders as the command line writes them,
    by default those that a folder is written in, else those of the main suite. `axes` maps axes to values:
    ``{"batch_size": 64}``. `store` is where results are kept, by default that of the command line. `display` shows
    progress; by default nothing is shown.

    Raises UsageError for an unknown name, or a folder that lacks something; ProofError and WorkerError are part of
    the result, not raised.
    """
    terms = terms_of({"threads": 1, **(axes or {})}, data_dir, offline, timeout)  # as many at a time as processors
    asked, named = names_of(workloads, frameworks)
    request = ProveRequest(**vars(terms), workloads=asked, contenders=named, jobs=usable_cores(), prove_again=True)
    return conduct(request, store, display)


def run(
    *workloads: str | Path,
    frameworks: Sequence[str] = (),
    axes: Mapping[str, Any] | None = None,
    stopping: Stopping | None = None,
    control: bool = True,
    data_dir: str | Path | None = None,
    offline: bool = False,
    timeout: float = 900.0,
    store: str | None = None,
    display: Display | None = None,
    on: str | None = None,
) -> RunResult:
    """Prove that contenders do equal work, then time them in turns.

    `stopping` says when a contest ends; by default as the documentation says, with five fresh processes of each
    contender. `control` enters the first contender twice. `on` is the address of a Ray cluster over which the contests
    are spread, or "ray". The other arguments, and what is raised, are those of `prove`.
    """
    asked, named = names_of(workloads, frameworks)
    terms = terms_of(axes, data_dir, offline, timeout)
    request = RunRequest(
        **vars(terms), workloads=asked, contenders=named, stopping=stopping or Stopping(), control=control
    )
    return conduct(request, store, display, on)


def names_of(workloads: Names, frameworks: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the workloads and contenders of a request."""
    if not workloads:
        raise UsageError("name a workload, or the path of a folder", 'Example: rosettabench.prove("./my-gpt")')
    asked = absolute_paths(one if isinstance(one, str) else str(one.absolute()) for one in workloads)
    return asked, tuple(frameworks) or own_contenders(asked) or find_suite(MAIN).contenders


def terms_of(axes: Mapping[str, Any] | None, data_dir: str | Path | None, offline: bool, timeout: float) -> Terms:
    """Return the terms of a request. Raises UsageError for an unknown axis, or a value that it does not have."""
    words = [f"{axis}={value}" for axis, value in (axes or {}).items()]
    return Terms.read(words, Path(data_dir) if data_dir else None, offline, timeout)


def conduct(
    request: ProveRequest | RunRequest, store: str | None, display: Display | None, on: str | None = None
) -> RunResult:
    """Do what a request asks, on the Ray cluster at the address `on` if there is one; return what was found."""
    shown = display or Silent()
    laboratory = Laboratory(Store(store or store_url()), cache_dir(), shown)
    with cluster_at(on, request) as cluster:
        started = begin_run(laboratory.store, request, ["rosettabench", request.kind.value])
        with shown:
            if cluster is None:
                laboratory.go_on(started)
            else:
                spread(laboratory, started, cluster)
    return RunResult(summarise(laboratory.store.run(started.id)))
