"""Exercise 25 in a class: kernels in Triton from the notebook to the gradebook, without a GPU."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.nbgrader.demo_submissions import ROOT, hand_in, mistake, solution
from tests.nbgrader.school import Class

pytestmark = [
    pytest.mark.slow("grades a class"),
    pytest.mark.release("marks are the same for every language: those of the demo course are about CUDA"),
    pytest.mark.filterwarnings("ignore"),
]
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
    right, wrong = solution(exercise), mistake(exercise, MISTAKE)
    hostile = right | {"op.py": right["op.py"] + "\nimport os\nos.abort()\n"}
    handed_in = {"right": right, "wrong": wrong.files, "hostile": hostile}
    for student, files in handed_in.items():
        hand_in(school.folder, student, exercise, files)

    trust = shutil.which("bwrap") is None  # the submissions are our own
    options = GradeOptions(jobs=2, trust=trust)
    assert grade_class(MarksOptions(school.folder, ROOT, plain=True), options) == 0
    school.command("AutogradeApp", SLUG)

    verdicts = {student: school.verdict(student, exercise) for student in handed_in}
    with school.gradebook() as book:
        scores = {student: book.find_submission_notebook(SLUG, SLUG, student).score for student in handed_in}
    assert scores == {student: pytest.approx(verdict.earned) for student, verdict in verdicts.items()}
    ended = {check.name: check.status for check in verdicts["wrong"].checks}
    assert {name: ended[name] for name in wrong.ended} == wrong.ended
    assert scores["right"] == sum(exercise.scores_on("simt").values())
    assert 0 <= scores["wrong"] < scores["right"]
    assert scores["hostile"] == 0
