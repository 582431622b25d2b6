"""Group the tokens of a file into streams.

A file is one stream of code, without directives and without what `#if 0` switches off, and one stream for
the body of every `#define`, since a macro may hold a launch of its own.
"""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

from cusimt.translate.lexer import Kind, Token, scan
from cusimt.translate.token_streams import TokenStream

__all__ = ["Source"]

_CERTAIN = {"if0": False, "if1": True}  # the conditions whose value is certain
_VARIADIC = {"...": "__VA_ARGS__"}


class Source:
    """A text that is scanned once, however many passes read it."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def tokens(self) -> list[Token]:
        return scan(self.text)

    @cached_property
    def lines(self) -> list[tuple[list[Token], bool]]:
        """Logical lines without their blanks, and whether each is a directive.

        An escaped line end, or one within a comment, is a blank and ends no logical line.
        """
        lines: list[list[Token]] = [[]]
        for token in self.tokens:
            if token.kind is Kind.NEWLINE:
                lines.append([])
            elif token.kind is not Kind.BLANK:
                lines[-1].append(token)
        return [(line, _is_directive(line)) for line in lines]

    @cached_property
    def streams(self) -> list[TokenStream]:
        """The code of a file first, then each macro body."""
        code: list[Token] = []
        macros: list[TokenStream] = []
        uncertain: set[int] = set()
        conditions = _Conditions()
        for words, is_directive in self.lines:
            if is_directive:
                conditions.directive([token.text for token in words[1:]])
                if len(words) > 2 and words[1].text == "define" and not conditions.skipping:
                    macros.append(_macro(words))
            elif not conditions.skipping:
                if conditions.uncertain:
                    uncertain.update(range(len(code), len(code) + len(words)))
                code += words
        return [TokenStream(code, macro=False, uncertain=frozenset(uncertain)), *macros]


def _is_directive(words: list[Token]) -> bool:
    return bool(words) and words[0].kind is Kind.MARK and words[0].text == "#"


def _macro(words: list[Token]) -> TokenStream:
    """What `# define NAME` or `# define NAME(parameters)` is replaced by."""
    name = words[2]
    if len(words) < 4 or words[3].text != "(" or words[3].start != name.end:
        return TokenStream(words[3:], macro=True, name=name.text)
    past = next((index for index in range(4, len(words)) if words[index].text == ")"), len(words))
    named = (_VARIADIC.get(word.text, word.text) for word in words[4:past] if word.text != ",")
    return TokenStream(words[past + 1 :], macro=True, name=name.text, parameters=tuple(named))


class _Branch(NamedTuple):
    """A branch of an `#if`: switched off? One of the group certainly taken? One of unknown value?"""

    skipped: bool = False
    taken: bool = False
    doubted: bool = False

    def next(self, value: bool | None) -> _Branch:
        """The branch behind this one; `value`: of its condition, None if only the compiler knows."""
        return _Branch(
            self.taken or value is False, self.taken or value is True, self.doubted or value is None
        )


class _Conditions:
    """Follows the conditions whose value is certain; any other counts as true in all its branches.

    Certain are `#if 0` and `#if 1`, which conditions on the architecture become (`architecture`).
    """

    def __init__(self) -> None:
        self._open: list[_Branch] = []
        self._is_first = True  # an #ifndef before any other directive guards the whole file

    @property
    def uncertain(self) -> bool:
        """Is the code here under a condition that only the compiler can decide?"""
        return any(branch.doubted for branch in self._open)

    @property
    def skipping(self) -> bool:
        return any(branch.skipped for branch in self._open)

    def directive(self, words: list[str]) -> None:
        name = words[0] if words else ""
        guards_file = self._is_first and name == "ifndef"
        self._is_first = False
        if name in ("if", "ifdef", "ifndef"):
            self._open.append(_Branch().next(True if guards_file else _CERTAIN.get("".join(words))))
        elif name in ("elif", "elifdef", "elifndef", "else") and self._open:
            value = True if name == "else" else _CERTAIN.get("".join([name[2:], *words[1:]]))
            self._open.append(self._open.pop().next(value))
        elif name == "endif" and self._open:
            self._open.pop()
