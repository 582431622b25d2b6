"""Advice beside a passed check, without points: what no case reveals and a reviewer would still mention."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from grader.course.catalog import Exercise

WORD = "Advice, without points"

_NARROW = re.compile(
    r"\b(?:const\s+)?(?P<type>int|unsigned(?:\s+int)?|auto|u?int32_t)\s+(?:const\s+)?(?P<name>\w+)\s*="
    r"(?P<value>[^;{}]*);"
)
_WIDE = re.compile(r"\b(u?int64_t|long|size_t|ptrdiff_t|index_t)\b")
_WHOLE = ("blockIdx.x", "blockDim.x", "threadIdx.x")
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)


def narrow_indices(exercise: Exercise, files: Path) -> Iterator[str]:
    """Indices over all threads of a grid that have 32 bits, in kernels that are given a 64-bit size."""
    for name in exercise.edit:
        path = files / name
        if path.suffix != ".cu" or not path.is_file():
            continue
        text = _COMMENT.sub(_blank, path.read_text(encoding="utf-8", errors="replace"))
        if not re.search(r"__global__[^{;]*\bu?int64_t\b", text):
            continue
        for found in _NARROW.finditer(text):
            value = found["value"]
            if all(each in value for each in _WHOLE) and not _WIDE.search(value) and _is_plain(found):
                line = text.count("\n", 0, found.start("name")) + 1
                yield (
                    f"{WORD}: {name}:{line}: `{found['name']}` has 32 bits, and no tensor here is so large "
                    "that it shows. Beyond that it wraps: compute it in int64_t, beginning with "
                    "static_cast<int64_t>(blockIdx.x)."
                )


def _is_plain(found: re.Match[str]) -> bool:
    """Whether the type is written out, or the value has no name, cast or suffix that could make it wide."""
    return found["type"] != "auto" or not re.search(r"[A-Za-z]\w*", re.sub(r"\b\w+\.x\b", "", found["value"]))


def _blank(comment: re.Match[str]) -> str:
    return "\n" * comment[0].count("\n")
