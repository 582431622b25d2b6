"""The dynamic symbols of a 64-bit little-endian shared library, read from its ELF file."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import NamedTuple

_HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
_SECTION = struct.Struct("<IIQQQQIIQQ")
_SYMBOL = struct.Struct("<IBBHQQ")
_DYNAMIC_SYMBOLS = 11  # section type SHT_DYNSYM
_UNDEFINED = 0


class Symbol(NamedTuple):
    """A name without its version, and whether the library defines it."""

    name: str
    defined: bool


def dynamic_symbols(library: Path) -> list[Symbol]:
    """What the library asks of others and offers to them; raises ``ValueError`` for another kind of file."""
    content = library.read_bytes()
    try:
        return _read(content)
    except (struct.error, IndexError) as error:
        raise ValueError(f"{library} is damaged") from error


def _read(content: bytes) -> list[Symbol]:
    if content[:6] != b"\x7fELF\x02\x01":
        raise ValueError("not a 64-bit little-endian ELF file")
    header = _HEADER.unpack_from(content)
    start, size, count = header[6], header[11], header[12]
    sections = [_SECTION.unpack_from(content, start + number * size) for number in range(count)]
    for section in sections:
        _, kind, _, _, offset, nbytes, link, _, _, _ = section
        if kind == _DYNAMIC_SYMBOLS:
            names = sections[link][4]
            entries = _SYMBOL.iter_unpack(content[offset : offset + nbytes])
            return [Symbol(_text(content, names + entry[0]), entry[3] != _UNDEFINED) for entry in entries]
    return []


def _text(content: bytes, start: int) -> str:
    return content[start : content.index(0, start)].decode("utf-8", "replace")
