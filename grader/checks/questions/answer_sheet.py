"""Read a learner's `answers.toml` leniently: take what is clear, and name what is not."""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cusimt.support.words import reason
from grader.specification.questions import RESERVED, Choice, Number, Question

_LINE = re.compile(r"at line (\d+)")
_BARE_WORD = re.compile(r"^(\w+)\s*=\s*([A-Za-z]\w*)\s*(?:#.*)?$")
_DECIMAL_COMMA = re.compile(r"^(\w+)\s*=\s*(\d+),(\d+)\s*(?:#.*)?$")
_MOST_BYTES = 1 << 20
_WHOLE = range(-(1 << 63), 1 << 63)  # what TOML promises of whole numbers; Python reads longer ones, too
_NOTHING = re.compile(r"^(\w+)\s*=\s*(?:#.*)?$")


class UnreadableSheet(Exception):
    """The file is no TOML, or its `draw` no number; the message is a sentence that names the line."""


@dataclass(frozen=True)
class Sheet:
    """The answers by question, as TOML gives them, and the number that sizes are drawn from."""

    values: Mapping[str, Any]
    draw: int = 1


@dataclass(frozen=True)
class Unclear:
    """An answer that cannot be taken for one; the sentence says why."""

    sentence: str


def read_sheet(path: Path) -> Sheet:
    """The file's answers. Raises UnreadableSheet."""
    try:
        if path.stat().st_size > _MOST_BYTES:
            raise UnreadableSheet(f"{path.name} is longer than 1 MiB. It holds one line for each question.")
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise UnreadableSheet(f"{path.name} cannot be read: {reason(error)}.") from error
    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UnreadableSheet(_broken_line(path.name, text.splitlines(), str(error))) from error
    except (ValueError, RecursionError):  # thousands of digits, or brackets within brackets
        raise UnreadableSheet(f"{path.name} holds a value that is too long to be read.") from None
    draw = values.pop(RESERVED, 1)
    if isinstance(draw, bool) or not isinstance(draw, int) or draw not in _WHOLE:
        raise UnreadableSheet(
            f"{path.name}: `{RESERVED}` is {shown(draw)}. It has to be a whole number: the sizes in the "
            "questions are drawn from it."
        )
    return Sheet(values, draw)


def _broken_line(name: str, lines: list[str], message: str) -> str:
    """What is wrong with the line that TOML stumbled over, and how it is written."""
    found = _LINE.search(message)
    number = min(int(found[1]), len(lines)) if found else len(lines)
    line = lines[number - 1].strip() if lines else ""
    return (
        f"{name}, line {number}, cannot be read: `{line}`. {_how_to_write(line, message)} "
        "Your other answers are kept; they are graded once this line is valid."
    )


def _how_to_write(line: str, message: str) -> str:
    if word := _BARE_WORD.match(line):
        return f'A letter is in quotes: {word[1]} = "{word[2]}".'
    if comma := _DECIMAL_COMMA.match(line):
        return f"A number has a decimal point: {comma[1]} = {comma[2]}.{comma[3]}."
    if nothing := _NOTHING.match(line):
        return f'An open answer is a pair of quotes: {nothing[1]} = "".'
    if "overwrite" in message:
        return "This name has an answer further up: keep one of the two."
    return 'An answer is one line: name = "letter" for a choice, name = number for a count.'


def answer_to(question: Question, sheet: Sheet) -> str | float | Unclear | None:
    """A letter, a number, None for an open question, or why the answer is neither."""
    value = sheet.values.get(question.name, "")
    if isinstance(value, str) and not value.strip():
        return None
    return _letter(question, value) if isinstance(question, Choice) else _number(question, value)


def _letter(question: Choice, value: Any) -> str | Unclear:
    letters = list(question.choices)
    if isinstance(value, str) and value.strip().lower() in letters:
        return value.strip().lower()
    return Unclear(
        f"{question.name} = {shown(value)} is not one of the choices. "
        f'Write one letter from "{letters[0]}" to "{letters[-1]}", in quotes.'
    )


def _number(question: Number, value: Any) -> float | Unclear:
    if isinstance(value, str):  # "12" is a clear answer, whatever TOML calls it
        try:
            value = float(value)
        except ValueError:
            return _no_number(question, value)
    if isinstance(value, int) and not isinstance(value, bool) and value in _WHOLE:
        return float(value)
    return value if isinstance(value, float) and value == value else _no_number(question, value)


def _no_number(question: Number, value: Any) -> Unclear:
    wanted = "a whole number" if not question.digits else f"a number with {question.digits} decimals"
    return Unclear(f"{question.name} = {shown(value)} is not a number. Write {wanted}, without quotes.")


def strangers(sheet: Sheet, questions: Iterable[Question]) -> list[str]:
    """A sentence for every name in the file that is no question's."""
    names = [question.name for question in questions]
    return [_stranger(name, names) for name in sheet.values if name not in names]


def _stranger(name: str, names: list[str]) -> str:
    near = difflib.get_close_matches(name, names, 1)
    meant = f" Did you mean `{near[0]}`?" if near else ""
    return f"`{name}` is not the name of a question, so its answer is ignored.{meant}"


def shown(value: Any) -> str:
    """An answer as it stands in the file, shortened."""
    if isinstance(value, bool):
        return str(value).lower()
    try:
        text = f'"{value}"' if isinstance(value, str) else str(value)
    except (ValueError, RecursionError):  # thousands of digits, or of tables within tables
        return "what is too long to be shown"
    return text if len(text) <= 40 else f"{text[:36]} ..."
