"""How fast nbgrader enters verdicts into its gradebook: a class whose submissions are graded already.

What is measured is `nbgrader autograde` of a whole class in one process, from its start to its end, with
every verdict in the store of results, as `grader class grade` leaves it. No code that was handed in runs.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from record import REPOSITORY, arguments, report, table

sys.path.insert(0, str(REPOSITORY))

from grader.cli.nbgrader import build
from grader.course.catalog import Catalog, Exercise
from grader.course.workspace import without_markers
from grader.instruct.batch import batch_key
from grader.instruct.results import Record, ResultStore
from grader.instruct.submissions import Submission
from grader.verdict import CheckResult, ReportedFinding, Status, Verdict

EXERCISE = "03_fused_muladd"
NEEDED = 8.0  # submissions a second


def main() -> None:
    """Build a class of the size asked for, autograde it twice, and print the rates."""
    options = arguments(__doc__)
    options.add_argument("--students", type=int, default=200)
    chosen = options.parse_args()
    exercise = Catalog.open(REPOSITORY).find(EXERCISE)
    with tempfile.TemporaryDirectory(prefix="cu2grad-bench-") as scratch:
        folder = Path(scratch)
        with contextlib.redirect_stdout(None):
            (folder / "course.toml").write_text(f'title = "Many"\n[assignments.{EXERCISE}]\n')
            build([EXERCISE], REPOSITORY, folder)
        _nbgrader("GenerateAssignmentApp", folder)
        _hand_in(folder, exercise, chosen.students)
        rows = []
        for what, extra in (("first time", ()), ("again, with --force", ("--force",))):
            begun, worked = time.perf_counter(), time.process_time()
            _nbgrader("AutogradeApp", folder, *extra)
            seconds, worked = time.perf_counter() - begun, time.process_time() - worked
            rate = f"{chosen.students / seconds:.1f}"
            rows.append((what, chosen.students, f"{seconds:.1f}", f"{worked:.1f}", rate))
        entered = _entered(folder)
    if entered != chosen.students:
        sys.exit(f"{entered} of {chosen.students} submissions have their points: the figures mean nothing.")
    load = f"Load average when it ended: {os.getloadavg()[0]:.1f}. Asked for: {NEEDED:.0f} a second."
    header = ("nbgrader autograde", "submissions", "seconds", "of these on a core", "a second")
    report("Entering verdicts into nbgrader's gradebook", f"{table(header, rows)}\n\n{load}", chosen.record)


def _nbgrader(app: str, folder: Path, *extra: str) -> None:
    from nbgrader import apps

    with contextlib.chdir(folder):
        command: Any = getattr(apps, app)()
        command.initialize([EXERCISE, "--Application.log_level=ERROR", *extra])
        command.start()


def _hand_in(folder: Path, exercise: Exercise, students: int) -> None:
    """Everybody hands in something else; half of it fails a check, with findings to be shown."""
    store = ResultStore(folder / "results")
    files = {name: without_markers((exercise.solution_dir / name).read_text()) for name in exercise.edit}
    for number in range(students):
        place = folder / "submitted" / f"student{number:03d}" / EXERCISE
        place.mkdir(parents=True)
        shutil.copy(folder / "release" / EXERCISE / f"{EXERCISE}.ipynb", place)
        (place / "timestamp.txt").write_text("2026-10-01 12:00:00.000000 UTC")
        for name, text in files.items():
            comment = "#" if name.endswith(".py") else "//"
            (place / name).write_text(f"{comment} by student {number}\n{text}")
        key = batch_key(Submission(place.parent.name, EXERCISE, place), exercise, "simt")
        store.keep(Record.now(key, _verdict(exercise, passed=number % 2 == 0)))


def _verdict(exercise: Exercise, passed: bool) -> Verdict:
    finding = ReportedFinding(
        "out_of_bounds", "Reads past the end of `a`.", "Stay inside.", "kernel.cu", 26, "a[i]"
    )
    checks = [CheckResult("build", Status.PASS, "Built.")]
    for name, points in exercise.scores_on("simt").items():
        if name == "safety" and not passed:
            checks.append(
                CheckResult(name, Status.FAIL, "29 findings.", 0.0, points, findings=(finding,) * 29)
            )
        else:
            checks.append(CheckResult(name, Status.PASS, "As asked.", points, points))
    return Verdict(exercise.slug, exercise.title, "simt", 1, tuple(checks))


def _entered(folder: Path) -> int:
    """How many submissions have the points that their verdict says."""
    from nbgrader.api import Gradebook

    with Gradebook(f"sqlite:///{folder}/gradebook.db") as book:
        scores = {each.student_id: each.score for each in book.assignment_submissions(EXERCISE)}
        most = book.find_assignment(EXERCISE).max_score
    return sum(
        score == (most if int(student.removeprefix("student")) % 2 == 0 else most - 10)
        for student, score in scores.items()
    )


if __name__ == "__main__":
    main()
