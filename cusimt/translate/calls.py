"""Refuse what nvcc refuses about calling and launching, where the functions of one file are enough to tell.

Both rules stay silent when they cannot be sure: a name that is declared twice is left to overload resolution,
and a declaration that begins with an unknown word may be a macro for `__global__`.
"""

from __future__ import annotations

from collections.abc import Mapping

from cusimt.translate.expressions import declaration_head, postfix_start
from cusimt.translate.rewrite import Refused
from cusimt.translate.statements import BEFORE_STATEMENT
from cusimt.translate.token_streams import TokenStream

_HOST_WORDS = frozenset(["static", "inline", "extern", "constexpr", "__host__", "__device__", "void"])


def refuse_miscalls(stream: TokenStream, kernels: Mapping[str, set[int]]) -> None:
    """Refuse the statement `kernel(arguments);` and the launch of a function that is not `__global__`.

    `kernels` are those that the stream declares, and where.
    """
    for name, declarations in kernels.items():
        uses = [index for index in stream.positions(name) if index not in declarations]
        if not any(is_declared(stream, index) for index in uses):
            _refuse_plain_calls(stream, name, uses)
    launched: dict[str, int] = {}  # names, and where first
    for index, token in enumerate(stream.tokens):
        if token.text == "<<<":
            launched.setdefault(stream.text(index - 1), token.start)
    for name, start in launched.items():
        if name not in kernels and _is_host_function(stream, name):
            raise Refused(
                start,
                f"{name} is launched but is not a kernel",
                f"Only a __global__ function can be launched: __global__ void {name}(...).",
            )


def _refuse_plain_calls(stream: TokenStream, name: str, uses: list[int]) -> None:
    for index in uses:
        start = postfix_start(stream, index)
        before = stream.text((index if start is None else start) - 1)
        if stream.text(index + 1) == "(" and before in BEFORE_STATEMENT:
            raise Refused(
                stream.tokens[index].start,
                f"the kernel {name} is called without a launch configuration",
                f"A __global__ function is launched: {name}<<<grid, block>>>(arguments).",
            )


def declared_kernels(stream: TokenStream) -> dict[str, set[int]]:
    """Names declared `__global__`, and where."""
    kernels: dict[str, set[int]] = {}
    for start in stream.positions("__global__"):
        for index in declaration_head(stream, start):
            is_attribute = stream.text(index).startswith("__") and stream.text(index).endswith("__")
            if stream.is_word(index) and not is_attribute and stream.text(index + 1) == "(":
                kernels.setdefault(stream.text(index), set()).add(index)
                break
    return kernels


def is_declared(stream: TokenStream, index: int) -> bool:
    """Does a type stand before the name at `index`, and a list of parameters after it?"""
    before = stream.text(index - 1)
    is_type = stream.is_word(index - 1) and before not in ("else", "return", "do")
    return stream.text(index + 1) == "(" and (is_type or before in ("*", "&", ">"))


def _is_host_function(stream: TokenStream, name: str) -> bool:
    """Is every declaration of `name` in this file that of a function without `__global__`?"""
    declared = [i for i in stream.positions(name) if is_declared(stream, i)]
    words = [stream.text(i) for at in declared for i in range(stream.declaration_start(at), at)]
    return bool(declared) and all(word in _HOST_WORDS for word in words)
