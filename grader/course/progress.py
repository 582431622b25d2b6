"""A learner's progress per exercise: the last verdict, the best one, the hints shown.

It is kept in ``.cu2grad/`` of the course folder, or below the cache when that folder cannot be written.
Losing it costs nothing but the marks in ``grader list``.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cusimt.support import cache
from cusimt.support.locks import hold
from grader.course.catalog import Exercise
from grader.support.backends import Backend
from grader.support.durable import PUBLIC, write_atomically
from grader.support.errors import UsageError

if TYPE_CHECKING:
    from grader.verdict import Verdict


@dataclass(frozen=True)
class Result:
    """One verdict, as far as `grader list` shows it; ``score`` is out of ``out_of``.

    ``version`` is that of the exercise and ``digest`` that of the graded files. ``imported``: the verdict
    comes from another machine and was not checked on this one.
    """

    passed: bool
    status: str
    score: float
    backend: Backend
    version: int
    out_of: float = 100.0
    imported: bool = False
    digest: str = ""


@dataclass(frozen=True)
class Record:
    """The last verdict on an exercise, and the best one so far: a pass is kept whatever comes after it."""

    last: Result
    best: Result

    def passed(self, version: int) -> bool:
        """Whether ``version`` of the exercise was ever passed."""
        return self.best.passed and self.best.version == version


def verdict_path(exercise: Exercise) -> Path | None:
    """The last verdict kept for ``exercise``, or None."""
    return next(iter(_found(exercise, "verdicts")), None)


def last_verdict(exercise: Exercise) -> Verdict | None:
    """What `grader check` said last; None without a verdict, or with one that cannot be read."""
    from grader.verdict import Verdict  # `grader list` needs only records

    path = verdict_path(exercise)
    try:
        return Verdict.from_json(path.read_text(encoding="utf-8")) if path else None
    except (OSError, UnicodeDecodeError, UsageError):
        return None


def store_verdict(exercise: Exercise, verdict: str, result: Result) -> None:
    """Keeps ``verdict`` (JSON text) for `grader replay` and ``result`` for `grader list`."""
    with _alone(
        exercise
    ):  # a check, a watch and an editor's tests may all end at once, and none loses a pass
        before = load_record(exercise)
        best = result if before is None else max(result, before.best, key=lambda one: _rank(one, exercise))
        _write(exercise, "verdicts", verdict)
        _write(exercise, "progress", json.dumps({**asdict(result), "best": asdict(best)}))


def load_record(exercise: Exercise) -> Record | None:
    """The last and the best result of ``exercise``; None when there is none or the file is damaged.

    A record of an older grader has the last result alone, which is then the best one known. Of records in
    both folders, the best result of either counts: a folder may have been read-only for a while.
    """
    records = [record for path in _found(exercise, "progress") if (record := _record(path)) is not None]
    if not records:
        return None
    best = max((record.best for record in records), key=lambda one: _rank(one, exercise))
    return Record(records[0].last, best)


def revealed_hints(exercise: Exercise) -> dict[str, int]:
    """How many hints of each section were shown so far."""
    return {key: count for key, count in _read(exercise, "hints").items() if isinstance(count, int)}


def store_revealed_hints(exercise: Exercise, revealed: dict[str, int]) -> None:
    _write(exercise, "hints", json.dumps(revealed))


def gave_up(exercise: Exercise) -> bool:
    """Whether the learner looked at the solution of this version before passing it."""
    return _read(exercise, "solutions_seen").get("version") == exercise.version


def store_gave_up(exercise: Exercise) -> None:
    _write(exercise, "solutions_seen", json.dumps({"version": exercise.version}))


def _record(path: Path) -> Record | None:
    content = _document(path)
    best = content.pop("best", content)
    try:
        return Record(_result(content), _result(best))
    except (TypeError, ValueError):
        return None


def _result(content: dict[str, Any]) -> Result:
    """Raises TypeError or ValueError where a field is missing, surplus, or no number where one belongs."""
    numbers: dict[str, Any] = {name: float(content[name]) for name in ("score", "out_of") if name in content}
    return Result(**{**content, **numbers})


@contextlib.contextmanager
def _alone(exercise: Exercise) -> Iterator[None]:
    """Holds the lock on the record of ``exercise``, where one of its folders takes a lock."""
    with contextlib.ExitStack() as held:
        for folder in _folders(exercise):
            try:
                (folder / "progress").mkdir(parents=True, exist_ok=True)
                held.enter_context(hold(folder / "progress" / f".{exercise.slug}.lock"))
            except OSError:
                continue
            break
        yield


def _rank(result: Result, exercise: Exercise) -> tuple[bool, bool, bool, bool, float, float]:
    """The larger, the better: a pass of this version, else of another one, then points.

    Of two passes, one that was checked here outranks an imported one.
    """
    current = result.version == exercise.version
    share = result.score / result.out_of if result.out_of else 0.0
    return result.passed and current, result.passed, current, not result.imported, share, result.score


def _folders(exercise: Exercise) -> tuple[Path, Path]:
    """Where state may be kept, in the order tried: the course, then the cache."""
    name = hashlib.sha256(str(exercise.course).encode()).hexdigest()[:16]
    return exercise.course / ".cu2grad", cache.cache_root() / "courses" / name


def _found(exercise: Exercise, room: str) -> list[Path]:
    """The files that there are, the newer first: the cache has one only if the course could not be written.

    Their times would not tell after a clock was set.
    """
    paths = [folder / room / f"{exercise.slug}.json" for folder in reversed(_folders(exercise))]
    return [path for path in paths if path.is_file()]


def _read(exercise: Exercise, room: str) -> dict[str, Any]:
    return next(map(_document, _found(exercise, room)), {})


def _document(path: Path) -> dict[str, Any]:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return content if isinstance(content, dict) else {}


def _write(exercise: Exercise, room: str, text: str) -> None:
    """Writes to the first folder that takes it. Where none does, the mark is lost and the verdict stands."""
    course, spare = (folder / room / f"{exercise.slug}.json" for folder in _folders(exercise))
    for path in (course, spare):
        try:
            write_atomically(path, text, PUBLIC)
        except OSError:
            continue
        if path is course:
            with contextlib.suppress(OSError):
                spare.unlink()
        return
