"""An object that a compiler of the grader's own made: its sections and symbols; only section headers say."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import NamedTuple

from grader.support.elf.image import Malformed, read_header

_SECTION = struct.Struct("<IIQQQQIIQQ")
SYMBOL = struct.Struct("<IBBHQQ")
_SYMBOLS = 2  # section type SHT_SYMTAB
_LOCAL = 0  # binding STB_LOCAL


class Section(NamedTuple):
    """A section header."""

    name: int
    kind: int
    flags: int
    address: int
    offset: int
    size: int
    link: int
    info: int
    alignment: int
    entry_size: int


def sections_of(content: bytes) -> list[Section]:
    """All of them, in order. Raises Malformed or struct.error."""
    header = read_header(content)
    first = _SECTION.unpack_from(content, header.sections_at)
    count = header.section_count or Section(*first).size  # of more than 65,279
    return [
        Section(*_SECTION.unpack_from(content, header.sections_at + number * _SECTION.size))
        for number in range(count)
    ]


def text_at(content: bytes, start: int) -> str:
    """A name in a table of names. Raises ValueError where it does not end."""
    return content[start : content.index(0, start)].decode("utf-8", "backslashreplace")


def symbols_of(path: Path) -> tuple[set[str], set[str]]:
    """The names that the object at `path` asks others for, and those it has for them. Raises Malformed."""
    content = path.read_bytes()
    try:
        sections = sections_of(content)
        undefined: set[str] = set()
        defined: set[str] = set()
        for section in sections:
            if section.kind == _SYMBOLS:
                names = sections[section.link].offset
                table = content[section.offset : section.offset + section.size]
                for name, info, _, owner, _, _ in SYMBOL.iter_unpack(table):
                    if name and info >> 4 != _LOCAL:
                        (defined if owner else undefined).add(text_at(content, names + name))
    except Malformed:
        raise
    except (struct.error, IndexError, ValueError, OverflowError):
        raise Malformed("is cut off") from None
    return undefined, defined
