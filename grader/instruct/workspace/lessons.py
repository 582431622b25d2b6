"""The pages of a workspace: the lessons of its exercises, and the pages they depend on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from grader.course.catalog import Catalog, Exercise
from grader.instruct.workspace.answers import Answers
from grader.instruct.workspace.pages import told
from grader.instruct.workspace.plain import STYLE, drawn_alone, figures, plain
from grader.support.errors import BrokenExercise

_TOLD = ("exercise.toml", "spec.py", "hints.md")  # an author's words to learners
_SHARED = ("bindings.md", "before/*.md", "guides/*.md", "reference/*.md")  # below docs/, for every learner


def pages_of(course: Path, exercises: Sequence[Exercise]) -> dict[str, bytes]:
    """The pages by their path, as plain Markdown without answers, and their figures. Raises UsageError."""
    pages = _pages(course, exercises)
    files = {path: plain(text, path, course, pages).encode() for path, text in pages.items()}
    style = course / STYLE
    look = _text(style) if style.is_file() else ""
    for figure in sorted({path for text in pages.values() for path in figures(text)}):
        files[figure] = drawn_alone(_text(course / figure), look).encode()
    return files


def answers_for(catalog: Catalog, exercises: Sequence[Exercise]) -> Answers:
    """What those who get ``exercises``, some of the course's, may not be shown."""
    told_by_exercises = [_text(path) for exercise in exercises for path in _told_by(exercise)]
    told_by_pages = [told(text, catalog.course) for text in _pages(catalog.course, exercises).values()]
    return Answers(catalog, [*told_by_exercises, *told_by_pages])


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
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise BrokenExercise(
            f"{path} cannot be read: {error}.", "It is part of what is handed out.", "Run: grader dev check"
        ) from error
