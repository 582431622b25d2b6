"""The command line: one group, which imports the options of a command when that command is called.

Building the options of every command takes typer several times as long as building those of one.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator, MutableMapping
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from grader import __version__
from grader.cli.commands import ENTRIES, PANELS

if TYPE_CHECKING:
    Commands = MutableMapping[str, Any]
else:
    Commands = MutableMapping


class _OnDemand(Commands):
    """The commands by name; each is imported when it is looked up."""

    def __init__(self) -> None:
        self._built: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._built:
            self._built[name] = _build(name)
        return self._built[name]

    def __setitem__(self, name: str, command: Any) -> None:
        self._built[name] = command

    def __delitem__(self, name: str) -> None:
        del self._built[name]

    def __iter__(self) -> Iterator[str]:
        return iter(ENTRIES)

    def __len__(self) -> int:
        return len(ENTRIES)


class _Audiences(TyperGroup):
    """Lists its commands by audience, the learner's first, from the table and without importing any."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        self.commands = _OnDemand()

    def list_commands(self, ctx: Any) -> list[str]:
        return list(ENTRIES)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        width = max(map(len, ENTRIES))
        for audience, entries in PANELS.items():
            with formatter.section(audience):
                formatter.write_dl([(f"{entry.name:<{width}}", entry.summary) for entry in entries])


app = typer.Typer(
    name="grader",
    cls=_Audiences,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


def _print_version(is_asked: bool) -> None:
    if is_asked:
        print(f"grader {__version__}")
        raise typer.Exit


@app.callback()
def grader(
    version: Annotated[
        bool, typer.Option("--version", is_eager=True, callback=_print_version, help="Print the version.")
    ] = False,
) -> None:
    """Grades CUDA kernels and their gradients in PyTorch, with a GPU or without one."""


def _build(name: str) -> Any:
    """The command `name` with its options. Raises KeyError where there is none."""
    module, _, attribute = ENTRIES[name].at.partition(":")
    found = getattr(importlib.import_module(f"grader.cli.{module}"), attribute)
    holder = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)
    if not isinstance(found, typer.Typer):
        holder.command(name=name)(found)
        return typer.main.get_command(holder)
    holder.add_typer(found, name=name)
    group: Any = typer.main.get_command(holder)
    return group.commands[name]
