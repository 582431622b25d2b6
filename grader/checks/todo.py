"""The stub's TODOs that are still open."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from grader.checks.outcome import Outcome
from grader.course.catalog import Exercise
from grader.course.stubs import OpenTodo, in_order, open_todos
from grader.verdict import Status


def check(exercise: Exercise, files: Path, settled: Collection[str] = ()) -> Outcome | None:
    """None when nothing is open; else one line per open TODO, in the order in which they are to be written.

    ``settled`` are sections that are known to be right, whatever stands there.
    """
    todos = [todo for todo in open_todos(exercise, files) if todo.section not in settled]
    if not todos:
        return None
    todos = in_order(exercise, todos)
    first = todos[0]
    if untouched(exercise, todos):
        sentence = f"Not started: begin with TODO({first.section}) in {first.file}, line {first.line}."
    else:
        number = "One TODO is" if len(todos) == 1 else f"{len(todos)} TODOs are"
        sentence = f"{number} still open: next is TODO({first.section}) in {first.file}, line {first.line}."
    lines = tuple(f"{each.file}:{each.line}: TODO({each.section}): {each.prompt}" for each in todos)
    return Outcome(Status.NOT_ATTEMPTED, sentence, lines=lines, topic="todo")


def untouched(exercise: Exercise, todos: list[OpenTodo]) -> bool:
    """Whether the stub is as it was handed out, so that there is nothing to judge."""
    return bool(exercise.sections) and len(todos) == len(exercise.sections)
