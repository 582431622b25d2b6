"""A CUDA source without the code of one side: the host's, to compare it; the device's, to compile it.

Not a parser: it finds the functions of namespaces and classes by their brackets, and their qualifiers. A text
in which that could go wrong has neither side, and is left to nvcc.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from cusimt.translate.lexer import Kind, Token
from cusimt.translate.rewrite import Refused, Rewrite
from cusimt.translate.scopes import opens_namespace
from cusimt.translate.source import Source
from cusimt.translate.token_streams import TokenStream

_CLASSES = frozenset(["class", "struct", "union", "enum"])
_CONSTANT = frozenset(["constexpr", "consteval"])
_OF_DEVICE = frozenset(["__global__", "__device__"])
_AFTER_PARAMETERS = frozenset([")", "const", "noexcept", "override", "final"])
_NO_FUNCTIONS = frozenset(["template", "using", "typedef", "friend", "static_assert", "operator", "="])
# With these, or a macro that may hold one of them, host code depends on the lines it stands in.
_LINES = frozenset(["__LINE__", "assert", "__builtin_LINE", "source_location"])
_MACRO_NAME = re.compile(r"[A-Z][A-Z0-9]*_[A-Z0-9_]+|[A-Z]{3,}")


@dataclass(frozen=True)
class Function:
    """The tokens of a function, by index: the first behind its template parameters, the braces of its body.

    Where it is only declared, the end of the declaration stands for both braces.
    """

    first: int
    opens: int
    closes: int
    in_class: bool
    words: frozenset[str]

    @property
    def is_of_device(self) -> bool:
        """Whether the host has no code of it."""
        return bool(self.words & _OF_DEVICE) and "__host__" not in self.words


def host_side(text: str) -> str | None:
    """What the host's code of `text` follows from; equal for two texts that differ in device code alone.

    None where that cannot be said: brackets that depend on conditions, or do not match.
    """
    source = Source(text)
    stream = source.streams[0]
    if not _is_clear(stream):
        return None
    bodies = sorted(
        (stream.tokens[each.opens].end, stream.tokens[each.closes].start)
        for each in _functions(stream)
        if each.is_of_device
        and each.opens < each.closes
        and not each.in_class
        and not each.words & {"auto", *_CONSTANT}
    )
    ahead = iter([*bodies, (len(text), len(text))])
    begin, end = next(ahead)
    counts_lines = _depends_on_lines(source, bodies)
    pieces: list[str] = []
    for words, is_directive in source.lines:
        kept = []
        for token in words:
            while token.start >= end:
                begin, end = next(ahead)
            if token.start < begin or (is_directive and _means_something_later(words)):
                kept.append(token.text)
        if kept and counts_lines:
            pieces.append(f"\n{text.count(chr(10), 0, words[0].start)}")
        pieces += ["\n", *kept, "\n"] if kept and is_directive else kept
    return " ".join(pieces)


def device_side(text: str) -> str | None:
    """`text` for a compiler that takes no host functions: empty, and the device's, as constant ones are.

    No line moves. None where functions are not told apart for certain.
    """
    stream = Source(text).streams[0]
    if not _is_clear(stream):
        return None
    rewrite = Rewrite(text)
    for each in _functions(stream):
        if each.words & _OF_DEVICE:
            continue
        rewrite.insert(stream.tokens[each.first].start, "__device__ ")
        if not each.words & _CONSTANT and each.closes > each.opens + 1:
            rewrite.replace(stream.tokens[each.opens + 1], stream.tokens[each.closes - 1], "")
    try:
        return rewrite.result()
    except Refused:
        return None


def _is_clear(stream: TokenStream) -> bool:
    """Whether every bracket has its counterpart, whatever the conditions come to."""
    brackets = [i for i, each in enumerate(stream.tokens) if each.kind is Kind.MARK and each.text in "()[]{}"]
    return all(i in stream.partner and not stream.is_uncertain(i) for i in brackets)


def _functions(stream: TokenStream) -> Iterator[Function]:
    """Those of namespaces and classes, in order."""
    yield from _within(stream, 0, len(stream.tokens), in_class=False)


def _within(stream: TokenStream, index: int, past: int, *, in_class: bool) -> Iterator[Function]:
    """Functions from `index`, where a declaration begins, to `past`."""
    start = index
    while index < past:
        text = stream.text(index)
        if text == ";":
            if _declares_function(stream, range(start, index)):
                words = _outside_of_brackets(stream, range(start, index))
                yield Function(_behind_template(stream, start), index, index, in_class, words)
            start = index + 1
        elif text == ":" and index == start + 1:  # as in `private:`
            start = index + 1
        elif text == "{":
            closes = stream.partner[index]
            head = range(start, index)
            words = _outside_of_brackets(stream, head)
            is_class = bool(words & _CLASSES) and stream.text(index - 1) not in _AFTER_PARAMETERS
            if is_class or opens_namespace(stream, index):
                yield from _within(stream, index + 1, closes, in_class=in_class or is_class)
                start = closes + 1
            elif "=" not in words and _has_parameters(stream, head):
                first = _behind_template(stream, start)
                yield Function(first, index, closes, in_class, words)
                start = closes + 1
            index = closes
        elif text in ("(", "["):
            index = stream.partner[index]
        index += 1


def _outside_of_brackets(stream: TokenStream, head: range) -> frozenset[str]:
    """The words and marks of a declaration that are in no brackets, nor template parameters."""
    found, index = set(), _behind_template(stream, head.start)
    while index < head.stop:
        found.add(stream.text(index))
        close = stream.template_close(index) if stream.text(index) == "<" else None
        index = close + 1 if close is not None else stream.skip(index)
    return frozenset(found)


def _behind_template(stream: TokenStream, index: int) -> int:
    while stream.text(index) == "template" and stream.text(index + 1) == "<":
        close = stream.angles.get(index + 1)
        if close is None:
            break
        index = close + 1
    if stream.text(index) == "extern" and stream.tokens[index + 1].kind is Kind.TEXT:
        index += 2
    return index


def _declares_function(stream: TokenStream, head: range) -> bool:
    """`void launch(const float* x);`, and not `CHECK(x);` or `template void launch(const float*);`."""
    first = _behind_template(stream, head.start)
    opens = next((i for i in range(first, head.stop) if stream.text(i) == "("), first)
    words = {stream.text(i) for i in range(first, opens)}
    return opens > first + 1 and not words & _NO_FUNCTIONS


def _has_parameters(stream: TokenStream, head: range) -> bool:
    return any(stream.text(i) == ")" for i in head)


def _depends_on_lines(source: Source, bodies: list[tuple[int, int]]) -> bool:
    """Whether code outside of `bodies` may ask for the number of its line."""
    own = {stream.name for stream in source.streams[1:]}
    for token in source.tokens:
        if token.kind is not Kind.WORD or any(begin <= token.start < end for begin, end in bodies):
            continue
        if token.text in _LINES or (_MACRO_NAME.fullmatch(token.text) and token.text not in own):
            return True
    return False


def _means_something_later(directive: list[Token]) -> bool:
    """Whether a directive within a body counts behind it, too."""
    return len(directive) > 1 and directive[1].text in ("define", "undef", "include")
