"""`grader batch`: the options. What it does is imported when it is called."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from grader.cli.options import Course, Only, Plain, Submissions, Trust
from grader.support.backends import Backend


def batch(
    submissions: Submissions = None,
    results: Annotated[
        Path | None, typer.Option("--results", metavar="DIR", help="Default: results of the class.")
    ] = None,
    jobs: Annotated[
        int | None, typer.Option("--jobs", min=1, help="How many at once. Default: as the machine can.")
    ] = None,
    backend: Annotated[
        Backend | None,
        typer.Option(help="Default: what the class's course.toml says; without one, simt."),
    ] = None,
    only: Only = None,
    regrade: Annotated[
        bool, typer.Option("--regrade", help="Also what is graded: with the same seed, and the old is kept.")
    ] = False,
    course: Course = None,
    trust: Trust = False,
    cluster_file: Annotated[
        Path | None, typer.Option("--cluster", metavar="FILE", help="Grade on the machines that FILE names.")
    ] = None,
    plain: Plain = False,
) -> None:
    """Grades a folder of submissions, for instructors. Run it again after a stop: it goes on where it was."""
    from grader.cli.batch import Request, grade_batch
    from grader.instruct.course import submissions_around

    request = Request(
        submissions=submissions or submissions_around(Path.cwd()),
        results=results,
        jobs=jobs,
        backend=backend,
        only=tuple(only or ()),
        regrade=regrade,
        course=course,
        trust=trust,
        plain=plain,
        cluster=cluster_file,
    )
    raise typer.Exit(grade_batch(request))
