"""Rules for the hints and the lesson; a course without ``docs/lessons`` has no rules for lessons."""

from __future__ import annotations

import re
from collections.abc import Iterator

from grader.author.problem import Problem
from grader.course.catalog import Exercise
from grader.course.hints import read_hints

RUNGS = 3
HEADINGS = (
    "Key ideas", "How it works", "The stub", "The command", "Hints", "Solution", "When a verdict points here",
    "Measurement", "What a pass does not prove", "Further reading", "Next",
)  # fmt: skip
_PROMISE = re.compile(r"^\*\*[^*]+\*\*$", re.MULTILINE)
_ELSEWHERE = re.compile(r"\]\(https://")
_IN_THE_LESSON = re.compile(r'(?:"[^"\n]+"(?: and |, )?)+ in the lesson\b')


def hints_have_three_rungs(exercise: Exercise) -> Iterator[Problem]:
    """Where to look, the idea, the shape; for every section, in the order of the sections."""
    rungs = read_hints(exercise)
    for section in exercise.sections:
        number = len(rungs.get(section, ()))
        if number != RUNGS:
            yield Problem(
                exercise.hints_path,
                f"section {section} has {number} hints",
                "Write three `## ` headings under `# " + section + "`: where to look, the idea, the shape.",
            )
    for section in rungs.keys() - exercise.sections.keys():
        yield Problem(exercise.hints_path, f"{section} is no section", "Name a section of exercise.toml.")


def hints_quote_the_lesson(exercise: Exercise) -> Iterator[Problem]:
    """What a hint sends the learner to, by its name in quotes, is in the lesson under that name."""
    lesson = _lesson(exercise)
    if not lesson:
        return
    has = " ".join(lesson.split()).lower()
    for text in (rung for rungs in read_hints(exercise).values() for rung in rungs):
        for named in _IN_THE_LESSON.findall(" ".join(text.split())):
            for name in re.findall(r'"([^"]+)"', named):
                if name.lower() not in has:
                    yield Problem(
                        exercise.hints_path,
                        f'a hint names "{name}" in the lesson, which has no such words',
                        "Write the heading as the lesson has it.",
                    )


def lesson_is_whole(exercise: Exercise) -> Iterator[Problem]:
    """All the parts, in their order; the promise; a picture; the stub's verdict."""
    text = _lesson(exercise)
    if text is None:
        return
    path = exercise.lesson_path
    if not text:
        yield Problem(path, "the lesson is missing", "grader new writes one to begin with.")
        return
    headings = re.findall(r"^## (.+)$", text, re.MULTILINE)
    absent = [heading for heading in HEADINGS if heading not in headings]
    if absent:
        yield Problem(path, f"it lacks {', '.join(absent)}", "A learner finds each of these in every lesson.")
    elif [heading for heading in headings if heading in HEADINGS] != list(HEADINGS):
        yield Problem(path, "its parts are in another order", f"The order is: {', '.join(HEADINGS)}.")
    if not _PROMISE.search(text):
        yield Problem(
            path, "it has no promise", "Begin with one sentence in bold: what you can do afterwards."
        )
    if not _problem(text):
        yield Problem(path, "it has no problem", "Open with a paragraph on what this exercise is needed for.")
    if not _ELSEWHERE.search(text.partition("\n## Further reading\n")[2]):
        yield Problem(path, "its further reading links nothing", "Link the primary source: https://...")
    if "docs/figures/" not in text:
        yield Problem(path, "it has no picture", "Draw one in docs/_build, and include it as the others do.")


def lesson_shows_the_files(exercise: Exercise) -> Iterator[Problem]:
    """Code and verdicts come from files that are tested, never from the keyboard."""
    text = _lesson(exercise)
    if not text:
        return
    slug, path = exercise.slug, exercise.lesson_path
    wanted = [f"exercises/{slug}/{file}" for file in exercise.edit]
    wanted += [f"solutions/{slug}/{section.file}:{section.name}" for section in exercise.sections.values()]
    wanted += [f"docs/_captured/{slug}.txt", f"docs/_captured/{slug}.passed.txt"]
    wanted += [f"docs/_generated/box/{slug}.md", f"docs/_generated/hints/{slug}.md"]
    for include in wanted:
        if f'--8<-- "{include}"' not in text:
            yield Problem(path, f"it does not show {include}", f'Include it: --8<-- "{include}"')


def lesson_is_in_the_menu(exercise: Exercise) -> Iterator[Problem]:
    """mkdocs shows what its navigation lists."""
    menu = exercise.course / "mkdocs.yml"
    line = f"lessons/{exercise.slug}.md"
    if _lesson(exercise) and menu.is_file() and line not in menu.read_text(encoding="utf-8"):
        yield Problem(menu, f"the navigation lacks {line}", f"Add the line `- {line}` to its part.")


def anchors_are_unique(exercise: Exercise) -> Iterator[Problem]:
    """Verdicts point at anchors under "When a verdict points here"."""
    anchors = re.findall(r"\{ #([\w-]+) \}", _lesson(exercise) or "")
    for anchor in sorted({each for each in anchors if anchors.count(each) > 1}):
        yield Problem(exercise.lesson_path, f"#{anchor} is there twice", "A verdict points at one place.")
    if _lesson(exercise) and not anchors:
        yield Problem(exercise.lesson_path, "no verdict can point into it", "Mark places with { #topic }.")


def _problem(text: str) -> str:
    """The first paragraph after the promise that is neither an include nor a figure; "" without one."""
    opening = text.partition("\n## ")[0]
    _, _, after = opening.partition("**\n")
    paragraphs = [part.strip() for part in after.split("\n\n")]
    return next((part for part in paragraphs if part and part[0] not in "<-!?"), "")


def _lesson(exercise: Exercise) -> str | None:
    """Its text, "" where it is missing; None in a course without lessons."""
    if not exercise.lesson_path.parent.is_dir():
        return None
    return exercise.lesson_path.read_text(encoding="utf-8") if exercise.lesson_path.is_file() else ""
