"""Whether a source includes a header before any code of its own.

A precompiled header comes first in the translation unit, whatever the source says. That changes nothing when
only comments and other includes precede the source's own `#include`: no line of the source can see the
difference. A macro, a condition or a declaration before it could, so those sources get no such header.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from enum import Enum, auto
from pathlib import Path

from cusimt.translate.lexer import Kind, Token, scan

_INCLUDE = re.compile(r'#\s*include\s*(?:<(?P<angled>[^>\n]+)>|"(?P<quoted>[^"\n]+)")$')
_ONCE = re.compile(r"#\s*pragma\s+once$")


class _Found(Enum):
    LEADING = auto()  # the header is included, and no code came first
    CODE = auto()  # code came first
    NOTHING = auto()  # only comments and other includes


def leads_with(source: Path, header: str, include_dirs: Iterable[Path]) -> bool:
    """Whether `source`, or what it includes, includes the library's `header` before any code of its own.

    Files beside the source and in `include_dirs` are its own; all other headers are a library's.
    """
    folders = [folder.resolve() for folder in include_dirs]
    return _look(source, header, folders, source.resolve().parent, set()) is _Found.LEADING


def _look(file: Path, header: str, folders: list[Path], last: Path, seen: set[Path]) -> _Found:
    """`last` is the folder that the compiler searches last: see `cusimt.compiler.sources.beside`."""
    if file in seen:
        return _Found.CODE  # an include that goes in circles: leave it to the compiler
    seen.add(file)
    source = file.read_text(encoding="utf-8-sig", errors="surrogateescape")
    for line in _lines(source):
        if _ONCE.match(line):
            continue
        include = _INCLUDE.match(line)
        if include is None:
            return _Found.CODE
        name = include["angled"] or include["quoted"]
        beside = [file.parent] if include["quoted"] else []
        own = next((folder / name for folder in [*beside, *folders] if (folder / name).is_file()), None)
        if own is None and name == header:
            return _Found.LEADING
        doubtful = own is None  # a library may have a file of that name, which would come first
        own = own or last / name
        if not own.is_file():
            continue
        found = _look(own.resolve(), header, folders, last, seen)
        if found is not _Found.NOTHING:
            return _Found.CODE if doubtful else found
    return _Found.NOTHING


def _lines(source: str) -> Iterator[str]:
    """The lines of `source` that are not blank, without comments and with escaped line ends joined."""
    line: list[Token] = []
    for token in scan(source):
        if token.kind is not Kind.NEWLINE:
            line.append(token)
            continue
        yield from _text(source, line)
        line = []
    yield from _text(source, line)


def _text(source: str, line: list[Token]) -> Iterator[str]:
    text = "".join(" " if t.kind is Kind.BLANK else source[t.start : t.end] for t in line).strip()
    if text:
        yield text
