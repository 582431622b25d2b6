"""Names of the simulated GPU that translation and its headers' macros put into a submission's own lines."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator

from cusimt.folders import INCLUDE, PACKAGE

__all__ = ["generated_names"]

_DEFINED = re.compile(r"^[ \t]*#[ \t]*define\b(?:[^\n]*\\\n)*[^\n]*", re.MULTILINE)
_NAME = re.compile(r"\b(?:simt::)?(simt_\w+|(?<=simt::)\w+)")


@functools.cache
def generated_names() -> frozenset[str]:
    """`simt_name`, and `name` of `simt::name`: what a person who writes CUDA never spells out."""
    return frozenset(name for text in _texts() for name in _NAME.findall(text))


def _texts() -> Iterator[str]:
    for file in sorted(INCLUDE.rglob("*")):
        if file.is_file():
            yield from _DEFINED.findall(file.read_text(encoding="utf-8", errors="replace"))
    for file in sorted((PACKAGE / "translate").rglob("*.py")):
        yield file.read_text(encoding="utf-8")
