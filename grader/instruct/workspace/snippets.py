"""The includes of a page: ``--8<-- "path"`` or ``--8<-- "path:section"``, alone on its line.

The site's snippet extension resolves them when it builds. Here they are read to know what a page shows.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from grader.course.sections import find_regions
from grader.support.errors import UsageError
from grader.support.reading import read_text

_INCLUDE = re.compile(
    r'^(?P<indent>[ \t]*)--8<-- "(?P<path>[^":]+)(?::(?P<section>[^"]+))?"[ \t]*$', re.MULTILINE
)
_SOLUTIONS, _CAPTURED = "solutions/", "docs/_captured/"


@dataclass(frozen=True)
class Include:
    """``path`` is relative to the course; ``section`` is a marked region of it, or "" for all of it."""

    path: str
    section: str

    @property
    def of_solution(self) -> bool:
        """Whether it shows the solution of an exercise."""
        return self.path.startswith(_SOLUTIONS)

    @property
    def captured(self) -> bool:
        """Whether it shows what the grader said of somebody's files, with lines of them."""
        return self.path.startswith(_CAPTURED)

    def text(self, course: Path) -> str:
        """What is included. Raises UsageError where it is missing."""
        text = read_text(
            course / self.path,
            UsageError,
            "A page of the course includes it.",
            "Run: make sync. If it is still missing, take the line out of the page.",
        )
        for region in find_regions(text, self.path) if self.section else ():
            if region.name == self.section:
                return "\n".join(text.splitlines()[region.start : region.end - 1])
        return text


def replace_includes(markdown: str, change: Callable[[Include], str | None]) -> str:
    """``markdown`` with every include exchanged for what ``change`` makes of it; None leaves it there."""

    def changed(match: re.Match[str]) -> str:
        text = change(Include(match["path"], match["section"] or ""))
        if text is None:
            return match[0]
        return textwrap.indent(textwrap.dedent(text).strip("\n"), match["indent"])

    return _INCLUDE.sub(changed, markdown)


def resolved(markdown: str, course: Path, wanted: Callable[[Include], bool] = lambda include: True) -> str:
    """``markdown`` with the text of every ``wanted`` include in its place, and of those in it in turn."""

    def text_of(include: Include) -> str | None:
        if not wanted(include):
            return None
        text = include.text(course)
        return resolved(text, course, wanted) if include.path.endswith(".md") else text

    return replace_includes(markdown, text_of)
