"""Refuse what nvcc refuses about calling and launching, where the functions of one file are enough to tell.

Both rules stay silent when they cannot be sure: a name that is declared twice is left to overload resolution,
and a declaration that begins with an unknown word may be a macro that stands for `__global__`.
"""

from __future__ import annotations

from collections.abc import Mapping

from cusimt.translate.expressions import declaration_head, postfix_start
from cusimt.translate.passages import Passage
from cusimt.translate.refusal import Refused

_HOST_WORDS = frozenset(["static", "inline", "extern", "constexpr", "__host__", "__device__", "void"])
_BEFORE_STATEMENT = (";", "{", "}", ")", "else", "do")


def refuse_miscalls(passage: Passage, kernels: Mapping[str, set[int]]) -> None:
    """Refuse the statement `kernel(arguments);` and the launch of a function that is not `__global__`.

    `kernels` are those that the passage declares, and where.
    """
    for name, declarations in kernels.items():
        uses = [index for index in passage.positions(name) if index not in declarations]
        if not any(_is_declared(passage, index) for index in uses):
            _refuse_plain_calls(passage, name, uses)
    launched: dict[str, int] = {}  # names, and where first
    for index, token in enumerate(passage.tokens):
        if token.text == "<<<":
            launched.setdefault(passage.text(index - 1), token.start)
    for name, start in launched.items():
        if name not in kernels and _is_host_function(passage, name):
            raise Refused(
                start,
                f"{name} is launched but is not a kernel",
                f"Only a __global__ function can be launched: __global__ void {name}(...).",
            )


def _refuse_plain_calls(passage: Passage, name: str, uses: list[int]) -> None:
    for index in uses:
        start = postfix_start(passage, index)
        before = passage.text((index if start is None else start) - 1)
        if passage.text(index + 1) == "(" and before in _BEFORE_STATEMENT:
            raise Refused(
                passage.tokens[index].start,
                f"the kernel {name} is called without a launch configuration",
                f"A __global__ function is launched: {name}<<<grid, block>>>(arguments).",
            )


def declared_kernels(passage: Passage) -> dict[str, set[int]]:
    """Names declared `__global__`, and where."""
    kernels: dict[str, set[int]] = {}
    for start in passage.positions("__global__"):
        for index in declaration_head(passage, start):
            is_attribute = passage.text(index).startswith("__") and passage.text(index).endswith("__")
            if passage.is_word(index) and not is_attribute and passage.text(index + 1) == "(":
                kernels.setdefault(passage.text(index), set()).add(index)
                break
    return kernels


def _is_declared(passage: Passage, index: int) -> bool:
    """Does a type stand before the name at `index`, and a list of parameters after it?"""
    before = passage.text(index - 1)
    is_type = passage.is_word(index - 1) and before not in ("else", "return", "do")
    return passage.text(index + 1) == "(" and (is_type or before in ("*", "&", ">"))


def _is_host_function(passage: Passage, name: str) -> bool:
    """Is every declaration of `name` in this file that of a function without `__global__`?"""
    declared = [i for i in passage.positions(name) if _is_declared(passage, i)]
    words = [passage.text(i) for at in declared for i in range(passage.declaration_start(at), at)]
    return bool(declared) and all(word in _HOST_WORDS for word in words)
