"""Messages of compilers and linkers that name no line of a source."""

from __future__ import annotations

import re
from collections.abc import Iterator

_TOO_LARGE = re.compile(
    r"File size limit exceeded|File too large|memory exhausted|relocation truncated to fit|value .* too large"
)
_NINJA = re.compile(r"^(ninja: |\[\d+/\d+\] |FAILED: )")


def unplaced(log: str) -> str:
    """A sentence where one is known, else `log` without command lines."""
    if _TOO_LARGE.search(log):
        return "error: the compiled code or its static data is too large. Allocate large arrays while it runs"
    return "\n".join(_said(log)).strip()


def _said(log: str) -> Iterator[str]:
    """The lines of `log` that are neither ninja's nor the command that it repeats after a failure."""
    repeated = False
    for line in log.splitlines():
        if not _NINJA.match(line) and not repeated:
            yield line
        repeated = line.startswith("FAILED: ")
