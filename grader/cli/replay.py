"""`grader replay`: grade with the same inputs again, and report what changed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from grader.cli.grading import CheckOptions, grade_one
from grader.cli.options import Course, From, Plain, Verbose
from grader.cli.overview import command
from grader.cli.screen import Screen
from grader.course import progress
from grader.course.catalog import Catalog
from grader.support.errors import UsageError
from grader.support.reading import read_text
from grader.verdict import Verdict


def replay_verdict(wanted: str, request: CheckOptions) -> int:
    """Grades with the seed and backend of the verdict file ``wanted``, or of the last verdict on an exercise.

    Returns the exit code of the new verdict.
    """
    catalog = Catalog.open(request.course)
    stored = read_verdict(_verdict_file(wanted, catalog))
    exercise = catalog.find(stored.exercise)
    request = replace(request, backend=stored.backend, seed=stored.seed)
    screen = Screen(plain=request.plain, verbose=request.verbose)
    verdict, _ = grade_one(exercise, request, screen)
    screen.show(verdict)
    screen.say(_comparison(stored, verdict))
    return verdict.exit_code


def _verdict_file(wanted: str, catalog: Catalog) -> Path:
    if wanted.endswith(".json") or Path(wanted).is_file():
        return Path(wanted)
    exercise = catalog.find(wanted)
    kept = progress.verdict_path(exercise)
    if kept is None:
        raise UsageError(
            f"No verdict on {exercise.slug} is kept.",
            "grader replay takes a verdict file, or an exercise that was checked before.",
            f"Run: {command('check', exercise)}",
        )
    return kept


def read_verdict(path: Path) -> Verdict:
    """What `grader check --json` wrote to a file. Raises UsageError where that cannot be read."""
    text = read_text(
        path,
        UsageError,
        "A verdict is the JSON that grader check --json prints.",
        "Write one with: grader check 03 --json > verdict.json",
    )
    return Verdict.from_json(text, str(path))


def _comparison(stored: Verdict, verdict: Verdict) -> str:
    """One sentence: the same as stored, or which checks changed and whether files or versions did."""
    before = {check.name: check.status.value for check in stored.checks}
    after = {check.name: check.status.value for check in verdict.checks}
    changed = [
        f"{name} was {before.get(name, 'not run')} and is {after.get(name, 'not run')}"
        for name in before | after
        if before.get(name) != after.get(name)
    ]
    reasons = []
    if stored.digest != verdict.digest:
        reasons.append("the files are not the same")
    if stored.versions != verdict.versions:
        reasons.append("neither are the versions" if reasons else "the versions are not the same")
    because = f" ({', '.join(reasons)})" if reasons else ""
    if not changed:
        return f"Replayed with seed {stored.seed}: every check came out as before{because}."
    return f"Replayed with seed {stored.seed}: {'; '.join(changed)}{because}."


def replay_command(
    verdict: Annotated[
        str, typer.Argument(help="A file that `grader check --json` wrote, or an exercise: its last verdict.")
    ],
    origin: From = "exercises",
    course: Course = None,
    plain: Plain = False,
    verbose: Verbose = False,
) -> None:
    """Grades again with the seed and backend of a stored verdict, and says what came out differently."""

    request = CheckOptions(origin=origin, course=course, plain=plain, verbose=verbose)
    raise typer.Exit(replay_verdict(verdict, request))
