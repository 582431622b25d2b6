"""Shared-memory segments, which hold the contents of messages between the parent and a worker.

The parent makes every segment and seals its size before a worker sees it; a worker that could shrink one
would kill the parent with SIGBUS. The parent also never maps a segment: it reads and writes by `preadv` and
`pwritev`, so that it checks a copy of its own, and so that a memory fault is an error code and not a signal.
The worker maps its segments.
"""

from __future__ import annotations

import ctypes
import fcntl
import mmap
import os
from collections.abc import Sequence

from grader.run.wire import WireError

FIRST_BYTES = 16 * 2**20  # of each new segment: memory is taken only as it is touched
_SEALS = fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SEAL
_MAX_VECTORS = 512


class Segment:
    """The parent's end of a segment of `nbytes` bytes."""

    def __init__(self, nbytes: int = FIRST_BYTES) -> None:
        self.nbytes = nbytes
        self.fd = os.memfd_create("cu2grad-segment", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
        os.ftruncate(self.fd, nbytes)
        fcntl.fcntl(self.fd, fcntl.F_ADD_SEALS, _SEALS)

    @classmethod
    def for_bytes(cls, needed: int) -> Segment:
        """A segment that holds `needed` bytes, with room so that the next larger message seldom needs
        another.
        """
        nbytes = FIRST_BYTES
        while nbytes < needed:
            nbytes *= 2
        return cls(nbytes)

    def write(self, meta: bytes, pieces: Sequence[tuple[int, int, int]]) -> None:
        """Write records and text, and `pieces`: `(offset in the segment, address, nbytes)`."""
        vectors: list[bytes | ctypes.Array[ctypes.c_char]] = [meta]
        position = len(meta)
        for offset, address, nbytes in pieces:
            if nbytes:
                vectors += [bytes(offset - position), (ctypes.c_char * nbytes).from_address(address)]
                position = offset + nbytes
        start = 0
        for first in range(0, len(vectors), _MAX_VECTORS):
            group = vectors[first : first + _MAX_VECTORS]
            expected = sum(len(vector) for vector in group)
            written = os.pwritev(self.fd, group, start)
            if written != expected:
                _write_rest(self.fd, b"".join(bytes(vector) for vector in group)[written:], start + written)
            start += expected

    def read(self, nbytes: int, offset: int = 0) -> bytes:
        """A copy of `nbytes` bytes; raises `WireError` when the segment has fewer."""
        copy = os.pread(self.fd, nbytes, offset)
        if len(copy) != nbytes:
            raise WireError("announced more bytes than its shared memory holds")
        return copy

    def read_into(self, address: int, nbytes: int, offset: int) -> None:
        """Copy `nbytes` bytes to `address`; raises `WireError` when the segment has fewer."""
        done = 0
        while done < nbytes:
            target = (ctypes.c_char * (nbytes - done)).from_address(address + done)
            count = os.preadv(self.fd, [target], offset + done)
            if count == 0:
                raise WireError("announced more bytes than its shared memory holds")
            done += count

    def close(self) -> None:
        """Give the descriptor back; the memory lives on while the worker maps it."""
        if self.fd >= 0:
            os.close(self.fd)
            self.fd = -1


def _write_rest(fd: int, rest: bytes, offset: int) -> None:
    """Write the remainder of a `pwritev`: the kernel writes at most 2 GiB at once."""
    view = memoryview(rest)
    while view:
        count = os.pwrite(fd, view, offset)
        view, offset = view[count:], offset + count


class MappedSegment:
    """The worker's end of a segment."""

    def __init__(self, fd: int) -> None:
        self.nbytes = os.fstat(fd).st_size
        self.memory = mmap.mmap(fd, self.nbytes)
        os.close(fd)
        self.address = ctypes.addressof(ctypes.c_char.from_buffer(self.memory))

    def write(self, meta: bytes, pieces: Sequence[tuple[int, int, int]]) -> None:
        """Write records and text, and `pieces`: `(offset in the segment, address, nbytes)`."""
        self.memory[: len(meta)] = meta
        for offset, address, nbytes in pieces:
            ctypes.memmove(self.address + offset, address, nbytes)
