"""A 64-bit little-endian ELF file: its header, its segments, and its content by address."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import NamedTuple

HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
_SEGMENT = struct.Struct("<IIQQQQQQ")
_PAGE = 4096
_LOAD, _DYNAMIC = 1, 2
_WRITABLE = 2
_RELOCATABLE, _SHARED = 1, 3
MACHINES = {62: "x86_64", 183: "aarch64"}


class Malformed(ValueError):
    """The file is not what it has to be; the message completes "the library ..."."""


class Header(NamedTuple):
    """The fields of the file header that matter here."""

    kind: int
    machine: int
    segments_at: int
    sections_at: int
    segment_size: int
    segment_count: int
    section_size: int
    section_count: int


class Segment(NamedTuple):
    """One program header."""

    kind: int
    flags: int
    offset: int
    address: int
    physical: int
    file_size: int
    memory_size: int
    alignment: int

    @property
    def end(self) -> int:
        return self.address + self.memory_size

    @property
    def is_writable(self) -> bool:
        return bool(self.flags & _WRITABLE)

    def holds(self, address: int) -> bool:
        return self.address <= address < self.end


def read_header(content: bytes) -> Header:
    """Raises Malformed for any other kind of file."""
    if content[:6] != b"\x7fELF\x02\x01" or len(content) < HEADER.size:
        raise Malformed("is not a 64-bit little-endian ELF file")
    kind, machine, _, _, segments, sections, _, _, size, count, section_size, section_count = (
        HEADER.unpack_from(content)[1:13]
    )
    if machine not in MACHINES:
        raise Malformed("is for a processor that the grader does not know")
    return Header(kind, machine, segments, sections, size, count, section_size, section_count)


@dataclass(frozen=True)
class Image:
    """A shared library in the memory that the loader would give it."""

    content: bytes
    machine: str
    segments: tuple[Segment, ...]

    @property
    def loaded(self) -> tuple[Segment, ...]:
        return tuple(segment for segment in self.segments if segment.kind == _LOAD)

    @property
    def dynamic(self) -> Segment:
        """The dynamic table. Of several, loaders differ in which one they take."""
        found = [segment for segment in self.segments if segment.kind == _DYNAMIC]
        if len(found) != 1:
            raise Malformed(f"has {len(found)} dynamic tables")
        return found[0]

    @classmethod
    def read(cls, content: bytes) -> Image:
        """Raises Malformed where the loader's view of the file is not the only one."""
        header = read_header(content)
        if header.kind != _SHARED:
            raise Malformed("is not a shared library")
        if header.segment_size != _SEGMENT.size:
            raise Malformed("has program headers of an unknown size")
        try:
            segments = tuple(
                Segment(*_SEGMENT.unpack_from(content, header.segments_at + number * _SEGMENT.size))
                for number in range(header.segment_count)
            )
        except (struct.error, OverflowError):
            raise Malformed("ends before its program headers do") from None
        image = cls(content, MACHINES[header.machine], segments)
        image._require_one_reading()
        return image

    def _require_one_reading(self) -> None:
        """Each page of memory comes from one segment, and each segment from inside the file."""
        after = 0
        for segment in self.loaded:
            if segment.offset + segment.file_size > len(self.content):
                raise Malformed("has a segment that the file does not contain")
            if segment.file_size > segment.memory_size or segment.offset % _PAGE != segment.address % _PAGE:
                raise Malformed("has a segment that cannot be mapped")
            if segment.address // _PAGE * _PAGE < after:
                raise Malformed("has segments that overlap")
            after = -(-segment.end // _PAGE) * _PAGE

    def at(self, address: int, size: int) -> bytes:
        """`size` bytes of the file at a virtual address."""
        for segment in self.loaded:
            if segment.address <= address and address + size <= segment.address + segment.file_size:
                start = segment.offset + address - segment.address
                return self.content[start : start + size]
        raise Malformed(f"has a table at {address:#x}, where nothing is loaded")

    def segment_of(self, address: int) -> Segment | None:
        return next((segment for segment in self.loaded if segment.holds(address)), None)
