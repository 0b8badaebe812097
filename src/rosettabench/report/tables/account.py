"""The table that explains the factor between two libraries, and a sentence for each set."""

from __future__ import annotations

from collections.abc import Sequence

from rosettabench.report.tables.table import NOTHING, Column, Table, TableCell
from rosettabench.report.words import figures
from rosettabench.report.words.note import note_words
from rosettabench.summary.account import EQUAL, MODELS, ORDER
from rosettabench.summary.records import Account, Factor

SAID = {
    "input": "input",
    "checkpoints": "checkpoints",
    "start": "setup and the first batch",
    MODELS: "differences between the models and their training loops, such as the unrolled recurrence",
    EQUAL: "what remains at equal work",
    "steps": "the steps, not measured at equal work",
}
"""{factor: its name in a sentence}."""

PARTS = (*ORDER, "steps")

EVERY = "all of these"
"""The name of the sum over sets, in place of a set."""


def account_tables(found: Sequence[Account]) -> tuple[Table, ...]:
    """Return the tables of the factors and of the seconds behind them; empty if there is no account."""
    return (factors_table(found), seconds_table(found)) if any(one.factors for one in found) else ()


def factors_table(found: Sequence[Account]) -> Table:
    """Return the table with a row for each set: the total factor, its factors, and what is missing."""
    columns = (
        Column("set", contender=True),
        Column("as shipped", numeric=True),
        *(Column(name, numeric=True) for name in ORDER),
        Column(MODELS, numeric=True),
        Column(EQUAL, numeric=True),
        Column("without graphs", numeric=True, spare=1),
        Column("missing", spare=2),
    )
    first = found[0]
    caption = (
        f"Where the factor comes from: {first.slow} over {first.fast}, as a product of factors. Input, checkpoints and "
        "start (setup and the first batch) are taken out one after the other. The steps remain: the models and, from "
        "the contests, equal work. Without graphs: how much longer a step at equal work takes in the slow library's "
        "framework without its graphs (dispatch); it is not part of the product. "
        "docs/results/deepar-as-shipped.md defines the factors."
    )
    return Table(caption, columns, tuple(factors_row(one) for one in found))


def factors_row(one: Account) -> tuple[TableCell, ...]:
    """Return the factors of one set. If only the factor of the steps is known, it is in the column of the models."""
    known = {factor.name: factor for factor in one.factors}
    models = known.get(MODELS)
    took = one.dispatch
    dispatch = None if took is None else Factor("without graphs", took.value, took.low, took.high)
    return (
        TableCell(one.series or EVERY, trained_words(one)),
        *(factor_cell(known.get(name)) for name in ("as shipped", *ORDER)),
        factor_cell(models) if models else factor_cell(known.get("steps"), "with equal work"),
        factor_cell(known.get(EQUAL)),
        factor_cell(dispatch),
        TableCell(missing_words(one)),
    )


def factor_cell(factor: Factor | None, note: str = "") -> TableCell:
    """Return a factor with its interval."""
    if factor is None:
        return NOTHING
    bounded = factor.low is not None and factor.high is not None
    return TableCell(
        figures.ratio(factor.value), figures.span(factor.low or 0.0, factor.high or 0.0) if bounded else note
    )


def seconds_table(found: Sequence[Account]) -> Table:
    """Return the table with a row for each set and library: the seconds of a training and of its parts."""
    columns = (
        Column("set", contender=True),
        Column("library", contender=True),
        Column("training", numeric=True),
        *(Column(part, numeric=True) for part in PARTS),
    )
    rows = [
        (
            TableCell("" if place else one.series or EVERY),
            TableCell(label),
            TableCell(figures.seconds(sum(parts.values()))),
            *(
                TableCell(figures.seconds(parts[part]), figures.percent(parts[part] / sum(parts.values())))
                for part in PARTS
            ),
        )
        for one in found
        for place, (label, parts) in enumerate(one.seconds.items())
    ]
    caption = (
        "Where the seconds of a training go, the mean over the seeds that both were trained with (over sets: the sum). "
        "Input is waiting for batches while no step is computed; steps are all but the first batch."
    )
    return Table(caption, columns, tuple(rows))


def account_sentences(found: Sequence[Account]) -> list[tuple[str, str]]:
    """Return (name, sentence) for each set."""
    return [(one.series or EVERY, sentence(one)) for one in found]


def sentence(one: Account) -> str:
    """Return a sentence on the factor between the libraries as shipped, and its factors."""
    if not one.factors:
        return f"No account: {missing_words(one)}."
    whole, *parts = one.factors
    told = ", ".join(f"{factor_words(factor)} {SAID[factor.name]}" for factor in parts)
    faster = f"As shipped {one.slow} trains {figures.ratio(whole.value)} as long as {one.fast}: {told}."
    return f"{faster} Missing: {missing_words(one)}." if one.missing else faster


def trained_words(one: Account) -> str:
    """Return the basis of an account: epochs times seeds, or the number of sets; "" without factors."""
    if not one.factors:
        return ""
    return f"{one.trained} sets" if one.epochs is None else f"{one.epochs} × {one.trained}"


def missing_words(one: Account) -> str:
    """Return why an account is missing or incomplete; "" if it is complete."""
    return note_words(one.missing) if one.missing else ""


def factor_words(factor: Factor) -> str:
    """Return a factor with its interval in brackets."""
    cell = factor_cell(factor)
    return f"{cell.text} ({cell.note})" if cell.note else cell.text
