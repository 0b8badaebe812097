"""Options and arguments that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from rosettabench.cli.completion import complete_contenders, complete_workloads
from rosettabench.errors import UsageError
from rosettabench.plan.duration import LONGEST_S

Workloads = Annotated[
    list[str] | None,
    typer.Argument(help="Workloads; by default those of the suite.", autocompletion=complete_workloads),
]


Frameworks = Annotated[
    list[str] | None,
    typer.Option(
        "--frameworks",
        "-f",
        help="Contenders, separated by commas: pytorch, pytorch:compiled, pytorch@2.13.0, keras[tensorflow].",
        autocompletion=complete_contenders,
    ),
]


Python = Annotated[
    list[str] | None,
    typer.Option(
        help="Measure the frameworks of this interpreter instead of managed environments; framework=interpreter "
        "for one framework, which may be repeated."
    ),
]


Axes = Annotated[list[str] | None, typer.Option("--set", help="Values on an axis: batch_size=32,256.")]


def not_empty(option: typer.CallbackParam, value: str | None) -> str | None:
    """Return the value of an option. Raises UsageError if it is empty, which is surely a mistake."""
    if value is not None and not value.strip():
        raise UsageError(f"{option.opts[0]} is empty", "Leave it out, or name something: --help explains it.")
    return value


def read_folder(text: str) -> Path:
    """Return the folder of an option. Raises UsageError for an empty name, which Path takes for the current folder."""
    if not text.strip():
        raise UsageError("the name of the folder is empty", "Leave --data-dir out, or name one; . is this folder.")
    return Path(text)


DataDir = Annotated[
    Path | None,
    typer.Option(
        help="Folder with the original data sets.",
        envvar="ROSETTA_DATA",
        show_default=False,
        parser=read_folder,
        metavar="<path>",
    ),
]


StoreUrl = Annotated[
    str | None,
    typer.Option(
        "--store", help="Where results are stored: a URL, or a file.", envvar="ROSETTA_STORE", callback=not_empty
    ),
]


Offline = Annotated[bool, typer.Option("--offline", help="Download no data; use a stand-in for missing data.")]


On = Annotated[
    str | None,
    typer.Option(
        "--on",
        help="Spread the contests over the nodes of a Ray cluster: HOST:PORT or ray://HOST:PORT; ray for this machine "
        "alone (docs/guide/ray.md).",
        metavar="ADDRESS",
        callback=not_empty,
    ),
]


Again = Annotated[bool, typer.Option("--prove-again", help="Prove again what is already proven.")]


Timeout = Annotated[float, typer.Option(help="Seconds after which a silent worker is stopped.", min=1, max=LONGEST_S)]


Budget = Annotated[
    str | None, typer.Option(help="Time for the whole run, such as 10m or 1h. What does not fit is skipped and listed.")
]


Confidence = Annotated[float, typer.Option(help="Confidence of all verdicts together.", min=0.5, max=0.9999)]


RoundSeconds = Annotated[
    float | None, typer.Option(help="Seconds of a round of all contenders.", min=0.05, max=LONGEST_S)
]


OneWorkload = Annotated[str, typer.Argument(help="The workload.", autocompletion=complete_workloads)]

Threads = Annotated[int | None, typer.Option(help="Threads of each contender; by default all processors.", min=1)]

EachConfidence = Annotated[float, typer.Option(help="Confidence of each interval.", min=0.5, max=0.9999)]

Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]

OneRound = Annotated[float, typer.Option(help="Seconds of a round.", min=0.05, max=LONGEST_S)]

MostRounds = Annotated[int, typer.Option(help="The most rounds of a contest.", min=8)]

Verbose = Annotated[
    bool, typer.Option("--verbose", "-v", help="Print costs, resources, spreads and what was watched, too.")
]


Page = Annotated[Path | None, typer.Option("--report", help="Where to write the HTML report.", show_default=False)]


def split(frameworks: list[str] | None) -> tuple[str, ...]:
    """Return contenders from one or several -f options, each with commas between names."""
    return tuple(word.strip() for text in frameworks or [] for word in text.split(",") if word.strip())
