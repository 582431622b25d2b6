"""Typed reading of one TOML table, with an error that names the file, the key and what was expected."""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal, get_origin

from cusimt.support.words import reason
from grader.support.errors import BrokenExercise
from grader.support.schema import NonNegative, SchemaError, Whole, read


def read_toml(path: Path) -> TomlTable:
    """The top table of `path`. Raises BrokenExercise when it is missing, not UTF-8 or not TOML."""
    try:
        return TomlTable(path, "", tomllib.loads(path.read_text(encoding="utf-8-sig")))
    except FileNotFoundError:
        raise BrokenExercise(f"{path} is missing.", "Every exercise folder has one.") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
        why = f"{path} cannot be read: {reason(error)}."
        raise BrokenExercise(why, "It must be TOML in UTF-8.") from error


class TomlTable:
    """A table from which every key is taken once; `finish` refuses those that were not read."""

    def __init__(self, path: Path, where: str, values: dict[str, Any]) -> None:
        self.path = path
        self._where = where
        self._values = values
        self._known: set[str] = set()

    def text(self, key: str, default: str | None = None, one_of: tuple[str, ...] = ()) -> str:
        value: str = self._take(key, Literal[one_of] if one_of else str, "a string", default)
        return value

    def integer(self, key: str, default: int | None = None) -> int:
        value: int = self._take(key, Whole, "a whole number", default)
        return value

    def integer_or_none(self, key: str) -> int | None:
        self._known.add(key)
        return self.integer(key) if key in self._values else None

    def number(self, key: str, default: float | None = None) -> float:
        return float(self._take(key, NonNegative, "a number", default))

    def boolean(self, key: str, default: bool | None = None) -> bool:
        value: bool = self._take(key, bool, "true or false", default)
        return value

    def texts(self, key: str, default: tuple[str, ...] | None = None) -> tuple[str, ...]:
        value: tuple[str, ...] = self._take(key, tuple[str, ...], "a list of strings", default)
        return value

    def table(self, key: str, required: bool = False) -> TomlTable:
        default: dict[str, Any] | None = None if required else {}
        return TomlTable(self.path, self._name(key), self._take(key, dict[str, Any], "a table", default))

    def tables(self, key: str) -> list[TomlTable]:
        values = self._take(key, list[dict[str, Any]], f"an array of tables, written [[{key}]]", [])
        name = self._name(key)
        return [TomlTable(self.path, f"{name}[{index}]", value) for index, value in enumerate(values)]

    def __iter__(self) -> Iterator[str]:
        """Every key of the table, in file order."""
        return iter(self._values)

    def finish(self) -> None:
        """Raises BrokenExercise when the table has a key that was not read."""
        for key in self._values:
            if key not in self._known:
                near = difflib.get_close_matches(key, self._known, 1)
                known = ", ".join(sorted(self._known))
                meant = f"Did you mean {near[0]!r}?" if near else f"The keys are {known}."
                raise self.broken(f"{self._name(key)} is not a known key", meant)

    def broken(self, what: str, rule: str) -> BrokenExercise:
        """The error for this table's file: `what` without a full stop, `rule` a sentence."""
        return BrokenExercise(f"{self.path}: {what}.", rule, f"Edit {self.path.name}, then run: make sync")

    def _name(self, key: str) -> str:
        return f"{self._where}.{key}" if self._where else key

    def _take(self, key: str, annotation: Any, described: str, default: Any) -> Any:
        """The value of a key as its annotation has it; `described` words that of a list or a gap."""
        self._known.add(key)
        if key not in self._values:
            if default is None:
                raise self.broken(f"{self._name(key)} is missing", f"It must be {described}.")
            return default
        value = self._values[key]
        try:
            return read(annotation, value)
        except SchemaError as error:
            expected = described if get_origin(annotation) in (list, tuple) else error.expected
            raise self.broken(f"{self._name(key)} is {value!r}", f"It must be {expected}.") from None
