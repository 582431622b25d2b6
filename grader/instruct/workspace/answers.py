"""The lines that give an answer away, and whether a text shows one.

An answer is a line of a section that the stub leaves open. It is none if learners are shown it anyway: in
a stub, in a file that is given, in the words of a lesson.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from pathlib import PurePath

from grader.course.catalog import Catalog, Exercise
from grader.course.sections import find_regions
from grader.course.stubs import sections_of, stub_text

_SHORTEST = 8  # characters besides blanks: `return x` could stand anywhere
_TRAILING_COMMENT = re.compile(r"(?<=\S)\s+(?://|#)\s.*$")


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
