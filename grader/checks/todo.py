"""The stub's TODOs that are still open."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from cusimt.support.words import counted
from grader.checks.outcome import Outcome
from grader.course.answer_key import ANSWERS
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
    return Outcome(Status.NOT_ATTEMPTED, sentence, lines=_listed(exercise, todos), topic="todo")


def _listed(exercise: Exercise, todos: list[OpenTodo]) -> tuple[str, ...]:
    """A line for each TODO; one for all answers, where a check of their own asks the questions anyway."""
    asked = [todo for todo in todos if todo.file == ANSWERS and "answers" in exercise.scores]
    return tuple(
        f"{ANSWERS}:{each.line}: {counted(len(asked), 'answer')}, from here on"
        if each in asked
        else f"{each.file}:{each.line}: TODO({each.section}): {each.prompt}"
        for each in todos
        if each not in asked[1:]
    )


def untouched(exercise: Exercise, todos: list[OpenTodo]) -> bool:
    """Whether the stub is as it was handed out, so that there is nothing to judge."""
    return bool(exercise.sections) and len(todos) == len(exercise.sections)
