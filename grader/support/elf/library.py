"""What a shared library asks of the loader: its dynamic table, symbols and relocations."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from grader.support.elf.image import Image, Malformed, Segment

_ENTRY = struct.Struct("<qQ")
_SYMBOL = struct.Struct("<IBBHQQ")
_RELOCATION = struct.Struct("<QQq")
_WORD = struct.Struct("<Q")

NULL, NEEDED, HASH, STRTAB, SYMTAB, RELA, RELASZ = 0, 1, 4, 5, 6, 7, 8
RELAENT, STRSZ, SYMENT, SONAME, RPATH, PLTREL = 9, 10, 11, 14, 15, 20
PLTRELSZ, JMPREL, RUNPATH, RELRSZ, RELR = 2, 23, 29, 35, 36
GNU_HASH = 0x6FFFFEF5
_UNDEFINED = 0
_INDIRECT_FUNCTION = 10  # STT_GNU_IFUNC


class Symbol(NamedTuple):
    """A name without its version; `indirect` is a function that chooses its own address while loading."""

    name: str
    defined: bool
    indirect: bool = False


class Relocation(NamedTuple):
    """A place that the loader writes."""

    at: int
    kind: int
    symbol: int


@dataclass(frozen=True)
class Library:
    """`entries` are the tags of the dynamic table with their values; NEEDED and paths are read out."""

    image: Image
    entries: dict[int, int]
    needed: tuple[str, ...]
    paths: tuple[str, ...]
    symbols: tuple[Symbol, ...]
    relocations: tuple[Relocation, ...]

    @property
    def dynamic(self) -> Segment:
        return self.image.dynamic


def read_library(path: Path) -> Library:
    """Raises Malformed, whose message completes "the library ..."."""
    try:
        return _read(Image.read(path.read_bytes()))
    except (struct.error, OverflowError, MemoryError):
        raise Malformed("is cut off") from None


def _read(image: Image) -> Library:
    entries: dict[int, int] = {}
    needed: list[int] = []
    for tag, value in _entries(image):
        if tag == NEEDED:
            needed.append(value)
        elif entries.setdefault(tag, value) != value:
            raise Malformed(f"has entry {tag:#x} of the dynamic table twice")
    for tag in (STRTAB, STRSZ, SYMTAB):
        if tag not in entries:
            raise Malformed(f"lacks entry {tag:#x} of the dynamic table")
    if entries.get(SYMENT, _SYMBOL.size) != _SYMBOL.size or entries.get(PLTREL, RELA) != RELA:
        raise Malformed("has tables of an unknown form")
    strings = image.at(entries[STRTAB], entries[STRSZ])
    relocations = tuple(_relocations(image, entries))
    count = max([_symbol_count(image, entries), *(each.symbol + 1 for each in relocations)])
    symbols = tuple(_symbols(image, entries[SYMTAB], count, strings))
    paths = [_text(strings, entries[tag]) for tag in (RPATH, RUNPATH) if tag in entries]
    folders = tuple(folder for path in paths for folder in path.split(":"))
    return Library(image, entries, tuple(_text(strings, at) for at in needed), folders, symbols, relocations)


def _entries(image: Image) -> Iterator[tuple[int, int]]:
    table = image.dynamic
    for tag, value in _ENTRY.iter_unpack(image.at(table.address, table.file_size // 16 * 16)):
        if tag == NULL:
            return
        yield tag, value
    raise Malformed("has a dynamic table without an end")


def _relocations(image: Image, entries: dict[int, int]) -> Iterator[Relocation]:
    if entries.get(RELAENT, _RELOCATION.size) != _RELOCATION.size:
        raise Malformed("has relocations of an unknown form")
    for table, size in ((RELA, RELASZ), (JMPREL, PLTRELSZ)):
        if table in entries:
            content = image.at(entries[table], entries.get(size, 0))
            for at, info, _ in _RELOCATION.iter_unpack(content):
                yield Relocation(at, info & 0xFFFFFFFF, info >> 32)
    if RELR in entries:
        yield from _relative(image.at(entries[RELR], entries.get(RELRSZ, 0)))


def _relative(table: bytes) -> Iterator[Relocation]:
    """The compact form of relative relocations: an address, then maps of the 63 words behind it."""
    base = 0
    for (word,) in _WORD.iter_unpack(table):
        if word & 1 == 0:
            yield Relocation(word, 0, 0)
            base = word + 8
            continue
        for bit in range(63):
            if word >> (bit + 1) & 1:
                yield Relocation(base + 8 * bit, 0, 0)
        base += 63 * 8


def _symbol_count(image: Image, entries: dict[int, int]) -> int:
    """The dynamic table does not say how many symbols there are: the hash tables do."""
    counts = [0]
    if HASH in entries:
        _, chains = struct.unpack("<II", image.at(entries[HASH], 8))
        counts.append(chains)
    if GNU_HASH in entries:
        counts.append(_gnu_symbol_count(image, entries[GNU_HASH]))
    return max(counts)


def _gnu_symbol_count(image: Image, table: int) -> int:
    buckets, first, bloom, _ = struct.unpack("<IIII", image.at(table, 16))
    buckets_at = table + 16 + 8 * bloom
    starts = struct.unpack(f"<{buckets}I", image.at(buckets_at, 4 * buckets))
    last: int = max(starts, default=0)
    if last < first:
        return int(first)
    chains_at = buckets_at + 4 * buckets
    while not image.at(chains_at + 4 * (last - first), 4)[0] & 1:
        last += 1
    return last + 1


def _symbols(image: Image, table: int, count: int, strings: bytes) -> Iterator[Symbol]:
    for name, info, _, section, _, _ in _SYMBOL.iter_unpack(image.at(table, count * _SYMBOL.size)):
        if name or section:
            yield Symbol(_text(strings, name), section != _UNDEFINED, info & 15 == _INDIRECT_FUNCTION)


def _text(strings: bytes, start: int) -> str:
    end = strings.find(b"\0", start)
    if start >= len(strings) or end < 0:
        raise Malformed("has a name that does not end")
    return strings[start:end].decode("utf-8", "backslashreplace")
