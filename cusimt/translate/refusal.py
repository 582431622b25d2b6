"""The error of a translation: CUDA that this backend does not run, or a launch that cannot be read."""

from __future__ import annotations

from cusimt.support.errors import ExplainedError


class TranslationError(ExplainedError):
    """`file:line` holds a construct that cannot be translated; `message` names it."""

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
