"""What an annotation may add to Python's own types, and the error for a value that it does not admit."""

from __future__ import annotations

import reprlib
import sys
from dataclasses import dataclass
from typing import Annotated

KEY, LATER = "schema key", "schema added later"
ADDED_LATER = {LATER: True}  # metadata of a dataclass field that older documents do not have


def key(name: str) -> dict[str, str]:
    """Metadata of a dataclass field that is called `name` in the document."""
    return {KEY: name}


class SchemaError(ValueError):
    """A value that its annotation does not admit: where it is, what it must be, and what it is."""

    def __init__(self, expected: str, value: object, path: str = "") -> None:
        super().__init__(expected, value, path)
        self.expected = expected
        self.value = value
        self.path = path

    def __str__(self) -> str:
        return f"`{self.path.removeprefix('.')}` must be {self.expected}, not {reprlib.repr(self.value)}"

    def within(self, step: str) -> SchemaError:
        """The same error seen from the value around: `step` is `.name` or `[index]`."""
        return type(self)(self.expected, self.value, step + self.path)


class KeyProblem(SchemaError):
    """A key that is missing from a table, or unknown there; `expected` says which."""

    def __str__(self) -> str:
        return f"`{self.path.removeprefix('.')}` is {self.expected}"


@dataclass(frozen=True)
class Bounds:
    """The least and the greatest number that is read; both are admitted."""

    least: float = -(1 << 63)
    most: float = (1 << 64) - 1

    def described(self, noun: str) -> str:
        if self == Bounds(0):
            return f"{noun}, zero or more"
        return noun if self == Bounds() else f"{noun} from {self.least} to {self.most}"


@dataclass(frozen=True)
class Size:
    """The least and the greatest length of a string or a list."""

    least: int = 0
    most: int = sys.maxsize


Whole = Annotated[int, Bounds(0)]
NonNegative = Annotated[float, Bounds(0)]
