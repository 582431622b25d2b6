"""Sockets that keep the boundaries of messages and carry descriptors."""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Callable
from typing import TypeVar

_LARGEST = 256  # bytes: headers, orders and answers are all smaller
_SPIN_SECONDS = 200e-6
_T = TypeVar("_T")


def pair() -> tuple[socket.socket, socket.socket]:
    """Two connected sockets."""
    return socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)


def receive(connection: socket.socket, flags: int = 0) -> tuple[bytes, list[int]]:
    """One datagram and the descriptors that came with it; an empty datagram means the other side is gone."""
    datagram, fds, _, _ = socket.recv_fds(connection, _LARGEST, 2, flags)
    return datagram, fds


def spin(attempt: Callable[[], _T]) -> _T | None:
    """The result of a non-blocking ``attempt`` if it succeeds within a moment, else None.

    To be woken costs more than a small call takes: who looks again for a moment before going to sleep
    halves the time of a round trip.
    """
    until = time.perf_counter() + _SPIN_SECONDS
    while time.perf_counter() < until:
        try:
            return attempt()
        except BlockingIOError:
            os.sched_yield()  # on a busy machine, let the other side have this core
    return None
