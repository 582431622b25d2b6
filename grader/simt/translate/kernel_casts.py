"""`cudaLaunchKernel((void*)kernel, ...)`: drop the cast, which loses the types of the kernel's parameters."""

from __future__ import annotations

from grader.simt.translate.expressions import arguments
from grader.simt.translate.passages import Passage
from grader.simt.translate.rewrite import Rewrite

# Which argument the kernel is.
_LAUNCHERS = {"cudaLaunchKernel": 0, "cudaLaunchCooperativeKernel": 0, "cudaLaunchKernelExC": 1}


def rewrite_kernel_casts(passage: Passage, rewrite: Rewrite) -> None:
    for launcher, argument in _LAUNCHERS.items():
        for index in passage.positions(launcher):
            if passage.text(index + 1) != "(" or index + 1 not in passage.partner:
                continue
            spans = arguments(passage, index + 1)
            if argument >= len(spans):
                continue
            first = spans[argument][0]
            last = _cast_end(passage, first)
            if last is not None:
                rewrite.replace(passage.tokens[first], passage.tokens[last], "", macro=passage.macro)


def _cast_end(passage: Passage, index: int) -> int | None:
    """Index of the last token of the cast to `void*` or `const void*` that begins at `index`, or None."""
    if passage.text(index) == "(":
        return _void_pointer_end(passage, index + 1, ")")
    if passage.text(index) in ("reinterpret_cast", "static_cast") and passage.text(index + 1) == "<":
        return _void_pointer_end(passage, index + 2, ">")
    return None


def _void_pointer_end(passage: Passage, index: int, closer: str) -> int | None:
    words = []
    while passage.text(index) in ("const", "void", "*"):
        words.append(passage.text(index))
        index += 1
    is_void_pointer = "void" in words and words.count("*") == 1
    return index if is_void_pointer and passage.text(index) == closer else None
