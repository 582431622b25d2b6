"""The functions of a program that take or return objects by value, as far as its text says so.

Of what a function takes, every declaration of its name has to agree, wherever it is: an overload or a member
with a reference in the same place keeps the name out, and so does any use of it that is no call, as of a
variable. Of what one returns, a single declaration is enough.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import reduce
from itertools import pairwise

from cusimt.translate.calls import is_declared
from cusimt.translate.expressions import arguments
from cusimt.translate.scopes import is_file_scope, is_in_function, namespace_of
from cusimt.translate.token_streams import TokenStream

__all__ = ["Declarations", "Signature", "declarations"]

_SCALARS = frozenset(
    [
        *("const", "volatile", "signed", "unsigned", "void", "bool", "size_t"),
        *("char", "short", "int", "long", "float", "double"),
        *(f"{sign}int{bits}_t" for sign in ("", "u") for bits in (8, 16, 32, 64)),
    ]
)
_SPECIFIERS = frozenset(
    [
        *("static", "inline", "extern", "constexpr", "friend", "__device__", "__host__", "__global__"),
        *("__forceinline__", "__inline__", "__noinline__"),
    ]
)
_OPERATORS = frozenset("+-*/%&|^~<>")  # that compute, each the first mark of its name
# What may make a type a reference or a pointer, or hide one.
_INDIRECT = frozenset(["&", "*", "(", "[", ".", "...", "typename", "##"])


@dataclass(frozen=True)
class Signature:
    """What all declarations of one name say."""

    by_value: frozenset[int]  # the parameters that are objects, or may be
    most: int  # parameters
    namespaces: frozenset[str]  # the innermost around each declaration

    def joined(self, other: Signature) -> Signature:
        return Signature(
            self.by_value & other.by_value,
            min(self.most, other.most),
            self.namespaces | other.namespaces,
        )


@dataclass(frozen=True)
class Declarations:
    """What a program declares: functions at the scope of a file or namespace, by name.

    `returning` has the names of functions and members that may return objects, and the first marks of such
    operators.
    """

    functions: dict[str, Signature]
    returning: frozenset[str]


def declarations(streams: Iterable[TokenStream]) -> Declarations:
    """What the streams declare."""
    read = list(streams)
    declared: dict[str, list[tuple[TokenStream, int]]] = {}
    of_files = set[str]()
    for stream in read:
        for index, token in enumerate(stream.tokens):
            is_named = stream.text(index + 1) == "(" and stream.is_word(index) and is_declared(stream, index)
            if is_named and not is_in_function(stream, index):
                declared.setdefault(token.text, []).append((stream, index))
                if token.text not in of_files and not stream.macro and is_file_scope(stream, index):
                    of_files.add(token.text)
    references = frozenset(name for stream in read for name in _references(stream))
    found = {}
    for name in of_files:
        if not any(_is_variable(stream, index) for stream in read for index in stream.positions(name)):
            found[name] = reduce(Signature.joined, (_signature(*each, references) for each in declared[name]))
    returning = {name for name in declared if any(_returns_object(*each) for each in declared[name])}
    return Declarations(found, frozenset(returning.union(*map(_operators, read))))


def _operators(stream: TokenStream) -> Iterable[str]:
    """The first marks of the operators that compute an object: not of those that assign."""
    for index in stream.positions("operator"):
        mark, after = stream.text(index + 1), index + 2
        after += stream.text(after) == mark  # << and >> are two marks
        if mark in _OPERATORS and stream.text(after) == "(" and _returns_object(stream, index):
            yield mark


def _returns_object(stream: TokenStream, index: int) -> bool:
    """Whether the function whose name is at `index` returns an object, or may."""
    returned = {stream.text(i) for i in range(stream.declaration_start(index), index)}
    return bool(returned - _SPECIFIERS - _SCALARS)


def _is_variable(stream: TokenStream, index: int) -> bool:
    """Whether the name at `index` is no function's: nothing is called, and it is no member."""
    return stream.text(index + 1) not in ("(", "<") and stream.text(index - 1) not in (".", "->")


def _signature(stream: TokenStream, index: int, references: frozenset[str]) -> Signature:
    spans = arguments(stream, index + 1) if index + 1 in stream.partner else []
    return Signature(
        frozenset(i for i, span in enumerate(spans) if _is_object(_type(stream, *span), references)),
        len(spans),
        frozenset([namespace_of(stream, index).removesuffix("::").rpartition("::")[2]]),
    )


def _type(stream: TokenStream, first: int, past: int) -> list[str]:
    """The words and marks of a parameter without its default value."""
    words = [stream.text(index) for index in range(first, past)]
    return words[: words.index("=")] if "=" in words else words


def _is_object(words: list[str], references: frozenset[str]) -> bool:
    """Whether a parameter may be an object: of a class, or of a type that the text does not say."""
    is_hidden = any(one == ">" and other == "::" for one, other in pairwise(words))
    named = words[:-1] if len(words) > 1 else words
    return not _INDIRECT & set(words) and not is_hidden and bool(set(named) - _SCALARS - references)


def _references(stream: TokenStream) -> Iterable[str]:
    """Names that the stream gives to types with a reference in them."""
    for index in stream.positions("using"):
        if stream.text(index + 2) == "=" and "&" in _statement(stream, index):
            yield stream.text(index + 1)
    for index in stream.positions("typedef"):
        words = _statement(stream, index)
        if "&" in words:
            yield words[-1]


def _statement(stream: TokenStream, index: int) -> list[str]:
    words = []
    while index < len(stream.tokens) and stream.text(index) != ";":
        words.append(stream.text(index))
        index += 1
    return words
