"""One at a time: what several commands read first and write then, in the same folder of results."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

from grader.durable import make_private
from grader.locks import hold


@contextlib.contextmanager
def alone(results: Path, name: str) -> Iterator[None]:
    """Be the only process that is at what ``name`` stands for; wait for whoever is. A killed one lets go."""
    locks = results / "locks"
    make_private(locks)
    with hold(locks / name):
        yield
