"""Reads a CSV file as spreadsheets and LMSs write it: with commas or semicolons, with a BOM or without."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass, field
from pathlib import Path

BOM = "\N{ZERO WIDTH NO-BREAK SPACE}"


@dataclass(frozen=True)
class Table:
    """`rows` are pairs of a line's number and its cells, without empty lines."""

    header: list[str] = field(default_factory=list)
    rows: list[tuple[int, list[str]]] = field(default_factory=list)
    delimiter: str = ","
    line_end: str = "\n"
    bom: bool = False


def read_table(path: Path) -> Table:
    """The table in `path`; an empty file has an empty header.

    Raises OSError, and ValueError for text that is not UTF-8 or whose quotes do not match.
    """
    with path.open(encoding="utf-8", newline="") as file:
        text = file.read()
    bom, text = text.startswith(BOM), text.removeprefix(BOM)
    first = text.partition("\n")[0]
    delimiter = ";" if first.count(";") > first.count(",") else ","
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        lines = [(reader.line_num, cells) for cells in reader if cells]
    except csv.Error as error:
        raise ValueError(f"line {reader.line_num}: {error}") from error
    header = lines[0][1] if lines else []
    return Table(header, lines[1:], delimiter, "\r\n" if "\r\n" in text else "\n", bom)
