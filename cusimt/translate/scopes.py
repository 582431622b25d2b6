"""The scope of a token: the file's, a namespace's or a device function's."""

from __future__ import annotations

from cusimt.translate.expressions import TYPE_WORDS, declaration_head
from cusimt.translate.lexer import Kind
from cusimt.translate.token_streams import TokenStream

__all__ = ["device_bodies", "is_file_scope", "is_in_function", "namespace_of", "opens_namespace"]

_UNNAMED = "(anonymous namespace)"


def is_file_scope(stream: TokenStream, index: int) -> bool:
    """Is every bracket around the token at `index` that of a namespace or of `extern "C"`?"""
    index = stream.enclosing[index]
    while index >= 0:
        if not opens_namespace(stream, index):
            return False
        index = stream.enclosing[index]
    return True


def is_in_function(stream: TokenStream, index: int) -> bool:
    """Is the token at `index` within the braces of a function, or of an initial value?"""
    while (index := stream.enclosing[index]) >= 0:
        is_other = opens_namespace(stream, index) or _opens_class(stream, index)
        if stream.text(index) == "{" and not is_other:
            return True
    return False


def _opens_class(stream: TokenStream, brace: int) -> bool:
    """Is the `{` at `brace` that of a class, or of an enumeration?"""
    index = brace - 1
    if stream.text(index) == ")":
        return False
    while index >= 0 and stream.text(index) not in (";", "{", "}", "="):
        if stream.text(index) in TYPE_WORDS:
            return True
        opener = stream.template_open(index) if stream.text(index) == ">" else stream.partner.get(index)
        index = min(index, index if opener is None else opener) - 1
    return False


def namespace_of(stream: TokenStream, index: int) -> str:
    """The namespaces around a token, as a demangler writes them in front of a name: `a::b::`."""
    names = ""
    while (index := stream.enclosing[index]) >= 0:
        first = index
        while first > 0 and stream.text(first) != "namespace" and _may_name_a_namespace(stream, first - 1):
            first -= 1
        if stream.text(first) == "namespace":
            words = (stream.text(i) for i in range(first + 1, index))
            names = ("".join(word for word in words if word != "inline") or _UNNAMED) + "::" + names
    return names


def _may_name_a_namespace(stream: TokenStream, index: int) -> bool:
    return stream.is_word(index) or stream.text(index) == "::"


def device_bodies(
    stream: TokenStream, qualifiers: tuple[str, ...] = ("__global__", "__device__"), *, of_both: bool = False
) -> set[int]:
    """Indices of all tokens between the braces of functions and lambdas that run only on the device.

    `qualifiers`: the words of which one must stand in front of them; `of_both`: also of those that run on the
    host, too.
    """
    inside: set[int] = set()
    read: set[int] = set()  # one head may hold several of these words
    for index, token in enumerate(stream.tokens):
        if token.text not in qualifiers or index in inside or index in read:
            continue
        head = [*range(stream.declaration_start(index), index), *declaration_head(stream, index)]
        read.update(head)
        is_both = any(stream.text(i) == "__host__" for i in head)
        if stream.text(head[-1]) == "{" and (of_both or not is_both):
            inside.update(range(head[-1], stream.partner.get(head[-1], head[-1])))
    return inside


def opens_namespace(stream: TokenStream, brace: int) -> bool:
    """Is the `{` at `brace` that of a namespace or of `extern "C"`?"""
    before = brace - 1
    if before >= 0 and stream.tokens[before].kind is Kind.TEXT:
        return stream.text(before - 1) == "extern"
    while _may_name_a_namespace(stream, before):
        if stream.text(before) == "namespace":
            return True
        before -= 1
    return False
