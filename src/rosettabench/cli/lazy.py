"""Commands that are imported only when they are used, so that ``rosetta --help`` answers quickly."""

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
"""The line of a docstring that starts its examples (``Example: rosetta …``). Help prints it and all lines after it
literally, at the end."""


class CommandPlace(NamedTuple):
    """The place of a command: a function, or a typer.Typer, in a module; and its summary in the list of commands."""

    module: str
    attribute: str
    summary: str


class CommandInterrupted(Exception):
    """Ctrl-C has ended a command; the text says what is kept."""


class LazyGroup(TyperGroup):
    """A group whose commands are in `table`, by name, and are imported only by `get_command`."""

    table: dict[str, CommandPlace]

    def list_commands(self, ctx: Context) -> list[str]:
        """Return the names of all commands."""
        return list(self.table)

    def get_command(self, ctx: Context, cmd_name: str) -> Command | None:
        """Import and return a command; None if there is none of that name."""
        if cmd_name in self.table and cmd_name not in self.commands:
            command = load(cmd_name, self.table[cmd_name])
            adopt(command, [option for option in self.params if option.name == "debug"])
            self.commands[cmd_name] = command
        return self.commands.get(cmd_name)

    def invoke(self, ctx: Context) -> object:
        """Invoke a command. Raises CommandInterrupted for Ctrl-C, with the notes of the command; typer drops them."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt as error:
            raise CommandInterrupted("\n".join(getattr(error, "__notes__", ["interrupted"]))) from error

    def resolve_command(self, ctx: Context, args: list[str]) -> tuple[str | None, Command | None, list[str]]:
        """Return the name, the command and the remaining arguments. UsageError, with the nearest name, for others."""
        if not ctx.resilient_parsing:
            nearest("command", args[0], self.table)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: Context, formatter: HelpFormatter) -> None:
        """Write the list of commands without importing any."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, place.summary) for name, place in self.table.items()])

    def shell_complete(self, ctx: Context, incomplete: str) -> list[CompletionItem]:
        """Return the commands with this prefix, without importing any, and the group's own options."""
        names = [name for name in self.table if name.startswith(incomplete)]
        # TyperGroup's own method would import every command for its summary, so its base completes the options.
        options = super(TyperGroup, self).shell_complete(ctx, incomplete)
        return [*(CompletionItem(name, help=self.table[name].summary) for name in names), *options]


def load(name: str, place: CommandPlace) -> Command:
    """Import a command from its place. Help is printed without rich, whose import takes 0.1 s."""
    thing = getattr(import_module(place.module), place.attribute)
    owner = typer.Typer(add_completion=False, rich_markup_mode=None)
    owner.callback()(lambda: None)  # typer makes a group of an app with a callback, and a single command of one without
    if isinstance(thing, typer.Typer):
        owner.add_typer(thing, name=name)
    else:
        owner.command(name)(thing)
    group = typer.main.get_command(owner)
    assert isinstance(group, TyperGroup)
    return group.commands[name]


def adopt(command: Command, options: Sequence[Parameter]) -> None:
    """Give `command`, and its subcommands, additional options, and print their examples literally."""
    command.params = [*command.params, *options]
    command.no_args_is_help = False  # otherwise it prints its help as an error
    command.help, examples, lines = (command.help or "").partition(EXAMPLE)
    if examples:
        command.epilog = verbatim(examples + lines)
    for below in command.commands.values() if isinstance(command, TyperGroup) else ():
        adopt(below, options)


def verbatim(text: str) -> str:
    """Return `text` with the marks that keep the line breaks of its paragraphs in a help page."""
    return "\n\n".join(f"\b\n{paragraph}" for paragraph in text.strip().split("\n\n"))
