"""One part of an exercise with several: the checks of a whole exercise, condensed to one result.

In an exercise of kind ``fix``, a part whose sections are as in the stub is judged too: its result shows what
the mistake looks like from outside. If it is right, the repair was made next to them, and counts. In any
other exercise there is nothing to judge yet.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from cusimt.support.words import counted, listed
from grader.checks.bench import Bench
from grader.checks.device import device_work, efficiency, safety
from grader.checks.device.findings import in_words
from grader.checks.device.launches import accepted_launches, calls_without_a_kernel
from grader.checks.device.library_work import foreign_operators
from grader.checks.gradients import gradient
from grader.checks.outcome import Outcome, passed
from grader.checks.repairs import change_size
from grader.checks.values import correctness
from grader.course.changes import changes_of
from grader.course.stubs import OpenTodo, open_todos
from grader.specification import Part
from grader.verdict import Status


def check(bench: Bench) -> Outcome:
    """Judge the part that ``bench.spec`` describes."""
    part, todos = _part_and_todos(bench)
    if len(todos) == len(part.sections) and not bench.exercise.is_repair:
        return _not_started(part, todos)
    excess = _excess(bench, part)
    if excess is not None:
        return excess
    return in_a_part(bench, _judge(bench))


def in_a_part(bench: Bench, outcome: Outcome) -> Outcome:
    """What `outcome` says of the part, also of one that ended its worker: whether it was begun at all."""
    part, todos = _part_and_todos(bench)
    if bench.exercise.is_repair:
        begun = len(todos) < len(part.sections)
        return _of_a_repair(replace(outcome, topic=part.name, reading=""), begun)
    return _of_new_code(replace(outcome, topic=outcome.topic or part.name), todos)


def _part_and_todos(bench: Bench) -> tuple[Part, list[OpenTodo]]:
    part = bench.spec.part
    assert part is not None
    return part, [todo for todo in open_todos(bench.exercise, bench.files) if todo.section in part.sections]


def _of_a_repair(outcome: Outcome, begun: bool) -> Outcome:
    if begun or outcome.status is Status.PASS:
        return outcome
    sentence = f"Not repaired yet. {outcome.sentence}"
    return replace(outcome, status=Status.NOT_ATTEMPTED, sentence=sentence, share=None)


def _of_new_code(outcome: Outcome, todos: Sequence[OpenTodo]) -> Outcome:
    """Before what went wrong: what of the part is not written yet, which may be all that is wrong."""
    if not todos or outcome.status is Status.PASS:
        return outcome
    first = todos[0]
    sentence = f"TODO({first.section}) in {first.file}, line {first.line}, is still open. {outcome.sentence}"
    return replace(outcome, status=Status.NOT_ATTEMPTED, sentence=sentence, share=None)


def _not_started(part: Part, todos: Sequence[OpenTodo]) -> Outcome:
    first = min(todos, key=lambda todo: part.sections.index(todo.section))
    sentence = f"Not started: begin with TODO({first.section}) in {first.file}, line {first.line}."
    return Outcome(Status.NOT_ATTEMPTED, sentence, topic="todo")


def _excess(bench: Bench, part: Part) -> Outcome | None:
    changes = changes_of(bench.exercise, bench.files)
    return change_size.excess(bench.exercise, changes, part.sections) if changes is not None else None


def _judge(bench: Bench) -> Outcome:
    """The first check that does not pass, or what all of them say together."""
    checks = [correctness, gradient, device_work, safety]
    if bench.spec.gradient is None:
        checks.remove(gradient)
    for each in checks:
        outcome: Outcome = each.check(bench)
        if outcome.status is not Status.PASS:
            return _with_what_was_seen(bench, _without_a_kernel(bench, outcome))
    return _within_limits(bench) if bench.spec.part and bench.spec.part.efficiency else passed(_praise(bench))


def _within_limits(bench: Bench) -> Outcome:
    """What a right part costs, if it has limits of its own."""
    outcome = efficiency.of_a_part(bench)
    if outcome.status is Status.PASS:
        return passed(f"{_praise(bench)} {outcome.sentence}")
    return outcome


def _without_a_kernel(bench: Bench, outcome: Outcome) -> Outcome:
    """Say first of all that others did the work: no check of its own will say it of a part."""
    ran = calls_without_a_kernel(bench)
    if outcome.status is not Status.FAIL or not ran or outcome.topic in ("no_kernel", "library"):
        return outcome
    workers = list(dict.fromkeys(name for call in ran for name in foreign_operators(bench, call)))
    others = f": {listed(workers)} did the work" if workers else ""
    sentence = f"No kernel of yours was launched{others}. {outcome.sentence}"
    return replace(outcome, sentence=sentence, topic="no_kernel")


def _with_what_was_seen(bench: Bench, outcome: Outcome) -> Outcome:
    """What went wrong on the device until then: as the cause of wrong values, or else in lines of its own."""
    if outcome.findings:
        return outcome
    if outcome.cause is not None:
        return replace(outcome, findings=(outcome.cause,), topic=outcome.cause.kind)
    return replace(outcome, lines=(*outcome.lines, *seen_on_the_way(bench)))


def seen_on_the_way(bench: Bench) -> Iterator[str]:
    for number, finding in enumerate(safety.rules_for_bad_input(bench, in_words(bench))):
        where = f"{finding.where}: " if finding.where else ""
        rule = f" {finding.rule}" if number == 0 else ""
        yield f"On the way, {where}{finding.sentence}{rule}"


def _praise(bench: Bench) -> str:
    assert bench.spec.part is not None
    title = bench.spec.part.title
    right = f"{counted(len(bench.spec.cases), 'case')} right"
    gradients = ", gradients as well" if bench.spec.gradient is not None else ""
    launches = sum(len(accepted_launches(bench, call)) for call in bench.calls)
    work = f"{counted(launches, 'launch', 'launches')} of your kernels did the work"
    return f"{title[0].upper()}{title[1:]}: {right}{gradients}, and {work}."
