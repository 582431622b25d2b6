"""`grader class`: a class, from its folder to marks in an LMS. The first six lead through an assignment.

Each imports what it does when it is called, so that the help of all is there at once.
"""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Annotated, Any, Literal

import typer
from typer.core import TyperGroup

from grader.cli.options import HERE, Assignments, Class, Course, Name, Plain, Trust
from grader.cli.term import MarksOptions

_STEPS = 6


class _InOrder(TyperGroup):
    """The steps of an assignment first, and what is rarely needed below."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        names = self.list_commands(ctx)
        parts = {"An assignment, in this order": names[:_STEPS], "Now and then": names[_STEPS:]}
        for title, part in parts.items():
            with formatter.section(title):
                formatter.write_dl([(name, self.commands[name].get_short_help_str(70)) for name in part])


class_ = typer.Typer(
    cls=_InOrder,
    no_args_is_help=True,
    help="For instructors: a class, from its folder to marks in an LMS. Each command prints the next.",
)

Students = Annotated[
    list[str] | None, typer.Option("--student", metavar="ID", help="Of this student alone; repeatable.")
]
Whose = Annotated[str, typer.Option("--student", metavar="ID", help="Whose.")]
Reason = Annotated[str, typer.Option("--reason", metavar="TEXT", help="Why; it goes into the log.")]
Roster = Annotated[
    Path | None, typer.Option("--roster", metavar="FILE", help="Who is who: a CSV of the LMS, or your own.")
]
Layout = Literal["auto", "canvas", "moodle", "plain"]


@class_.command()
def new(
    folder: Annotated[Path, typer.Argument(metavar="[DIR]", help="The folder of the class.")] = HERE,
    exercises: Annotated[
        str, typer.Option("--exercises", metavar="NN,...", help="The assignments. Default: all.")
    ] = "",
    roster: Roster = None,
    course: Course = None,
) -> None:
    """Writes course.toml, and students.csv from a roster."""
    from grader.cli.course_file import begin_class

    names = [name.strip() for name in exercises.split(",") if name.strip()]
    raise typer.Exit(begin_class(folder, course, names, roster))


@class_.command()
def release(
    until: Annotated[
        str, typer.Option("--until", metavar="EXERCISE", help="Hand out assignments up to this one.")
    ] = "",
    wheel: Annotated[
        Path | None, typer.Option("--wheel", metavar="FILE", help="The grader, for learners to install.")
    ] = None,
    folder: Class = HERE,
    course: Course = None,
) -> None:
    """Makes the handout, without solutions."""
    from grader.cli.handout import hand_out

    raise typer.Exit(hand_out(MarksOptions(folder, course), until, wheel))


@class_.command()
def collect(
    exercise: Name,
    archive: Annotated[Path, typer.Argument(metavar="ARCHIVE", help="A zip file of the LMS, or a folder.")],
    roster: Roster = None,
    layout: Annotated[Layout, typer.Option(help="Who made the archive.")] = "auto",
    due: Annotated[
        datetime | None,
        typer.Option(help="The deadline of what the LMS calls in time, if not course.toml's."),
    ] = None,
    replace: Annotated[
        bool, typer.Option("--replace", help="Take the place of other hand-ins, which are kept.")
    ] = False,
    folder: Class = HERE,
    course: Course = None,
) -> None:
    """Takes in what Canvas or Moodle gave out."""
    from grader.cli.collect import Archive, collect

    request = MarksOptions(folder, course, names=(exercise,))
    raise typer.Exit(collect(Archive(archive, layout, roster, due, replace), request))


@class_.command()
def grade(
    exercises: Assignments = None,
    student: Students = None,
    jobs: Annotated[
        int | None, typer.Option("--jobs", min=1, help="How many at once. Default: as the machine can.")
    ] = None,
    regrade: Annotated[
        bool, typer.Option("--regrade", help="Also what is graded: with the same seed, and the old is kept.")
    ] = False,
    trust: Trust = False,
    share: Annotated[
        str, typer.Option("--share", metavar="K/N", help="Only share K of N, from 0 on, as one of N jobs.")
    ] = "",
    plain: Plain = False,
    folder: Class = HERE,
    course: Course = None,
) -> None:
    """Grades what is not graded yet; after a stop it goes on."""
    from grader.cli.grade_class import GradeOptions, grade_class

    request = MarksOptions(folder, course, tuple(student or ()), tuple(exercises or ()), plain)
    raise typer.Exit(grade_class(request, GradeOptions(jobs, regrade, trust, share)))


@class_.command()
def feedback(
    exercises: Assignments = None,
    student: Students = None,
    accept: Annotated[
        bool, typer.Option("--accept", help="Also lower what was released, with --student or --all.")
    ] = False,
    everybody: Annotated[
        bool, typer.Option("--all", help="Let --accept lower the marks of every student.")
    ] = False,
    folder: Class = HERE,
    course: Course = None,
) -> None:
    """Releases marks, and bundles them with verdicts."""
    from grader.cli.feedback import give_feedback

    request = MarksOptions(folder, course, tuple(student or ()), tuple(exercises or ()))
    raise typer.Exit(give_feedback(request, accept, everybody))


@class_.command()
def export(
    exercises: Assignments = None,
    into: Annotated[
        Path | None, typer.Option("--into", metavar="FILE", help="Fill what Canvas or Moodle exported.")
    ] = None,
    column: Annotated[
        str, typer.Option(metavar="TITLE", help="The assignment's title in Canvas. Default: the exercise's.")
    ] = "",
    folder: Class = HERE,
    course: Course = None,
) -> None:
    """Writes marks for the LMS, or a table of all."""
    from grader.cli.export import export_marks

    raise typer.Exit(export_marks(MarksOptions(folder, course, names=tuple(exercises or ())), into, column))


# ---- what is rarely needed ----


@class_.command()
def marks(
    exercises: Assignments = None,
    student: Students = None,
    folder: Class = HERE,
    course: Course = None,
) -> None:
    """The marks of the class; with --student how each came about."""
    from grader.cli.marks import show_marks

    raise typer.Exit(show_marks(MarksOptions(folder, course, tuple(student or ()), tuple(exercises or ()))))


@class_.command()
def regrade(
    exercise: Name,
    student: Whose,
    reason: Reason,
    trust: Trust = False,
    folder: Class = HERE,
    course: Course = None,
) -> None:
    """Grades one hand-in again, with its seed, and logs it."""
    from grader.cli.marks_changes import regrade_one

    raise typer.Exit(regrade_one(MarksOptions(folder, course, (student,), (exercise,)), reason, trust))


@class_.command()
def withdraw(
    exercise: Name,
    student: Whose,
    reason: Reason,
    folder: Class = HERE,
    course: Course = None,
) -> None:
    """Lets a hand-in that came to the wrong student count no more."""
    from grader.cli.marks_changes import withdraw_one

    raise typer.Exit(withdraw_one(MarksOptions(folder, course, (student,), (exercise,)), reason))


@class_.command()
def forget(
    before: Annotated[
        datetime, typer.Option("--before", formats=["%Y-%m-%d"], help="What was graded before this day.")
    ],
    yes: Annotated[bool, typer.Option("--yes", help="Do it; without, only say what would go.")] = False,
    folder: Class = HERE,
) -> None:
    """Deletes what is kept about people for too long."""
    from grader.cli.course_file import forget_before

    raise typer.Exit(forget_before(folder, before.date(), yes))
