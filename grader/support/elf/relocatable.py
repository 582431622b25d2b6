"""The symbols of an object that a compiler of the grader's own made; only section headers describe those."""

from __future__ import annotations

import struct
from pathlib import Path

from grader.support.elf.image import Malformed, read_header

_SECTION = struct.Struct("<IIQQQQIIQQ")
_SYMBOL = struct.Struct("<IBBHQQ")
_SYMBOLS = 2  # section type SHT_SYMTAB
_LOCAL = 0  # binding STB_LOCAL


def symbols_of(path: Path) -> tuple[set[str], set[str]]:
    """The names that the object at `path` asks others for, and those it has for them. Raises Malformed."""
    content = path.read_bytes()
    header = read_header(content)
    try:
        sections = [
            _SECTION.unpack_from(content, header.sections_at + number * _SECTION.size)
            for number in range(header.section_count or _SECTION.unpack_from(content, header.sections_at)[5])
        ]
        undefined: set[str] = set()
        defined: set[str] = set()
        for _, kind, _, _, offset, size, link, _, _, _ in sections:
            if kind == _SYMBOLS:
                names = sections[link][4]
                for name, info, _, section, _, _ in _SYMBOL.iter_unpack(content[offset : offset + size]):
                    if name and info >> 4 != _LOCAL:
                        start = names + name
                        text = content[start : content.index(0, start)].decode("utf-8", "backslashreplace")
                        (defined if section else undefined).add(text)
    except (struct.error, IndexError, ValueError, OverflowError):
        raise Malformed("is cut off") from None
    return undefined, defined
