"""Whether a kernel has failed: its exception is remembered, for those who must know although it was caught.

On a GPU a kernel that fails says nothing about its values, and takes the context with it. The interpreter's
exceptions are the host's: a program could catch one, and read in it what the kernel had loaded.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

__all__ = ["first", "forget", "forgiven", "remembered"]

_first = ""


@contextlib.contextmanager
def remembered() -> Iterator[None]:
    """Around what runs a kernel: its exception is remembered, and goes on."""
    global _first
    try:
        yield
    except BaseException as error:
        _first = _first or f"{type(error).__name__}: {error}"
        raise


@contextlib.contextmanager
def forgiven() -> Iterator[None]:
    """Around a trial: what fails in it does not count if the trial itself goes on."""
    global _first
    before = _first
    yield
    _first = before


def forget() -> None:
    """Forget what failed so far."""
    global _first
    _first = ""


def first() -> str:
    """The exception of the first kernel that failed since the last `forget`, as a text; else ``""``."""
    return _first
