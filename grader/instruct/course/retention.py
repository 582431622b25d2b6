"""Delete personal data that is old enough; anonymous numbers stay.

What goes and what stays is described for instructors in docs/instructors/reference.md.
"""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from grader.instruct.course.attempts import ATTEMPTS, read_roster, remembering, write_roster
from grader.instruct.course.decisions import REGRADES, WITHDRAWN
from grader.instruct.course.hand_scores import FORMGRADER
from grader.instruct.results import ResultStore
from grader.instruct.results.lines import Lines
from grader.instruct.results.secret import RELEASED, ROSTER
from grader.instruct.results.store import read_record

VERDICTS = "verdicts.jsonl"
_Rule = Callable[[dict[str, Any]], dict[str, Any] | None]  # what a line becomes; None: it goes
_LEFTOVERS = (
    "faults/*", "records/*.damaged",
    ".*.jsonl.*", ".*.csv.*", ".secret.*", "records/.*", "superseded/.*",
)  # fmt: skip
_PERSONAL: dict[str, str | int] = {"student": "", "digest": "", "record": "", "seed": 0}


@dataclass(frozen=True)
class Deletions:
    """How many go, or went: ``lines`` by the file they are in, ``people`` of the roster.

    ``leftovers``: damaged records, what faults of the grader and kills left, which may name students.
    ``secret``: whether that goes, too, because nobody is left whom it could name.
    """

    records: int
    leftovers: int
    lines: dict[str, int]
    people: int
    secret: bool


def forget(store: ResultStore, before: date, *, apply: bool) -> Deletions:
    """Drops what was graded, handed in or told before that day (UTC); without ``apply`` it only counts.

    Raises UsageError for a record or a line that cannot be read.
    """
    with remembering(store.folder) if apply else contextlib.nullcontext():
        return _forget(store, before, apply)


def _forget(store: ResultStore, before: date, apply: bool) -> Deletions:
    paths = _records(store.folder, before)
    changed, named = {}, set()
    for name, rule in _rules(store.folder, before).items():
        lines = Lines(store.folder / name)
        now = [line for _, line in lines]
        then = [rule(dict(line)) for line in now]
        changed[name] = sum(old != new for old, new in zip(now, then, strict=True))
        named |= {line["student"] for line in then if line is not None}
        if apply:
            lines.rewrite(rule)
    leftovers = _leftovers(store.folder, before)
    roster = read_roster(store.folder)
    left = {name: student for name, student in roster.items() if name in named}
    people, nobody = len(roster) - len(left), bool(roster) and not left
    done = Deletions(len(paths), len(leftovers), changed, people, nobody)
    if apply:
        _apply(store, [*paths, *leftovers], left, done)
    return done


def _apply(store: ResultStore, paths: list[Path], left: dict[str, str], done: Deletions) -> None:
    """The map goes last: after a kill half way, the same command finds the rest by it."""
    for path in paths:
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)
    if done.secret:
        store.secret.path.unlink(missing_ok=True)
        (store.folder / ROSTER).unlink()
    elif done.people:
        write_roster(store.folder, left)


def _records(results: Path, before: date) -> list[Path]:
    """Files of records graded before that day."""
    paths = sorted([*results.glob("records/*.json"), *results.glob("superseded/*.json")])
    return [path for path in paths if _is_old(read_record(path).graded, before)]


def _leftovers(results: Path, before: date) -> list[Path]:
    """What is in no log and has no date in it: it is as old as it was last written.

    A name with a dot in front is of a file that a killed process did not get to name.
    """
    paths = sorted({path for pattern in _LEFTOVERS for path in results.glob(pattern)})
    return [path for path in paths if datetime.fromtimestamp(path.lstat().st_mtime, UTC).date() < before]


def _rules(results: Path, before: date) -> dict[str, _Rule]:
    """For each log what becomes of a line. A hand-in without a time is as old as its line.

    A withdrawal goes with its hand-in, which would count again without it.
    """

    def dated(line: dict[str, Any]) -> dict[str, Any] | None:
        moment = line.get("submitted") or line.get("noted") or line["when"]
        return None if _is_old(moment, before) else line

    def place(line: dict[str, Any]) -> tuple[str, str, str]:
        return line["student"], line["exercise"], line["digest"]

    stay = {place(line) for _, line in Lines(results / ATTEMPTS) if dated(line) is not None}

    def withdrawal(line: dict[str, Any]) -> dict[str, Any] | None:
        return line if place(line) in stay else None

    def graded(line: dict[str, Any]) -> dict[str, Any] | None:
        return line | _PERSONAL if _is_old(line["graded"], before) else line

    by_date = dict.fromkeys((ATTEMPTS, RELEASED, REGRADES, FORMGRADER), dated)
    return {VERDICTS: graded, WITHDRAWN: withdrawal, **by_date}


def _is_old(moment: str, before: date) -> bool:
    return datetime.fromisoformat(moment).astimezone(UTC).date() < before
