"""Read `course.toml`; docs/instructors/reference.md describes every key."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from cusimt.support.words import reason
from grader.course.exercise import SLUG
from grader.instruct.course.policy import DEFAULT_BACKEND, FILE, Assignment, Course, LatePolicy, Takes
from grader.instruct.submissions.timestamps import aware
from grader.support.backends import Backend
from grader.support.errors import UsageError
from grader.support.schema import ADDED_LATER, SchemaError, Whole, read


@dataclass(frozen=True)
class _File:
    """The file as it is; each table of ``assignments`` has the keys of an Assignment."""

    title: str
    assignments: dict[str, dict[str, Any]]
    timezone: str = field(default="UTC", metadata=ADDED_LATER)
    backend: Backend = field(default=DEFAULT_BACKEND, metadata=ADDED_LATER)
    takes: Takes = field(default="last", metadata=ADDED_LATER)
    site: str = field(default="", metadata=ADDED_LATER)
    late: dict[str, Any] = field(default_factory=dict, metadata=ADDED_LATER)


def read_course(folder: Path | None = None) -> Course:
    """The course that ``folder`` (default: the current one) describes in its ``course.toml``.

    Raises UsageError naming the file, the key and what was expected, or how to begin one.
    """
    folder = (folder or Path()).resolve()
    path = folder / FILE
    if not path.is_file():
        raise UsageError(
            f"There is no {FILE} in {folder}.",
            "It says which exercises count, how much, and until when.",
            "Begin one with: grader class new",
        )
    try:
        return _course(folder, read(_File, tomllib.loads(path.read_text(encoding="utf-8-sig"))))
    except (SchemaError, tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as problem:
        raise UsageError(
            f"{path} cannot be read: {reason(problem)}.",
            "It is TOML in UTF-8, and docs/instructors/reference.md describes every key.",
            f"Edit {path}, then run the same command again",
        ) from problem


def folder_around(here: Path) -> Path | None:
    """The nearest folder with a ``course.toml``: ``here``, or one that it lies in."""
    here = here.resolve()
    return next((each for each in (here, *here.parents) if (each / FILE).is_file()), None)


def _course(folder: Path, file: _File) -> Course:
    zone = _zone(file.timezone)
    late = {**file.late}
    with _at(".late.budget_days"):
        late_days = read(Whole, late.pop("budget_days", 0))
    with _at(".late"):
        read(LatePolicy, late)
    if file.site and not file.site.startswith(("https://", "http://")):
        raise SchemaError("the address of the class's lessons, https://...", file.site, ".site")
    if not file.assignments:
        raise SchemaError("one table or more, as [assignments.03_fused_muladd]", {}, ".assignments")
    default = {"backend": file.backend, "takes": file.takes}
    assignments = {}
    for slug, table in file.assignments.items():
        with _at(f".assignments.{slug}"):
            assignments[slug] = _assignment(slug, default | table, late, zone)
    return Course(folder, file.title, zone, assignments, file.backend, late_days, file.site)


def _assignment(slug: str, table: dict[str, Any], late: dict[str, Any], zone: ZoneInfo) -> Assignment:
    """``table`` and its ``late``, with what the class has for all where they say nothing."""
    if not SLUG.match(slug):
        raise SchemaError("the whole name of an exercise, as 03_fused_muladd", slug)
    with _at(".late"):
        own = read(dict[str, Any], table.get("late", {}))
    assignment: Assignment = read(Assignment, table | {"exercise": slug, "late": late | own})
    return replace(assignment, due=aware(assignment.due, zone)) if assignment.due else assignment


def _zone(name: str) -> ZoneInfo:
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        raise SchemaError("a name of the IANA data base, as Europe/Berlin", name, ".timezone") from None


@contextmanager
def _at(step: str) -> Iterator[None]:
    """An error within is one of the key ``step``."""
    try:
        yield
    except SchemaError as error:
        raise error.within(step) from None
