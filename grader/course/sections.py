"""Section markers in solution files: the pairs that delimit a lesson snippet and a stub's TODO.

A marker stands alone on its line, in the comment style of the language:

    // --8<-- [start:load_tile]         # --8<-- [start:forward]
    // --8<-- [end:load_tile]           # --8<-- [end:forward]

Markers never nest and a name is used once in a file. An unclosed pair is an error rather than a
warning because the snippet extension of the site would leak the rest of the file into the page.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import PurePath

from grader.support.errors import BrokenExercise

_COMMENT_BY_SUFFIX = {".py": "#", ".toml": "#"}
_LOOKS_LIKE_MARKER = re.compile(r"--8<--")
_MARKER = re.compile(r"^\s*(?://|#)\s*--8<--\s*\[(?P<edge>start|end):(?P<name>[a-z][a-z0-9_]*)\]\s*$")
_RULE = "A section is one pair of lines, `--8<-- [start:name]` and `--8<-- [end:name]`; pairs never nest."


@dataclass(frozen=True)
class Region:
    """One marked section; ``start`` and ``end`` are the marker lines themselves, counted from 1."""

    name: str
    start: int
    end: int


def comment_prefix(suffix: str) -> str:
    """The line-comment token for a file suffix: ``#`` for Python and TOML, ``//`` for C++ and CUDA."""
    return _COMMENT_BY_SUFFIX.get(suffix, "//")


def is_marker(line: str) -> bool:
    """Whether ``line`` is a well-formed start or end marker."""
    return _MARKER.match(line) is not None


def find_regions(text: str, filename: str | PurePath) -> list[Region]:
    """The sections of ``text`` in file order.

    Raises BrokenExercise, naming ``filename:line``, for a malformed, nested, unclosed, unopened or
    repeated marker.
    """
    regions: list[Region] = []
    open_name, open_line = "", 0
    for number, line in enumerate(text.splitlines(), start=1):
        if not _LOOKS_LIKE_MARKER.search(line):
            continue
        edge, name = _parse_marker(line, filename, number)
        if edge == "start":
            if open_name:
                raise _broken(
                    filename,
                    number,
                    f"section {name!r} starts inside section {open_name!r} (opened in line {open_line})",
                )
            if any(region.name == name for region in regions):
                raise _broken(filename, number, f"section {name!r} starts a second time")
            open_name, open_line = name, number
        else:
            if name != open_name:
                inside = f"section {open_name!r} is open" if open_name else "no section is open"
                raise _broken(filename, number, f"section {name!r} ends here, but {inside}")
            regions.append(Region(name, open_line, number))
            open_name = ""
    if open_name:
        raise _broken(filename, open_line, f"section {open_name!r} is never closed")
    return regions


def _parse_marker(line: str, filename: str | PurePath, number: int) -> tuple[str, str]:
    match = _MARKER.match(line)
    if match is None:
        raise _broken(filename, number, f"{line.strip()!r} is not a section marker")
    return match["edge"], match["name"]


def _broken(filename: str | PurePath, line: int, what: str) -> BrokenExercise:
    return BrokenExercise(f"{filename}:{line}: {what}.", _RULE, "Repair the marker, then run: make sync")
