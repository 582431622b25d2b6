"""The value of a preprocessor condition, as far as the names in it are known."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping


class Unknown:
    """The value of a condition that depends on a macro whose definition is not known."""


Value = int | Unknown

_TOKEN = re.compile(r"\s*(\w+|&&|\|\||[<>=!]=|<<|>>|.)", re.DOTALL)
_BINARY: tuple[dict[str, Callable[[int, int], int]], ...] = (
    {"==": lambda a, b: int(a == b), "!=": lambda a, b: int(a != b)},
    {
        "<": lambda a, b: int(a < b),
        ">": lambda a, b: int(a > b),
        "<=": lambda a, b: int(a <= b),
        ">=": lambda a, b: int(a >= b),
    },
    {"+": lambda a, b: a + b, "-": lambda a, b: a - b},
    {"*": lambda a, b: a * b},
)


def value_of(condition: str, names: Mapping[str, int | None]) -> Value:
    """What `#if condition` sees. `names`: known macros, None for one that is certainly not defined.

    Anything that is no condition, or uses operators that conditions rarely do, is Unknown.
    """
    expression = _Expression(condition, names)
    try:
        value = expression.either()
    except (IndexError, ValueError):
        return Unknown()
    return value if expression.at_end() else Unknown()


class _Expression:
    """A parser by descent; each method reads one level of operators and answers the value."""

    def __init__(self, text: str, names: Mapping[str, int | None]) -> None:
        self._tokens = _TOKEN.findall(text)
        self._next = 0
        self._names = names

    def at_end(self) -> bool:
        return self._next == len(self._tokens)

    def either(self) -> Value:
        value = self.both()
        while self._skips("||"):
            value = _decided_by(True, value, self.both())
        return value

    def both(self) -> Value:
        value = self._binary(0)
        while self._skips("&&"):
            value = _decided_by(False, value, self._binary(0))
        return value

    def _binary(self, level: int) -> Value:
        if level == len(_BINARY):
            return self._unary()
        value = self._binary(level + 1)
        while not self.at_end() and self._tokens[self._next] in _BINARY[level]:
            operator = _BINARY[level][self._take()]
            other = self._binary(level + 1)
            known = isinstance(value, int) and isinstance(other, int)
            value = operator(value, other) if known else Unknown()  # type: ignore[arg-type]
        return value

    def _unary(self) -> Value:
        if self._skips("!"):
            value = self._unary()
            return value if isinstance(value, Unknown) else int(not value)
        if self._skips("("):
            value = self.either()
            self._expect(")")
            return value
        word = self._take()
        if word == "defined":
            return self._defined()
        if word[0].isdigit():
            return int(re.sub(r"[uUlL]+$", "", word), 0)
        if not (word[0].isalpha() or word[0] == "_"):
            raise ValueError(word)
        return (self._names[word] or 0) if word in self._names else Unknown()

    def _defined(self) -> Value:
        bracketed = self._skips("(")
        name = self._take()
        if bracketed:
            self._expect(")")
        return int(self._names[name] is not None) if name in self._names else Unknown()

    def _take(self) -> str:
        self._next += 1
        return str(self._tokens[self._next - 1])

    def _skips(self, token: str) -> bool:
        found = not self.at_end() and self._tokens[self._next] == token
        self._next += found
        return found

    def _expect(self, token: str) -> None:
        if not self._skips(token):
            raise ValueError(token)


def _decided_by(deciding: bool, first: Value, second: Value) -> Value:
    """`||` is decided by one operand that is true, `&&` by one that is false."""
    operands = (first, second)
    if any(isinstance(each, int) and bool(each) == deciding for each in operands):
        return int(deciding)
    return Unknown() if any(isinstance(each, Unknown) for each in operands) else int(not deciding)
