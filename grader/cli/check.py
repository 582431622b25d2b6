"""`grader check`: grade exercises, print each verdict, and end with the next step."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from cusimt.support.words import listed
from grader.cli.grading import (
    CheckOptions,
    after_failure,
    after_pass,
    grade_one,
    keep,
    precompile,
    warn_of_given,
)
from grader.cli.options import Course, From, On, Plain, Verbose
from grader.cli.overview import command
from grader.cli.screen import Screen
from grader.course.catalog import Catalog, Exercise
from grader.report.files import require_folder, write_report
from grader.support.errors import UsageError
from grader.verdict import Verdict

Json = Annotated[bool, typer.Option("--json", help="Print the verdict as JSON; several as a list.")]
Isolate = Annotated[bool, typer.Option("--isolate", help="Run the code in a sandbox (needs bubblewrap).")]


def check_exercises(request: CheckOptions) -> int:
    """Grades what was asked for. Returns the worst exit code of all verdicts: 0, 1 or 3."""
    catalog = Catalog.open(request.course)
    exercises = _chosen(catalog, request)
    if request.files is not None:
        _require_files(request.files, exercises, request.solutions)
    for path in (request.html, request.junit):
        if path is not None:
            require_folder(path)
    screen = Screen(plain=request.plain, quiet=request.json, verbose=request.verbose)
    verdicts = []
    for exercise in exercises:
        verdict, changed = grade_one(exercise, request, screen)
        own = not request.solutions and request.files is None
        if own:
            keep(exercise, verdict)
        screen.show(verdict)
        if not request.solutions:
            warn_of_given(screen, exercise, changed, own)
        verdicts.append(verdict)
        if len(verdicts) < len(exercises):
            precompile(screen)
    _write_reports(verdicts, request)
    if request.json:
        _print_json(verdicts, single=len(exercises) == 1 and not request.all_)
    else:
        if len(verdicts) > 1:
            screen.show_table(verdicts)
        screen.say(_next_step(catalog, exercises, verdicts, request.solutions))
    precompile(screen)
    return max(verdict.exit_code for verdict in verdicts)


def _chosen(catalog: Catalog, request: CheckOptions) -> list[Exercise]:
    """The exercises asked for, each once, in the order named."""
    if request.all_:
        if request.exercises:
            raise UsageError(
                f"--all and {request.exercises[0]!r} were both given.",
                "--all already means every exercise.",
                "Name exercises, or run: grader check --all",
            )
        return list(catalog.exercises)
    if not request.exercises:
        raise UsageError(
            "No exercise was named.",
            "grader check takes one or more numbers, slugs or paths.",
            "Run: grader check 00, or grader check --all",
        )
    found = [catalog.find(name) for name in request.exercises]
    return list({exercise.slug: exercise for exercise in found}.values())


def _require_files(folder: Path, exercises: Sequence[Exercise], solutions: bool) -> None:
    """Refuse a folder that cannot be meant: a missing file is judged, a folder without any is a mistake."""
    if solutions or len(exercises) > 1:
        raise UsageError(
            f"--files {folder} was given with {'--from solutions' if solutions else 'several exercises'}.",
            "It names the folder of one submission to one exercise.",
            f"Run: grader check {exercises[0].number:02d} --files {folder}",
        )
    names = (*exercises[0].edit, *exercises[0].given)
    if not any((folder / name).is_file() for name in names):
        raise UsageError(
            f"{folder} holds no file of {exercises[0].slug}.",
            f"Its files are {listed(names)}.",
            f"Name the folder that holds them: grader check {exercises[0].number:02d} --files DIR",
        )


def _write_reports(verdicts: Sequence[Verdict], request: CheckOptions) -> None:
    if request.html is not None:
        from grader.report.html import page

        write_report(request.html, page(verdicts))
    if request.junit is not None:
        from grader.report.junit import junit

        write_report(request.junit, junit(verdicts))


def _print_json(verdicts: Sequence[Verdict], single: bool) -> None:
    if single:
        print(verdicts[0].to_json(), end="")
    else:
        print(
            json.dumps([json.loads(verdict.to_json()) for verdict in verdicts], indent=2, ensure_ascii=False)
        )


def _next_step(
    catalog: Catalog, exercises: Sequence[Exercise], verdicts: Sequence[Verdict], solutions: bool
) -> str:
    """The sentence that ends every run: about the first verdict that is no pass, or about what comes next."""
    for exercise, verdict in zip(exercises, verdicts, strict=True):
        if not verdict.passed:
            again = command("check", exercise, *(["--from", "solutions"] if solutions else []))
            return after_failure(exercise, verdict, again, f"run: {again}")
    if solutions:
        return "Next: grader list"
    return after_pass(catalog, exercises[0] if len(exercises) == 1 else None)


def check_command(
    exercises: Annotated[
        list[str] | None, typer.Argument(metavar="EXERCISE...", help="Numbers, slugs or paths, as 03.")
    ] = None,
    all_: Annotated[bool, typer.Option("--all", help="Check every exercise.")] = False,
    origin: From = "exercises",
    files: Annotated[
        Path | None, typer.Option("--files", metavar="DIR", help="Grade the files in DIR in place of yours.")
    ] = None,
    course: Course = None,
    backend: On = None,
    seed: Annotated[int | None, typer.Option(help="Draw the inputs from this seed.")] = None,
    plain: Plain = False,
    json: Json = False,
    html: Annotated[
        Path | None, typer.Option("--html", metavar="FILE", help="Write the verdict to FILE as a page.")
    ] = None,
    junit: Annotated[
        Path | None, typer.Option("--junit", metavar="FILE", help="Write the verdict to FILE as JUnit XML.")
    ] = None,
    verbose: Verbose = False,
    isolate: Isolate = False,
) -> None:
    """Builds, runs and judges your files. Exit code 0: passed, 1: not passed, 2: usage, 3: this machine."""
    given = {**locals(), "exercises": tuple(exercises or ())}  # nothing but the parameters is local yet
    raise typer.Exit(check_exercises(CheckOptions(**given)))
