"""Macros among the strings of an `asm` statement: every text that they may make of it.

#if NEWER
#define HINT(size) ".L2::" #size "B"
#else                                   texts: "ld.global.L2::128B.f32 %0, [%1];"
#define HINT(size)                             "ld.global.f32 %0, [%1];"
#endif
asm("ld.global" HINT(128) ".f32 %0, [%1];" ...)

Only the compiler knows which definition a macro has there. Where the statement belongs to another macro, its
parameters take the arguments of every use in the sources. The limits keep a few lines of macros that double
one another from filling the memory; a statement beyond them is refused.
"""

from __future__ import annotations

import ast
import itertools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from cusimt.translate.expressions import spelled
from cusimt.translate.lexer import Kind, Token
from cusimt.translate.source import Source
from cusimt.translate.token_streams import TokenStream

_MOST_TEXTS = 64  # of one statement
_MOST_USES = 4096  # of one macro

Arguments = Mapping[str, list[Token]]


class _TooMany(Exception):
    """More expansions than anybody writes on purpose."""


class _Definition(NamedTuple):
    parameters: tuple[str, ...] | None  # None: the macro is used without brackets
    body: tuple[Token, ...]


class Macros:
    """The macros that some sources define, each with all its definitions."""

    def __init__(self, sources: Iterable[Source] = ()) -> None:
        self._sources = tuple(sources)
        self._uses: dict[str, list[list[list[Token]]]] = {}

    def texts(self, tokens: Sequence[Token], stream: TokenStream) -> list[str]:
        """All texts that `tokens` of a stream may make together; none where one of them is no string."""
        if all(token.kind is Kind.TEXT for token in tokens):
            return [_joined(tokens)]
        try:
            expanded = [each for bound in self._bindings(tokens, stream) for each in self._expand(bound)]
        except _TooMany:
            return []
        if any(token.kind is not Kind.TEXT for each in expanded for token in each):
            return []
        texts = list(dict.fromkeys(map(_joined, expanded)))
        return texts if len(texts) <= _MOST_TEXTS else []

    @cached_property
    def _streams(self) -> list[TokenStream]:
        return [stream for source in self._sources for stream in source.streams]

    @cached_property
    def _definitions(self) -> dict[str, list[_Definition]]:
        found: dict[str, list[_Definition]] = {}
        for stream in self._streams:
            if stream.name:
                definition = _Definition(stream.parameters, tuple(stream.tokens))
                found.setdefault(stream.name, []).append(definition)
        return found

    def _bindings(self, tokens: Sequence[Token], stream: TokenStream) -> Iterator[list[Token]]:
        """`tokens` with the values of their macro's parameters, once for every use of it."""
        parameters = stream.parameters or ()
        if not any(token.text in parameters for token in tokens):
            yield list(tokens)
            return
        for arguments in self._uses_of(stream.name):
            yield from self._filled(tokens, _bound(parameters, arguments))

    def _uses_of(self, name: str) -> list[list[list[Token]]]:
        """The arguments of every use of a macro, those in the bodies of other macros as they are used."""
        if name not in self._uses:
            found: list[list[list[Token]]] = []
            self._uses[name] = []  # a macro that leads back to itself ends here
            for stream in self._streams:
                for index in stream.positions(name):
                    arguments = _arguments(stream, index)
                    found += self._as_used(arguments, stream) if arguments else []
                    if len(found) > _MOST_USES:
                        raise _TooMany
            self._uses[name] = found
        return self._uses[name]

    def _as_used(self, arguments: list[list[Token]], stream: TokenStream) -> Iterator[list[list[Token]]]:
        parameters = stream.parameters or ()
        if not any(token.text in parameters for each in arguments for token in each):
            yield arguments
            return
        for outer in self._uses_of(stream.name):
            filled = [self._filled(each, _bound(parameters, outer)) for each in arguments]
            yield from map(list, itertools.product(*filled))

    def _filled(self, tokens: Sequence[Token], arguments: Arguments) -> Iterator[list[Token]]:
        """The body of a macro with its arguments: as they are behind `#`, else expanded."""
        pieces: list[list[list[Token]]] = []
        index = 0
        while index < len(tokens):
            name = tokens[index + 1].text if index + 1 < len(tokens) else ""
            if tokens[index].text == "#" and name in arguments:
                pieces.append([[_quoted(arguments[name])]])
                index += 1
            elif tokens[index].text in arguments:
                pieces.append(self._expand(arguments[tokens[index].text]))
            else:
                pieces.append([[tokens[index]]])
            index += 1
        for choice in itertools.product(*pieces):
            yield [token for piece in choice for token in piece]

    def _expand(self, tokens: Sequence[Token], hidden: frozenset[str] = frozenset()) -> list[list[Token]]:
        """Every expansion of `tokens`; the macros in `hidden` are being expanded already."""
        expansions: list[list[Token]] = [[]]
        code = TokenStream(list(tokens), macro=False)
        index = 0
        while index < len(tokens):
            made, past = self._use(code, index, hidden)
            expansions = [[*before, *after] for before in expansions for after in made]
            if len(expansions) > _MOST_TEXTS:
                raise _TooMany
            index = past
        return expansions

    def _use(self, code: TokenStream, index: int, hidden: frozenset[str]) -> tuple[list[list[Token]], int]:
        """What the use of a macro at `index` becomes, by each definition, and the index behind it."""
        token, arguments = code.tokens[index], _arguments(code, index)
        made: list[list[Token]] = []
        past = index + 1
        for definition in self._definitions.get(token.text, ()) if token.text not in hidden else ():
            if definition.parameters is None:
                filled: Iterable[list[Token]] = [list(definition.body)]
            elif arguments is not None:
                past = code.skip(index + 1)
                filled = self._filled(definition.body, _bound(definition.parameters, arguments))
            else:
                continue
            made += [each for body in filled for each in self._expand(body, hidden | {token.text})]
        return (made, past) if made else ([[token]], index + 1)


def _arguments(code: TokenStream, index: int) -> list[list[Token]] | None:
    """What stands between the brackets behind the name at `index`; None where there are none."""
    closer = code.partner.get(index + 1)
    if code.text(index + 1) != "(" or closer is None:
        return None
    arguments: list[list[Token]] = [[]]
    index += 2
    while index < closer:
        past = code.skip(index)
        if code.text(index) == ",":
            arguments.append([])
        else:
            arguments[-1] += code.tokens[index:past]
        index = past
    return arguments


def _bound(parameters: Sequence[str], arguments: Sequence[list[Token]]) -> dict[str, list[Token]]:
    """The arguments by name; `__VA_ARGS__` takes the first of those that have no other name."""
    return dict(zip(parameters, arguments, strict=False))


def _quoted(tokens: Sequence[Token]) -> Token:
    """What `#` makes of an argument."""
    text = spelled(TokenStream(list(tokens), macro=False), 0, len(tokens))
    return Token(Kind.TEXT, '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"', 0, 0)


def _joined(tokens: Sequence[Token]) -> str:
    return "".join(_content(token.text) for token in tokens)


def _content(literal: str) -> str:
    """The value of a string literal, which C++ and Python spell alike as far as PTX goes."""
    raw = re.fullmatch(r'R"(\w*)\(([\s\S]*)\)\1"', literal)
    if raw:
        return raw[2]
    joined = literal.replace("\\\r\n", "").replace("\\\n", "")
    try:
        return str(ast.literal_eval(joined))
    except (SyntaxError, ValueError):
        return joined[1:-1]
