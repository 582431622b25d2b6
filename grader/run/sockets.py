"""Sockets that keep the boundaries of messages and carry descriptors."""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Callable
from typing import TypeVar

_LARGEST = 256  # bytes: headers, orders and answers are all smaller
_SPIN_SECONDS = 200e-6
_CORE_TAKEN_SECONDS = 50e-6
_PAUSE = 500  # messages
_T = TypeVar("_T")


def pair() -> tuple[socket.socket, socket.socket]:
    """Two connected sockets."""
    return socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)


def receive(connection: socket.socket, flags: int = 0) -> tuple[bytes, list[int]]:
    """One datagram and the descriptors that came with it; an empty datagram means the other side is gone."""
    datagram, fds, _, _ = socket.recv_fds(connection, _LARGEST, 2, flags)
    return datagram, fds


class Spinner:
    """Looks for a message for a moment before its owner goes to sleep.

    To be woken costs more than a small call takes, so on an idle machine this halves a round trip.
    On a busy one it would double it: when another program takes the core, it pauses for many messages.
    """

    def __init__(self) -> None:
        self._pause = 0

    def spin(self, attempt: Callable[[], _T]) -> _T | None:
        """The result of a non-blocking `attempt` if it succeeds soon, else None."""
        if self._pause:
            self._pause -= 1
            return None
        started = before = time.perf_counter()
        while before - started < _SPIN_SECONDS:
            try:
                return attempt()
            except BlockingIOError:
                os.sched_yield()
            now = time.perf_counter()
            if now - before > _CORE_TAKEN_SECONDS:
                self._pause = _PAUSE
                return None
            before = now
        return None
