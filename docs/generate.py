"""Write the parts of the pages that the code itself states: commands, exit codes, axes, catalogue, protocol and more.

    .venv/bin/python docs/generate.py            write every part anew
    .venv/bin/python docs/generate.py --check    write nothing, name the pages that are stale, and end with 1

A part stands between ``<!-- generated: NAME -->`` and ``<!-- end -->``, on any page; the prose around it is written by
hand. No framework is imported, and nothing in a part depends on the machine.
"""

from __future__ import annotations

import ast
import inspect
import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from typer.core import TyperGroup

from rosettabench import errors
from rosettabench.catalogue.contender import modes_of
from rosettabench.catalogue.framework import FrameworkEntry, competing_frameworks
from rosettabench.catalogue.workload import Workload, all_workloads
from rosettabench.cli import OTHER_ENDS, app
from rosettabench.client.messages import MESSAGES, Message
from rosettabench.client.replies import REPLIES, TRAININGS, Reply
from rosettabench.environments.lock import load_lock
from rosettabench.plan.proof_steps import steps_of
from rosettabench.plan.setting import AXES, Axis, canonical_setting
from rosettabench.proof.register import read_register
from rosettabench.proof.standing import registered_cells
from rosettabench.report.formats.markdown import escape_text, table_markdown
from rosettabench.report.tables.matrix import matrix_table
from rosettabench.report.tables.switches import switches_markdown

if TYPE_CHECKING:
    from typer._click import Command, Context, Parameter

DOCS = Path(__file__).resolve().parent

PART = re.compile(r"(<!-- generated: ([\w ]+) -->\n\n).*?(\n\n<!-- end -->)", re.DOTALL)

SPECIAL = re.compile(r"(`[^`]+`|docs/[\w/-]+\.md(?:#[\w-]+)?)")
"""What a docstring or a help text means as it stands: code, and a page of the docs."""

EVERYWHERE = ("debug", "help")
"""Options that every command has: they are told once, of ``rosetta`` itself."""


def main(arguments: Sequence[str], docs: Path = DOCS) -> int:
    """Write the pages below `docs`, or check them; return the exit code."""
    stale = {page: text for page, text in generated(docs) if text != page.read_text(encoding="utf-8")}
    if "--check" not in arguments:
        for page, text in stale.items():
            page.write_text(text, encoding="utf-8")
    for page in stale:
        print("stale:" if "--check" in arguments else "written:", page.relative_to(docs.parent))
    return 1 if stale and "--check" in arguments else 0


def generated(docs: Path) -> Iterator[tuple[Path, str]]:
    """Yield every page that has generated parts, with the text that it should have."""
    for page in sorted(docs.rglob("*.md")):
        text = page.read_text(encoding="utf-8")
        if PART.search(text):
            up = "../" * len(page.parent.relative_to(docs).parts)
            made = PART.sub(lambda part: part[1] + PARTS[part[2]]() + part[3], text)
            yield page, made.replace("](docs/", f"]({up}")


# -- words into Markdown -----------------------------------------------------------------------------------------------


def prose(text: str) -> str:
    """Return what a docstring or a help text says, on one line: code stays, pages become links to docs/…."""
    words = SPECIAL.split(" ".join(text.split()))
    return "".join(page_link(word) if place % 2 else escape_text(word) for place, word in enumerate(words))


def page_link(word: str) -> str:
    """Return a link to a page of the docs, and code as it is."""
    return word if word.startswith("`") else f"[{Path(word.partition('#')[0]).name}]({word})"


def code(text: str) -> str:
    """Return `text` as code in a table."""
    return "`" + text.replace("|", "\\|") + "`"


def table(heads: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Return a table of cells that are Markdown already."""
    lines = [tuple(heads), *map(tuple, rows)]
    lines.insert(1, ("---",) * len(lines[0]))
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)


# -- commands ----------------------------------------------------------------------------------------------------------


def commands() -> str:
    """Return a section for each command, in the order of ``rosetta --help``."""
    root = typer.main.get_command(app)
    return "\n\n".join(sections(root, root.make_context("rosetta", [], resilient_parsing=True)))


def sections(command: Command, context: Context) -> Iterator[str]:
    """Yield the section of a command, and those of the commands below it."""
    group = command if isinstance(command, TyperGroup) else None
    below = [inner(group, name, context) for name in group.list_commands(context)] if group else []
    yield "\n\n".join(filter(None, section(command, context, below)))
    for one, its_context in below:
        yield from sections(one, its_context)


def section(command: Command, context: Context, below: Sequence[tuple[Command, Context]]) -> Iterator[str]:
    """Yield heading, text, usage, commands below, arguments, options and examples of a command."""
    yield "#" * max(2, context.command_path.count(" ") + 1) + f" {context.command_path}"
    yield from map(prose, inspect.cleandoc(command.help or "").split("\n\n"))
    yield "    " + " ".join([context.command_path, *command.collect_usage_pieces(context)])
    if below:
        yield table(["command", "meaning"], [(command_link(its_context), summary(one)) for one, its_context in below])
    shown = [one for one in command.get_params(context) if not context.parent or one.name not in EVERYWHERE]
    for kind in ("argument", "option"):
        rows = [row(one, context) for one in shown if one.param_type_name == kind]
        if rows:
            yield table([kind, "meaning", "default"], rows)
    examples = re.findall(r"^Example: (.+)$", command.epilog or "", re.MULTILINE)
    if examples:
        yield "Examples:" if len(examples) > 1 else "Example:"
        yield "\n".join(f"    {example}" for example in examples)


def inner(group: TyperGroup, name: str, context: Context) -> tuple[Command, Context]:
    """Return a command of a group, with its context."""
    command = group.get_command(context, name)
    assert command is not None
    return command, command.make_context(name, [], parent=context, resilient_parsing=True)


def command_link(context: Context) -> str:
    """Return a link to the section of a command."""
    return f"[{code(context.command_path)}](#{context.command_path.replace(' ', '-')})"


def summary(command: Command) -> str:
    """Return the first sentence about a command."""
    return prose(inspect.cleandoc(command.help or "").partition("\n\n")[0])


def row(parameter: Parameter, context: Context) -> tuple[str, str, str]:
    """Return an argument or option, what it means with its limits, and its default: as --help says it all."""
    name, text = parameter.get_help_record(context) or ("", "")
    told, _, extra = text.removesuffix("]").partition("  [") if text.endswith("]") else (text, "", "")
    facts = extra.split("; ") if extra else []
    default = next((one.removeprefix("default: ") for one in facts if one.startswith("default: ")), "")
    limits = [f"({limit_words(one)})" for one in facts if not one.startswith("default: ")]
    return code(name), " ".join([prose(told), *limits]), code(default) if default else ""


def limit_words(fact: str) -> str:
    """Return what --help says of a parameter in brackets: a variable, that it is required, or its range."""
    if fact.startswith("env var: "):
        return f"variable {code(fact.removeprefix('env var: '))}"
    return fact if fact == "required" else code(re.sub(r"(\d)\.0\b", r"\1", fact))


# -- exit codes, axes, matrix ------------------------------------------------------------------------------------------


def exit_codes() -> str:
    """Return the table of exit codes: those of the classes of errors, and those that belong to none."""
    kinds = [one for one in vars(errors).values() if isinstance(one, type) and issubclass(one, errors.RosettaError)]
    rows = {one.exit_code: (code(one.__name__), prose(one.__doc__ or "")) for one in kinds}
    rows |= {number: (word, prose(when)) for number, (word, when) in OTHER_ENDS.items()}
    return table(["code", "kind", "when"], [(str(number), *cells) for number, cells in sorted(rows.items())])


def axes() -> str:
    """Return the table of axes."""
    return table(["axis", "meaning", "values", "default"], [axis_row(name, axis) for name, axis in AXES.items()])


def axis_row(name: str, axis: Axis) -> tuple[str, str, str, str]:
    """Return an axis, what it means, its values and its default."""
    meaning = prose(axis.meaning) + (f" More: {prose('docs/' + axis.page)}" if axis.page else "")
    values = axis.values if isinstance(axis.values, str) else ", ".join(map(code, axis.values))
    workload = next(iter(all_workloads().values()))
    return code(name), meaning, values, axis.default or code(str(getattr(canonical_setting(workload), name)))


def matrix() -> str:
    """Return the table of every cell, as the register has it."""
    return table_markdown(
        matrix_table(registered_cells(all_workloads().values(), list(competing_frameworks().values()), read_register()))
    )


# -- the catalogue -----------------------------------------------------------------------------------------------------


def frameworks() -> str:
    """Return the table of frameworks: their modes, their environments, and on how many workloads each works."""
    every = all_workloads().values()
    rows = [
        (
            code(name),
            prose(entry.title),
            "<br>".join(mode_words(entry, mode) for mode in modes_of(entry)),
            "<br>".join(lock_words(entry, lock) for lock in entry.locks),
            str(sum(entry.does(workload) for workload in every)),
        )
        for name, entry in competing_frameworks().items()
    ]
    return table(["framework", "what it is", "modes", "environments", "workloads"], rows)


def mode_words(entry: FrameworkEntry, mode: str) -> str:
    """Return a mode with its meaning, and whether it is the default."""
    meaning = entry.modes.get(mode, "the default mode without a work-around")
    return f"{code(mode)}{' (default)' if mode == entry.mode else ''}: {prose(meaning)}"


def lock_words(entry: FrameworkEntry, name: str) -> str:
    """Return a lock with its title, Python and day of release, and the modes that its release lacks."""
    lock = load_lock(name)
    facts = [prose(lock.title), f"Python {lock.python}", *([f"released {lock.released}"] if lock.released else [])]
    lacks = ", ".join(map(code, entry.lacks.get(name, {})))
    return f"{code(name)}: {', '.join(facts)}" + (f"; without {lacks}" if lacks else "")


def workloads() -> str:
    """Return the table of workloads: what each is, its size, and what it trains with."""
    rows = [
        (
            code(name),
            f"{prose(workload.title)}. {prose(workload.summary)}",
            f"{workload.parameters:,}",
            str(workload.batch_size),
            optimizer_words(workload),
            training_words(workload),
        )
        for name, workload in all_workloads().items()
    ]
    return table(
        ["workload", "what it is", "parameters", "batch", "optimiser, rate", "training, expected metric"], rows
    )


def optimizer_words(workload: Workload) -> str:
    """Return the optimiser of a workload and its learning rate; a dash for inference."""
    optimizer = workload.optimizer
    return "–" if optimizer is None else f"{code(optimizer.name)}, {optimizer.learning_rate:g}"


def training_words(workload: Workload) -> str:
    """Return how long a workload trains, and the metric that is expected after that."""
    if workload.training is None:
        return "inference"
    words = f"{workload.epochs} epoch{'s' * (workload.epochs != 1)}"
    if workload.training.steps is not None:
        words += f" of {workload.training.steps} steps"
    if workload.metric is None or workload.metric.expected is None:
        return words
    least, most = workload.metric.expected
    return f"{words}: {prose(workload.metric.name)} {least:g} to {most:g}"


def proof_extents() -> str:
    """Return the table of the extents of proofs: workloads that differ from their work alike share a row."""
    alike: dict[tuple[str, ...], list[str]] = {}
    for name, workload in all_workloads().items():
        alike.setdefault(extents(workload), []).append(code(name))
    heads = ["workloads", "batch", "steps", "data", "hyperparameters"]
    return table(heads, [(", ".join(names), *cells) for cells, names in alike.items()])


def extents(workload: Workload) -> tuple[str, ...]:
    """Return the batch, the steps, the data form and the hyperparameters of a proof, in words."""
    proof, same = workload.proof, "as in the work"
    form = ", ".join(f"{code(key)} {value_words(value)}" for key, value in proof.form.items())
    optimizer = ", ".join(f"{code(key)} {value:g}" for key, value in proof.optimizer.items())
    steps = "inference" if workload.training is None else str(steps_of(workload))
    return (str(proof.batch_size or same), steps, form or same, optimizer or same)


def value_words(value: Any) -> str:  # noqa: ANN401 (whatever a workload's form holds)
    """Return a value of a data form: extents as 3×64×64."""
    return "×".join(map(str, value)) if isinstance(value, list) else str(value)


# -- the worker protocol -----------------------------------------------------------------------------------------------


def requests() -> str:
    """Return the table of the requests about a model."""
    return messages(MESSAGES["model"], REPLIES)


def trainings() -> str:
    """Return the table of the requests about whole trainings that are not the same as those about a model."""
    known = {*MESSAGES["model"].values()}
    return messages({do: kind for do, kind in MESSAGES["training"].items() if kind not in known}, TRAININGS)


def messages(kinds: Mapping[str, type[Message]], replies: Mapping[str, type[Reply]]) -> str:
    """Return the table of some requests: their fields, those of the replies, and what they mean."""
    rows = [
        (code(do), fields(kind.model_json_schema()), fields(replies[do].model_json_schema()), prose(kind.__doc__ or ""))
        for do, kind in kinds.items()
    ]
    return table(["`do`", "fields", "reply", "meaning"], rows)


def fields(schema: Mapping[str, Any]) -> str:
    """Return the fields of a message in a cell, one a line: ``name: type``, with a ? where it may be left out."""
    stated = {name: one for name, one in schema.get("properties", {}).items() if name not in ("id", "ok")}
    required = schema.get("required", [])
    lines = [code(name) + ("" if name in required else "?") + f": {type_words(one)}" for name, one in stated.items()]
    return "<br>".join(lines) or "–"


def type_words(schema: Mapping[str, Any]) -> str:
    """Return the type of a field, in JSON's words, and what it is where it is left out: if nothing is told, null."""
    if "anyOf" in schema:
        optional = {"type": "null"} if "default" in schema else None
        return " or ".join(type_words(one) for one in schema["anyOf"] if one != optional)
    words = " or ".join(code(json.dumps(one)) for one in schema.get("enum", [])) or str(schema.get("type", "any"))
    if words == "array" and schema["items"]:
        words += f" of {type_words(schema['items'])}s"
    default = schema.get("default")
    return words if default in (None, [], {}) else f"{words}, else {code(json.dumps(default))}"


# -- failures ----------------------------------------------------------------------------------------------------------


def failure_kinds() -> str:
    """Return a table of the kinds of failures: each with the docstring below it."""
    body = ast.parse(inspect.getsource(errors.FailureKind)).body[0]
    assert isinstance(body, ast.ClassDef)
    lines = zip(body.body, body.body[1:], strict=False)
    said = {
        line.targets[0].id: below.value.value
        for line, below in lines
        if isinstance(line, ast.Assign) and isinstance(line.targets[0], ast.Name)
        if isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant)
    }
    return table(["`kind`", "what it means"], ([code(one), prose(str(said[one.name]))] for one in errors.FailureKind))


PARTS: Mapping[str, Callable[[], str]] = {
    "commands": commands,
    "exit codes": exit_codes,
    "axes": axes,
    "switches": switches_markdown,
    "matrix": matrix,
    "frameworks": frameworks,
    "workloads": workloads,
    "proof extents": proof_extents,
    "requests": requests,
    "failure kinds": failure_kinds,
    "trainings": trainings,
}
"""What makes each part, by the name in its marker."""


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
