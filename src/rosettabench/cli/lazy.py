"""Commands that are imported when they are used: ``rosetta --help`` answers before any of them is."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple

import typer
from typer.core import CompletionItem, TyperGroup  # type: ignore[attr-defined]

from rosettabench.catalogue.names import nearest

if TYPE_CHECKING:
    from typer._click import Command, Context, HelpFormatter, Parameter

EXAMPLE = "\nExample"
"""A docstring's line that begins so (``Example: rosetta …``) and all after it end a command's help, as they stand."""


class CommandPlace(NamedTuple):
    """Where a command is: a function, or a typer.Typer, in a module; and its line in the list of commands."""

    module: str
    attribute: str
    summary: str


class LazyGroup(TyperGroup):
    """A group whose commands stand in `table`, by name, and are imported by `get_command` alone."""

    table: dict[str, CommandPlace]

    def list_commands(self, ctx: Context) -> list[str]:
        """Return the names of all commands."""
        return list(self.table)

    def get_command(self, ctx: Context, cmd_name: str) -> Command | None:
        """Import a command; None if there is none of that name."""
        if cmd_name in self.table and cmd_name not in self.commands:
            command = load(cmd_name, self.table[cmd_name])
            adopt(command, [option for option in self.params if option.name == "debug"])
            self.commands[cmd_name] = command
        return self.commands.get(cmd_name)

    def resolve_command(self, ctx: Context, args: list[str]) -> tuple[str | None, Command | None, list[str]]:
        """Return name, command and the arguments left; UsageError with the nearest name if there is no such command."""
        if not ctx.resilient_parsing:
            nearest("command", args[0], self.table)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: Context, formatter: HelpFormatter) -> None:
        """Write the list of commands without importing one."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, place.summary) for name, place in self.table.items()])

    def shell_complete(self, ctx: Context, incomplete: str) -> list[CompletionItem]:
        """Return the commands that begin so, without importing one, and the group's own options."""
        names = [name for name in self.table if name.startswith(incomplete)]
        # Not TyperGroup's, which would import every command to ask for its summary: that of its base, for the options.
        options = super(TyperGroup, self).shell_complete(ctx, incomplete)
        return [*(CompletionItem(name, help=self.table[name].summary) for name in names), *options]


def load(name: str, place: CommandPlace) -> Command:
    """Import one command from its place. Its help is printed without rich, which takes 0.1 s to be imported."""
    thing = getattr(import_module(place.module), place.attribute)
    owner = typer.Typer(add_completion=False, rich_markup_mode=None)
    owner.callback()(lambda: None)  # typer makes a group of an app with a callback, and a command of one without
    if isinstance(thing, typer.Typer):
        owner.add_typer(thing, name=name)
    else:
        owner.command(name)(thing)
    group = typer.main.get_command(owner)
    assert isinstance(group, TyperGroup)
    return group.commands[name]


def adopt(command: Command, options: Sequence[Parameter]) -> None:
    """Let `command`, and the commands below it, understand `options`, too, and print their examples as they stand."""
    command.params = [*command.params, *options]
    command.no_args_is_help = False  # it would print the help as an error
    command.help, examples, lines = (command.help or "").partition(EXAMPLE)
    if examples:
        command.epilog = verbatim(examples + lines)
    for below in command.commands.values() if isinstance(command, TyperGroup) else ():
        adopt(below, options)


def verbatim(text: str) -> str:
    """Return `text` marked so that the lines of its paragraphs stay as they are in a help page."""
    return "\n\n".join(f"\b\n{paragraph}" for paragraph in text.strip().split("\n\n"))
