"""``rosetta calibrate``: measure how often verdicts are wrong on this machine, in contests with a known answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from rosettabench.cli.completion import complete_contenders
from rosettabench.cli.laboratory import begin, open_laboratory
from rosettabench.cli.options import Axes, DataDir, MostRounds, Offline, OneRound, OneWorkload, StoreUrl, Timeout

if TYPE_CHECKING:
    from rosettabench.store.schema import Run

Framework = Annotated[str, typer.Option("--framework", "-f", help="The contender.", autocompletion=complete_contenders)]
Contests = Annotated[int, typer.Option(help="How many contests to make now; 0 only shows those made.", min=0)]
Planted = Annotated[float, typer.Option(help="The extra work of the planted contender.", min=0.001, max=1)]
Processes = Annotated[
    int, typer.Option(help="Number of fresh processes of each contender; the suite quick has 1.", min=1)
]


def calibrate(
    workload: OneWorkload = "fashion-mlp",
    framework: Framework = "pytorch",
    contests: Contests = 20,
    planted: Planted = 0.05,
    rounds: MostRounds = 40,
    processes: Processes = 5,
    round_seconds: OneRound = 1.0,
    axes: Axes = None,
    data_dir: DataDir = None,
    offline: Offline = False,
    timeout: Timeout = 900.0,
    store: StoreUrl = None,
) -> None:
    """Measure how often verdicts are wrong on this machine.

    Each contest enters one contender three times, in separate processes: twice unchanged, and once with planted extra
    work. The first two do not differ; the third is slower by exactly the planted work. The table counts all calibration
    contests in the store for this workload and contender.

    Example: rosetta calibrate fashion-mlp -f pytorch --contests 20
    """
    from rosettabench.plan.request import CalibrateRequest, Terms
    from rosettabench.plan.stopping import stopping_of_calibrate
    from rosettabench.summary.calibration import runs_alike

    request = CalibrateRequest(
        **vars(Terms.read(axes, data_dir, offline, timeout)),
        workloads=(workload,),
        contenders=(framework,),
        stopping=stopping_of_calibrate(rounds, round_seconds, processes),
        contests=max(1, contests),
        planted=planted,
    )
    laboratory = open_laboratory(store)
    if contests:
        run = begin(laboratory, request)
        with laboratory.display:
            laboratory.go_on(run)
    tell(runs_alike(laboratory.store, request), f"{workload} on {framework}")


def tell(runs: list[Run], what: str) -> None:
    """Print how often the verdicts of calibration contests were wrong."""
    from rosettabench.cli.console import console
    from rosettabench.report.formats.calibration import print_calibration
    from rosettabench.summary.calibration import known_contests

    out = console()
    out.print(f"{what}, all calibration contests in this store:")
    print_calibration(known_contests(runs), out)
