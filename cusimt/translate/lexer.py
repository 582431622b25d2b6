"""Split CUDA C++ source into tokens without losing a byte.

Joining the texts of all tokens gives the source back. Comments, white space and escaped line ends are one
kind (`Kind.BLANK`), so that the passes above see only what the compiler sees.
"""

from __future__ import annotations

import re
from enum import Enum
from typing import NamedTuple

__all__ = ["Kind", "Token", "scan"]


class Kind(Enum):
    """What a token is; the values are the names of the groups in the scanner's pattern."""

    BLANK = "blank"  # white space within a line, comments, escaped line ends
    NEWLINE = "newline"
    TEXT = "text"  # string and character literals, raw strings included
    NUMBER = "number"
    WORD = "word"
    MARK = "mark"  # punctuation; a digraph is spelled as the mark it means


class Token(NamedTuple):
    """One piece of source: `source[start:end]`; `text` differs from it only for digraphs and for `<< <`."""

    kind: Kind
    text: str
    start: int
    end: int


# A comment or raw string that nothing closes goes on to the end; the compiler will say so. An escaped line
# end inside a token is part of that token. Of the marks, only those longer than one character
# matter that hold a bracket (`->`, `>=`, `<<=`), start a launch (`<<<`) or join names; `>>` stays two marks,
# because it also closes two template argument lists. For nvcc `<< <` starts a launch, too: some editors
# format code that way.
_SCANNER = re.compile(
    r"""
    (?P<blank>
        [ \t\v\f]+ | \r(?!\n)
      | \\[ \t]*\r?\n
      | //(?:[^\\\n]|\\\r\n|\\[\s\S])*
      | /\*(?:[\s\S]*?\*/|[\s\S]*)
    )
  | (?P<newline>\r?\n)
  | (?P<text>
        (?:u8|[uUL])?R"(?P<fence>[^()\\\s]{0,16})\((?:[\s\S]*?\)(?P=fence)"|[\s\S]*)
      | (?:u8|[uUL])?"(?:[^"\\\n]|\\\r\n|\\[\s\S])*"
      | (?:u8|[uUL])?'(?:[^'\\\n]|\\\r\n|\\[\s\S])+'
    )
  | (?P<number>\.?[0-9](?:'\w|[eEpP][+-]|[\w.])*)
  | (?P<word>(?:[A-Za-z_$]|[^\x00-\x7f])(?:[\w$]|\\\r?\n(?=[\w$]))*)
  | (?P<mark>
        <:(?=:[:>]) | <:(?!:) | :> | <% | %> | %: | \#\# | \#
      | <<< | <<[ \t]+<(?![=:]) | <<= | <=> | <= | >>= | >= | ->\* | -> | :: | \.\.\.
      | [\s\S]
    )
    """,
    re.VERBOSE,
)
_LAUNCH = re.compile(r"<<[ \t]*<")
_DIGRAPHS = {"<:": "[", ":>": "]", "<%": "{", "%>": "}", "%:": "#"}
_KINDS = {kind.value: kind for kind in Kind}


def scan(source: str) -> list[Token]:
    """All tokens of `source` in order, blanks included. Never fails: a stray quote is a mark of its own."""
    tokens = []
    for found in _SCANNER.finditer(source):
        kind = _KINDS[found.lastgroup or "mark"]
        text = found.group()
        if kind is Kind.MARK:
            text = "<<<" if _LAUNCH.fullmatch(text) else _DIGRAPHS.get(text, text)
        tokens.append(Token(kind, text, found.start(), found.end()))
    return tokens
