"""Casts of kernels to `void*`, which lose the types of the kernels' parameters.

In `cudaLaunchKernel((void*)kernel, ...)` the cast is dropped. Anywhere else, `void* f = (void*)kernel;`, the
address stays and the kernel is announced to the runtime, which can launch it by that address from then on.
"""

from __future__ import annotations

from collections.abc import Iterable

from cusimt.translate.expressions import arguments
from cusimt.translate.rewrite import Rewrite
from cusimt.translate.token_streams import TokenStream

# Which argument the kernel is.
_LAUNCHERS = {"cudaLaunchKernel": 0, "cudaLaunchCooperativeKernel": 0, "cudaLaunchKernelExC": 1}


def rewrite_kernel_casts(stream: TokenStream, rewrite: Rewrite, kernels: Iterable[str]) -> None:
    """`kernels` are the names that the file declares: a macro may cast them, too."""
    for launcher, argument in _LAUNCHERS.items():
        for index in stream.positions(launcher):
            if stream.text(index + 1) != "(" or index + 1 not in stream.partner:
                continue
            spans = arguments(stream, index + 1)
            if argument >= len(spans):
                continue
            first = spans[argument][0]
            last = _cast_end(stream, first)
            if last is not None:
                rewrite.replace(stream.tokens[first], stream.tokens[last], "", macro=stream.macro)
    for name in kernels:
        for index in stream.positions(name):
            _announce(stream, rewrite, index)


def _announce(stream: TokenStream, rewrite: Rewrite, name: int) -> None:
    """Announce the kernel whose name stands at `name`, if it is cast but no argument of a CUDA function."""
    first = name
    while stream.text(first - 1) == "::":
        first -= 2 if stream.is_word(first - 2) else 1
    first -= stream.text(first - 1) == "&"
    cast = _cast_start(stream, first - 1)
    if cast is None or stream.text(stream.enclosing[cast] - 1).startswith("cuda"):
        return
    close = stream.template_close(name + 1) if stream.text(name + 1) == "<" else None
    rewrite.insert(stream.tokens[first].start, "SIMT_ANNOUNCED(")
    rewrite.insert(stream.tokens[name if close is None else close].end, ")")


def _cast_start(stream: TokenStream, end: int) -> int | None:
    """Index of the first token of the cast to `void*` whose operand follows `end`, or None."""
    start: int | None = None
    if stream.text(end) == ")":
        start = stream.partner.get(end)
    elif stream.text(end) == "(" and stream.text(end - 1) == ">":
        end -= 1
        opener = stream.template_open(end)
        start = None if opener is None else opener - 1
    return start if start is not None and _cast_end(stream, start) == end else None


def _cast_end(stream: TokenStream, index: int) -> int | None:
    """Index of the last token of the cast to `void*` or `const void*` that begins at `index`, or None."""
    if stream.text(index) == "(":
        return _void_pointer_end(stream, index + 1, ")")
    if stream.text(index) in ("reinterpret_cast", "static_cast") and stream.text(index + 1) == "<":
        return _void_pointer_end(stream, index + 2, ">")
    return None


def _void_pointer_end(stream: TokenStream, index: int, closer: str) -> int | None:
    words = []
    while stream.text(index) in ("const", "void", "*"):
        words.append(stream.text(index))
        index += 1
    is_void_pointer = "void" in words and words.count("*") == 1
    return index if is_void_pointer and stream.text(index) == closer else None
