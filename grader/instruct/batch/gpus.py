"""One submission per GPU: a lock serialises what is timed and what would disturb a timing."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

from cusimt.support.cache import cache_root
from cusimt.support.locks import hold
from grader.support.gpus import visible_gpus


@contextlib.contextmanager
def exclusive_gpu(locks: Path | None = None) -> Iterator[None]:
    """Lock every GPU that this process sees, waiting for their holders. Nothing happens without a GPU.

    ``locks`` is a folder that all who share the GPUs agree on: by default one of this user's cache. Not
    reentrant.
    """
    folder = locks or cache_root() / "locks"
    with contextlib.ExitStack() as held:
        for uuid in sorted(
            gpu.uuid for gpu in visible_gpus()
        ):  # one order, so that two cannot wait in a ring
            folder.mkdir(parents=True, exist_ok=True)
            held.enter_context(hold(folder / uuid.replace("/", "-")))
        yield
