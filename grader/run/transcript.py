"""The output of a submission, kept short however much it prints."""

from __future__ import annotations

import contextlib
import fcntl
import os
from collections import deque

from grader.run.cleaned_text import clean

_READ_BYTES = 2**20
_F_SETPIPE_SZ = 1031


class Transcript:
    """The reading end of a worker's stdout and stderr.

    Keeps the first and the last `keep` bytes of each request and counts the rest. Reading never blocks.
    """

    def __init__(self, fd: int, keep: int = 32 * 2**10) -> None:
        self.fd = fd
        self.keep = keep
        self.open = True
        self.total = 0
        self._head = bytearray()
        self._tail: deque[bytes] = deque()
        self._tail_bytes = 0
        os.set_blocking(fd, False)

    @staticmethod
    def pipe() -> tuple[int, int]:
        """A pipe with a large buffer: `(reading end, writing end)`."""
        reading, writing = os.pipe2(os.O_CLOEXEC)
        # Where the user's share of pipe memory is spent, the default size only costs speed.
        with contextlib.suppress(OSError):
            fcntl.fcntl(writing, _F_SETPIPE_SZ, _READ_BYTES)
        return reading, writing

    def start(self) -> None:
        """Forget the output so far."""
        self.total = 0
        self._head.clear()
        self._tail.clear()
        self._tail_bytes = 0

    def drain(self, limit: int) -> bool:
        """Read the pending output; False once there were more than `limit` bytes since `start`."""
        while self.open and self.total <= limit:
            try:
                chunk = os.read(self.fd, _READ_BYTES)
            except BlockingIOError:
                break
            if not chunk:
                self.open = False
            self._keep(chunk)
        return self.total <= limit

    def _keep(self, chunk: bytes) -> None:
        self.total += len(chunk)
        room = self.keep - len(self._head)
        if room > 0:
            self._head += chunk[:room]
            chunk = chunk[room:]
        if chunk:
            self._tail.append(chunk[-self.keep :])
            self._tail_bytes += len(self._tail[-1])
            while self._tail_bytes - len(self._tail[0]) >= self.keep:
                self._tail_bytes -= len(self._tail.popleft())

    def text(self) -> str:
        """The beginning and the end of the output, with a line between them on how much is left out."""
        head = bytes(self._head)
        tail = b"".join(self._tail)[-self.keep :]
        missing = self.total - len(head) - len(tail)
        middle = f"\n[... {missing} bytes left out ...]\n".encode() if missing else b""
        return clean((head + middle + tail).decode("utf-8", "replace"))

    def close(self) -> None:
        """Give the descriptor back."""
        if self.fd >= 0:
            os.close(self.fd)
            self.fd = -1
        self.open = False
