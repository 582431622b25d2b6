"""Source as tokens with normalised identifiers: renaming changes nothing."""

from __future__ import annotations

import keyword
import token as kinds
import tokenize
from collections.abc import Iterator
from pathlib import PurePath
from typing import NamedTuple

from cusimt.translate.lexer import Kind, scan

NAME, NUMBER, TEXT = "name", "0", '""'  # what stands for all names, numbers and strings

_LIKE_PYTHON = (".py", ".toml")  # comments after #, and strings as Python has them
_CPP_KEYWORDS = frozenset((
    "alignas", "alignof", "auto", "bool", "break", "case", "catch", "char", "class", "const",
    "constexpr", "const_cast", "continue", "decltype", "default", "delete", "do", "double",
    "dynamic_cast", "else", "enum", "explicit", "extern", "false", "float", "for", "friend", "goto",
    "if", "inline", "int", "long", "mutable", "namespace", "new", "noexcept", "nullptr", "operator",
    "private", "protected", "public", "reinterpret_cast", "return", "short", "signed", "sizeof",
    "static", "static_assert", "static_cast", "struct", "switch", "template", "this", "throw", "true",
    "try", "typedef", "typename", "union", "unsigned", "using", "virtual", "void", "volatile", "while",
    "__global__", "__device__", "__shared__", "__restrict__", "__syncthreads", "__syncwarp",
    "threadIdx", "blockIdx", "blockDim", "gridDim",
))  # fmt: skip
_SILENT = frozenset((
    kinds.COMMENT, kinds.NL, kinds.NEWLINE, kinds.INDENT, kinds.DEDENT, kinds.ENDMARKER, kinds.ENCODING,
))  # fmt: skip


class Token(NamedTuple):
    """``text`` as it was written in ``line`` (from 1), and what it is once names are taken out."""

    text: str
    plain: str
    line: int


def tokens_of(name: str, text: str, known: frozenset[str] = frozenset()) -> Iterator[Token]:
    """The tokens of a file, without comments. Never fails, whatever the text is.

    ``known`` are names that were handed out: they stay, since everybody has them.
    """
    return _python(text, known) if PurePath(name).suffix in _LIKE_PYTHON else _cpp(text, known)


def names_in(name: str, text: str) -> frozenset[str]:
    """Every name that a file uses."""
    return frozenset(each.text for each in tokens_of(name, text) if each.plain == NAME)


def _cpp(text: str, known: frozenset[str]) -> Iterator[Token]:
    line = 1
    for each in scan(text):
        if each.kind is Kind.WORD:
            keeps = each.text in _CPP_KEYWORDS or each.text in known
            yield Token(each.text, each.text if keeps else NAME, line)
        elif each.kind is Kind.NUMBER:
            yield Token(each.text, NUMBER, line)
        elif each.kind is Kind.TEXT:
            yield Token(each.text, TEXT, line)
        elif each.kind is Kind.MARK:
            yield Token(each.text, each.text, line)
        line += text.count("\n", each.start, each.end)


def _python(text: str, known: frozenset[str]) -> Iterator[Token]:
    """After a line that Python cannot read it goes on with the next one."""
    lines = text.splitlines(keepends=True)
    begun = 0
    while begun < len(lines):
        reached = begun
        rest = (lines[number] for number in range(begun, len(lines)))  # no copy: every line may be broken
        try:
            for each in tokenize.generate_tokens(rest.__next__):
                reached = begun + each.end[0] - 1
                if each.type not in _SILENT:
                    plain = _plain(each.type, each.string, known)
                    yield Token(each.string, plain, begun + each.start[0])
            return
        except (tokenize.TokenError, SyntaxError):
            begun = reached + 1


def _plain(kind: int, text: str, known: frozenset[str]) -> str:
    if kind == kinds.NAME:
        return text if keyword.iskeyword(text) or text in known else NAME
    if kind == kinds.NUMBER:
        return NUMBER
    if kind == kinds.STRING or kinds.tok_name[kind].startswith("FSTRING"):
        return TEXT
    return text
