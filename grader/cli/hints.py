"""`grader hint`: three rungs per section, one at a time."""

from __future__ import annotations

from pathlib import Path

from grader import progress, workspace
from grader.catalog import Catalog, Exercise
from grader.cli.listing import command
from grader.errors import UsageError
from grader.hints import Rungs, read_hints


def show_hint(name: str, section: str | None, course: Path | None) -> None:
    """Prints the next rung for ``section``, or for the first open section that has one left."""
    exercise = Catalog.open(course).find(name)
    rungs = read_hints(exercise)
    revealed = progress.revealed_hints(exercise)
    chosen = section or _choose(exercise, rungs, revealed)
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


def _choose(exercise: Exercise, rungs: Rungs, revealed: dict[str, int]) -> str:
    """The first open section with a rung left, else any section with one left, else the last shown."""
    todos = [todo.section for todo in workspace.open_todos(exercise, exercise.root) if todo.section in rungs]
    for name in (*todos, *rungs):
        if revealed.get(name, 0) < len(rungs[name]):
            return name
    return todos[0] if todos else next(iter(rungs))


def _next_step(exercise: Exercise, rungs: Rungs, section: str, count: int) -> str:
    check = command("check", exercise)
    if count < len(rungs[section]):
        return f"Try it, then run: {check}. For more: {command('hint', exercise, section)}"
    return f"That was the last hint for {section}. Try it, then run: {check}"
