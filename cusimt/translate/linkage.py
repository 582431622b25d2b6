"""Device functions and variables belong to their file: `static` in front of those that do not say so.

nvcc compiles the device code of each .cu whole, so two files may each have a `reduce` or a `__constant__`
table of their own, or include one header that defines them. The host's linker would refuse the second
definition, or silently take one file's inline function or template for the other's as well.

Left alone: members, specialisations, what the host may call too, and declarations with a word that may be a
macro with a `static` of its own.
"""

from __future__ import annotations

from cusimt.translate.expressions import (
    TYPE_WORDS,
    elaborated_type_end,
)
from cusimt.translate.lexer import Kind
from cusimt.translate.rewrite import Rewrite
from cusimt.translate.scopes import is_file_scope
from cusimt.translate.token_streams import TokenStream

_PLACES = ("__device__", "__constant__", "__managed__")
_INLINE = frozenset(["inline", "__inline__", "__inline", "__forceinline__", "__noinline__", "constexpr"])
_QUALIFIERS = frozenset(["const", "volatile", "typename", "*", "&", "__restrict__", "alignas", "__align__"])
_BUILT_IN = frozenset(
    ["void", "bool", "char", "short", "int", "long", "float", "double", "signed", "unsigned", "auto"]
)
_OTHER = frozenset(
    [
        "static",
        "extern",
        "friend",
        "template",
        "typedef",
        "using",
        "operator",
        "decltype",
        "__host__",
        "__global__",
        "__shared__",
        "__attribute__",
        "__launch_bounds__",
    ]
)


def rewrite_linkage(stream: TokenStream, rewrite: Rewrite) -> None:
    if stream.macro:
        return
    rewritten: set[int] = set()  # the names
    names: dict[int, int | None] = {}  # by the first token of their declaration
    for index, token in enumerate(stream.tokens):
        if token.text not in _PLACES:
            continue
        first = stream.declaration_start(index)
        if first not in names:
            names[first] = _declared_name(stream, first)
        name = names[first]
        if name is None or name < index or name in rewritten or _is_specialisation(stream, first):
            continue
        if is_file_scope(stream, first) and not _is_declared_before(stream, name, rewritten):
            rewritten.add(name)
            _drop_language(stream, first, rewrite)
            rewrite.insert(token.start, "static ")


def _drop_language(stream: TokenStream, first: int, rewrite: Rewrite) -> None:
    """`extern "C"` in front of one declaration: g++ allows it no `static`, which leaves a linker no name."""
    tokens = stream.tokens
    if first >= 2 and stream.text(first - 2) == "extern" and tokens[first - 1].kind is Kind.TEXT:
        rewrite.replace(tokens[first - 2], tokens[first - 1], "")


def _is_declared_before(stream: TokenStream, name: int, rewritten: set[int]) -> bool:
    """A first declaration without `static`, such as `extern __device__ int f();`, decides for all."""
    earlier = [index for index in stream.positions(stream.text(name)) if index < name]
    return any(index not in rewritten and is_file_scope(stream, index) for index in earlier)


def _declared_name(stream: TokenStream, first: int) -> int | None:
    """Index of the name that a plain declaration gives a function or variable; None for any other."""
    index, types, built_in = first, 0, False
    while index < len(stream.tokens):
        text, follower = stream.text(index), stream.text(index + 1)
        is_name = stream.is_word(index) and follower in ("(", ";", "=", "[", "{")
        if text in _QUALIFIERS and follower == "(":
            index = stream.skip(index + 1)
        elif text in _PLACES or text in _INLINE or text in _QUALIFIERS:
            index += 1
        elif text in TYPE_WORDS:
            index, types = elaborated_type_end(stream, index), types + 1
        elif text in _BUILT_IN:
            index, built_in = index + 1, True
        elif is_name and text != "operator":
            return index if types + built_in == 1 and stream.text(index - 1) != "::" else None
        elif (stream.is_word(index) and text not in _OTHER) or text == "::":
            index, types = _qualified_end(stream, index), types + 1
        else:
            return None
    return None


def _qualified_end(stream: TokenStream, index: int) -> int:
    """The index after `a::b<int>::c`, which begins at `index`."""
    if stream.text(index) == "::":
        index += 1
    while stream.is_word(index):
        index += 1
        close = stream.template_close(index) if stream.text(index) == "<" else None
        index = index if close is None else close + 1
        if stream.text(index) != "::":
            break
        index += 1
    return index


def _is_specialisation(stream: TokenStream, first: int) -> bool:
    """Does `template <>` stand before, or a bracket that may be an attribute's, after more specifiers?"""
    before = stream.text(first - 1)
    if before == ">":
        opener = stream.template_open(first - 1)
        return opener is None or stream.text(opener - 1) != "template" or opener == first - 2
    return before in (")", ":")
