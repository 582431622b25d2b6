"""Standard output of C code, which Python's own buffer does not hold."""

from __future__ import annotations

import ctypes

__all__ = ["buffer_lines"]

_LINE_BUFFERED = 1  # _IOLBF of the GNU and the musl C library


def buffer_lines() -> None:
    """Lines leave C's buffer when they end, also into a pipe: in order with Python's, and before a crash."""
    libc = ctypes.CDLL(None)
    libc.setvbuf(ctypes.c_void_p.in_dll(libc, "stdout"), None, _LINE_BUFFERED, ctypes.c_size_t(0))
