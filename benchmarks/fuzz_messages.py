"""Messages from a worker that went mad, read as the parent reads them: each is refused by its name, or read.

    python -m benchmarks.fuzz_messages --messages 1000000 --seed 1

A message is one of the grader's own, in which bytes, fields and values were exchanged for others. The
parent's own code reads it: header, records, text, tensors, every field of a reply, and the sentences of
findings. What comes out is a reply or a `WireError` that names what is wrong; `Counted.surprises` has
everything else.
"""

from __future__ import annotations

import argparse
import copy
import json
import os
import platform
import random
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from cusimt import findings
from grader.run import replies
from grader.run.connection import Connection, Message
from grader.run.shared_memory import Segment
from grader.run.wire import Header, Kind, TensorRecord, WireError, align, unpack_header

RESULT = "benchmarks/results/fuzz_messages.json"
_CAUGHT_BY_THE_NET = "cannot be read"  # Connection's last resort: a check of its own should have seen it
_FINDING = {
    "kind": "race_global", "access": "store", "bytes": 4, "kernel": "k", "module": "", "pc": 0, "address": 64,
    "allocation": {"base": 64, "bytes": 256, "offset": 8, "device": 0}, "array": "", "space": "global",
    "block": [0, 0, 0], "thread": [1, 0, 0], "count": 2, "note": "n", "file": "kernel.cu", "line": 3,
    "other": {"pc": 0, "access": "load", "block": [0, 0, 0], "thread": [2, 0, 0]},
    "tensor": {"name": "a", "dtype": "float32", "itemsize": 4, "storage_offset": 0},
}  # fmt: skip
_SITE = {
    "pc": 1, "access": "load", "space": "global", "bytes": 4, "requests": 1, "sectors": 4, "wavefronts": 0,
    "lanes": 32, "ideal_sectors": 4, "ideal_wavefronts": 0,
    "sample": {"addresses": [0, *[None] * 31], "allocation": 64, "block": [0, 0, 0], "warp": 0},
}  # fmt: skip
_LAUNCH = {"kernel": "k", "grid": [1, 1, 1], "block": [64, 1, 1], "shared": 0, "stream": 0, "device": 0,
           "file": "kernel.cu", "line": 3, "error": 0, "waits": 1, "awaited": 1}  # fmt: skip
_COUNTED = {**_LAUNCH, "module": "", "barriers": 0, "read_sectors": 4, "written_sectors": 4, "time_us": 1.5,
            "sites": [_SITE]}  # fmt: skip
_CALL = {
    "call": "cudaMemcpyAsync",
    "kind": "d2d",
    "bytes": 4,
    "stream": 0,
    "error": 0,
    "content": 7,
    "by_kernel": 1,
}
_OUTPUT = {"kind": "tensor", "record": 0, "name": "", "alias": "", "requires_grad": False, "type": "Tensor"}
_PARTS: tuple[dict[str, Any], ...] = (  # one of which each message has
    {"trace": {"findings": [_FINDING]}},
    {"trace": {"launches": [_LAUNCH], "launches_total": 1, "stream": 0, "allocations": 1}},
    {"trace": {"counts": [_COUNTED]}},
    {"trace": {"api_calls": [_CALL], "operators": ["aten::add"], "writers": [{"kernel": 16}]}},
    {"trace": {"sticky_error": None, "live_bytes": 0, "placed": [{"name": "a", "base": 64, "itemsize": 4}]}},
    {"error": {"type": "ValueError", "message": "no", "where": "op.py:3"}, "returned": "value"},
    {"blocks": [[0.1, 0.2, 0.2, 0.1]], "control": [], "spent": False},
)
_JUNK: tuple[Any, ...] = (
    None, True, -1, 0, 2**31, 2**63, 2**64, -(2**64), 10**400, 1.5, -0.0, 1e308, "", "kernel",
    "\u202e\n\x1b[2J", "x" * 5000, [], [None], [[]], {}, {"kind": 1}, ["a"] * 3, [0, 0, 0], [-1, 0, 2**70],
    {"base": "x"},
)  # fmt: skip
_RAW = (b"1e999", b"NaN", b"[" * 50, b"9" * 5000, b'"\\ud800"', b"{", b"\xff", b"\0", b'{"a":1,"a":2}')


@dataclass
class Counted:
    """What became of the messages."""

    read: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    surprises: list[str] = field(default_factory=list)


def fuzz(messages: int, seed: int) -> Counted:
    """Read that many messages, drawn from the seed."""
    drawn = random.Random(seed)
    parent = _Parent()
    counted = Counted()
    for number in range(messages):
        datagram, meta = _message(drawn)
        try:
            parent.read(datagram, meta)
            counted.read += 1
        except WireError as error:
            counted.refused[str(error)[:40]] += 1
            if _CAUGHT_BY_THE_NET in str(error):
                counted.surprises.append(f"message {number} of seed {seed}: {error}")
        except Exception as error:  # a MemoryError too: all of them would have been the grader's failure
            counted.surprises.append(f"message {number} of seed {seed}: {error!r}")
    return counted


class _Parent:
    """The side of a connection that reads, without a worker behind it."""

    def __init__(self) -> None:
        transcript = SimpleNamespace(drain=lambda limit: True, total=0)
        self._connection: Any = object.__new__(Connection)
        self._connection._segments = {Kind.OUTBOX: Segment(1 << 16)}
        self._connection._worker = SimpleNamespace(transcript=transcript)
        self._connection._source = SimpleNamespace(limits=SimpleNamespace(printed_bytes=0))

    def read(self, datagram: bytes, meta: bytes) -> None:
        header = unpack_header(datagram)
        os.pwrite(self._connection._outbox.fd, meta[: 1 << 16], 0)
        message: Message = self._connection._checked(header, 0.0)
        document = message.document
        replies.spent(document)
        replies.outputs(document, message.records, message.tensors)
        replies.returned(document)
        replies.remote_error(document)
        trace = replies.trace(document)
        # Of no library: looking lines up would start a program for each.
        placed = [{**each, "module": ""} for each in trace.findings]
        for found in findings.symbolise(placed, suspicions=True):
            findings.sentence(found)
            findings.rule(found)


def _message(drawn: random.Random) -> tuple[bytes, bytes]:
    """A datagram, and what lies in the segment."""
    document = copy.deepcopy({"outputs": [_OUTPUT], **drawn.choice(_PARTS)})
    for _ in range(drawn.choice((0, 1, 1, 1, 2, 5))):
        _exchange(drawn, document)
    text = bytearray(json.dumps(document).encode("utf-8", "surrogatepass"))
    if drawn.random() < 0.2:
        at = drawn.randrange(len(text))
        text[at : at + drawn.choice((0, 1, 30))] = drawn.choice(_RAW)
    records = bytearray(TensorRecord("float32", "cuda:0", (2, 2), (2, 1), nbytes=16).pack())
    if drawn.random() < 0.3:
        _flip(drawn, records)
    header = Header(Kind.REPLY, 1, 0, 1, len(text), 16)
    datagram = bytearray(header.pack())
    if drawn.random() < 0.2:
        _flip(drawn, datagram)
    meta = bytes(records) + bytes(text)
    return bytes(datagram), meta.ljust(align(len(meta)), b"\0") + bytes(16)


def _exchange(drawn: random.Random, document: Any) -> None:
    """Exchange, leave out or add one value somewhere in a document."""
    places = list(_places(document))
    if not places:
        return  # nothing is left of it
    holder, key = drawn.choice(places)
    how = drawn.random()
    if how < 0.15:
        del holder[key]
    elif how < 0.25 and isinstance(holder, list):
        holder.append(copy.deepcopy(drawn.choice(_JUNK)))
    elif how < 0.35:
        holder[key] = copy.deepcopy(_get(drawn.choice(places)))  # another place's value, of another form
    else:
        holder[key] = copy.deepcopy(drawn.choice(_JUNK))


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
        yield value, key
        if isinstance(inner, dict | list):
            yield from _places(inner)


def _get(place: tuple[Any, Any]) -> Any:
    holder, key = place
    return holder[key]


def _flip(drawn: random.Random, content: bytearray) -> None:
    for _ in range(drawn.choice((1, 1, 4))):
        content[drawn.randrange(len(content))] = drawn.choice((0, 1, 2, 127, 128, 255, drawn.randrange(256)))


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--messages", type=int, default=1_000_000)
    arguments.add_argument("--seed", type=int, default=1)
    asked = arguments.parse_args()
    begun = time.perf_counter()
    counted = fuzz(asked.messages, asked.seed)
    found = {
        "messages": asked.messages, "seed": asked.seed, "read": counted.read,
        "refused": sum(counted.refused.values()), "kinds_of_refusal": len(counted.refused),
        "surprises": counted.surprises[:20], "python": platform.python_version(),
        "seconds": round(time.perf_counter() - begun),
    }  # fmt: skip
    Path(RESULT).write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
    print(json.dumps(found, indent=2))


if __name__ == "__main__":
    main()
