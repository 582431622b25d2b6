"""`grader editor`: writes what clangd needs to read the sources of a course."""

from __future__ import annotations

from pathlib import Path

import typer

from grader.cli.options import Course
from grader.compilation.compile_commands import NAME, write_compile_commands
from grader.course.catalog import Catalog
from grader.support.errors import UsageError


def write_editor_files(course: Path | None) -> int:
    """Writes compile_commands.json into the course's folder, over an older one."""
    catalog = Catalog.open(course)
    try:
        sources = write_compile_commands(catalog.course, catalog.exercises)
    except OSError as error:
        raise UsageError(
            f"{catalog.course / NAME} cannot be written: {error.strerror}.",
            "clangd looks for this file in the folder of the sources and above it.",
            "Make the course folder writable, then run: grader editor",
        ) from error
    print(f"{catalog.course / NAME} tells clangd how to read {sources} source files.")
    print("It names folders of this machine: do not commit it. Next: restart clangd in your editor.")
    return 0


def editor_command(course: Course = None) -> None:
    """Writes compile_commands.json, so that clangd in your editor understands the sources."""
    raise typer.Exit(write_editor_files(course))
