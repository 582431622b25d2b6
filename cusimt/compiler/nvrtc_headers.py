"""Finds includes that NVRTC would refuse: it has no headers of its own, not even the toolkit's."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from cusimt.compiler import cccl
from cusimt.compiler.include_paths import is_toolkit
from cusimt.folders import INCLUDE

__all__ = ["MissingHeader", "missing_header"]

_DIRECTIVE = re.compile(
    r'^[ \t]*#[ \t]*(if|endif|include)\w*[ \t]*(?:"([^"\n]+)"|<([^>\n]+)>)?', re.MULTILINE
)


@dataclass(frozen=True)
class MissingHeader:
    """An include whose file is nowhere, and where it stands."""

    file: Path
    line: int
    name: str
    is_quoted: bool


def missing_header(
    files: Iterable[Path], named: Collection[str], folders: Iterable[Path]
) -> MissingHeader | None:
    """The first include of `files` that neither the `named` headers nor the given `folders` have.

    One below an `#if` is left alone: the compiler may skip it.
    """
    places = [*_places(folders)]
    for file in files:
        for line, name, is_quoted in _includes(file.read_text(errors="replace")):
            beside = [file.parent] if is_quoted else []
            if name not in named and not any((place / name).is_file() for place in (*beside, *places)):
                return MissingHeader(file, line, name, is_quoted)
    return None


def _places(folders: Iterable[Path]) -> Iterator[Path]:
    """The folders; for one of a toolkit also those that stand for it here."""
    for folder in folders:
        yield folder
        if is_toolkit(folder):
            yield from filter(None, (INCLUDE, cccl.include_dir()))


def _includes(text: str) -> Iterator[tuple[int, str, bool]]:
    """Line, name and whether it is in quotes, of the includes outside of conditions."""
    depth = 0
    for directive in _DIRECTIVE.finditer(text):
        kind, quoted, angled = directive.groups()
        depth += {"if": 1, "endif": -1, "include": 0}[kind]
        if depth == 0 and (quoted or angled):
            yield text.count("\n", 0, directive.start(1)) + 1, quoted or angled, bool(quoted)
