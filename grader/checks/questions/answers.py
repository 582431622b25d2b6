"""Check the answers in `answers.toml`.

A choice is compared with the digest in ``answers.key``, a number with what is counted now. A wrong answer
never tells the right one: it names the question and the rule to think about.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeGuard

from cusimt.support.words import counted, listed
from grader.checks.bench import Bench
from grader.checks.outcome import Outcome, passed
from grader.checks.questions.answer_sheet import (
    Sheet,
    Unclear,
    UnreadableSheet,
    answer_to,
    read_sheet,
    shown,
    strangers,
)
from grader.checks.questions.predicted import are_known, counts_of, is_right
from grader.course.answer_key import ANSWERS, KEY, digest, read_key
from grader.course.catalog import Exercise
from grader.specification import Spec
from grader.specification.questions import Choice, Number, Question, drawn_sizes
from grader.support.errors import BrokenExercise
from grader.verdict import Status


@dataclass(frozen=True)
class Judged:
    """One question: how it was answered, and what there is to say about it where that was not right.

    ``said`` is one line, however long: the reader's screen decides where it breaks.
    """

    question: Question
    state: Literal["right", "wrong", "open"]
    said: str = ""


def check(bench: Bench) -> Outcome:
    """Judge every answer; open questions are asked."""
    questions = bench.spec.questions
    key = _whole_key(bench.exercise, questions)
    try:
        sheet = read_sheet(bench.files / ANSWERS)
    except UnreadableSheet as problem:
        return Outcome(Status.FAIL, str(problem), topic="answers")
    truths = counts_of(bench, [each for each in questions if _is_counted(each, sheet)], sheet.draw)
    judged = [_judged(bench.exercise, question, sheet, key, truths) for question in questions]
    return _outcome(judged, strangers(sheet, questions))


def need_counting(exercise: Exercise, spec: Spec, files: Path) -> bool:
    """Whether `check` will have to run the author's programs."""
    try:
        sheet = read_sheet(files / ANSWERS)
    except UnreadableSheet:
        return False
    numbers = [each for each in spec.questions if _is_counted(each, sheet)]
    return not are_known(exercise, numbers, sheet.draw)


def ask(exercise: Exercise, spec: Spec, files: Path) -> Outcome:
    """The questions, for a learner who has not written anything yet."""
    try:
        draw = read_sheet(files / ANSWERS).draw
    except UnreadableSheet as problem:
        return Outcome(Status.NOT_ATTEMPTED, str(problem), topic="answers")
    return _outcome([Judged(each, "open", asked(each, exercise, draw)) for each in spec.questions], ())


def _is_counted(question: Question, sheet: Sheet) -> TypeGuard[Number]:
    """Whether the program has to run: a missing answer needs no count."""
    return not isinstance(question, Choice) and isinstance(answer_to(question, sheet), float)


def _whole_key(exercise: Exercise, questions: Sequence[Question]) -> dict[str, str]:
    """The digest of every choice that is asked. Raises BrokenExercise where key and questions differ."""
    if not questions:
        raise BrokenExercise(
            f"{exercise.slug} has points for answers, but its spec.py asks nothing.",
            "QUESTIONS in spec.py holds what is asked; the `answers` of [scores] are its points.",
        )
    key = read_key(exercise)
    choices = {question.name for question in questions if isinstance(question, Choice)}
    if choices != key.keys():
        names = listed(sorted(choices ^ key.keys()))
        raise BrokenExercise(
            f"{exercise.root / KEY} and the choices in spec.py differ: {names}.",
            f"The key is made of the letters in the solution's {ANSWERS}, one for each choice.",
            "Answer every choice there, then run: make sync",
        )
    return key


def _judged(
    exercise: Exercise, question: Question, sheet: Sheet, key: Mapping[str, str], truths: Mapping[str, float]
) -> Judged:
    answer = answer_to(question, sheet)
    if answer is None:
        return Judged(question, "open", asked(question, exercise, sheet.draw))
    if isinstance(answer, Unclear):
        return Judged(question, "wrong", answer.sentence)
    if not isinstance(question, Choice):
        right = is_right(float(answer), truths[question.name], question.digits)
    else:
        right = digest(exercise.slug, question.name, str(answer)) == key[question.name]
    if right:
        return Judged(question, "right")
    given = shown(sheet.values[question.name])
    about = f" (about {question.part})" if question.part else ""
    return Judged(question, "wrong", f"{question.name} = {given} is not right{about}. {question.think}")


def asked(question: Question, exercise: Exercise, draw: int) -> str:
    """A count with the sizes drawn; ``""`` for a choice, which answers.toml asks."""
    if isinstance(question, Choice):
        return ""
    sizes = drawn_sizes(question.program, exercise.slug, draw)
    return f"{question.name}: {question.prompt.format(**sizes)}"


def _choices_left(judged: Sequence[Judged]) -> str:
    names = [
        each.question.name for each in judged if each.state == "open" and isinstance(each.question, Choice)
    ]
    each = "a letter each" if len(names) > 1 else "a letter"
    return f"{listed(names)}: {each}, of the choices in {ANSWERS}." if names else ""


def _outcome(judged: Sequence[Judged], asides: Sequence[str]) -> Outcome:
    right, wrong, left = (
        [each.question.name for each in judged if each.state == state] for state in ("right", "wrong", "open")
    )
    lines = tuple(filter(None, (*(each.said for each in judged), _choices_left(judged), *asides)))
    if not wrong and not left:
        number = f"All {len(judged)} answers are right" if len(judged) > 1 else "The answer is right"
        return passed(f"{number}.")
    status = Status.FAIL if wrong else Status.NOT_ATTEMPTED
    sentence = _sentence(len(judged), right, wrong, left)
    return Outcome(status, sentence, share=len(right) / len(judged), lines=lines, topic="answers")


def _sentence(total: int, right: list[str], wrong: list[str], left: list[str]) -> str:
    if len(left) == total:
        return f"{counted(total, 'question is', 'questions are')} open. The answers go into {ANSWERS}."
    words = [f"{len(right)} of {counted(total, 'answer')} {'is' if len(right) == 1 else 'are'} right"]
    if wrong:
        words.append(f"not right: {listed(wrong)}")
    if left:
        words.append(f"{counted(len(left), 'is', 'are')} still open")
    return f"{'; '.join(words)}."
