"""What the passes answer: changes to a source, applied at once without moving a line, or a refusal."""

from __future__ import annotations

from cusimt.support.errors import ExplainedError
from cusimt.translate.lexer import Token

__all__ = ["Refused", "Rewrite", "TranslationError"]


class TranslationError(ExplainedError):
    """CUDA that this backend does not run, or a launch that cannot be read; `message` names it."""

    exit_code = 1

    def __init__(self, file: str, line: int, message: str, rule: str = "", next: str = "") -> None:
        super().__init__(f"{file}:{line}: {message}.", rule, next)
        self.file = file
        self.line = line
        self.message = message


class Refused(Exception):
    """A pass met token `at` (an offset into the source) and cannot go on; `translate` adds file and line."""

    def __init__(self, at: int, message: str, rule: str = "", next: str = "") -> None:
        super().__init__(message)
        self.at = at
        self.message = message
        self.rule = rule
        self.next = next


class Rewrite:
    """Changes to a source. None adds or removes a line end."""

    def __init__(self, source: str) -> None:
        self.source = source
        self._changes: list[tuple[int, int, str]] = []

    def insert(self, at: int, text: str) -> None:
        self._changes.append((at, at, text))

    def replace(self, first: Token, last: Token, text: str, *, macro: bool = False) -> None:
        """Put `text` where `first` to `last` stand; line ends that stood between them follow it."""
        lost = self.source.count("\n", first.start, last.end)
        self._changes.append((first.start, last.end, text + ("\\\n" if macro else "\n") * lost))

    def replaces(self, first: Token, last: Token) -> bool:
        """Whether another change replaces a token from `first` to `last`, or what is around them."""
        return any(start < last.end and first.start < end for start, end, _ in self._changes if start < end)

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
