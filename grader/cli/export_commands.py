"""`grader export` and `grader gradescope`: the options. What is done lies in what they import when called."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from grader.cli.options import Course, Name, Trust
from grader.support.backends import Backend

export = typer.Typer(no_args_is_help=True, help="For instructors: marks for a spreadsheet or an LMS.")

Class = Annotated[
    Path | None, typer.Option("--class", metavar="DIR", help="The folder of the class. Default: here.")
]
Out = Annotated[Path, typer.Option("--out", metavar="FILE", help="A new file to write.")]
Exercise = Annotated[str, typer.Option("--assignment", metavar="EXERCISE", help="Number or slug, as 03.")]


@export.command()
def csv(out: Out = Path("marks.csv"), class_: Class = None, course: Course = None) -> None:
    """Writes a line for each student and assignment."""
    from grader.cli.export import export_csv

    export_csv(out, class_, course)


@export.command()
def canvas(
    gradebook: Annotated[Path, typer.Argument(metavar="GRADEBOOK", help="What Canvas exported.")],
    assignment: Exercise,
    column: Annotated[
        str, typer.Option(metavar="TITLE", help="The assignment's title or number in Canvas. Default: ours.")
    ] = "",
    out: Out = Path("canvas.csv"),
    class_: Class = None,
    course: Course = None,
) -> None:
    """Fills one column of Canvas's gradebook, scaled to the points possible there."""
    from grader.cli.export import export_canvas

    export_canvas(gradebook, assignment, column, out, class_, course)


@export.command()
def moodle(
    worksheet: Annotated[
        Path, typer.Argument(metavar="WORKSHEET", help="The grading worksheet that Moodle exported.")
    ],
    assignment: Exercise,
    out: Out = Path("moodle.csv"),
    class_: Class = None,
    course: Course = None,
) -> None:
    """Fills grades, scaled to the maximum there, and explains each in its comment."""
    from grader.cli.export import export_moodle

    export_moodle(worksheet, assignment, out, class_, course)


def gradescope(
    exercise: Name,
    submission: Annotated[Path, typer.Option(metavar="DIR", help="What was uploaded.")] = Path(
        "/autograder/submission"
    ),
    results: Annotated[
        Path, typer.Option(metavar="FILE", help="Where Gradescope looks for the results.")
    ] = Path("/autograder/results/results.json"),
    points: Annotated[
        float | None,
        typer.Option(min=0, help="What the assignment is worth. Default: the points that can be judged."),
    ] = None,
    visibility: Annotated[
        Literal["visible", "after_due_date", "after_published", "hidden"],
        typer.Option(help="When students see the tests."),
    ] = "visible",
    verdict: Annotated[
        Path | None,
        typer.Option("--verdict", metavar="FILE", help="Render this verdict; grade nothing."),
    ] = None,
    course: Course = None,
    backend: Annotated[
        Backend | None,
        typer.Option(help="Where kernels run. Default: simt, whatever the machine has."),
    ] = None,
    trust: Trust = False,
) -> None:
    """For instructors: grades one submission inside Gradescope's autograder, and writes its results.json."""
    from grader.cli.gradescope import Request, run_autograder

    request = Request(exercise, submission, results, course, backend, points, visibility, verdict, trust)
    raise typer.Exit(run_autograder(request))
