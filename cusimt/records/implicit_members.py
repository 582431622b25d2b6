"""Tells the copies that a compiler writes for a class from those that its author wrote."""

from __future__ import annotations

import re
from collections.abc import Sequence

__all__ = ["is_implicit_copy"]

# Constructors and assignments from an object of the same class. Members of a class that other files cannot
# name are known by their own names alone.
_COPY = re.compile(
    r"(?P<class>.+)::(?:operator=|[^:()]+)\((?P=class)(?: const&|&&)\)|(?P<member>operator=|\w+)"
)
_ARGUMENTS = re.compile(r"<[^<>]*>")
_HEAD_LINES = 4  # of a class head that is split over lines


def is_implicit_copy(function: str, line: int, lines: Sequence[str]) -> bool:
    """Whether `function` copies or moves an object of a class whose definition begins at `line` of `lines`.

    Compilers put what a class has without declaring it at the name of the class: `Pair::Pair(Pair const&)` at
    `struct Pair {`. That line copies nothing; the one that calls the function does.
    """
    copy = _COPY.fullmatch(function)
    if not copy or not 0 < line <= len(lines):
        return False
    name = _class_name(copy["class"] or copy["member"])
    before = " ".join(lines[max(0, line - _HEAD_LINES) : line - 1]) + " "
    head = rf"\b(?:struct|class|union)\b(?:[^;{{}}]*\b{name}\b(?!\s*\()|\s*\{{)"
    return any(each.end() > len(before) for each in re.finditer(head, before + lines[line - 1]))


def _class_name(name: str) -> str:
    """A pattern for `Pack` of `(anonymous namespace)::Pack<float, (Kind)1>`, and of `Pack`."""
    shorter = _ARGUMENTS.sub("", name)
    if shorter != name:
        return _class_name(shorter)
    return r"\w+" if name == "operator=" else re.escape(name.rpartition("::")[2])
