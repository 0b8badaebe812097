"""``rosetta calibrate``: how often this laboratory is wrong on this machine, found out where the answer is known."""

from __future__ import annotations

import sys
from typing import Annotated, Any

import typer

from rosettabench.cli.completion import complete_contenders, complete_workloads
from rosettabench.cli.laboratory import open_laboratory
from rosettabench.cli.options import Axes, DataDir, Offline, StoreUrl, Timeout
from rosettabench.errors import UsageError
from rosettabench.plan.duration import LONGEST_S


def calibrate(
    workload: Annotated[
        str, typer.Argument(help="The workload to do it with.", autocompletion=complete_workloads)
    ] = "fashion-mlp",
    framework: Annotated[
        str, typer.Option("--framework", "-f", help="The contender.", autocompletion=complete_contenders)
    ] = "pytorch",
    contests: Annotated[int, typer.Option(help="How many contests to make now; 0 only shows those made.", min=0)] = 20,
    planted: Annotated[float, typer.Option(help="The extra work of the planted contender.", min=0.001, max=1)] = 0.05,
    rounds: Annotated[int, typer.Option(help="The most rounds of a contest.", min=8)] = 40,
    processes: Annotated[int, typer.Option(help="Fresh processes of each; 1 is what the suite quick does.", min=1)] = 5,
    round_seconds: Annotated[float, typer.Option(help="How long a round lasts.", min=0.05, max=LONGEST_S)] = 1.0,
    axes: Axes = None,
    data_dir: DataDir = None,
    offline: Offline = False,
    timeout: Timeout = 900.0,
    store: StoreUrl = None,
) -> None:
    """Measure how often verdicts are wrong on this machine.

    Each contest enters one contender three times, in processes of its own: as it is, as it is once more, and with
    planted extra work. Between the first two there is nothing to find; the third is slower by exactly the planted work.
    The table counts all calibration contests in the store, for this workload and contender.

    Example: rosetta calibrate fashion-mlp -f pytorch --contests 20
    """
    from rosettabench.catalogue.suite import Stopping
    from rosettabench.cli.console import console
    from rosettabench.plan.request import Request
    from rosettabench.plan.setting import read_axes
    from rosettabench.report.calibration import print_calibration, trials
    from rosettabench.statistics.evidence import FEWEST_ROUNDS

    fewest = Stopping().rounds[0] if processes > 1 else FEWEST_ROUNDS
    stopping = Stopping(rounds=(min(fewest, rounds), rounds), round_seconds=round_seconds, processes=processes)
    laboratory = open_laboratory(store)
    request = Request(
        workloads=(workload,),
        contenders=(framework,),
        axes=read_axes(axes or []),
        stopping=stopping,
        repeats=max(1, contests),
        planted=planted,
        data_dir=str(data_dir.absolute()) if data_dir else None,
        offline=offline,
        timeout=timeout,
    )
    if contests:
        run = laboratory.begin(request, ["rosetta", *sys.argv[1:]])
        with laboratory.display:
            laboratory.go_on(run)
    alike = [
        laboratory.store.run(run.id)
        for run in laboratory.store.runs()
        if question(run.request) == question(request.model_dump(mode="json"))
    ]
    if not alike:
        raise UsageError("there are no calibration contests of this kind yet", "Leave --contests 0 out to make some.")
    out = console()
    out.print(f"{workload} on {framework}, all calibration contests in this store:")
    print_calibration(trials(alike), out)


def question(request: dict[str, Any]) -> dict[str, Any]:
    """Return what a request asks, however often: contests that ask the same are counted together."""
    return {name: request.get(name) for name in ("workloads", "contenders", "axes", "stopping", "planted")}
