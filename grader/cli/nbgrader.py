"""`grader nbgrader`: build a course for nbgrader, and serve its pages."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from cusimt.support.words import counted
from grader.cli.options import Course
from grader.cli.overview import shown
from grader.course.catalog import Catalog
from grader.instruct.course import read_course
from grader.instruct.nbgrader.dependency import CONFIG, require_nbgrader
from grader.support.backups import BACKUPS, differs, replace_files
from grader.support.errors import UsageError


def build(names: Sequence[str], course: Path | None, out: Path) -> None:
    """Writes a course, or what of it has changed."""
    require_nbgrader()
    from grader.instruct.nbgrader import assignments

    catalog = Catalog.open(course)
    folder = out.resolve()
    home = read_course(folder)
    named = {exercise.slug: exercise for exercise in map(catalog.find, names)}
    exercises = list(named.values()) or home.exercises(catalog)
    files = assignments.course_files([(each, home.backend_of(each.slug)) for each in exercises], folder)
    stale = {path: text for path, text in files.items() if differs(path, text)}
    for path in stale:
        print(f"wrote  {shown(path)}")
    kept = replace_files(stale, folder, folder / BACKUPS)
    if assignments.write_config(catalog, folder, home.title):
        print(f"wrote  {shown(folder / CONFIG)}")
    if kept:
        print(f"What was there before is kept in {shown(kept)}.")
    print(f"{counted(len(exercises), 'assignment')} in {shown(folder / 'source')}.")
    there = "" if folder == Path.cwd() else f"cd {shown(folder)} && "
    print(f"Next: {there}nbgrader generate_assignment {exercises[0].slug}")


# ---- on the command line ----

nbgrader = typer.Typer(no_args_is_help=True, help="For instructors: a course for nbgrader.")


@nbgrader.command("build")
def build_command(
    exercises: Annotated[
        list[str] | None,
        typer.Argument(metavar="EXERCISE...", help="Default: the assignments of course.toml."),
    ] = None,
    course: Course = None,
    out: Annotated[
        Path, typer.Option("--out", metavar="CLASS", help="The folder of the class, which holds source/.")
    ] = Path(),
) -> None:
    """Writes notebooks, stubs and nbgrader's configuration. The same exercises give the same bytes."""
    build(exercises or (), course, out)


@nbgrader.command()
def formgrade(
    folder: Annotated[Path, typer.Argument(metavar="CLASS", help="The folder of the class.")] = Path(),
    port: Annotated[int, typer.Option(help="Where it listens, on this machine alone.")] = 8888,
    browser: Annotated[bool, typer.Option(help="Open a browser, too.")] = True,
) -> None:
    """Opens nbgrader's formgrader, where people mark and comment."""
    require_nbgrader()
    if not (folder / CONFIG).is_file():
        raise UsageError(
            f"There is no {CONFIG} in {folder.resolve()}.",
            "The formgrader shows the class in whose folder it starts.",
            "Name that folder, or write its course first: grader nbgrader build",
        )
    print("Here people mark and comment, until you stop it with Ctrl-C. Next: grader class feedback")
    options = ["--ServerApp.default_url=/formgrader/", f"--ServerApp.port={port}"]
    command = [sys.executable, "-m", "jupyter_server", *options, f"--ServerApp.open_browser={browser}"]
    raise typer.Exit(subprocess.run(command, cwd=folder, check=False).returncode)
