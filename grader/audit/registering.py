"""Audit the use of `torch::Library` in a submission's compiled lines.

TORCH_LIBRARY(name, m) makes it for the library's own namespace. Code that has `m` could deduce its class,
without naming it, and make another for PyTorch's own operators. So `m` is called, as in `m.def(...)`, and
handed to functions that name its class: nothing takes it as a parameter of a deduced type, and no function
that takes it is used for anything but a call.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from cusimt.translate.lexer import Kind, Token

_CLASSES = ("Library", "StableLibrary")
_KINDS = ("DEF", "IMPL", "FRAGMENT")
_METHODS = ("def", "impl", "set_python_module", "impl_abstract_pystub")
_BEGIN = ("{", "}", ";", "else", "do", ":")  # what stands before a statement
_CONDITIONS = ("if", "for", "while", "switch", "catch")
# Words before a name that make no declaration of it.
_NO_TYPES = frozenset((
    "return", "else", "do", "throw", "case", "goto", "new", "delete", "sizeof", "typename", "operator", "and",
    "or", "xor", "not", "bitand", "bitor", "compl", "co_return", "co_yield", "co_await", "decltype",
    "noexcept",
    "alignof", "typeid", "using", "template", "requires",
))  # fmt: skip


def misuses(tokens: Sequence[Token]) -> Iterator[tuple[int, str]]:
    """Places in `tokens`, without blanks, at which such an object or its class is used in another way."""
    reader = _Reader([token.text for token in tokens], [token.kind is Kind.WORD for token in tokens])
    yield from sorted(reader.misuses())


class _Reader:
    def __init__(self, words: list[str], named: list[bool]) -> None:
        self.words = words
        self.named = named  # which of them are words

    def misuses(self) -> Iterator[tuple[int, str]]:
        takers: set[str] = set()
        libraries: list[
            tuple[str, int]
        ] = []  # a parameter's name, and where the brackets of its function end
        for at, word in enumerate(self.words):
            if word not in _CLASSES or not self.named[at]:
                continue
            if self._text(at + 1) == "::" and (self._text(at + 2) in _KINDS or self._text(at + 4) in _KINDS):
                continue
            taker = self._taker(at)
            if not taker:
                yield at, f"uses the class `{word}` for something else than a parameter"
                continue
            takers.add(taker)
            if self.named[at + 2]:
                libraries.append((self._text(at + 2), self._closing(self._opening(at))))
        for name in takers:
            yield from self._calls(name, {library for library, _ in libraries})
        for name, end in libraries:
            if self._text(end + 1) == "{":
                yield from self._body(name, end + 1, takers)

    def _taker(self, at: int) -> str:
        """`f` of `f(torch::Library& m)` or `f(torch::Library&)`, whose class is at `at`, else `""`."""
        first = at
        while self._text(first - 1) == "::" or (self.named[first - 1] and self._text(first) == "::"):
            first -= 1
        name = self._text(first - 2)
        after = self._text(at + 2 + self._is_named(at + 2))
        shaped = self._text(first - 1) == "(" and self._text(at + 1) == "&" and after in (")", ",")
        known = shaped and self._is_named(first - 2) and name not in _NO_TYPES
        return name if known and name not in ("void", "auto", "bool", "int") else ""

    def _calls(self, name: str, libraries: set[str]) -> Iterator[tuple[int, str]]:
        """Every use of a function that takes the object, other than to declare or to call it."""
        for at, word in enumerate(self.words):
            if word != name or not self.named[at]:
                continue
            given = self._text(at - 1) == "&" and self._text(at - 2) == "," and self._text(at - 3) in _KINDS
            if self._text(at + 1) != "(" and not given:
                yield at, f"uses `{name}`, which takes a library, without calling it"
            elif not given and not self._takes(at + 2, libraries):
                yield at, f"uses `{name}`, which takes a library, for something else"

    def _takes(self, at: int, libraries: set[str]) -> bool:
        """Whether the first argument or parameter, at `at`, is one of `libraries` or of such a class."""
        if self._text(at) in libraries:
            return self._text(at + 1) in (")", ",")
        while self._text(at) == "::" or self._text(at + 1) == "::":
            at += 1
        return self._text(at) in _CLASSES and self._text(at + 1) == "&"

    def _body(self, name: str, opening: int, takers: set[str]) -> Iterator[tuple[int, str]]:
        """Uses of the parameter `name` between the braces that begin at `opening`."""
        hidden = 0  # up to here, a declaration has given the name another meaning
        for at in range(opening, self._closing(opening)):
            if self._text(at) != name or not self.named[at] or at < hidden:
                continue
            if self._declares(at):
                hidden = self._end_of_scope(at)
            elif not self._is_harmless(at, takers):
                yield at, f"hands on the library `{name}`"

    def _declares(self, at: int) -> bool:
        """Whether the name at `at` is redeclared: `int64_t m = 1`, `auto m{1}`, `f(int64_t m, ...`."""
        if self._text(at + 1) not in ("=", "{", ";", ",", ")", ":", "[", "(", "]"):
            return False
        return self._follows_a_type(at) or self._is_bound(at) or self._is_parameter(at)

    def _follows_a_type(self, at: int) -> bool:
        """`T m`, `auto& m` and `const T& m`; `T& m` may as well be an expression that calls an operator."""
        last = at - 1
        while self._text(last) in ("&", "*", "&&"):
            last -= 1
        if last == at - 1:
            before = self._text(last)
            no_type = before in _NO_TYPES or before in (*_CONDITIONS, *_BEGIN)
            return self._is_named(last) and not no_type
        if self._text(last) == ">":
            last = self._before_template_arguments(last)
        return self._text(last) == "auto" or self._text(self._start_of_name(last) - 1) == "const"

    def _is_bound(self, at: int) -> bool:
        """`auto [m, n] = sizes` and `auto& [m, n] = sizes`."""
        opening = self._opening(at)
        before = next(i for i in range(opening - 1, -2, -1) if self._text(i) not in ("&", "&&"))
        return self._text(opening) == "[" and self._text(before) == "auto"

    def _is_parameter(self, at: int) -> bool:
        """Whether it is a parameter of a lambda: the last name of it, and no default value."""
        opening = self._opening(at)
        if not self._opens_parameters(opening) or self._text(at - 1) in ("(", ","):
            return False
        first = at
        while self._opening(first - 1) == opening and self._text(first - 1) not in (",", "="):
            first -= 1
        within = self.words[first:at]  # template arguments that it may stand in are no declaration
        is_last = within.count("<") == within.count(">") and self._text(at - 1) not in ("::", ".")
        return is_last and self._text(first - 1) != "="

    def _opens_parameters(self, opening: int) -> bool:
        """Whether the bracket at `opening` follows a lambda's captures, not a subscript."""
        captures = self._opening(opening - 1)
        is_lambda = self._text(captures - 1) in (*_BEGIN, "(", ",", "=", "return", "?")
        after = self._text(self._closing(opening) + 1)
        return (
            self._text(opening - 1) == "]" and is_lambda and after in ("{", "-", "->", "mutable", "noexcept")
        )

    def _before_template_arguments(self, closing: int) -> int:
        depth = 0
        for at in range(closing, -1, -1):
            depth += (self._text(at) == ">") - (self._text(at) == "<")
            if depth == 0:
                return at - 1
        return 0

    def _end_of_scope(self, at: int) -> int:
        """Where a declaration at `at` ceases to hold: with its block, or the body behind its brackets."""
        opening = self._opening(at)
        if self._text(opening) == "[":  # a structured binding
            opening = self._opening(opening)
        if self._text(opening) != "(":
            return self._closing(opening)
        end = self._closing(opening)
        while self._text(end) not in ("{", ";", "\0"):
            end += 1
        return self._closing(end) if self._text(end) == "{" else end

    def _is_harmless(self, at: int, takers: set[str]) -> bool:
        if self._text(at + 1) == ".":
            return self._is_statement(at) and self._is_chain(at + 1)
        handed = self._text(at - 1) == "(" and self._text(at + 1) in (")", ",")
        return handed and self._text(at - 2) in takers and self._is_statement(self._start_of_name(at - 2))

    def _start_of_name(self, at: int) -> int:
        while self._text(at - 1) == "::":
            at -= 2 if self._is_named(at - 2) else 1
        return at

    def _is_statement(self, at: int) -> bool:
        """Whether the expression at `at` is one by itself, so that its value goes nowhere."""
        before = self._text(at - 1)
        if before == ")":
            return self._text(self._opening(at - 1) - 1) in _CONDITIONS
        return before in _BEGIN

    def _is_chain(self, dot: int) -> bool:
        """Whether `.def(...).impl(...);` follows, with nothing that takes the value of the last call."""
        while self._text(dot) == "." and self._text(dot + 1) in _METHODS and self._text(dot + 2) == "(":
            dot = self._closing(dot + 2) + 1
        return self._text(dot) == ";"

    def _opening(self, at: int) -> int:
        """Where the brackets open in which `at` stands, or which it closes."""
        depth = 0
        for index in range(at - 1, -1, -1):
            depth += (self._text(index) in ")]}") - (self._text(index) in "([{")
            if depth < 0:
                return index
        return 0

    def _closing(self, opening: int) -> int:
        """Where the bracket at `opening` is closed."""
        depth = 0
        for index in range(opening, len(self.words)):
            depth += (self._text(index) in "([{") - (self._text(index) in ")]}")
            if depth == 0:
                return index
        return len(self.words)

    def _text(self, at: int) -> str:
        return self.words[at] if 0 <= at < len(self.words) else "\0"

    def _is_named(self, at: int) -> bool:
        return 0 <= at < len(self.words) and self.named[at]
