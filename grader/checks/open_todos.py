"""Failures that an open TODO explains: unfinished work rather than mistakes.

A learner who writes one kernel of two sees the cases of both fail. What says something about the written one
must come first.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from cusimt.profile.instances import base_name
from cusimt.support.words import listed
from cusimt.translate.functions import Function, functions, reached_from, without_noise
from grader.checks.bench import Bench, Call
from grader.checks.device.launches import kernel_name, own_launches
from grader.checks.device.vendor_work import vendor_work
from grader.checks.outcome import Outcome
from grader.course.stubs import OpenTodo, open_todos
from grader.verdict import Status


def explained(bench: Bench, failure: Outcome, calls: Sequence[Call]) -> Outcome:
    """`failure` of the last of `calls` as work to do, if an open TODO is why it failed; else unchanged.

    What is to be repaired runs as it is, and a part of an exercise looks at its sections only. What the host
    raised while no kernel had failed is not about what a kernel lacks.
    """
    if failure.status is not Status.FAIL or bench.exercise.is_repair or bench.spec.part is not None:
        return failure
    if _raised_on_the_host(calls[-1]):
        return failure
    todo = reached(bench, _to_blame(failure, calls)) or _unwritten_launch(bench, calls[-1:])
    if todo is None:
        return failure
    sentence = f"TODO({todo.section}) in {todo.file}, line {todo.line}, is still open. {failure.sentence}"
    return replace(failure, status=Status.NOT_ATTEMPTED, sentence=sentence)


def without_launch(bench: Bench, failure: Outcome, call: Call) -> Outcome:
    """What is held against a `call` that launched no kernel, as work to do if its launch is an open TODO."""
    return explained(bench, failure, [call]) if failure.topic == "no_kernel" else failure


def _raised_on_the_host(call: Call) -> bool:
    return call.reply.error is not None and call.reply.trace.sticky_error is None


def _to_blame(failure: Outcome, calls: Sequence[Call]) -> Sequence[Call]:
    """Gradients that follow a pattern are backward's: what forward left unwritten follows none."""
    last = calls[-1:]
    return last if failure.guess and any(each.stage == "backward" and each.traced for each in last) else calls


def reached(bench: Bench, calls: Iterable[Call]) -> OpenTodo | None:
    """The first open TODO in the text of the kernels that ran in `calls`, and of what they call.

    Where files define kernels of the same name, the launch says which file it is in. A profiler does not:
    then all of these kernels have to come to an open TODO.
    """
    ran = {
        (base_name(kernel_name(launch)), launch.file)
        for call in calls
        for launch in own_launches(bench, call)
    }
    still_open = open_todos(bench.exercise, bench.files) if ran else []
    if not still_open:
        return None
    texts = {file: _text(bench.files / file) for file in (*bench.exercise.edit, *bench.exercise.given)}
    todos = [_todo_in_kernel(kernel, file, texts, still_open) for kernel, file in ran]
    return next((todo for todo in still_open if todo in todos), None)


def _todo_in_kernel(
    kernel: str, launched_in: str, texts: Mapping[str, str], still_open: Sequence[OpenTodo]
) -> OpenTodo | None:
    defined = {file: found for file, text in texts.items() if (found := reached_from([kernel], text))}
    there = {file: found for file, found in defined.items() if _ends_with(launched_in, file)} or defined
    todos = [
        next((todo for todo in still_open if todo.file == file and _is_in(todo, found)), None)
        for file, found in there.items()
    ]
    return todos[0] if todos and all(todos) else None


def _unwritten_launch(bench: Bench, calls: Iterable[Call]) -> OpenTodo | None:
    """The open TODO for the launch that `calls` lack: they ran to their end, and launched no kernel.

    That is one about a launch, in a function that comes to no launch yet.
    """
    finished = [call for call in calls if call.traced and call.has_result]
    if not finished or any(own_launches(bench, call) or vendor_work(bench, call) for call in finished):
        return None
    for todo in open_todos(bench.exercise, bench.files):
        text = _text(bench.files / todo.file)
        around = [function for function in functions(text) if todo.line in function]
        about = (todo.section, todo.prompt, *(function.name for function in around))
        if any("launch" in words for words in about) and not _launches(text, around):
            return todo
    return None


def _launches(text: str, around: Iterable[Function]) -> bool:
    lines = text.split("\n")
    found = reached_from([function.name for function in around], text)
    return any("<<<" in line for each in found for line in lines[each.first - 1 : each.last])


def _ends_with(path: str, file: str) -> bool:
    return f"/{path}".endswith(f"/{file}")


def _is_in(todo: OpenTodo, found: Iterable[Function]) -> bool:
    return any(todo.line in function for function in found)


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
