"""Failures that an open TODO explains: unfinished work rather than mistakes.

A learner who writes one kernel of two sees the cases of both fail. What says something about the written one
must come first.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from cusimt.support.words import listed
from cusimt.translate.functions import reached_from, without_noise
from grader.checks.bench import Bench, Call
from grader.checks.device.launches import kernel_name, own_launches
from grader.checks.outcome import Outcome
from grader.course.stubs import OpenTodo, open_todos
from grader.verdict import Status


def explained(bench: Bench, failure: Outcome, calls: Iterable[Call]) -> Outcome:
    """`failure` as work to do, if a kernel that ran in `calls` comes to an open TODO; else unchanged.

    What is to be repaired runs as it is, and a part of an exercise looks at its sections only.
    """
    if failure.status is not Status.FAIL or bench.exercise.is_repair or bench.spec.part is not None:
        return failure
    todo = reached(bench, calls)
    if todo is None:
        return failure
    sentence = f"TODO({todo.section}) in {todo.file}, line {todo.line}, is still open. {failure.sentence}"
    return replace(failure, status=Status.NOT_ATTEMPTED, sentence=sentence)


def reached(bench: Bench, calls: Iterable[Call]) -> OpenTodo | None:
    """The first open TODO in the text of the kernels that ran in `calls`, and of what they call."""
    kernels = {
        kernel_name(launch).partition("<")[0].rpartition("::")[2]
        for call in calls
        for launch in own_launches(bench, call)
    }
    still_open = open_todos(bench.exercise, bench.files) if kernels else []
    for file in bench.exercise.edit:
        todos = [todo for todo in still_open if todo.file == file]
        functions = reached_from(sorted(kernels), _text(bench.files / file)) if todos else []
        for todo in todos:
            if any(todo.line in function for function in functions):
                return todo
    return None


def own_first(failures: Sequence[Outcome]) -> list[Outcome]:
    """The failures that no open TODO explains, then the others; each in their order."""
    return sorted(failures, key=lambda each: each.status is Status.NOT_ATTEMPTED)


def waiting(failures: Iterable[Outcome]) -> list[str]:
    """A line that names the cases which wait for an open TODO, if there are any."""
    names = [f'"{each.case}"' for each in failures if each.status is Status.NOT_ATTEMPTED]
    named = [*names[:3], f"{len(names) - 3} more"] if len(names) > 3 else names
    return [f"Waiting for an open TODO: {listed(named)}."] if named else []


def _text(path: Path) -> str:
    try:
        return without_noise(path.read_text(encoding="utf-8", errors="replace"))
    except OSError:
        return ""
