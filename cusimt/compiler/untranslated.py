"""Finds headers with device code that the compiler read where they lie, and not as they were translated.

The tree of a source is found by reading its includes (see sources.py). A name that only the preprocessor
knows, such as that of `#include HEADER`, may lead elsewhere: nothing of that is to go unnoticed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

_DEVICE_CODE = re.compile(r"\b__(?:global|shared)__\b|<<<.*>>>\s*\(")
_ESCAPED = re.compile(r"\\(.)")


def untranslated(dependencies: str, translated: Path, libraries: Iterable[Path]) -> list[Path]:
    """The files with device code that a rule for make names, outside `translated` and `libraries`."""
    known = [translated.resolve(), *(folder.resolve() for folder in libraries)]
    files = (file.resolve() for file in _prerequisites(dependencies))
    own = (file for file in files if not any(file.is_relative_to(folder) for folder in known))
    return [file for file in own if _DEVICE_CODE.search(file.read_text(errors="replace"))]


def _prerequisites(rule: str) -> Iterator[Path]:
    _, _, names = rule.replace("\\\n", " ").partition(": ")
    for name in re.split(r"(?<!\\)\s+", names.strip()):
        file = Path(_ESCAPED.sub(r"\1", name))
        if file.is_file():
            yield file
