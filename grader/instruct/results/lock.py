"""Locks in a folder of results, for commands that read a file and then write it."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

from cusimt.support.locks import hold
from grader.support.durable import make_private


@contextlib.contextmanager
def results_lock(results: Path, name: str) -> Iterator[None]:
    """Hold the lock of this ``name``, waiting for its holder. A killed process lets go of it."""
    locks = results / "locks"
    make_private(locks)
    with hold(locks / name):
        yield
