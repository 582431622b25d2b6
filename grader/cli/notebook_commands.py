"""`grader notebook` and `grader import-verdict`. What they do is imported when they are called."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from grader.cli.options import Course, Name


def notebook(
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
    from grader.cli.notebook import make_notebook

    make_notebook(exercise, course, out, address)


def import_verdict(
    verdict: Annotated[Path, typer.Argument(metavar="FILE", help="What report.save() wrote in a notebook.")],
    course: Course = None,
) -> None:
    """Enters a verdict from another machine into `grader list`, marked as imported."""
    from grader.cli.notebook import show_import

    show_import(verdict, course)
