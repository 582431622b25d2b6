"""A class around the toy course, run by the real nbgrader; verdicts are put into the store by hand."""

from __future__ import annotations

import contextlib
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grader.course.catalog import Catalog
from grader.course.exercise import Exercise
from grader.course.workspace import without_markers
from grader.instruct.batch import batch_key
from grader.instruct.results import Record, ResultStore
from grader.instruct.submissions import Submission
from grader.verdict import CheckResult, Status, Verdict

SLUG = "00_negate"
NOTEBOOK = f"{SLUG}.ipynb"
FIRST, SECOND = "2026-10-01 12:00:00.000000 UTC", "2026-10-02 12:00:00.000000 UTC"


@dataclass
class Class:
    """``top`` holds the exercises in course/, the class in class/, and a learner's home."""

    top: Path

    @property
    def folder(self) -> Path:
        return self.top / "class"

    def begin(self, *slugs: str) -> None:
        """A course.toml with these assignments, or all exercises of the course."""
        chosen = slugs or [exercise.slug for exercise in self.catalog.exercises]
        tables = "".join(f"[assignments.{slug}]\n" for slug in chosen)
        self.folder.mkdir(exist_ok=True)
        (self.folder / "course.toml").write_text(f'title = "Toys"\n{tables}')

    @property
    def home(self) -> Path:
        return self.top / "home"

    @property
    def catalog(self) -> Catalog:
        return Catalog.open(self.top / "course")

    @property
    def exercise(self) -> Exercise:
        return self.catalog.find(SLUG)

    @property
    def store(self) -> ResultStore:
        return ResultStore(self.folder / "results")

    def config(self) -> Any:
        """What nbgrader_config.py says."""
        from traitlets.config.loader import PyFileConfigLoader

        config = PyFileConfigLoader("nbgrader_config.py", path=str(self.folder)).load_config()
        config.CourseDirectory.root = str(self.folder)
        return config

    def api(self) -> Any:
        from nbgrader.apps import NbGraderAPI

        return NbGraderAPI(config=self.config())

    def command(self, name: str, *arguments: str, at: Path | None = None) -> None:
        """`nbgrader NAME ARGUMENTS`, started where its settings are: in the class's folder, or ``at``."""
        from nbgrader import apps

        with contextlib.chdir(at or self.folder):
            app = getattr(apps, name)()
            app.initialize(list(arguments))
            app.start()

    def autograde(self, student: str, **options: Any) -> dict[str, Any]:
        result: dict[str, Any] = self.api().autograde(SLUG, student, **options)
        return result

    def graded(self, student: str, **options: Any) -> dict[str, tuple[float | None, bool]]:
        """What is in the gradebook after autograding, which must not fail."""
        done = self.autograde(student, **options)
        assert done["success"], done["log"]
        return self.grades(student)

    def gradebook(self) -> Any:
        from nbgrader.api import Gradebook

        return Gradebook(f"sqlite:///{self.folder}/gradebook.db")

    def grades(self, student: str) -> dict[str, tuple[float | None, bool]]:
        """By check: the automatic score, and whether a person has to look."""
        with self.gradebook() as book:
            grades = book.find_submission_notebook(SLUG, SLUG, student).grades
            return {
                each.name.removeprefix("check-"): (each.auto_score, each.needs_manual_grade)
                for each in grades
            }

    def solution(self, slug: str = SLUG) -> str:
        return without_markers((self.catalog.find(slug).solution_dir / "kernel.cu").read_text())

    def submit(self, student: str, kernel: str | None = None, *, at: str = FIRST) -> Submission:
        """A submission as collecting leaves it; ``kernel`` defaults to the solution."""
        folder = self.folder / "submitted" / student / SLUG
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        (folder / "kernel.cu").write_text(self.solution() if kernel is None else kernel)
        (folder / "timestamp.txt").write_text(at)
        shutil.copy(self.folder / "release" / SLUG / NOTEBOOK, folder)
        return Submission(student, SLUG, folder)

    def verdict(self, student: str, exercise: Exercise) -> Verdict:
        """What the batch has recorded of what was handed in."""
        submission = Submission(student, exercise.slug, self.folder / "submitted" / student / exercise.slug)
        record = self.store.find(batch_key(submission, exercise, "simt"))
        assert record is not None
        return record.verdict

    def decide(self, submission: Submission, verdict: Verdict) -> None:
        """Make ``verdict`` what is known about what ``submission`` holds now."""
        self.store.replace(Record.now(batch_key(submission, self.exercise, "simt"), verdict))

    def notebook(self, student: str, step: str = "autograded") -> Any:
        import nbformat

        return nbformat.read(self.folder / step / student / SLUG / NOTEBOOK, as_version=4)

    def cell(self, student: str, grade_id: str) -> Any:
        cells = self.notebook(student).cells
        return next(each for each in cells if each.metadata.get("nbgrader", {}).get("grade_id") == grade_id)

    def feedback(self, student: str) -> str:
        return (self.folder / "feedback" / student / SLUG / f"{SLUG}.html").read_text()


def a_verdict(**checks: Status | float | CheckResult) -> Verdict:
    """Passed, but for ``checks``: a status, the points of one that failed in part, or a whole result."""
    known = {"build": 0.0, "correctness": 60.0, "safety": 20.0, "device_work": 20.0}
    results = []
    for name, points in known.items():
        wanted = checks.get(name, Status.PASS)
        if isinstance(wanted, CheckResult):
            results.append(wanted)
        elif isinstance(wanted, Status):
            earned = points if wanted is Status.PASS else 0.0
            results.append(CheckResult(name, wanted, f"{name} ended as {wanted}.", earned, points))
        else:
            results.append(CheckResult(name, Status.FAIL, f"{name} in part.", wanted, points))
    return Verdict(SLUG, "Negate", "simt", 7, tuple(results))
