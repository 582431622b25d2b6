"""`grader gradescope`: an autograder for Gradescope, and the command that grades inside of it."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer

from grader.checks import grade
from grader.cli.options import Course, Name, Trust
from grader.course.catalog import Catalog, Exercise
from grader.instruct.course import DEFAULT_BACKEND
from grader.instruct.submissions.archives import FolderSource
from grader.instruct.submissions.file_matching import Chosen, choose
from grader.instruct.submissions.layouts import Piece
from grader.instruct.submissions.submission import lay_out
from grader.report import verdict_text
from grader.report.gradescope import RESULTS, Visibility, results_json, write_results
from grader.report.site import at_site
from grader.support.errors import UsageError
from grader.verdict import Verdict


def _graded(exercise: Exercise, submission: Path, *, isolate: bool) -> tuple[Verdict, Chosen]:
    """Grade what was uploaded, with the names that it should have, in a folder of its own."""
    if not submission.is_dir():
        raise UsageError(
            f"{submission} is not a folder.",
            "Gradescope puts what was uploaded there.",
            "Elsewhere, name the folder with --submission.",
        )
    source = FolderSource(submission)
    pieces = [Piece(entry, entry.path) for entry in source.entries]
    chosen = choose(pieces, exercise, "", lambda piece, limit: source.read(piece.entry, limit))
    with TemporaryDirectory(prefix="cu2grad-gradescope-") as scratch:
        files = lay_out(chosen.files, exercise, Path(scratch) / exercise.slug)
        return grade(exercise, files, backend=DEFAULT_BACKEND, isolate=isolate), chosen


Points = Annotated[
    float | None,
    typer.Option(min=0, help="What the assignment is worth. Default: the points that can be judged."),
]
Site = Annotated[str, typer.Option("--site", metavar="URL", help="Where the class reads the lessons.")]
gradescope = typer.Typer(no_args_is_help=True, help="For instructors: the exercises in Gradescope.")


@gradescope.command("build")
def build_command(
    exercise: Name,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="Default: gradescope_NN.zip")
    ] = None,
    points: Points = None,
    site: Site = "",
    course: Course = None,
) -> None:
    """Makes the autograder of one exercise, to upload to Gradescope."""
    from grader.cli.gradescope_build import build_autograder

    found = Catalog.open(course).find(exercise)
    options = ["--points", f"{points:g}"] if points is not None else []
    options += ["--site", site] if site else []
    raise typer.Exit(build_autograder(found, options, out or Path(f"gradescope_{found.slug[:2]}.zip")))


@gradescope.command("run")
def run_command(
    exercise: Name,
    submission: Annotated[Path, typer.Option(metavar="DIR", help="What was uploaded.")] = Path(
        "/autograder/submission"
    ),
    results: Annotated[
        Path, typer.Option(metavar="FILE", help="Where Gradescope looks for the results.")
    ] = RESULTS,
    points: Points = None,
    visibility: Annotated[Visibility, typer.Option(help="When students see the tests.")] = "visible",
    course: Course = None,
    trust: Trust = False,
    site: Site = "",
) -> None:
    """Grades one submission inside Gradescope's autograder, and writes its results.json.

    Where this machine could not judge it, nothing is written; a failed submission does not fail this command.
    """
    found = Catalog.open(course).find(exercise)
    judged, chosen = _graded(found, submission, isolate=not trust)
    remarks = [*chosen.refused, *chosen.remarks]
    shown = at_site(judged, site)
    write_results(results_json(shown, found, points=points, visibility=visibility, remarks=remarks), results)
    print(verdict_text(judged), *remarks, sep="\n")
