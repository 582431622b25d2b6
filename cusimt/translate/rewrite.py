"""Changes to a source, gathered by the passes and applied at once. No change adds or removes a line end."""

from __future__ import annotations

from cusimt.translate.lexer import Token
from cusimt.translate.refusal import Refused


class Rewrite:
    def __init__(self, source: str) -> None:
        self.source = source
        self._changes: list[tuple[int, int, str]] = []

    def insert(self, at: int, text: str) -> None:
        self._changes.append((at, at, text))

    def replace(self, first: Token, last: Token, text: str, *, macro: bool = False) -> None:
        """Put `text` where `first` to `last` stand; line ends that stood between them follow it."""
        lost = self.source.count("\n", first.start, last.end)
        self._changes.append((first.start, last.end, text + ("\\\n" if macro else "\n") * lost))

    def line(self, at: int) -> int:
        """Line number, from 1, of an offset into the source."""
        return self.source.count("\n", 0, at) + 1

    def result(self) -> str:
        """The source with all changes. Refused where two of them meet: it is no C++ that would be changed."""
        pieces, position = [], 0
        for start, end, text in sorted(self._changes, key=lambda change: change[:2]):
            if start < position:
                raise Refused(start, "a declaration or a launch begins within another one")
            pieces += [self.source[position:start], text]
            position = end
        return "".join([*pieces, self.source[position:]])
