"""Grades, and a table of an LMS that it will read again: cells, delimiter, line ends and BOM preserved."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from cusimt.support.words import counted, listed, reason
from grader.support.csv_table import BOM, read_table
from grader.support.durable import write_atomically
from grader.support.errors import UsageError
from grader.support.machine import cure_of

OUT_OF = 100.0
_SHOWN = 10
# What makes a spreadsheet take a cell for a formula, as the first character that is not a space.
_FORMULA = ("=", "+", "-", "@", "|", "%", "＝", "＋", "－", "＠")
_CONTROL = ("\t", "\r", "\n")


@dataclass(frozen=True)
class Grade:
    """``points`` of 100; None where there is no mark yet."""

    student: str
    points: float | None
    comment: str = ""


def by_student(grades: Iterable[Grade]) -> Mapping[str, Grade]:
    """The grades that have points, by student."""
    return {grade.student: grade for grade in grades if grade.points is not None}


def inert(text: str) -> str:
    """``text`` as a cell that no spreadsheet calculates.

    A name or a comment may begin with ``=``; whoever opens the file must not run it. The apostrophe is what
    spreadsheets themselves write before text that looks like a formula.
    """
    dangerous = text.lstrip(" ").startswith(_FORMULA) or text.startswith(_CONTROL)
    return f"'{text}" if dangerous else text


@dataclass(frozen=True)
class Filled:
    """What came of filling a sheet: how many cells were written, by which column people were found.

    ``unknown`` are students with a mark who are not in the sheet, ``untouched`` rows that were left alone,
    with the reason, ``cut`` those whose points are more than the LMS takes.
    """

    written: int
    column: str
    unknown: tuple[str, ...] = ()
    untouched: tuple[str, ...] = ()
    cut: tuple[str, ...] = ()

    @property
    def sentence(self) -> str:
        """What happened, to be printed."""
        parts = [f"{counted(self.written, 'mark')} written; students were found by {self.column}."]
        if self.unknown:
            more = f" and {len(self.unknown) - _SHOWN} more" if len(self.unknown) > _SHOWN else ""
            parts.append(f"Not in the sheet: {listed(self.unknown[:_SHOWN])}{more}.")
        for what, whose in (("Left as they were", self.untouched), ("Cut to the maximum", self.cut)):
            more = f"; and {len(whose) - _SHOWN} more" if len(whose) > _SHOWN else ""
            if whose:
                parts.append(f"{what}: {'; '.join(whose[:_SHOWN])}{more}.")
        return " ".join(parts)


@dataclass
class Sheet:
    """``rows`` has every line but the header, with as many cells as the header or more."""

    header: list[str]
    rows: list[list[str]]
    delimiter: str = ","
    line_end: str = "\r\n"
    bom: bool = False
    source: Path = field(default_factory=Path)

    @classmethod
    def read(cls, path: Path, what: str) -> Sheet:
        """The sheet in ``path``. ``what`` names it where it cannot be read (UsageError)."""
        try:
            table = read_table(path)
        except (OSError, ValueError) as problem:
            raise _unreadable(path, what, reason(problem)) from problem
        if not table.header:
            raise _unreadable(path, what, "it is empty")
        padded = [cells + [""] * (len(table.header) - len(cells)) for _, cells in table.rows]
        return cls(table.header, padded, table.delimiter, table.line_end, table.bom, path)

    def column(self, name: str) -> int:
        """The place of the column with this header, or -1. Versions of an LMS differ in capitals."""
        titles = [title.strip().casefold() for title in self.header]
        return titles.index(name.casefold()) if name.casefold() in titles else -1

    def find_students(self, columns: Sequence[str], wanted: Iterable[str]) -> tuple[str, dict[str, int]]:
        """The one of ``columns`` that names most of ``wanted``, and the row of each student in it.

        One column decides for all: a number may be one person's id and another's login. Raises UsageError
        where the sheet knows none of them.
        """
        wanted = set(wanted)
        best: tuple[str, dict[str, int]] = (columns[0], {})
        for name in columns:
            at = self.column(name)
            if at < 0:
                continue
            ids = [row[at].strip() for row in self.rows]
            # Moodle writes "Participant 12345"; the number is what its archives carry as well.
            ids = [each.split()[-1] if name == "Identifier" and each else each for each in ids]
            rows = {each: place for place, each in enumerate(ids) if each in wanted and ids.count(each) == 1}
            if len(rows) > len(best[1]):
                best = name, rows
        if wanted and not best[1]:
            raise UsageError(
                f"{self.source} has none of the {counted(len(wanted), 'student')} that have a mark.",
                f"They are looked for by their ids, in its columns {listed(columns)}.",
                "Is it the sheet of this class? If its ids are others, import with --roster (docs: LMS).",
            )
        return best

    def write(self, path: Path) -> None:
        """Write the sheet as it was read. Raises UsageError where ``path`` cannot be written."""
        text = io.StringIO(newline="")
        writer = csv.writer(text, delimiter=self.delimiter, lineterminator=self.line_end)
        writer.writerows([self.header, *self.rows])
        write_export(path, (BOM if self.bom else "") + text.getvalue())


def write_export(path: Path, content: str | bytes) -> None:
    """Write a file for this user alone: whoever may read marks is given them. Raises UsageError."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, content)
    except OSError as error:
        raise UsageError(
            f"{path} cannot be written: {error.strerror}.",
            "Nothing was changed.",
            f"{cure_of(error)}, then run the command again.",
        ) from error


def scaled(points: float, out_of: float, maximum: float) -> str:
    """``points`` of ``out_of`` as points of ``maximum``, with two digits at most, as an LMS shows them.

    Extra credit is above ``maximum``.
    """
    worth = max(points / out_of, 0.0) * maximum if out_of else 0.0
    return f"{worth:.2f}".rstrip("0").rstrip(".")


def number(cell: str) -> float | None:
    """The number in a cell, with a decimal point or comma; None where there is none above zero."""
    try:
        value = float(cell.strip().replace(",", "."))
    except ValueError:
        return None
    return value if 0 < value < float("inf") else None


def unknown_of(wanted: Iterable[str], rows: Mapping[str, int]) -> tuple[str, ...]:
    """Those of ``wanted`` who have no row."""
    return tuple(sorted(set(wanted) - rows.keys()))


def _unreadable(path: Path, what: str, why: str) -> UsageError:
    return UsageError(
        f"{path} is not {what} that can be read: {why}.",
        "Marks are filled into what the LMS exported, since it knows its rows and columns again.",
        "Export it from the LMS as CSV in UTF-8, and do not save it from a spreadsheet in between.",
    )
