"""Run the checks of one submission in order, and collect their results."""

from __future__ import annotations

import importlib
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from grader.checks import todo
from grader.checks.lesson_links import lesson_for
from grader.checks.outcome import Outcome
from grader.checks.registry import CHECKS, COUNTED
from grader.course.catalog import Exercise
from grader.run.failures import ProtocolViolation, WorkerTimeout, once_more, said
from grader.specification import Spec
from grader.support.errors import SubmissionError
from grader.verdict import CheckResult, Status

if TYPE_CHECKING:
    from grader.checks.bench import Bench

PRINTED_LINES = 20  # that are shown of what was printed
ALL_LINES = 1000  # where all is asked for: more would be unreadable, and the record is stored
AUDIT = "audit"  # the stage before the build, which reads the sources, and after it, which reads the library
Progress: TypeAlias = Callable[[str], None]  # told the name of each stage as it begins


@dataclass
class Results:
    """``found`` fills up in the order of the checks; nothing is judged after the check ``until``.

    What was printed belongs to a check that stands in the way; ``verbose``: to every check, and more of it.
    """

    exercise: Exercise
    files: Path
    progress: Progress
    until: str = ""
    verbose: bool = False
    found: list[CheckResult] = field(default_factory=list)

    def judged(self, spec: Spec) -> list[str]:
        """The checks that exist for this exercise, in order; the others leave the denominator."""
        names = [
            name
            for name in CHECKS
            if name in self.exercise.scores and not (name == "gradient" and spec.gradient is None)
        ]
        order = ["build", *names]
        until = "parts" if self._ends_after_a_part(spec) else self.until
        return order[1 : order.index(until) + 1] if until in order else names

    def _ends_after_a_part(self, spec: Spec) -> bool:
        """Whether ``until`` names a part. Repairs are judged together: one may hide another."""
        parts = [each.part.name for each in spec.parts if each.part is not None]
        return self.until in parts and not self.exercise.is_repair

    def check(self, name: str, bench: Bench) -> None:
        """Judge a check of the scores: one result, of ``parts`` one for each part."""
        if name == "parts":
            self._check_parts(bench)
        else:
            self._check_one(name, bench, self.exercise.scores[name], CHECKS[name])

    def add(self, name: str, outcome: Outcome, seconds: float, points: float | None = None) -> None:
        """Put an outcome on record, for ``points``, or as many as the exercise has for the check."""
        out_of = self.exercise.scores.get(name, 0) if points is None else points
        lesson = lesson_for(self.exercise, *outcome.topics)
        self.found.append(outcome.scored(name, out_of, seconds, lesson))

    def skip(self, names: Iterable[str], status: Status, sentence: str) -> None:
        """Put the same on record for checks that are not judged."""
        for name in names:
            self.add(name, Outcome(status, sentence), 0.0)

    def _check_parts(self, bench: Bench) -> None:
        """Judge each part on its own calls and answers."""
        settled: set[str] = set()
        for spec in bench.spec.parts:
            assert spec.part is not None and spec.part.points is not None
            bench = replace(bench, spec=spec, calls=[], right=[], current_case="", tried=False)
            self._check_one(spec.part.name, bench, spec.part.points, CHECKS["parts"])
            if not self.exercise.is_repair:
                self.found[-1] = as_told_before(self.found[-1], self.found[:-1])
            if self.found[-1].status is Status.PASS:
                settled.update(spec.part.sections)
            if spec.part.name == self.until and not self.exercise.is_repair:
                break
        # A part that is right has no open TODO, whatever comment still stands above the repair.
        if settled and self.found[0].name == "todo":
            del self.found[0]
            if left := todo.check(self.exercise, self.files, settled):
                self.add("todo", left, 0.0)
                self.found.insert(0, self.found.pop())

    def _check_one(self, name: str, bench: Bench, points: float, module: str) -> None:
        self.progress(name)
        checks = importlib.import_module(f"grader.checks.{module}")
        begun = time.perf_counter()
        first_call, right = len(bench.calls), len(bench.right)
        lost = ""

        def judge() -> Outcome:
            del bench.calls[first_call:], bench.right[right:]
            told = (self._within(name),) if name in COUNTED else ()
            outcome: Outcome = checks.check(bench, *told)
            return bench.compiler.judged(bench, outcome) if bench.compiler is not None else outcome

        try:
            outcome = once_more(judge)
        except SubmissionError as failure:
            outcome = ended_badly(failure, bench)
            if bench.spec.part is not None:
                outcome = checks.in_a_part(bench, outcome)
            lost = said(failure)
        bench.outcomes[name] = outcome
        if self.verbose or outcome.status.stands_in_the_way:
            text = printed(bench, first_call, lost, ALL_LINES if self.verbose else PRINTED_LINES)
            outcome = replace(outcome, lines=(*outcome.lines, *text))
        self.add(name, outcome, time.perf_counter() - begun, points)

    def _within(self, name: str) -> Progress:
        """Tells how far the check is: the name of the stage, a comma, and what it says."""
        return lambda said: self.progress(f"{name}, {said}")


def as_told_before(part: CheckResult, earlier: Sequence[CheckResult]) -> CheckResult:
    """`part`, with a line that refers to an earlier part which failed by the same findings."""
    places = {(each.kind, each.file, each.line) for each in part.findings if each.line}
    for before in earlier:
        told = {(each.kind, each.file, each.line) for each in before.findings}
        if part.status is Status.FAIL is before.status and part.findings and places and places <= told:
            first = part.findings[0]
            name = before.name.replace("_", " ")
            sentence = f"{first.file}:{first.line}: the finding of {name}, above. Repair that first."
            return replace(part, sentence=sentence, findings=(), lines=())
    return part


# ---- workers that did not answer ----


def ended_badly(failure: SubmissionError, bench: Bench) -> Outcome:
    """The worker did not answer as a worker does; the check is lost, and nothing else."""
    if isinstance(failure, WorkerTimeout):
        status = Status.TIMEOUT
    else:
        status = Status.FAIL if isinstance(failure, ProtocolViolation) else Status.CRASH
    case = bench.current_case
    bad_input = case in {refusal.name for refusal in bench.spec.refusals}
    kind = "bad input, to be refused:" if bad_input else "case"
    where = f' ({kind} "{case}")' if case else ""
    sentence = f"{failure.what.rstrip('.')}{where}. {failure.rule}"
    return Outcome(status, sentence, case=case, topic="refusals" if bad_input else status.value)


def printed(bench: Bench, first_call: int, lost: str = "", most: int = PRINTED_LINES) -> Iterator[str]:
    """The beginning, `most` lines, of what the submission printed during the calls from `first_call` on.

    Each call's lines follow a line that names the call. With what was printed in a call that gave no reply,
    ``lost``, the end is shown: what a program says before it dies comes last.
    """
    texts = [(call.text, call.reply.printed) for call in bench.calls[first_call:]]
    texts.append((bench.pending or "a call without a reply", lost))
    lines = [(number, call, line) for number, (call, text) in enumerate(texts) for line in text.splitlines()]
    shown, before, after = lines, "", ""
    if len(lines) > most and lost:
        shown = lines[1 - most :]
        before = f"  ... {len(lines) - len(shown)} lines before"
    elif len(lines) > most:
        shown = lines[:most]
        after = f"  ... and {len(lines) - len(shown)} more lines"
    if lines:
        yield from filter(None, ("It printed:", before, *_by_call(shown), after))


def _by_call(lines: Sequence[tuple[int, str, str]]) -> Iterator[str]:
    """Each line, (number of its call, the call, what was printed), below a heading for its call."""
    last: tuple[int, str] | None = None
    for number, call, line in lines:
        if last != (number, call):
            again = ", again" if last is not None and last[1] == call else ""
            yield f"  in {call[:1].lower() if call.startswith('The ') else call[:1]}{call[1:]}{again}:"
            last = (number, call)
        yield f"    {line}"
