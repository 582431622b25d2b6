"""CSV files written by people, with errors that name the line."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from cusimt.support.words import reason
from grader.support.csv_table import read_table
from grader.support.errors import UsageError


@dataclass(frozen=True)
class Row:
    """One line; a column that the file does not have is empty."""

    path: Path
    line: int
    values: Mapping[str, str]

    def __getitem__(self, column: str) -> str:
        return self.values.get(column, "")

    def number(self, column: str) -> float:
        """A finite number. Raises UsageError."""
        try:
            value = float(self[column])
        except ValueError:
            value = math.nan
        if not math.isfinite(value):
            raise self.broken(f"has {column} {self[column]!r}", "It must be a number, with a point: -2.5.")
        return value

    def broken(self, what: str, rule: str) -> UsageError:
        """The error for this line: ``what`` goes on after its number, ``rule`` is a sentence."""
        return UsageError(
            f"Line {self.line} of {self.path} {what}.", rule, "Correct it, then run the same command again"
        )


def read_rows(path: Path, columns: Sequence[str]) -> Iterator[Row]:
    """The lines of a CSV file, which needs ``columns``; none where there is no such file.

    Raises UsageError for a missing column, a line that is longer than the header, an empty first column,
    or text that is no CSV in UTF-8.
    """
    try:
        table = read_table(path)
    except FileNotFoundError:
        return
    except (OSError, ValueError) as problem:
        raise UsageError(
            f"{path} cannot be read: {reason(problem)}.",
            "It must be CSV in UTF-8.",
            "Save it again as CSV UTF-8.",
        ) from problem
    names = [name.strip().lower() for name in table.header]
    if missing := [column for column in columns if column not in names]:
        raise UsageError(
            f"{path} has no column {missing[0]!r}.",
            f"Its first line must name {', '.join(columns)}.",
            "Correct the first line, then run the same command again",
        )
    for line, values in table.rows:
        if not any(value.strip() for value in values):
            continue
        row = Row(path, line, dict(zip(names, map(str.strip, values), strict=False)))
        if len(values) > len(names):
            raise row.broken("has more fields than the first line", "Put text with commas into quotes.")
        if not row[columns[0]]:
            raise row.broken(f"has no {columns[0]}", f"Every line begins with a {columns[0]}.")
        yield row
