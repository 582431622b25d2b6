"""The pages that go into a workspace: the lessons of its exercises, and what all lessons lean on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from grader.catalog import Exercise
from grader.instruct.workspace.pages import told
from grader.instruct.workspace.plain import STYLE, drawn_alone, figures, plain

_SHARED = ("before", "guides", "reference")  # folders of docs/ with pages for every learner


def pages_of(course: Path, exercises: Sequence[Exercise]) -> dict[str, bytes]:
    """The pages by their path, as plain Markdown without answers, and their figures. Raises UsageError."""
    pages = _pages(course, exercises)
    files = {path: plain(text, path, course, pages).encode() for path, text in pages.items()}
    style = course / STYLE
    look = style.read_text(encoding="utf-8") if style.is_file() else ""
    for figure in sorted({path for text in pages.values() for path in figures(text)}):
        files[figure] = drawn_alone((course / figure).read_text(encoding="utf-8"), look).encode()
    return files


def words_of(course: Path, exercises: Sequence[Exercise]) -> Iterator[str]:
    """What these pages say for everybody to read."""
    return (told(text, course) for text in _pages(course, exercises).values())


def _pages(course: Path, exercises: Sequence[Exercise]) -> dict[str, str]:
    paths = [exercise.lesson_path for exercise in exercises if exercise.lesson_path.is_file()]
    paths += [path for folder in _SHARED for path in sorted((course / "docs" / folder).glob("*.md"))]
    return {path.relative_to(course).as_posix(): path.read_text(encoding="utf-8") for path in paths}
