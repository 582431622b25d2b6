"""`grader marks` and the commands below it, with their options."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from grader.cli.options import HERE, Assignments, Class, Course, Name, Plain, Trust
from grader.support.errors import UsageError

marks = typer.Typer(help="For instructors: what each student has of each assignment, and why.")

Student = Annotated[
    list[str] | None, typer.Option("--student", metavar="ID", help="Of this student alone; repeatable.")
]
Only = Annotated[
    list[str] | None,
    typer.Option("--exercise", metavar="EXERCISE", help="Of this assignment alone; repeatable."),
]
Whose = Annotated[str, typer.Option("--student", metavar="ID", help="Whose.")]
Reason = Annotated[str, typer.Option("--reason", metavar="TEXT", help="Why; it goes into the log.")]
By = Annotated[str, typer.Option("--by", metavar="NAME", help="Who asks for it; default: you.")]


@marks.callback(invoke_without_command=True)
def show(
    context: typer.Context,
    class_: Class = HERE,
    exercises: Course = None,
    student: Student = None,
    exercise: Only = None,
    csv: Annotated[
        Path | None, typer.Option("--csv", metavar="FILE", help="Write a line for each mark to FILE.")
    ] = None,
    plain: Plain = False,
) -> None:
    """Prints the marks of the class; with --student how each of them came about."""
    if context.invoked_subcommand is not None:
        _refuse_options_before(context, context.invoked_subcommand)
        return
    from grader.cli.marks import MarksOptions, show_marks

    request = MarksOptions(class_, exercises, tuple(student or ()), tuple(exercise or ()), plain)
    raise typer.Exit(show_marks(request, csv))


def _refuse_options_before(context: typer.Context, command: str) -> None:
    """`grader marks --class X release` would release the marks of the class around here."""
    for name in context.params:
        source = context.get_parameter_source(name)
        if source is not None and source.name != "DEFAULT":
            raise UsageError(
                f"An option precedes `{command}`.",
                f"Options of `{command}` come after it.",
                f"See: grader marks {command} --help",
            )


@marks.command()
def release(
    names: Assignments = None,
    class_: Class = HERE,
    exercises: Course = None,
    student: Student = None,
    accept: Annotated[
        bool, typer.Option("--accept", help="Also lower what was released, with --student or --all.")
    ] = False,
    everybody: Annotated[
        bool, typer.Option("--all", help="Let --accept lower the marks of every student.")
    ] = False,
) -> None:
    """Freezes marks as students are told them. Later ones never go below, unless --accept says so."""
    from grader.cli.marks import MarksOptions
    from grader.cli.marks_changes import release_marks

    request = MarksOptions(class_, exercises, tuple(student or ()), tuple(names or ()))
    raise typer.Exit(release_marks(request, accept, everybody))


@marks.command()
def regrade(
    exercise: Name,
    student: Whose,
    reason: Reason,
    by: By = "",
    class_: Class = HERE,
    exercises: Course = None,
    trust: Trust = False,
) -> None:
    """Grades what the mark comes from once more, with the stored seed, and logs what came of it."""
    from grader.cli.marks import MarksOptions
    from grader.cli.marks_changes import regrade_one

    request = MarksOptions(class_, exercises, (student,), (exercise,))
    raise typer.Exit(regrade_one(request, reason, by, trust))


@marks.command()
def withdraw(
    exercise: Name,
    student: Whose,
    reason: Reason,
    by: By = "",
    class_: Class = HERE,
    exercises: Course = None,
) -> None:
    """Lets an earlier hand-in that the mark comes from count no more: it came to the wrong student."""
    from grader.cli.marks import MarksOptions
    from grader.cli.marks_changes import withdraw_one

    raise typer.Exit(withdraw_one(MarksOptions(class_, exercises, (student,), (exercise,)), reason, by))
