"""`grader hint`: three rungs per section, one at a time.

Without a section named it is the one that the last verdict points at: a part or question that was not right,
or the section in which the line stands that a finding, a sentence or the compiler named.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from grader import progress, workspace
from grader.catalog import Catalog, Exercise
from grader.changes import section_at
from grader.cli.listing import command
from grader.errors import UsageError
from grader.hints import Rungs, read_hints
from grader.verdict import CheckResult, Status, Verdict

_PLACE = re.compile(r"(?P<file>[\w./-]+\.\w+):(?P<line>\d+)")


def show_hint(name: str, section: str | None, course: Path | None) -> None:
    """Prints the next rung for ``section``, or for one that the last verdict points at, or an open one."""
    exercise = Catalog.open(course).find(name)
    rungs = read_hints(exercise)
    revealed = progress.revealed_hints(exercise)
    verdict = _last_verdict(exercise)
    todos = [todo.section for todo in workspace.open_todos(exercise, exercise.root) if todo.section in rungs]
    if section is None and verdict is not None and verdict.passed and not todos:
        print(f"{exercise.slug} passed, so nothing is open: name a section to read its hints.")
        print(f"There are hints for {', '.join(rungs)}. Run: {command('hint', exercise, next(iter(rungs)))}")
        return
    chosen = section or _pointed_at(exercise, rungs, verdict) or _choose(todos, rungs, revealed)
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


def _last_verdict(exercise: Exercise) -> Verdict | None:
    """What `grader check` said last; None when it said nothing yet, or something that cannot be read."""
    path = progress.verdict_path(exercise)
    try:
        return Verdict.from_json(path.read_text(encoding="utf-8")) if path else None
    except (OSError, UnicodeDecodeError, UsageError):
        return None


def _pointed_at(exercise: Exercise, rungs: Rungs, verdict: Verdict | None) -> str:
    """The section that the first check which failed names, or a line of which it names; or ``""``."""
    for check in verdict.checks if verdict else ():
        if not check.status.stands_in_the_way or check.status is Status.NOT_ATTEMPTED:
            continue
        if check.name in rungs:
            return check.name
        for file, line in _places(check):
            for name in exercise.edit:
                section = section_at(exercise, name, line) if f"/{file}".endswith(f"/{name}") else ""
                if section in rungs:
                    return section
        named = [word for line in check.lines if (word := re.split(r"\W", line, maxsplit=1)[0]) in rungs]
        if named:
            return named[0]
    return ""


def _places(check: CheckResult) -> Iterator[tuple[str, int]]:
    """The lines of source that `check` names, most telling first: (file name, line)."""
    yield from ((finding.file, finding.line) for finding in check.findings if finding.line)
    for text in (*check.lines, check.sentence):
        yield from ((match["file"], int(match["line"])) for match in _PLACE.finditer(text))


def _choose(todos: list[str], rungs: Rungs, revealed: dict[str, int]) -> str:
    """The first open section with a rung left, else any section with one left, else the last shown."""
    for name in (*todos, *rungs):
        if revealed.get(name, 0) < len(rungs[name]):
            return name
    return todos[0] if todos else next(iter(rungs))


def _next_step(exercise: Exercise, rungs: Rungs, section: str, count: int) -> str:
    check = command("check", exercise)
    if count < len(rungs[section]):
        return f"Try it, then run: {check}. For more: {command('hint', exercise, section)}"
    return f"That was the last hint for {section}. Try it, then run: {check}"
