"""The wire between the parent and a worker.

A message is one SEQPACKET datagram that holds a header of fixed size. Everything else lies in a
shared-memory segment, a memfd that the parent made and sealed against shrinking and growing; there is one per
direction. A segment holds

    records (one of fixed size per tensor) | text (UTF-8 JSON) | padding | payload (raw bytes of the tensors)

A worker runs learner code, so the parent believes nothing it reads: every field is checked here, and a
field that no worker of ours would write raises `WireError`. There is no pickle and no stdout anywhere.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, NamedTuple

MAGIC = b"c2gW"
VERSION = 1
ALIGNMENT = 64
MAX_DIMENSIONS = 16
MAX_TENSORS = 256
MAX_TEXT = 8 * 2**20
CONNECTION_LOST = 71  # the exit code of a worker that can no longer speak to the parent

_HEADER = struct.Struct("<4sHHQQIIQ")
_RECORD = struct.Struct(f"<BBBBIqQQ{MAX_DIMENSIONS}q{MAX_DIMENSIONS}q")
HEADER_BYTES = _HEADER.size
RECORD_BYTES = _RECORD.size

# A dtype's code is its position: entries are only ever added at the end.
DTYPES: tuple[tuple[str, int], ...] = (
    ("bool", 1), ("uint8", 1), ("int8", 1), ("int16", 2), ("int32", 4), ("int64", 8),
    ("float16", 2), ("bfloat16", 2), ("float32", 4), ("float64", 8), ("complex64", 8), ("complex128", 16),
    ("uint16", 2), ("uint32", 4), ("uint64", 8), ("float8_e4m3fn", 1), ("float8_e5m2", 1),
)  # fmt: skip
ITEMSIZE = dict(DTYPES)
_CODE = {name: code for code, (name, _) in enumerate(DTYPES)}
_PLACES = ("cpu", "numpy", "cuda")


class WireError(Exception):
    """A message that breaks the format; the text completes the sentence "the worker …"."""


class MessageTooLarge(ValueError):
    """More than one message may hold."""


class Kind(IntEnum):
    """The kind of a datagram. The first block travels to the worker, the second to the parent."""

    HELLO = 0
    LOAD = 1
    CALL = 2
    BACKWARD = 3
    INPUTS = 4
    INBOX = 5  # carries a descriptor: from now on requests lie in this segment
    OUTBOX = 6  # carries a descriptor: from now on replies go into this segment
    REPLY = 32
    GROW = 33  # the reply needs an outbox of `detail` bytes


# Flags of one tensor. Plain integers and tuples below: a round trip is to take less than 150 microseconds.
REQUIRES_GRAD = 1
UNDEFINED = 2
SPARSE = 4  # the payload holds the view's elements densely, not the storage


class Header(NamedTuple):
    """One datagram. `detail` depends on the kind: a graph's handle, or a number of bytes."""

    kind: Kind
    request: int
    detail: int = 0
    tensors: int = 0
    text_bytes: int = 0
    payload_bytes: int = 0

    @property
    def meta_bytes(self) -> int:
        """Bytes of records and text."""
        return self.tensors * RECORD_BYTES + self.text_bytes

    @property
    def payload_start(self) -> int:
        """Where the payload begins in the segment."""
        return align(self.meta_bytes)

    def pack(self) -> bytes:
        """The datagram."""
        return _HEADER.pack(
            MAGIC,
            VERSION,
            self.kind,
            self.request,
            self.detail,
            self.tensors,
            self.text_bytes,
            self.payload_bytes,
        )


class TensorRecord(NamedTuple):
    """The geometry of one tensor; `offset` and `nbytes` say where its bytes lie in the payload.

    Sizes, strides and `storage_offset` count elements. `place` is `cpu`, `numpy` or `cuda:N`.
    """

    dtype: str
    place: str
    sizes: tuple[int, ...]
    strides: tuple[int, ...]
    storage_offset: int = 0
    flags: int = 0
    offset: int = 0
    nbytes: int = 0

    @property
    def elements(self) -> int:
        """Number of elements, 1 for a scalar tensor."""
        count = 1
        for size in self.sizes:
            count *= size
        return count

    def pack(self) -> bytes:
        """The record; raises `MessageTooLarge` for too many dimensions."""
        name, _, index = self.place.partition(":")
        ndim = len(self.sizes)
        if ndim > MAX_DIMENSIONS:
            raise MessageTooLarge(f"a tensor of {ndim} dimensions; at most {MAX_DIMENSIONS} can be graded")
        pad = (0,) * (MAX_DIMENSIONS - ndim)
        return _RECORD.pack(
            _CODE[self.dtype], _PLACES.index(name), int(index or 0), ndim, self.flags, self.storage_offset,
            self.offset, self.nbytes, *self.sizes, *pad, *self.strides, *pad,
        )  # fmt: skip


def align(offset: int) -> int:
    """`offset` rounded up to the alignment of payloads."""
    return -(-offset // ALIGNMENT) * ALIGNMENT


def unpack_header(datagram: bytes) -> Header:
    """The header in `datagram`; raises `WireError`."""
    if len(datagram) != HEADER_BYTES:
        raise WireError(
            f"sent a message of {len(datagram)} bytes or more where every message has {HEADER_BYTES}"
        )
    magic, version, kind, request, detail, tensors, text_bytes, payload_bytes = _HEADER.unpack(datagram)
    if magic != MAGIC or version != VERSION:
        raise WireError("sent a message that is not one of the grader's")
    try:
        known = Kind(kind)
    except ValueError:
        raise WireError(f"sent a message of the unknown kind {kind}") from None
    if tensors > MAX_TENSORS:
        raise WireError(f"announced {tensors} tensors where at most {MAX_TENSORS} are allowed")
    if text_bytes > MAX_TEXT:
        raise WireError(f"announced {text_bytes} bytes of text where at most {MAX_TEXT} are allowed")
    return Header(known, request, detail, tensors, text_bytes, payload_bytes)


def unpack_records(header: Header, meta: bytes | bytearray | memoryview) -> list[TensorRecord]:
    """The records at the start of `meta`, each checked for itself and the payload for gaps and overlaps."""
    records = []
    end = 0
    for position in range(header.tensors):
        record = _unpack_record(meta, position * RECORD_BYTES)
        if record.offset != align(end) or record.offset + record.nbytes > header.payload_bytes:
            raise WireError("announced a tensor whose bytes overlap another's or are outside the message")
        end = record.offset + record.nbytes
        records.append(record)
    if end != header.payload_bytes:
        raise WireError("announced more bytes than its tensors have")
    return records


def _unpack_record(meta: bytes | bytearray | memoryview, start: int) -> TensorRecord:
    code, place, index, ndim, flags, storage_offset, offset, nbytes, *rest = _RECORD.unpack_from(meta, start)
    if code >= len(DTYPES):
        raise WireError(f"announced a tensor of the unknown dtype {code}")
    if place >= len(_PLACES) or (index and _PLACES[place] != "cuda"):
        raise WireError("announced a tensor on an unknown device")
    if ndim > MAX_DIMENSIONS:
        raise WireError(f"announced a tensor of {ndim} dimensions")
    if flags & ~0b111:
        raise WireError("announced a tensor with unknown flags")
    sizes = tuple(rest[:ndim])
    if any(size < 0 for size in sizes) or storage_offset < 0:
        raise WireError("announced a tensor with a negative size")
    name = _PLACES[place]
    return TensorRecord(
        DTYPES[code][0], f"cuda:{index}" if name == "cuda" else name, sizes,
        tuple(rest[MAX_DIMENSIONS : MAX_DIMENSIONS + ndim]), storage_offset, flags, offset, nbytes,
    )  # fmt: skip


def check_dense(record: TensorRecord) -> None:
    """A reply carries its tensors densely: exactly the elements, in row-major order."""
    if record.flags & UNDEFINED:  # of a request: a size that no bytes stand behind
        raise WireError("announced a tensor that is undefined")
    expected = record.elements * ITEMSIZE[record.dtype]
    if record.nbytes != expected:
        raise WireError(f"announced {record.nbytes} bytes for a tensor that has {expected}")


@dataclass(slots=True)
class Outgoing:
    """A message on its way out: records, text, and the memory its payload is taken from.

    `sources` are `(address, nbytes)` pairs, one per tensor; `owners` keeps that memory alive.
    """

    records: list[TensorRecord]
    sources: list[tuple[int, int]]
    owners: list[Any]
    payload_bytes: int = 0

    @classmethod
    def empty(cls) -> Outgoing:
        """A message without tensors."""
        return cls([], [], [])

    def add(self, record: TensorRecord, address: int, owner: Any) -> int:
        """Append a tensor of `record.nbytes` bytes at `address`; returns its index."""
        if len(self.records) == MAX_TENSORS:
            raise MessageTooLarge(f"more than {MAX_TENSORS} tensors in one message")
        start = align(self.payload_bytes)
        self.records.append(record._replace(offset=start))
        self.sources.append((address, record.nbytes))
        self.owners.append(owner)
        self.payload_bytes = start + record.nbytes
        return len(self.records) - 1

    def seal(self, kind: Kind, request: int, detail: int, text: bytes) -> tuple[Header, bytes]:
        """The header, and the bytes of records and text."""
        if len(text) > MAX_TEXT:
            raise MessageTooLarge(f"{len(text)} bytes of text; a message holds at most {MAX_TEXT}")
        header = Header(kind, request, detail, len(self.records), len(text), self.payload_bytes)
        return header, b"".join([record.pack() for record in self.records]) + text

    def pieces(self, header: Header) -> Sequence[tuple[int, int, int]]:
        """`(offset in the segment, address, nbytes)` of every tensor's bytes."""
        start = header.payload_start
        return [
            (start + record.offset, address, nbytes)
            for record, (address, nbytes) in zip(self.records, self.sources, strict=True)
        ]
