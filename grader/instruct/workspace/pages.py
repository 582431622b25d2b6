"""A page of the course without its answers.

The section "Solution" goes, with all that is collapsed in it; elsewhere, what is included from a solution.
Verdicts on planted mistakes stay, without the lines of the solution that they quote.
"""

from __future__ import annotations

import re
from pathlib import Path

from grader.instruct.workspace.snippets import Include, replace_includes, resolved

HIDDEN = "(left out here)"
_INSTEAD = "It is not handed out with this copy of the course. Ask for it when you have passed."

_HEADING = re.compile(r"^(#+) +(.*?)(?: *\{[^}]*\})? *$")
_FENCE = re.compile(r"^\s*(`{3,}|~{3,})")
_QUOTES = (
    re.compile(r"^(\s*Line \d+ of \S+ is: )\S.*$", re.MULTILINE),  # a plain verdict
    re.compile(r"^(\s*\d+ [│|]\s)\s*\S.*$", re.MULTILINE),  # a profile, a compiler's message
)


def without_answers(markdown: str, course: Path) -> str:
    """``markdown`` with its remaining includes as they are. Raises UsageError for a missing capture."""
    return replace_includes(_without_solution(markdown), lambda include: _shown(include, course))


def public_text(markdown: str, course: Path) -> str:
    """What a page says for everybody to read: all but answers and verdicts."""
    text = _without_solution(markdown)
    return resolved(text, course, lambda include: not include.of_solution and not include.captured)


def _shown(include: Include, course: Path) -> str | None:
    if include.of_solution:
        return HIDDEN
    return _without_quotes(include.text(course)) if include.captured else None


def _without_quotes(verdict: str) -> str:
    for quote in _QUOTES:
        verdict = quote.sub(rf"\g<1>{HIDDEN}", verdict)
    return verdict


def _without_solution(markdown: str) -> str:
    """The section's heading stays, for what links to it, and one sentence."""
    kept: list[str] = []
    inside, fence = 0, ""
    for line in markdown.splitlines():
        mark = _FENCE.match(line)
        if mark and not fence:
            fence = mark[1]
        elif mark and mark[1].startswith(fence):
            fence = ""
        heading = None if fence else _HEADING.match(line)
        if heading and (not inside or len(heading[1]) <= inside):
            inside = len(heading[1]) if heading[2].casefold() in ("solution", "solutions") else 0
            kept += [line, "", _INSTEAD, ""] if inside else [line]
        elif not inside:
            kept.append(line)
    return "\n".join(kept) + "\n"
