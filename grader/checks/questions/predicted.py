"""The truth about a number: the author's program is built, run on the simulated GPU with the sizes that the
learner was asked about, and counted. Nothing of the learner's takes part, so what this process has counted
once it knows. It is written nowhere, since it is the answer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from cusimt.compiler.sources import content_key
from cusimt.counters import LineCounts, symbolise
from cusimt.gpu_models import architecture
from cusimt.support import cache
from grader.checks.bench import Bench
from grader.compilation import Artifact, BuildRequest, build
from grader.course.catalog import Exercise
from grader.run.session import Session
from grader.run.zygote_handle import Zygote
from grader.specification.questions import Count, Number, Program, drawn_sizes
from grader.support.errors import BrokenExercise, BuildFailed, InfrastructureError, SubmissionError

_SECONDS = 60.0
_counted: dict[str, dict[str, float]] = {}  # the numbers of each program that was run, by `_key`
_NOT_YOURS = "It is part of the exercise, so this does not count against the submission."

Spawn: TypeAlias = Callable[[], Session]


@dataclass(frozen=True)
class Run:
    """One call of an author's program."""

    lines: Sequence[LineCounts]
    returned: object


def counts_of(bench: Bench, questions: Sequence[Number], draw: int) -> dict[str, float]:
    """The right number for each of `questions`, by its name.

    Raises BrokenExercise when a program raises or does nothing at the line asked about, and
    InfrastructureError when it does not build or run here.
    """
    asked = {_key(bench.exercise, each, draw): each for each in _by_program(questions)}
    missing = [key for key in asked if key not in _counted]
    if missing:
        with _spawning(bench) as spawn:
            for key in missing:
                _counted[key] = _counts_of_program(bench, asked[key], draw, spawn)
    return {name: number for key in asked for name, number in _counted[key].items()}


def are_known(exercise: Exercise, questions: Sequence[Number], draw: int) -> bool:
    """Whether `counts_of` needs no simulated GPU for these questions any more."""
    return all(_key(exercise, each, draw) in _counted for each in _by_program(questions))


def is_right(answer: float, truth: float, digits: int) -> bool:
    """Whether `answer` is `truth`, given exactly or rounded to `digits` decimals."""
    exact = 1e-9 * max(1.0, abs(truth))
    rounded = 0.5 * 10.0**-digits if digits or not truth.is_integer() else 0.0
    return abs(answer - truth) <= rounded + exact


@contextmanager
def _spawning(bench: Bench) -> Iterator[Spawn]:
    """Workers on the simulated GPU, which counts, also where the submission runs on a real one."""
    if bench.backend == "simt":
        yield bench.spawn
        return
    if bench.simulated is not None:
        yield bench.simulated.spawn_worker
        return
    with simulated_beside(bench.exercise) as zygote:
        yield zygote.spawn_worker


def simulated_beside(exercise: Exercise) -> Zygote:
    """A simulated GPU for the exercise's programs; it takes seconds to start, and returns at once."""
    return Zygote.start("simt", readable=(exercise.root,))


def _key(exercise: Exercise, questions: Sequence[Number], draw: int) -> str:
    """All that the numbers of one program depend on and that can change while this process runs."""
    program = questions[0].program
    sizes = sorted(drawn_sizes(program, exercise.slug, draw).items())
    contents = content_key(exercise.root / program.file, ())
    return cache.digest([exercise.root, architecture(), sizes, *questions, *contents])


def _by_program(questions: Sequence[Number]) -> list[list[Number]]:
    """The questions about each program."""
    files = dict.fromkeys(question.program.file for question in questions)
    return [[question for question in questions if question.program.file == file] for file in files]


def _counts_of_program(
    bench: Bench, questions: Sequence[Number], draw: int, spawn: Spawn
) -> dict[str, float]:
    program, root = questions[0].program, bench.exercise.root
    sizes = drawn_sizes(program, bench.exercise.slug, draw)
    artifact = _built(program, root)
    runs: dict[tuple[str, ...], Run] = {}
    try:
        with spawn() as session:
            session.load(artifact, None, root)
            for call in dict.fromkeys(question.call for question in questions):
                runs[call] = _run(session, root / program.file, call, sizes)
    except SubmissionError as failure:  # none of the learner's code takes part
        raise InfrastructureError(
            f"{program.file} cannot be counted: {failure.what}", _NOT_YOURS
        ) from failure
    return {each.name: _value(each, runs[each.call], root / program.file) for each in questions}


def _value(question: Number, run: Run, file: Path) -> float:
    if isinstance(question, Count):
        return value_at(question, run.lines, file)
    if isinstance(run.returned, bool) or not isinstance(run.returned, int):
        raise _broken(file, f"{question.call[0]} returned {run.returned!r}, but {question.name} asks for it")
    return float(run.returned)


def _built(program: Program, root: Path) -> Artifact:
    name = Path(program.file).stem
    try:
        return build(BuildRequest(name, "pybind", (root / program.file,), "simt"))
    except BuildFailed as failure:
        raise InfrastructureError(f"{failure.what}\n{failure.diagnostics}", _NOT_YOURS) from failure


def _run(session: Session, file: Path, call: tuple[str, ...], sizes: dict[str, int]) -> Run:
    """The counts of every line that the call reached, of all its launches, and what it returned."""
    function, *names = call
    reply = session.call(function, [sizes[name] for name in names], count=True, seconds=_SECONDS)
    problem = reply.error or reply.trace.sticky_error
    if problem is not None:
        raise _broken(file, f"{function} failed: {problem}")
    launches = symbolise(reply.trace.counts, [file.parent])
    lines = [line for launch in launches for line in launch.lines]
    return Run(lines, reply.outputs[0].value if reply.outputs else None)


def value_at(question: Count, counts: Sequence[LineCounts], file: Path) -> float:
    """What `question.metric` is at its line."""
    numbers = [
        number
        for number, text in enumerate(file.read_text(encoding="utf-8").splitlines(), 1)
        if question.line in text
    ]
    if len(numbers) != 1:
        raise _broken(file, f"{question.line!r} is in {len(numbers)} lines, but {question.name} means one")
    at_line = [
        line
        for line in counts
        if Path(line.frame.file).name == file.name
        and line.frame.line == numbers[0]
        and line.access == question.access
    ]
    field, _, per_request = question.metric.partition("_per_")
    requests, total = sum(line.requests for line in at_line), sum(getattr(line, field) for line in at_line)
    if not total:
        raise _broken(file, f"nothing was counted for {question.name} in line {numbers[0]}")
    return total / requests if per_request else float(total)


def _broken(file: Path, what: str) -> BrokenExercise:
    return BrokenExercise(f"{file}: {what}.", "QUESTIONS in spec.py asks about this program.")
