"""Rules for questions and the file they are answered in."""

from __future__ import annotations

from collections.abc import Iterator

from grader.author.problem import Problem
from grader.course.answer_key import ANSWERS
from grader.course.catalog import Exercise
from grader.specification import Choice, load_spec


def questions_have_a_place(exercise: Exercise) -> Iterator[Problem]:
    """Each question is a section of answers.toml, about a part that exists, and answers earn points."""
    spec = load_spec(exercise)
    questions = spec.questions
    parts = {"", *(each.part.name for each in spec.parts if each.part is not None)}
    facts = exercise.root / "exercise.toml"
    for question in questions:
        section = exercise.sections.get(question.name)
        if section is None or section.file != ANSWERS:
            yield Problem(
                facts,
                f"the question {question.name} of spec.py is no section of {ANSWERS}",
                f'Write [sections.{question.name}] with file = "{ANSWERS}", and mark it in the solution.',
            )
        if question.part not in parts:
            yield Problem(
                exercise.spec_path,
                f"{question.name} is about {question.part}, which is no part",
                "Name one of PARTS.",
            )
    if questions and "answers" not in exercise.scores:
        yield Problem(
            facts, "spec.py asks questions that earn nothing", "Give points to `answers` in [scores]."
        )


def choices_are_read_where_they_are_answered(exercise: Exercise) -> Iterator[Problem]:
    """The comments in answers.toml hold prompt and choices as spec.py has them, however they are broken."""
    sheet = exercise.solution_dir / ANSWERS
    if ANSWERS not in exercise.edit or not sheet.is_file():
        return
    lines = sheet.read_text(encoding="utf-8").splitlines()
    told = _plain(" ".join(line.strip().removeprefix("#") for line in lines if line.lstrip().startswith("#")))
    for question in load_spec(exercise).questions:
        if not isinstance(question, Choice):
            continue
        missing = [text for text in (question.prompt, *question.choices.values()) if _plain(text) not in told]
        if missing:
            yield Problem(
                sheet,
                f"the comment on {question.name} lacks what spec.py says: {missing[0]}",
                "A learner reads a choice there: copy prompt and choices from spec.py.",
            )


def _plain(text: str) -> str:
    """With single blanks, and no full stop at the end."""
    return " ".join(text.split()).rstrip(".")
