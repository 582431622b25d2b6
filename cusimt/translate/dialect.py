"""Spellings that nvcc accepts and g++ does not, or takes for less than they say.

- `__launch_bounds__(N)` in front of a kernel's name means nothing to g++. The body repeats it behind its
  brace, as `SIMT_LAUNCH_BOUNDS(N)`, where template arguments have values. Left alone: bounds under another
  `#if` than the body.
- `using Scan = Scan<T, 32>;` in a class hides the template. g++ refuses that: a name must not change its
  meaning within a class. It allows it among the parameters of a function type.
- `__noinline__` is a keyword. As a macro it would break `__attribute__((__noinline__))`.
"""

from __future__ import annotations

from cusimt.translate.expressions import declaration_head, spelled
from cusimt.translate.rewrite import Rewrite
from cusimt.translate.token_streams import TokenStream


def rewrite_dialect(stream: TokenStream, rewrite: Rewrite) -> None:
    _rewrite_launch_bounds(stream, rewrite)
    _rewrite_aliases(stream, rewrite)
    _rewrite_noinline(stream, rewrite)


def _rewrite_launch_bounds(stream: TokenStream, rewrite: Rewrite) -> None:
    for brace, index in _bounds_of_bodies(stream).items():
        if stream.is_uncertain(brace) == stream.is_uncertain(index):
            bounds = spelled(stream, index + 1, stream.skip(index + 1))
            rewrite.insert(stream.tokens[brace].end, f" SIMT_LAUNCH_BOUNDS{bounds}")


def _bounds_of_bodies(stream: TokenStream) -> dict[int, int]:
    """The index of the brace that opens a kernel's body to that of its only `__launch_bounds__`."""
    found: dict[int, list[int]] = {}
    for index in stream.positions("__launch_bounds__"):
        head = list(declaration_head(stream, index))
        if stream.text(index + 1) == "(" and stream.text(head[-1]) == "{":
            found.setdefault(head[-1], []).append(index)
    return {brace: indices[0] for brace, indices in found.items() if len(indices) == 1}


def _rewrite_aliases(stream: TokenStream, rewrite: Rewrite) -> None:
    for index in stream.positions("using"):
        name = stream.text(index + 1)
        if [stream.text(index + step) for step in (2, 3, 4)] != ["=", name, "<"]:
            continue
        close = stream.template_close(index + 4)
        if close is not None and stream.text(close + 1) == ";":
            rewrite.insert(stream.tokens[index + 3].start, "::simt::parameter_of<void(")
            rewrite.insert(stream.tokens[close].end, "*)>")


def _rewrite_noinline(stream: TokenStream, rewrite: Rewrite) -> None:
    for index in stream.positions("__noinline__"):
        if stream.text(index - 1) not in ("(", ",", "::"):
            token = stream.tokens[index]
            rewrite.replace(token, token, "__attribute__((noinline))")
