"""Kernels of a module that the driver's API loads at run time: each announces itself behind its definition.

The driver launches a kernel by the name that the linker has for it, with its arguments behind pointers to
`void`. Only the source says what they are:

    __global__ void add(int n, float* x) {...} SIMT_MODULE_KERNEL = ::simt::announce_module_kernel(
        ::simt::site{"add", ...}, static_cast<void (*)(int n, float* x)>(add));

A template is announced where it is instantiated: by a declaration of its own, or by a name expression of
NVRTC.
"""

from __future__ import annotations

from collections.abc import Iterator

from cusimt.translate.expressions import arguments, declaration_head, spelled
from cusimt.translate.rewrite import Rewrite
from cusimt.translate.scopes import is_file_scope
from cusimt.translate.token_streams import TokenStream


def announce_module_kernels(stream: TokenStream, rewrite: Rewrite) -> None:
    """Announce every kernel of a stream that is defined or instantiated there."""
    for start in stream.positions("__global__"):
        head = list(declaration_head(stream, start))
        opener = _parameters(stream, head)
        end = _end(stream, start, head)
        if opener is None or end is None or not (stream.macro or is_file_scope(stream, start)):
            continue
        name = spelled(stream, _name_start(stream, opener), opener)
        function = f"static_cast<void (*)({_types(stream, opener)})>({name})"
        site = f"::simt::site{{SIMT_TEXT({name}), __FILE__, __LINE__}}"
        announcement = f" SIMT_MODULE_KERNEL = ::simt::announce_module_kernel({site}, {function});"
        rewrite.insert(stream.tokens[end].end, announcement)


def _parameters(stream: TokenStream, head: list[int]) -> int | None:
    """Index of the `(` of the kernel's parameters, which follows its name."""
    for index in head:
        before = index - 1
        if stream.text(index) == "(" and stream.text(before) == ">":
            opener = stream.template_open(before)
            before = before if opener is None else opener - 1
        text = stream.text(before)
        is_attribute = text.startswith("__") and text.endswith("__")
        if stream.text(index) == "(" and stream.is_word(before) and not is_attribute:
            return index
    return None


def _name_start(stream: TokenStream, opener: int) -> int:
    """Index of the first token of `k`, `ns::k`, `k<int>` or `k_##T`, which ends before `opener`."""
    first = opener - 1
    if stream.text(first) == ">":
        angle = stream.template_open(first)
        first = first if angle is None else angle - 1
    while stream.text(first - 1) in ("::", "##") and stream.is_word(first - 2):
        first -= 2
    return first


def _end(stream: TokenStream, start: int, head: list[int]) -> int | None:
    """Index of the token behind which the kernel exists; None of a template and of a mere declaration."""
    first = stream.declaration_start(start)
    is_template = stream.text(first - 1) == ">" and stream.template_open(first - 1) != first - 2
    if is_template:
        return None
    if stream.text(head[-1]) == "{":
        return stream.partner.get(head[-1])
    is_instantiation = stream.text(first) == "template" and stream.text(first + 1) != "<"
    past = stream.skip(head[-1])
    return past if is_instantiation and stream.text(past) == ";" else None


def _types(stream: TokenStream, opener: int) -> str:
    """The parameters as they are written, without default values."""
    return ", ".join(_without_default(stream, *span) for span in arguments(stream, opener))


def _without_default(stream: TokenStream, first: int, past: int) -> str:
    equals = next(
        (index for index in _outside_brackets(stream, first, past) if stream.text(index) == "="), past
    )
    return spelled(stream, first, equals)


def _outside_brackets(stream: TokenStream, first: int, past: int) -> Iterator[int]:
    while first < past:
        yield first
        first = stream.skip(first)
