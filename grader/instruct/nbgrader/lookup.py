"""Find the verdict on a submission, including verdicts from other machines."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from grader.instruct.batch import batch_key
from grader.instruct.nbgrader.current_submission import Work
from grader.instruct.results import Record, VerdictLog


def recorded(work: Work) -> Record | None:
    """The record of the files as they are now.

    The gradebook is often kept on a machine without a GPU. There, what a GPU of any model has judged counts;
    with several models it is the one that judged last.
    """
    key = batch_key(work.submission, work.exercise, work.backend)
    found = work.store.find(key)
    if found is not None or key.backend == "simt" or key.device:
        return found
    others = [work.store.find(replace(key, device=device)) for device in _devices(work.store.log)]
    return max((each for each in others if each is not None), key=lambda each: each.graded, default=None)


def _devices(log: VerdictLog) -> tuple[str, ...]:
    size = log.path.stat().st_size if log.path.exists() else 0
    return _devices_in(log.path, size)


@lru_cache(maxsize=4)
def _devices_in(path: Path, size: int) -> tuple[str, ...]:
    """The models that the log names; ``size`` in bytes, so that it is read again when it has grown."""
    return tuple(sorted({entry.device for entry in VerdictLog(path).entries()} - {""}))
