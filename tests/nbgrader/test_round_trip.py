"""From the instructor's folder to a learner's and back, by nbgrader's own commands."""

from __future__ import annotations

import re
import shutil

from grader.instruct.course import marks_in, read_course
from grader.instruct.submissions import Submission
from grader.report.html import POLICY
from grader.verdict import CheckResult, ReportedFinding, Status
from tests.adversarial.lane import isolated
from tests.nbgrader.school import NOTEBOOK, SLUG, Class, a_verdict

HOSTILE = "error: expected <script>alert(1)</script> & 'so' on"


def test_from_release_to_feedback(toys: Class) -> None:
    _hand_in(toys)
    submission = _collected(toys)
    failed = CheckResult(
        "correctness",
        Status.FAIL,
        "Element 3 is wrong.",
        0.0,
        60.0,
        expected="1.0",
        got="0.0",
        lines=(HOSTILE,),
    )
    finding = ReportedFinding(
        "out_of_bounds", "Writes past the end.", "Stay inside.", "kernel.cu", 7, "y[i] = -x[i];"
    )
    second = ReportedFinding("leak", "4 bytes are never freed.", "Free what you allocate.", "kernel.cu", 9)
    unsafe = CheckResult("safety", Status.FAIL, "One finding.", 0.0, 20.0, findings=(finding, second))
    toys.decide(submission, a_verdict(correctness=failed, safety=unsafe))
    for command in ("AutogradeApp", "GenerateFeedbackApp", "ReleaseFeedbackApp"):
        toys.command(command, SLUG)
    toys.command("FetchFeedbackApp", SLUG, "--CourseDirectory.student_id=ada", at=toys.home)
    (page,) = (toys.home / SLUG / "feedback").rglob("*.html")
    text = page.read_text()
    for said in (
        "Element 3 is wrong.",
        "   7 │ y[i] = -x[i];",
        "Free what you allocate.",
        "20.0 / 100.0",
        "launch_negate",
    ):
        assert said in text
    assert '<span class="kr">__global__</span>' in text  # coloured as CUDA
    assert "<script>alert(1)" not in text and "&lt;script&gt;alert(1)" in text
    [mark] = [mark for mark in marks_in(read_course(toys.folder), toys.catalog) if mark.record]
    assert (mark.student, mark.assignment.exercise, mark.points) == ("ada", SLUG, 20.0)


def test_feedback_fetches_nothing_from_elsewhere(toys: Class) -> None:
    toys.decide(toys.submit("ada"), a_verdict())
    toys.autograde("ada")
    assert toys.api().generate_feedback(SLUG, "ada")["success"]
    page = toys.feedback("ada")
    assert page.index(POLICY) < page.index("<style")  # no script runs that a learner slipped in
    assert not re.findall(r"<(?:script|link|img|iframe)\b[^>]*\b(?:src|href)\s*=\s*[\"']?(?!data:)", page)
    assert not re.findall(r"@import|url\(\s*[\"']?https?:", page)


def test_one_without_a_timestamp_holds_nobodys_feedback_back(toys: Class) -> None:
    for student in ("ada", "zoe"):
        toys.decide(toys.submit(student), a_verdict())
    (toys.folder / "submitted" / "ada" / SLUG / "timestamp.txt").unlink()
    for student in ("ada", "zoe"):
        assert toys.autograde(student)["success"]
    for command in ("GenerateFeedbackApp", "ReleaseFeedbackApp"):
        (toys.top / "exchange" / "toys").mkdir(exist_ok=True)
        toys.command(command, SLUG)
    assert len(list((toys.top / "exchange" / "toys" / "feedback").glob("*.html"))) == 2
    with toys.gradebook() as book:
        assert book.find_submission(SLUG, "ada").total_seconds_late == 0


@isolated
def test_files_are_graded_now_where_no_verdict_is_there(toys: Class) -> None:
    """A real build in the sandbox, twice asked for: the second time it comes from the store."""
    toys.submit("ada", toys.solution().replace("if (i >= n) return;", ""))
    for _ in range(2):
        done = toys.autograde("ada")
        assert done["success"], done["log"]
    assert toys.grades("ada") == {
        "correctness": (60.0, False), "safety": (0.0, False), "device_work": (20.0, False)
    }  # fmt: skip
    assert "kernel.cu" in str(toys.cell("ada", "run-grader").outputs)
    assert len(list(toys.store.log.entries())) == 1


def _hand_in(toys: Class) -> None:
    """Release it, and do what a learner does with it."""
    toys.command("ReleaseAssignmentApp", SLUG)
    toys.command("FetchAssignmentApp", SLUG, at=toys.home)
    folder = toys.home / SLUG
    assert {path.name for path in folder.iterdir()} == {NOTEBOOK, "kernel.cu", "binding.cpp", "op.py"}
    (folder / "kernel.cu").write_text(toys.solution())
    toys.command("SubmitApp", SLUG, "--CourseDirectory.student_id=ada", at=toys.home)
    shutil.rmtree(folder)


def _collected(toys: Class) -> Submission:
    toys.command("CollectApp", SLUG)
    folder = toys.folder / "submitted" / "ada" / SLUG
    assert {"timestamp.txt", "submission_secret.txt"} <= {path.name for path in folder.iterdir()}
    return Submission("ada", SLUG, folder)
