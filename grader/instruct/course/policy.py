"""The policy of a class: weights, deadlines and late penalties of its assignments."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Annotated, Literal
from zoneinfo import ZoneInfo

from grader.course.catalog import Catalog, Exercise
from grader.support.backends import Backend
from grader.support.errors import UnknownExercise, UsageError
from grader.support.schema import ADDED_LATER, Bounds, NonNegative, Whole, key

Takes = Literal["last", "best"]  # which of several submissions the mark comes from
FILE = "course.toml"
# Of record, where nothing says another: every machine has it, so a mark depends on none.
DEFAULT_BACKEND: Backend = "simt"


@dataclass(frozen=True)
class LatePolicy:
    """``per_day``: percent of ``of`` that each late day costs which the budget does not cover.

    Up to ``grace`` after the deadline nothing is late; beyond it, days count from the deadline. After
    ``most_days`` late days nothing is accepted; None accepts whatever comes. ``budget``: whether late days
    may be paid from the student's budget of the term.
    """

    grace_minutes: NonNegative = field(default=0.0, metadata=ADDED_LATER)
    per_day: Annotated[float, Bounds(0, 100)] = field(
        default=0.0, metadata=key("penalty_per_day") | ADDED_LATER
    )
    of: Literal["earned", "possible"] = field(default="earned", metadata=key("penalty_of") | ADDED_LATER)
    most_days: Whole | None = field(default=None, metadata=ADDED_LATER)
    budget: bool = field(default=True, metadata=ADDED_LATER)

    @property
    def grace(self) -> timedelta:
        return timedelta(minutes=self.grace_minutes)


@dataclass(frozen=True)
class Assignment:
    """One exercise as part of a course; ``due`` is aware, or None where it may come at any time."""

    exercise: str
    backend: Backend
    takes: Takes = "last"
    weight: NonNegative = field(default=1.0, metadata=ADDED_LATER)
    due: datetime | None = field(default=None, metadata=ADDED_LATER)
    late: LatePolicy = LatePolicy()


@dataclass(frozen=True)
class Course:
    """``course.toml``. ``late_days``: how many each student may be late in the term without a penalty.

    ``site`` is the address of the lessons for this class, or "".
    """

    folder: Path
    title: str
    zone: ZoneInfo
    assignments: dict[str, Assignment]
    backend: Backend = DEFAULT_BACKEND
    late_days: int = 0
    site: str = ""

    @property
    def file(self) -> Path:
        return self.folder / FILE

    @property
    def submissions(self) -> Path:
        return self.folder / "submitted"

    @property
    def results(self) -> Path:
        return self.folder / "results"

    @property
    def gradebook(self) -> Path:
        """nbgrader's."""
        return self.folder / "gradebook.db"

    def backend_of(self, slug: str) -> Backend:
        """The backend of record: the one that marks come from, whatever a learner has at home."""
        assignment = self.assignments.get(slug)
        return assignment.backend if assignment else self.backend

    def exercises(self, catalog: Catalog) -> list[Exercise]:
        """The exercises that are assignments here, in the order of ``course.toml``.

        Raises UsageError for one that the catalog does not have.
        """
        return [self._find(catalog, slug) for slug in self.assignments]

    def _find(self, catalog: Catalog, slug: str) -> Exercise:
        try:
            return catalog.find(slug)
        except UnknownExercise as unknown:
            raise UsageError(
                f"{self.file} has an assignment {slug!r}, and {catalog.course} no such exercise.",
                unknown.rule,
                "Correct the name. All names: grader list",
            ) from unknown
