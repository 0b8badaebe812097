"""``rosetta compare``: what became slower or faster from one run to another."""

from __future__ import annotations

from typing import Annotated

import typer

from rosettabench.cli.completion import complete_runs
from rosettabench.cli.options import Json, StoreUrl
from rosettabench.errors import Slower, UsageError


def compare(
    before: Annotated[
        str,
        typer.Argument(metavar="RUN1", help="The earlier run, or the beginning of it.", autocompletion=complete_runs),
    ],
    after: Annotated[
        str, typer.Argument(metavar="RUN2", help="The later run, or the beginning of it.", autocompletion=complete_runs)
    ],
    confidence: Annotated[
        float, typer.Option(help="Confidence of all verdicts of a workload and setting together.", min=0.5, max=0.9999)
    ] = 0.95,
    margin: Annotated[float, typer.Option(help="A difference that does not matter in practice.", min=0, max=1)] = 0.02,
    json: Json = False,
    store: StoreUrl = None,
) -> None:
    """Say what got slower or faster between two runs.

    The runs did not share rounds, so each contender is compared with those that stayed the same in both, and the
    interval includes the differences between processes. Ends with exit code 8 if something got slower.

    Example: rosetta compare 20261103-0714 20261121-0620
    """
    from functools import cache

    from rosettabench.cli.console import console
    from rosettabench.history.archive import Archive
    from rosettabench.history.cell import stored_contests
    from rosettabench.history.comparison import compare_runs
    from rosettabench.places import store_url
    from rosettabench.report.formats.comparison import print_comparison
    from rosettabench.report.formats.record import as_json
    from rosettabench.report.words.enumeration import enumerate_words
    from rosettabench.store.store import Store
    from rosettabench.summary.measured_contest import measured_contests

    opened = Store.existing(store or store_url())
    first, second = opened.run(before), opened.run(after)
    if first.id == second.id:
        raise UsageError(f"{before!r} and {after!r} are the same run", "Name two; rosetta list runs shows them.")
    earlier = cache(lambda workload: Archive(opened, workload, second.machine).stored_contests)
    there, here = (stored_contests(measured_contests(run)) for run in (first, second))
    found = compare_runs(there, here, earlier, confidence, margin)
    if json:
        typer.echo(as_json({"before": first.id, "after": second.id, "comparisons": found}))
    else:
        print_comparison(found, console())
    slower = [f"{cell.key.contender} on {one.workload}" for one in found for cell in one.cells if cell.regression]
    if slower:
        what = f"slower in {second.id} than in {first.id}: {enumerate_words(slower)}"
        raise Slower(what, "rosetta report shows each run.")
