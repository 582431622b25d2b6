"""Exercise 25 in a class: kernels in Triton from the notebook to the gradebook, without a GPU."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from grader.course.mutants import load_mutants
from grader.course.workspace import without_markers
from grader.instruct.batch import batch_key
from grader.instruct.submissions import Submission
from grader.verdict import Status
from tests.nbgrader.demo_submissions import ROOT, TIMESTAMP
from tests.nbgrader.school import Class

pytestmark = [pytest.mark.slow("grades a class"), pytest.mark.filterwarnings("ignore")]
SLUG = "25_triton"
MISTAKE = "sums in half precision"


def test_marks_for_triton_reach_the_gradebook(tmp_path: Path) -> None:
    for package in ("nbgrader", "triton"):
        pytest.importorskip(package, reason=f"{package} is not installed: pip install 'cu2grad[test]'")
    from grader.cli.grade_class import GradeOptions, grade_class
    from grader.cli.nbgrader import build
    from grader.cli.term import MarksOptions

    school = Class(tmp_path)
    (school.top / "course").symlink_to(ROOT)
    school.begin(SLUG)
    build((SLUG,), ROOT, school.folder)
    assert school.api().generate_assignment(SLUG)["success"]
    exercise = school.catalog.find(SLUG)
    right = {name: without_markers((exercise.solution_dir / name).read_text()) for name in exercise.edit}
    mistake = next(each for each in load_mutants(exercise) if each.name == MISTAKE)
    master = (exercise.solution_dir / mistake.file).read_text()
    wrong = right | {mistake.file: without_markers(master.replace(mistake.find, mistake.replace))}
    hostile = right | {"op.py": right["op.py"] + "\nimport os\nos.abort()\n"}
    handed_in = {"right": right, "wrong": wrong, "hostile": hostile}
    for student, files in handed_in.items():
        place = school.folder / "submitted" / student / SLUG
        place.mkdir(parents=True)
        shutil.copy(school.folder / "release" / SLUG / f"{SLUG}.ipynb", place)
        (place / "timestamp.txt").write_text(TIMESTAMP)
        for name, text in files.items():
            (place / name).write_text(text)

    trust = shutil.which("bwrap") is None  # the submissions are our own
    options = GradeOptions(jobs=2, trust=trust)
    assert grade_class(MarksOptions(school.folder, ROOT, plain=True), options) == 0
    school.command("AutogradeApp", SLUG)

    scores = {}
    with school.gradebook() as book:
        for student in handed_in:
            submission = Submission(student, SLUG, school.folder / "submitted" / student / SLUG)
            record = school.store.find(batch_key(submission, exercise, "simt"))
            assert record is not None
            scores[student] = book.find_submission_notebook(SLUG, SLUG, student).score
            assert scores[student] == pytest.approx(record.verdict.earned)
            if student == "wrong":
                ended = {check.name: check.status for check in record.verdict.checks}
                assert ended[mistake.caught_by] is Status.FAIL
    assert scores["right"] == sum(exercise.scores_on("simt").values())
    assert 0 <= scores["wrong"] < scores["right"]
    assert scores["hostile"] == 0
