"""Ports for servers of tests: between asking for a free one and its server's start, nobody else gets it."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def reserved_port() -> Iterator[int]:
    """A TCP port that the system gives to nobody who asks for any; the server that names it can bind to it.

    Both set SO_REUSEADDR, as servers do, and this side does not listen.
    """
    with socket.socket() as held:
        held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        held.bind(("127.0.0.1", 0))
        yield held.getsockname()[1]
