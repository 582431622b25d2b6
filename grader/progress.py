"""What the grader remembers about one course: the last verdict and the hints shown, per exercise.

It lies in ``.cu2grad/`` of the course folder, or below the cache when that folder cannot be written. Losing
it costs nothing but the marks in ``grader list``.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grader import cache
from grader.catalog import Exercise


@dataclass(frozen=True)
class Record:
    """The last verdict on an exercise, as far as `grader list` shows it; ``score`` is out of ``out_of``.

    ``imported``: another machine said so, and nobody checked it here.
    """

    passed: bool
    status: str
    score: float
    backend: str
    version: int
    out_of: float = 100.0
    imported: bool = False


def verdict_path(exercise: Exercise) -> Path | None:
    """The last verdict kept for ``exercise``, or None."""
    return _find(exercise, "verdicts")


def store_verdict(exercise: Exercise, verdict: str, record: Record) -> None:
    """Keeps ``verdict`` (JSON text) for `grader replay`, and ``record`` for `grader list`."""
    _write(exercise, "verdicts", verdict)
    _write(exercise, "progress", json.dumps(vars(record)))


def load_record(exercise: Exercise) -> Record | None:
    """The last result of ``exercise``; None when there is none or the file is damaged."""
    try:
        return Record(**_read(exercise, "progress"))
    except TypeError:
        return None


def revealed_hints(exercise: Exercise) -> dict[str, int]:
    """How many hints of each section were shown so far."""
    return {key: count for key, count in _read(exercise, "hints").items() if isinstance(count, int)}


def store_revealed_hints(exercise: Exercise, revealed: dict[str, int]) -> None:
    _write(exercise, "hints", json.dumps(revealed))


def _folders(exercise: Exercise) -> tuple[Path, Path]:
    """Where state may lie, in the order tried: the course, then the cache."""
    name = hashlib.sha256(str(exercise.course).encode()).hexdigest()[:16]
    return exercise.course / ".cu2grad", cache.cache_root() / "courses" / name


def _find(exercise: Exercise, room: str) -> Path | None:
    paths = [folder / room / f"{exercise.slug}.json" for folder in _folders(exercise)]
    found = [path for path in paths if path.is_file()]
    return max(found, key=lambda path: path.stat().st_mtime_ns, default=None)


def _read(exercise: Exercise, room: str) -> dict[str, Any]:
    path = _find(exercise, room)
    try:
        content = json.loads(path.read_text(encoding="utf-8")) if path else {}
    except (OSError, ValueError):
        return {}
    return content if isinstance(content, dict) else {}


def _write(exercise: Exercise, room: str, text: str) -> None:
    """Writes to the first folder that takes it. Where none does, the mark is lost and the verdict stands."""
    for folder in _folders(exercise):
        path = folder / room / f"{exercise.slug}.json"
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            handle, draft = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(text)
            Path(draft).replace(path)
        except OSError:
            continue
        return
