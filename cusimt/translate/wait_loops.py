"""Marks the conditions that end a loop.

    while (*flag == 0) {}    becomes    while (::simt::goes_on((*flag == 0) ? true : false)) {}

At run time only the marks show that a volatile word decides how a thread goes on, which makes it a flag and
not a datum. Marked are the conditions of `while` and `for` with an empty body, of every `do`, and of
`if (...) break;`. Other loops do their work while they go on.
"""

from __future__ import annotations

from cusimt.translate.rewrite import Rewrite
from cusimt.translate.statements import declares, statement_end
from cusimt.translate.token_streams import TokenStream

_GOES_ON, _ENDS = "::simt::goes_on((", "::simt::ends(("
_CONSTANT = frozenset(["0", "1", "false", "true"])


def mark_wait_loops(stream: TokenStream, rewrite: Rewrite) -> None:
    tails = set()
    for index in stream.positions("do"):
        tail = statement_end(stream, index + 1)
        if tail is not None and stream.text(tail) == "while":
            tails.add(tail)
            _mark(stream, rewrite, _GOES_ON, tail + 2, stream.skip(tail + 1) - 1)
    for index in stream.positions("while"):
        if index not in tails and _is_empty(stream, stream.skip(index + 1)):
            _mark(stream, rewrite, _GOES_ON, index + 2, stream.skip(index + 1) - 1)
    for index in stream.positions("for"):
        parts = _top_level(stream, index + 1, ";")
        if len(parts) == 2 and _is_empty(stream, stream.skip(index + 1)):
            _mark(stream, rewrite, _GOES_ON, parts[0] + 1, parts[1])
    for index in stream.positions("if"):
        body = stream.skip(index + 1)
        body += stream.text(body) == "{"
        if stream.text(body) == "break" and stream.text(body + 1) == ";":
            _mark(stream, rewrite, _ENDS, index + 2, stream.skip(index + 1) - 1)


def _is_empty(stream: TokenStream, body: int) -> bool:
    return stream.text(body) == ";" or (stream.text(body) == "{" and stream.text(body + 1) == "}")


def _top_level(stream: TokenStream, opener: int, mark: str) -> list[int]:
    """Indices of `mark` between the bracket at `opener` and its counterpart, but in no other bracket."""
    found, index = [], opener + 1
    while opener in stream.partner and index < stream.partner[opener]:
        if stream.text(index) == mark:
            found.append(index)
        index = stream.skip(index)
    return found


def _mark(stream: TokenStream, rewrite: Rewrite, opened: str, first: int, end: int) -> None:
    """Mark the tokens from `first` up to the one at `end`, if they are an expression that may change."""
    if first >= end:
        return
    is_constant = end - first == 1 and stream.text(first) in _CONSTANT
    is_whole = stream.is_uncertain(first - 1) == stream.is_uncertain(end)
    is_head = stream.text(first - 1) == "(" and stream.text(end) == ")"
    has_parts = is_head and _top_level(stream, first - 1, ";")
    if is_constant or not is_whole or has_parts or declares(stream, first):
        return
    rewrite.insert(stream.tokens[first].start, opened)
    rewrite.insert(stream.tokens[end - 1].end, ") ? true : false)")
