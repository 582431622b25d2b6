"""Compiler excerpts (a source line with a caret below) cut to the width of a terminal.

Where a terminal wraps a line, the caret no longer stands below what it points at. So an excerpt that is too
wide is cut on both sides of the caret, all its lines at the same columns.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

ELLIPSIS = "…"
NARROWEST = 8  # columns of source that are shown at least
_NUMBERED = re.compile(r" *\d+ \| ?")  # g++ and clang: `   12 |     out[i] = a[i];`
_BELOW = re.compile(r" +\| ?")  # the lines that follow it: markers, and names that the compiler suggests
_MARKERS = re.compile(r" *[~^][ ~^]*$")


def fitted(lines: Sequence[str], width: int) -> Iterator[str]:
    """``lines`` in their order, with every excerpt among them at most ``width`` columns wide."""
    at = 0
    while at < len(lines):
        size = _excerpt(lines, at)
        if size:
            yield from _cut(lines[at : at + size], width)
        else:
            yield lines[at]
        at += size or 1


def _excerpt(lines: Sequence[str], at: int) -> int:
    """How many lines the excerpt that begins at ``at`` has; 0 where none begins."""
    if _NUMBERED.match(lines[at]):
        end = at + 1
        while end < len(lines) and _BELOW.match(lines[end]) and not lines[end].lstrip(" |").startswith("("):
            end += 1
        return end - at
    if at + 1 < len(lines) and _MARKERS.match(lines[at + 1]):  # nvcc puts no numbers in front
        return 2
    return 0


def _cut(excerpt: Sequence[str], width: int) -> Iterator[str]:
    numbered = _NUMBERED.match(excerpt[0])
    gutter = numbered.end() if numbered else 0
    room = max(NARROWEST, width - gutter)
    bodies = [line[gutter:] for line in excerpt]
    longest = max(map(len, bodies))
    first = 0
    if longest > room:
        first = min(max(0, _caret(bodies) - room // 2), longest - room)
    for line, body in zip(excerpt, bodies, strict=True):
        yield (line[:gutter] + _window(body, first, room)).rstrip()


def _caret(bodies: Sequence[str]) -> int:
    """The column, from 0, that the first marker below the source line points at; 0 without one."""
    marked = next((body for body in bodies[1:] if _MARKERS.match(body)), "")
    return max(marked.find("^"), 0) if "^" in marked else max(marked.find("~"), 0)


def _window(body: str, first: int, room: int) -> str:
    """``room`` columns of ``body``; an ellipsis stands for what is cut off of the source, not for blanks."""
    shown = body[first : first + room]
    if _MARKERS.match(body):
        return shown
    if body[: first + 1].strip() and first:
        shown = ELLIPSIS + shown[1:]
    if body[first + room :].strip():
        shown = shown[: room - 1] + ELLIPSIS
    return shown
