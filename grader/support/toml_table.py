"""Typed reading of one TOML table, with an error that names the file, the key and what was expected."""

from __future__ import annotations

import difflib
import math
import tomllib
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar

from grader.support.errors import BrokenExercise


def read_toml(path: Path) -> TomlTable:
    """The top table of ``path``. Raises BrokenExercise when it is missing, not UTF-8 or not TOML."""
    try:
        return TomlTable(path, "", tomllib.loads(path.read_text(encoding="utf-8-sig")))
    except FileNotFoundError:
        raise BrokenExercise(f"{path} is missing.", "Every exercise folder has one.") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
        raise BrokenExercise(f"{path} cannot be read: {error}.", "It must be TOML in UTF-8.") from error


_Choice = TypeVar("_Choice", bound=str)


class TomlTable:
    """A table from which every key is taken once; ``finish`` refuses what nobody asked for."""

    def __init__(self, path: Path, where: str, values: dict[str, Any]) -> None:
        self.path = path
        self._where = where
        self._values = values
        self._known: set[str] = set()

    def text(self, key: str, default: str | None = None, one_of: tuple[str, ...] = ()) -> str:
        value: str = self._take(key, str, "a string", default)
        if one_of and value not in one_of:
            raise self.broken(f"{self._name(key)} is {value!r}", f"It must be one of {', '.join(one_of)}.")
        return value

    def choice(self, key: str, choices: tuple[_Choice, ...], default: _Choice) -> _Choice:
        value = self.text(key, default, one_of=choices)
        return next(choice for choice in choices if choice == value)

    def integer(self, key: str, default: int | None = None) -> int:
        value: int = self._take(key, int, "a whole number", default)
        if isinstance(value, bool) or value < 0:
            raise self.broken(f"{self._name(key)} is {value!r}", "It must be a whole number, zero or more.")
        return value

    def integer_or_none(self, key: str) -> int | None:
        self._known.add(key)
        return self.integer(key) if key in self._values else None

    def number(self, key: str, default: float | None = None) -> float:
        value: float = self._take(key, (int, float), "a number", default)
        if isinstance(value, bool) or not 0 <= value < math.inf:
            raise self.broken(f"{self._name(key)} is {value!r}", "It must be a number, zero or more.")
        return float(value)

    def moment_or_none(self, key: str) -> datetime | None:
        """A date with a time, aware if an offset is written; None where the key is missing."""
        self._known.add(key)
        if key not in self._values:
            return None
        moment: datetime = self._take(key, datetime, "a date and time, as 2026-10-19T23:59:00", None)
        return moment

    def boolean(self, key: str, default: bool | None = None) -> bool:
        value: bool = self._take(key, bool, "true or false", default)
        return value

    def texts(self, key: str, default: tuple[str, ...] | None = None) -> tuple[str, ...]:
        values: list[Any] | tuple[str, ...] = self._take(key, (list, tuple), "a list of strings", default)
        if not all(isinstance(value, str) for value in values):
            raise self.broken(f"{self._name(key)} is {list(values)!r}", "It must be a list of strings.")
        return tuple(values)

    def table(self, key: str, required: bool = False) -> TomlTable:
        default: dict[str, Any] | None = None if required else {}
        return TomlTable(self.path, self._name(key), self._take(key, dict, "a table", default))

    def tables(self, key: str) -> list[TomlTable]:
        values: list[Any] = self._take(key, list, "an array of tables", [])
        if not all(isinstance(value, dict) for value in values):
            raise self.broken(f"{self._name(key)} is not an array of tables", f"Write [[{key}]].")
        name = self._name(key)
        return [TomlTable(self.path, f"{name}[{index}]", value) for index, value in enumerate(values)]

    def __iter__(self) -> Iterator[str]:
        """Every key of the table, in file order."""
        return iter(self._values)

    def finish(self) -> None:
        """Raises BrokenExercise when the table has a key that was never asked for."""
        for key in self._values:
            if key not in self._known:
                near = difflib.get_close_matches(key, self._known, 1)
                known = ", ".join(sorted(self._known))
                meant = f"Did you mean {near[0]!r}?" if near else f"The keys are {known}."
                raise self.broken(f"{self._name(key)} is not a known key", meant)

    def broken(self, what: str, rule: str) -> BrokenExercise:
        """The error for this table's file: ``what`` without a full stop, ``rule`` a sentence."""
        return BrokenExercise(f"{self.path}: {what}.", rule, f"Edit {self.path.name}, then run: make sync")

    def _name(self, key: str) -> str:
        return f"{self._where}.{key}" if self._where else key

    def _take(self, key: str, kind: type | tuple[type, ...], expected: str, default: Any) -> Any:
        self._known.add(key)
        if key not in self._values:
            if default is None:
                raise self.broken(f"{self._name(key)} is missing", f"It must be {expected}.")
            return default
        value = self._values[key]
        if not isinstance(value, kind):
            raise self.broken(f"{self._name(key)} is {value!r}", f"It must be {expected}.")
        return value
