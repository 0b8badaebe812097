"""``rosetta doctor``: what is missing on this machine, how to fix it, and how noisy the machine is."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from rosettabench.cli.console import console
from rosettabench.cli.options import DataDir
from rosettabench.errors import EnvironmentFault

if TYPE_CHECKING:
    from rosettabench.verify.noise import Noise

PRECISION = 0.02
"""The difference for which the number of rounds is reported: the precision at which suites stop by default."""

HOPELESS = 10
"""The number of rounds is not reported above this multiple of a suite's most rounds."""


def doctor(
    data_dir: DataDir = None,
    noise: Annotated[bool, typer.Option(help="Measure how noisy the machine is, about 3 seconds.")] = True,
) -> None:
    """Say what is missing on this machine and how noisy it is.

    Ends with exit code 3 if something is missing that a suite needs.

    Example: rosetta doctor
    """
    from rosettabench.client.machine import describe_machine
    from rosettabench.report.formats.layout import print_table
    from rosettabench.report.tables.table import Table, TableCell, plain_columns
    from rosettabench.verify.checkup import all_checks

    out = console()
    machine = describe_machine()
    memory = f"{machine['memory_bytes'] / 2**30:.0f} GiB"
    out.print(f"{machine['processor']}, {machine['cores']} cores, {memory}, {machine['system']}")
    checks = list(all_checks(data_dir))
    rows = tuple(
        (TableCell(one.subject), TableCell(one.state, marked=one.state != "ok"), TableCell(one.found, one.remedy))
        for one in checks
    )
    missing = any(one.state == "missing" for one in checks)
    print_table(Table("", plain_columns("what", "state", "found, and what mends it"), rows), out)
    if noise:
        from rosettabench.verify.noise import measure_noise

        if sys.stdout.isatty():
            out.print("Measuring how noisy it is, 3 seconds …")
        out.print(describe_noise(measure_noise(), machine["cores"]))
    if missing:
        raise typer.Exit(EnvironmentFault.exit_code)


def describe_noise(noise: Noise, cores: int) -> str:
    """Return sentences on the noise of the machine, and its effect on a contest."""
    from rosettabench.catalogue.suite import Stopping

    low, high = noise.spread
    rounds, most = noise.rounds(PRECISION), Stopping().rounds[1]
    lines = [
        f"Noise now: the same {1000 * noise.median:.0f} ms of work took {low:.2f} to {high:.2f} times its median "
        f"(90% of {len(noise.seconds)} blocks).",
        f"To measure a ratio to within {PRECISION:.0%}, a contest with blocks that short needs "
        f"{f'about {rounds}' if rounds <= HOPELESS * most else f'more than {HOPELESS * most}'} rounds.",
    ]
    if rounds > most:
        lines.append(
            f"Suites stop after {most} rounds at most: their intervals will be wider than {PRECISION:.0%} here."
        )
    if noise.stolen is not None and noise.stolen >= 0.005:
        lines.append(f"{noise.stolen:.1%} of the processors' time went to other virtual machines on this host.")
    if noise.load is not None:
        busy = ": others are at work here; wait for them, or measure longer" if noise.load > cores else ""
        lines.append(f"Load of the last minute: {noise.load:.1f} on {cores} cores{busy}.")
    return "\n".join(lines)
