"""`grader notebook`, and `grader import-verdict` for a verdict from a notebook on another machine."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from grader.cli.options import Course, Name
from grader.cli.overview import command, shown
from grader.course.catalog import Catalog
from grader.notebook.building import write_notebook
from grader.notebook.importing import import_verdict
from grader.report.words import amount, standing


def make_notebook(wanted: str, course: Path | None, out: Path | None, address: str) -> None:
    """Writes the notebook of one exercise and says where."""
    exercise = Catalog.open(course).find(wanted)
    path = out or Path(f"{exercise.slug}.ipynb")
    written = write_notebook(exercise, path, address)
    print(f"{shown(path.absolute())} {'is written' if written else 'is there already, the same'}.")
    if not address:
        print("For a machine without the course, add where git finds it: --address URL")


def show_import(file: Path, course: Path | None) -> None:
    """Enters a verdict from elsewhere and says what it is worth."""
    found = import_verdict(file, Catalog.open(course))
    verdict, exercise = found.verdict, found.exercise
    points = f"{amount(verdict.earned)} of {amount(verdict.out_of)} points"
    print(f"{exercise.slug}: {standing(verdict)}, {points}, on {verdict.backend}. So says the file.")
    files = "the ones" if found.same_files else "not the ones"
    print(f"It was not checked here. The files in {shown(exercise.root)} are {files} that it is about.")
    print(f"grader list shows it as imported, until you run: {command('check', exercise)}")


def notebook_command(
    exercise: Name,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="Default: SLUG.ipynb in this folder.")
    ] = None,
    address: Annotated[
        str, typer.Option("--address", metavar="URL", help="Where git finds the course, for Colab.")
    ] = "",
    course: Course = None,
) -> None:
    """Writes a notebook of an exercise for JupyterLab and Colab, with your files in its cells."""
    make_notebook(exercise, course, out, address)


def import_verdict_command(
    verdict: Annotated[Path, typer.Argument(metavar="FILE", help="What report.save() wrote in a notebook.")],
    course: Course = None,
) -> None:
    """Enters a verdict from another machine into `grader list`, marked as imported."""
    show_import(verdict, course)
