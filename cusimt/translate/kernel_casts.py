"""Casts of kernels to `void*`, which lose the types of the kernels' parameters.

In `cudaLaunchKernel((void*)kernel, ...)` the cast is dropped. Anywhere else, `void* f = (void*)kernel;`, the
address stays and the kernel is announced to the runtime, which can launch it by that address from then on.
"""

from __future__ import annotations

from collections.abc import Iterable

from cusimt.translate.expressions import arguments
from cusimt.translate.passages import Passage
from cusimt.translate.rewrite import Rewrite

# Which argument the kernel is.
_LAUNCHERS = {"cudaLaunchKernel": 0, "cudaLaunchCooperativeKernel": 0, "cudaLaunchKernelExC": 1}


def rewrite_kernel_casts(passage: Passage, rewrite: Rewrite, kernels: Iterable[str]) -> None:
    """`kernels` are the names that the file declares: a macro may cast them, too."""
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
    for name in kernels:
        for index in passage.positions(name):
            _announce(passage, rewrite, index)


def _announce(passage: Passage, rewrite: Rewrite, name: int) -> None:
    """Announce the kernel whose name stands at `name`, if it is cast but no argument of a CUDA function."""
    first = name
    while passage.text(first - 1) == "::":
        first -= 2 if passage.is_word(first - 2) else 1
    first -= passage.text(first - 1) == "&"
    cast = _cast_start(passage, first - 1)
    if cast is None or passage.text(passage.enclosing[cast] - 1).startswith("cuda"):
        return
    close = passage.template_close(name + 1) if passage.text(name + 1) == "<" else None
    rewrite.insert(passage.tokens[first].start, "SIMT_ANNOUNCED(")
    rewrite.insert(passage.tokens[name if close is None else close].end, ")")


def _cast_start(passage: Passage, end: int) -> int | None:
    """Index of the first token of the cast to `void*` whose operand follows `end`, or None."""
    start: int | None = None
    if passage.text(end) == ")":
        start = passage.partner.get(end)
    elif passage.text(end) == "(" and passage.text(end - 1) == ">":
        end -= 1
        opener = passage.template_open(end)
        start = None if opener is None else opener - 1
    return start if start is not None and _cast_end(passage, start) == end else None


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
