"""Decode a Python file to exactly the text that Python would run.

Python would decode a file by the cookie in its first lines, and an audit that decodes it in another way reads
another program. So one decoding is allowed, UTF-8, and everything after this works on the same string.
"""

from __future__ import annotations

import re

from grader.audit.objection import Objection

MOST_BYTES = (
    1 << 20
)  # of one file: what people write is a hundredth of it, and a parser takes far more memory
_COOKIE = re.compile(r"^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)", re.ASCII)  # PEP 263, of the first two lines
_BLANK = re.compile(r"^[ \t\f]*(?:[#\r\n]|$)")
_UTF_8 = ("utf-8", "utf8")
_BOM = "\ufeff"  # some editors begin a file with it; Python ignores it, and so does this
_RULE = "The grader runs the text that it has read, so a Python file is UTF-8 without NUL bytes."


class Unreadable(Exception):
    """These bytes are no text that both the audit and Python read alike; `objection` says why."""

    def __init__(self, objection: Objection) -> None:
        super().__init__(objection.sentence)
        self.objection = objection


def decoded(content: bytes, file: str) -> str:
    """The text of a Python file; raises Unreadable."""
    if len(content) > MOST_BYTES:
        raise _unreadable(file, 0, f"has {len(content)} bytes, where {MOST_BYTES} are the most that is read")
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise _unreadable(
            file, line, f"has the byte {content[error.start]:#04x}, which is no UTF-8"
        ) from None
    if "\0" in text:
        raise _unreadable(file, text.count("\n", 0, text.index("\0")) + 1, "has a NUL byte")
    text = text.removeprefix(_BOM)
    first: list[str] = re.split(r"\r\n|\r|\n", text, maxsplit=2)[:2]
    for number, written in enumerate(first, start=1):
        cookie = _COOKIE.match(written)
        if cookie and cookie[1].lower().replace("_", "-") not in _UTF_8:
            raise _unreadable(file, number, f"declares the encoding `{cookie[1]}`")
        if not _BLANK.match(written):
            break  # a cookie below code is an ordinary comment
    return text


def _unreadable(file: str, line: int, what: str) -> Unreadable:
    return Unreadable(Objection(file, line, what, _RULE, topic="build"))
