"""The pages of a workspace: the lessons of its exercises, and the pages they depend on."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path, PurePath

from grader.course.catalog import Catalog, Exercise
from grader.course.sections import find_regions
from grader.course.stubs import sections_of, stub_text
from grader.instruct.workspace.pages import public_text
from grader.instruct.workspace.plain import STYLE, drawn_alone, figures, plain
from grader.support.errors import BrokenExercise
from grader.support.reading import read_text

_SHORTEST = 8  # characters besides blanks: `return x` could stand anywhere
_TRAILING_COMMENT = re.compile(r"(?<=\S)\s+(?://|#)\s.*$")
_TOLD = ("exercise.toml", "spec.py", "hints.md")  # an author's words to learners
_PROGRAM = re.compile(r"docs/samples/[\w/.-]+?\.py\b")
_TEACHING = ("docs/lessons/", "docs/before/", "docs/guides/")
_SHARED = ("bindings.md", "before/*.md", "guides/*.md", "reference/*.md")  # below docs/, for every learner


def pages_of(course: Path, exercises: Sequence[Exercise]) -> dict[str, bytes]:
    """The pages by their path, as plain Markdown without answers, with their figures and the Python programs
    that lessons and guides show or run. Raises UsageError.
    """
    pages = _pages(course, exercises)
    files = {path: plain(text, path, course, pages).encode() for path, text in pages.items()}
    style = course / STYLE
    look = _text(style) if style.is_file() else ""
    for figure in sorted({path for text in pages.values() for path in figures(text)}):
        files[figure] = drawn_alone(_text(course / figure), look).encode()
    taught = [text for path, text in pages.items() if path.startswith(_TEACHING)]
    for program in {path for text in taught for path in _PROGRAM.findall(text)}:
        files[program] = _text(course / program).encode()
    return files


def answers_for(catalog: Catalog, exercises: Sequence[Exercise]) -> Answers:
    """What those who get ``exercises``, some of the course's, may not be shown."""
    public_of_exercises = [_text(path) for exercise in exercises for path in _told_by(exercise)]
    pages = _pages(catalog.course, exercises).values()
    public_of_pages = [public_text(text, catalog.course) for text in pages]
    return Answers(catalog, [*public_of_exercises, *public_of_pages])


def _told_by(exercise: Exercise) -> Iterator[Path]:
    """Where an author wrote for learners: files of a known name, and files that the spec names."""
    yield from (exercise.root / name for name in _TOLD)
    spec = _text(exercise.spec_path)
    generated = {*exercise.edit, *exercise.given}
    for path in exercise.root.iterdir():
        if path.is_file() and path.name not in generated and f'"{path.name}"' in spec:
            yield path


def _pages(course: Path, exercises: Sequence[Exercise]) -> dict[str, str]:
    paths = [exercise.lesson_path for exercise in exercises if exercise.lesson_path.is_file()]
    paths += [path for pattern in _SHARED for path in sorted((course / "docs").glob(pattern))]
    return {path.relative_to(course).as_posix(): _text(path) for path in paths}


def _text(path: Path) -> str:
    return read_text(path, BrokenExercise, "It is part of what is handed out.", "Run: grader dev check")


# ---- lines that give an answer away ----


class Answers:
    """The lines of the solutions that neither a stub nor a text of ``shown`` contains, with their places."""

    def __init__(self, catalog: Catalog, shown: Iterable[str]) -> None:
        stubs = (stub_text(each, name) for each in catalog.exercises for name in (*each.edit, *each.given))
        public = "\n".join(_squeezed(text) for text in (*stubs, *shown))
        lines = (pair for exercise in catalog.exercises for pair in _lines(exercise))
        self.places = {line: place for line, place in lines if line not in public}

    def found_in(self, text: str) -> list[str]:
        """The answers that ``text`` shows, each on one of its lines; blanks do not count."""
        squeezed = _squeezed(text)
        return [line for line in self.places if line in squeezed]


def given_away(exercises: Sequence[Exercise]) -> tuple[Exercise, Exercise] | None:
    """The first of ``exercises`` that asks for a line which the stubs of a later one have, and that one."""
    for place, later in enumerate(exercises):
        stubs = "\n".join(_squeezed(stub_text(later, name)) for name in (*later.edit, *later.given))
        for earlier in exercises[:place]:
            if any(line in stubs for line, _ in _lines(earlier)):
                return earlier, later
    return None


def _lines(exercise: Exercise) -> Iterator[tuple[str, str]]:
    """(line, where it is from), for every open section; nothing where there is no solution."""
    for name in exercise.edit:
        path = exercise.solution_dir / name
        if path.is_file():
            text = path.read_text(encoding="utf-8")
            yield from _lines_of(text, sections_of(exercise, name).keys(), f"{exercise.slug}/{name}")


def _lines_of(text: str, sections: Collection[str], place: str) -> Iterator[tuple[str, str]]:
    lines = text.splitlines()
    for region in find_regions(text, PurePath(place)):
        if region.name not in sections:
            continue
        for line in lines[region.start : region.end - 1]:
            code = _squeezed(_TRAILING_COMMENT.sub("", line))
            if len(code.replace(" ", "")) >= _SHORTEST:
                yield code, f"{place}, section {region.name}"


def _squeezed(text: str) -> str:
    """``text`` with one blank in the place of several, and none at either end of a line."""
    return "\n".join(" ".join(line.split()) for line in text.splitlines())
