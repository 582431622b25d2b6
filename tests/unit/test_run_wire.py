"""The format of messages: what goes in comes out, and what could harm the parent is refused."""

from __future__ import annotations

import ctypes
import os
import struct

import pytest

from grader.run import wire
from grader.run.cleaned_text import decode_text, encode_text
from grader.run.shared_memory import MappedSegment, Segment
from grader.run.wire import SPARSE, Header, Kind, MessageTooLarge, Outgoing, TensorRecord, WireError


def _record(sizes: tuple[int, ...] = (2, 3), **fields: object) -> TensorRecord:
    record = TensorRecord("float32", "cuda:1", sizes, tuple(1 for _ in sizes), nbytes=24)
    return record._replace(**fields)  # type: ignore[arg-type]


def _sealed(*records: TensorRecord, text: bytes = b"{}") -> tuple[Header, bytes, bytearray]:
    """A message that carries counting bytes: header, meta, the payload's source."""
    memory = bytearray(range(256)) * 4
    address = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    outgoing = Outgoing.empty()
    for record in records:
        outgoing.add(record, address, memory)
    header, meta = outgoing.seal(Kind.REPLY, 7, 3, text)
    return header, meta, memory


def test_a_header_survives_the_wire() -> None:
    header = Header(Kind.CALL, 2**40, 2**50, 17, 99, 2**45)
    assert wire.unpack_header(header.pack()) == header


def test_a_record_survives_the_wire() -> None:
    record = _record((4, 0, 5), strides=(-5, 0, 2**40), storage_offset=11, flags=SPARSE, nbytes=0)
    header, meta, _ = _sealed(record)
    assert wire.unpack_records(header, meta) == [record]


@pytest.mark.parametrize("name", [name for name, _ in wire.DTYPES])
def test_every_dtype_has_a_code(name: str) -> None:
    header, meta, _ = _sealed(_record((0,), dtype=name, nbytes=0))
    assert wire.unpack_records(header, meta)[0].dtype == name


@pytest.mark.parametrize("place", ["cpu", "numpy", "cuda:0", "cuda:1"])
def test_every_place_has_a_code(place: str) -> None:
    header, meta, _ = _sealed(_record((0,), place=place, nbytes=0))
    assert wire.unpack_records(header, meta)[0].place == place


def test_payloads_are_aligned_and_apart() -> None:
    header, meta, _ = _sealed(_record(nbytes=24), _record(nbytes=65), _record(nbytes=1))
    offsets = [record.offset for record in wire.unpack_records(header, meta)]
    assert offsets == [0, 64, 192]
    assert header.payload_bytes == 193
    assert header.payload_start % wire.ALIGNMENT == 0


def test_bytes_travel_through_a_box_both_ways() -> None:
    header, meta, memory = _sealed(_record(nbytes=24), _record(nbytes=100), text=b'{"a":1}')
    segment = Segment()
    mapped = MappedSegment(os.dup(segment.fd))
    pieces = [(header.payload_start + offset, ctypes.addressof(ctypes.c_char.from_buffer(memory)), nbytes)
              for offset, nbytes in ((0, 24), (64, 100))]  # fmt: skip
    for write in (segment.write, mapped.write):
        mapped.memory[:1024] = bytes(1024)
        write(meta, pieces)
        assert segment.read(header.meta_bytes) == meta
        assert segment.read(100, header.payload_start + 64) == bytes(memory[:100])
        assert bytes(mapped.memory[header.payload_start : header.payload_start + 24]) == bytes(memory[:24])
    segment.close()


def test_a_box_has_a_size_for_good() -> None:
    segment = Segment.for_bytes(40 * 2**20)
    assert segment.nbytes == 64 * 2**20
    for nbytes in (0, segment.nbytes - 1, segment.nbytes + 1):
        with pytest.raises(PermissionError):
            os.ftruncate(segment.fd, nbytes)
    with pytest.raises(WireError, match="more bytes than its shared memory holds"):
        segment.read(2, segment.nbytes - 1)
    with pytest.raises(WireError, match="more bytes than its shared memory holds"):
        segment.read_into(ctypes.addressof(ctypes.create_string_buffer(8)), 8, segment.nbytes - 4)
    segment.close()


@pytest.mark.parametrize(
    ("offset", "value", "sentence"),
    [
        (0, b"X", "not one of the grader's"),
        (4, b"\x63", "not one of the grader's"),
        (6, b"\xff\xff", "unknown kind 65535"),
        (24, struct.pack("<I", wire.MAX_TENSORS + 1), "257 tensors"),
        (28, struct.pack("<I", wire.MAX_TEXT + 1), "bytes of text"),
    ],
)
def test_a_bad_header_is_refused(offset: int, value: bytes, sentence: str) -> None:
    datagram = bytearray(Header(Kind.REPLY, 1, 0, 1, 2, 3).pack())
    datagram[offset : offset + len(value)] = value
    with pytest.raises(WireError, match=sentence):
        wire.unpack_header(bytes(datagram))


@pytest.mark.parametrize("length", [0, 1, wire.HEADER_BYTES - 1, wire.HEADER_BYTES + 1])
def test_a_header_of_another_length_is_refused(length: int) -> None:
    with pytest.raises(WireError, match="bytes or more where every message has"):
        wire.unpack_header(bytes(length))


@pytest.mark.parametrize(
    ("offset", "value", "sentence"),
    [
        (0, b"\xff", "unknown dtype 255"),
        (1, b"\x07", "unknown device"),
        (1, b"\x00\x01", "unknown device"),  # the CPU has no index
        (3, b"\x11", "17 dimensions"),
        (4, b"\x80", "unknown flags"),
        (8, struct.pack("<q", -1), "negative size"),
        (16, struct.pack("<Q", 64), "overlap another's or are outside"),
        (24, struct.pack("<Q", 10**6), "overlap another's or are outside"),
        (24, struct.pack("<Q", 2**64 - 1), "overlap another's or are outside"),
        (24, struct.pack("<Q", 8), "more bytes than its tensors have"),
        (32, struct.pack("<q", -2), "negative size"),
    ],
)
def test_a_bad_record_is_refused(offset: int, value: bytes, sentence: str) -> None:
    header, meta, _ = _sealed(_record())
    damaged = bytearray(meta)
    damaged[offset : offset + len(value)] = value
    with pytest.raises(WireError, match=sentence):
        wire.unpack_records(header, damaged)


def test_a_reply_carries_exactly_its_elements() -> None:
    wire.check_dense(_record((2, 3), nbytes=24))
    wire.check_dense(_record((), nbytes=4))
    wire.check_dense(_record((5, 0), nbytes=0))
    for nbytes in (0, 23, 25, 2**60):
        with pytest.raises(WireError, match=f"announced {nbytes} bytes for a tensor that has 24"):
            wire.check_dense(_record((2, 3), nbytes=nbytes))


def test_what_does_not_fit_is_refused_on_this_side() -> None:
    with pytest.raises(MessageTooLarge, match="17 dimensions"):
        _sealed(_record((1,) * 17))
    with pytest.raises(MessageTooLarge, match="256 tensors"):
        _sealed(*[_record((0,), nbytes=0)] * 257)
    with pytest.raises(MessageTooLarge, match="bytes of text"):
        _sealed(text=b"x" * (wire.MAX_TEXT + 1))


def test_text_is_cleaned_of_what_disturbs_a_terminal() -> None:
    document = {"a": ["\x1b[31mred\x07", {"b\x00": "tab\tline\nü"}], "n": 1.5, "none": None}
    assert decode_text(encode_text(document)) == {
        "a": ["\ufffd[31mred\ufffd", {"b\ufffd": "tab\tline\nü"}],
        "n": 1.5,
        "none": None,
    }


@pytest.mark.parametrize(
    "text", [b"", b"[]", b"3", b"{", b'{"a": Infinity}', b'{"a": NaN}', b"\xff", b"[" * 10**5]
)
def test_text_that_is_no_object_is_refused(text: bytes) -> None:
    with pytest.raises(WireError, match=r"not (a )?JSON"):
        decode_text(text)
