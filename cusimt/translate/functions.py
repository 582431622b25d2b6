"""The functions of a CUDA source file, found in its text: where each begins and ends, and what it calls.

Not a parser: it counts braces. What it says goes into sentences, and decides nothing that must not be wrong.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from cusimt.translate.lexer import Kind
from cusimt.translate.source import Source

__all__ = ["Function", "functions", "reached_from", "without_noise"]

_NOISE = (Kind.BLANK, Kind.TEXT)


@dataclass(frozen=True)
class Function:
    """A function with a body, and the lines of its text."""

    name: str
    first: int
    last: int

    def __contains__(self, line: int) -> bool:
        return self.first <= line <= self.last


def without_noise(text: str) -> str:
    """`text` with comments, literals and directives replaced by their line ends."""
    source = Source(text)
    directives = {token.start for line, is_directive in source.lines if is_directive for token in line}
    return "".join(
        _blank(token.text) if token.kind in _NOISE or token.start in directives else token.text
        for token in source.tokens
    )


def _blank(text: str) -> str:
    return "\n" * text.count("\n") or " "


def functions(text: str) -> list[Function]:
    """The functions with a body in `text`, which has no comments; those in classes and namespaces too."""
    found = []
    open_braces: list[tuple[str, int]] = []
    header_begins = 0
    for match in re.finditer(r"[{};]", text):
        position, brace = match.start(), match[0]
        if brace == "{":
            inside = any(name for name, _ in open_braces)
            name = "" if inside else _function_name(text[header_begins:position])
            open_braces.append((name, text.count("\n", 0, position) + 1))
        elif brace == "}" and open_braces:
            name, first = open_braces.pop()
            if name:
                found.append(Function(name, first, text.count("\n", 0, position) + 1))
        header_begins = position + 1
    return found


def _function_name(header: str) -> str:
    """`load_tile` of `template <typename T> __device__ void load_tile(T* tile)`; "" of anything else."""
    depth = 0
    for bracket in reversed(list(re.finditer(r"[()]", header))):
        depth += 1 if bracket[0] == ")" else -1
        if depth <= 0:
            is_function = depth == 0 and "=" not in header.partition("(")[0]
            return re.split(r"\W", header[: bracket.start()].rstrip())[-1] if is_function else ""
    return ""


def calls_in(text: str) -> Iterator[str]:
    """The names that look like those of called functions."""
    return (match[1] for match in re.finditer(r"\b(\w+)\s*(?:<[^<>;()]*>)?\s*\(", text))


def reached_from(names: Iterable[str], text: str) -> list[Function]:
    """The functions of these names in `text`, which has no comments, and all that they call there."""
    found = functions(text)
    lines = text.split("\n")
    wanted, reached = list(names), []
    for name in wanted:
        for function in found:
            if function.name == name and function not in reached:
                reached.append(function)
                wanted += calls_in("\n".join(lines[function.first - 1 : function.last]))
    return reached
