"""`grader hint`: three rungs per section, one at a time.

`hints.md` has one `# section` heading per section of the exercise and below it three `## ` rungs.
"""

from __future__ import annotations

from pathlib import Path

from grader import progress, workspace
from grader.catalog import Catalog, Exercise
from grader.cli.listing import command
from grader.errors import BrokenExercise, UsageError

Rungs = dict[str, list[str]]  # section name -> the text of each rung, heading included


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


def read_hints(exercise: Exercise) -> Rungs:
    """The rungs of every section. Raises BrokenExercise when the file or a section has none."""
    try:
        text = exercise.hints_path.read_text(encoding="utf-8")
    except OSError as error:
        raise BrokenExercise(f"{exercise.hints_path} cannot be read: {error.strerror}.") from error
    rungs: Rungs = {}
    section = ""
    for line in text.splitlines():
        if line.startswith("# "):
            section = line[2:].strip().strip("`")
            rungs[section] = []
        elif line.startswith("## ") and section:
            rungs[section].append(line[3:].strip())
        elif section and rungs[section]:
            rungs[section][-1] += "\n" + line
    empty = [name for name, texts in rungs.items() if not texts]
    if empty or not rungs:
        raise BrokenExercise(
            f"{exercise.hints_path}: {empty[0] if empty else 'the file'} has no hint.",
            "A `# section` heading is followed by `## ` headings, one per hint.",
        )
    return {name: [text.strip() for text in texts] for name, texts in rungs.items()}


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
