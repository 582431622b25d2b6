"""`grader hint`: three hints per section, one at a time.

Without a section named, it is one that the last verdict is about (`hint_section.sections_of`) and that has a
hint left, else one that is still open. Where neither tells, the learner chooses.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from grader.cli.hint_section import sections_of
from grader.cli.options import Course, Name
from grader.cli.overview import command
from grader.course import progress, workspace
from grader.course.catalog import Catalog, Exercise
from grader.course.hints import Rungs, read_hints
from grader.course.stubs import in_order
from grader.support.errors import UsageError


def show_hint(name: str, section: str | None, course: Path | None) -> None:
    """Prints the next rung for ``section``, or for one that the last verdict is about, or an open one."""
    exercise = Catalog.open(course).find(name)
    rungs = read_hints(exercise)
    revealed = progress.revealed_hints(exercise)
    verdict = progress.last_verdict(exercise)
    still_open = in_order(exercise, workspace.open_todos(exercise, exercise.root))
    todos = [todo.section for todo in still_open if todo.section in rungs]
    if section is None and verdict is not None and verdict.passed and not todos:
        _list(
            exercise, rungs, f"{exercise.slug} passed, so nothing is open: name a section to read its hints."
        )
        return
    told = sections_of(exercise, exercise.root, verdict) if verdict else []
    chosen = section or _with_a_rung_left([*told, *todos], rungs, revealed)
    if not chosen and len(rungs) > 1:
        why = "the last verdict points at none of its sections" if verdict else "there is no verdict yet"
        _list(exercise, rungs, f"{exercise.slug}: {why}. Name the section that you want a hint for.")
        return
    chosen = chosen or next(iter(rungs))
    if chosen not in rungs:
        raise UsageError(
            f"{exercise.slug} has no hints for {chosen!r}.",
            f"There are hints for {', '.join(rungs)}.",
            f"Run: {command('hint', exercise, next(iter(rungs)))}",
        )
    count = min(revealed.get(chosen, 0) + 1, len(rungs[chosen]))
    progress.store_revealed_hints(exercise, {**revealed, chosen: count})
    print(f"{exercise.slug}, {chosen}: hint {count} of {len(rungs[chosen])}\n")
    print(rungs[chosen][count - 1])
    print(f"\n{_next_step(exercise, rungs, chosen, count)}")


def _list(exercise: Exercise, rungs: Rungs, why: str) -> None:
    print(why)
    print(f"There are hints for {', '.join(rungs)}. Run: {command('hint', exercise, next(iter(rungs)))}")


def _with_a_rung_left(sections: list[str], rungs: Rungs, revealed: dict[str, int]) -> str:
    """The first of ``sections`` with a hint not shown yet, else the first; ``""`` of none."""
    left = (name for name in sections if revealed.get(name, 0) < len(rungs[name]))
    return next(left, sections[0] if sections else "")


def _next_step(exercise: Exercise, rungs: Rungs, section: str, count: int) -> str:
    check = command("check", exercise)
    if count < len(rungs[section]):
        return f"Try it, then run: {check}. For more: {command('hint', exercise, section)}"
    return f"That was the last hint for {section}. Try it, then run: {check}"


def hint_command(
    exercise: Name,
    section: Annotated[
        str | None,
        typer.Argument(help="The TODO to get a hint for; default: one that the last verdict is about."),
    ] = None,
    course: Course = None,
) -> None:
    """Shows one more hint: where to look, then the idea, then the shape. Never the answer."""
    show_hint(exercise, section, course)
