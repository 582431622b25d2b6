"""nbgrader autograde a second time, after a failure, and beside what people entered or added."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from grader.verdict import Status
from tests.nbgrader.school import NOTEBOOK, SECOND, SLUG, Class, a_verdict

pytestmark = pytest.mark.usefixtures("no_kernel")
# What a browser would run or fetch, if a written answer were taken for HTML.
SLIPPED_IN = "<img src=x onerror=evil()> <script>steal()</script> <!-- evil -->"


def test_a_resubmission_is_judged_anew(toys: Class) -> None:
    toys.decide(toys.submit("ada"), a_verdict())
    assert toys.graded("ada")["correctness"] == (60.0, False)
    toys.decide(toys.submit("ada", "// worse\n", at=SECOND), a_verdict(correctness=Status.BUILD_ERROR))
    assert toys.graded("ada", force=False)["correctness"] == (0.0, False)


def test_a_grade_does_not_survive_a_resubmission_whose_grading_breaks_off(
    toys: Class, monkeypatch: pytest.MonkeyPatch
) -> None:
    from grader.instruct.nbgrader.autograding import GradedNotebook

    def killed(self: GradedNotebook, work: object) -> None:
        raise RuntimeError("the disk is full")

    toys.decide(toys.submit("ada"), a_verdict())
    toys.graded("ada")
    toys.submit("ada", "// worse\n", at=SECOND)
    monkeypatch.setattr(GradedNotebook, "verdict", killed)
    assert not toys.autograde("ada")["success"]
    assert set(toys.grades("ada").values()) == {(None, True)}
    with toys.gradebook() as book:
        assert book.find_submission(SLUG, "ada").score == 0


def test_a_grade_does_not_survive_a_resubmission_that_crashes(toys: Class) -> None:
    toys.decide(toys.submit("ada"), a_verdict())
    toys.graded("ada")
    worse = toys.submit("ada", "// crashes\n", at=SECOND)
    crash = Status.CRASH
    toys.decide(worse, a_verdict(correctness=crash, safety=crash, device_work=crash))
    assert {points for points, _ in toys.graded("ada").values()} == {0.0}


def test_what_was_killed_halfway_is_done_again_by_force(toys: Class) -> None:
    """nbgrader takes a folder that is there for one that is done."""
    toys.decide(toys.submit("ada"), a_verdict())
    toys.graded("ada")
    half = toys.folder / "autograded" / "ada" / SLUG / NOTEBOOK
    shutil.copy(toys.folder / "release" / SLUG / NOTEBOOK, half)  # what the first half of it writes
    assert toys.graded("ada", force=True)["correctness"] == (60.0, False)
    assert toys.cell("ada", "check-correctness").outputs


REPOSITORY = Path(__file__).parents[2]
SLEEPS = """
import pathlib, time
from grader.instruct.nbgrader.autograding import GradedNotebook

def sleep(self, work):
    pathlib.Path("asleep").touch()
    time.sleep(600)

GradedNotebook.verdict = sleep
"""


def test_kill_minus_nine(toys: Class) -> None:
    """The real thing, while a resubmission is graded: no earlier mark is left, and none is lost for good."""
    toys.decide(toys.submit("ada"), a_verdict())
    toys.graded("ada")
    toys.decide(toys.submit("ada", "// better\n", at=SECOND), a_verdict(correctness=42.0))
    config = toys.folder / "nbgrader_config.py"
    settings = config.read_text()
    config.write_text(settings + SLEEPS)
    command = [sys.executable, "-W", "ignore", "-m", "nbgrader", "autograde", SLUG]
    running = subprocess.Popen(
        command, cwd=toys.folder, env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        while running.poll() is None and not (toys.folder / "asleep").exists():
            time.sleep(0.05)
    finally:
        running.kill()
    assert running.wait() == -signal.SIGKILL
    assert set(toys.grades("ada").values()) == {(None, True)}
    config.write_text(settings)
    toys.graded("ada", force=False)
    assert set(toys.grades("ada").values()) == {(None, True)}  # nbgrader takes it for done
    assert toys.graded("ada", force=True)["correctness"] == (42.0, False)


def test_a_verdict_of_a_gpu_counts_where_there_is_none(toys: Class, monkeypatch: pytest.MonkeyPatch) -> None:
    """Graded on a cluster, entered into the gradebook at a desk; the newest of several models counts."""
    from dataclasses import replace

    from grader.instruct.batch import batch_key, grading
    from grader.instruct.results import Record

    (toys.folder / "course.toml").write_text('title = "Toys"\nbackend = "cuda"\n[assignments.00_negate]\n')
    monkeypatch.setattr(grading, "visible_gpus", lambda: ())
    submission = toys.submit("ada")
    key = batch_key(submission, toys.exercise, "cuda")
    for model, points, when in (("H200", 11.0, "2026-10-03"), ("A100", 22.0, "2026-10-02")):
        record = Record(replace(key, device=model), a_verdict(correctness=points), when, "node7")
        toys.store.keep(record)
        toys.store.log.append(record, "pseudonym")
    assert toys.graded("ada")["correctness"] == (11.0, False)


def test_a_comment_and_a_score_of_a_person_stay(toys: Class) -> None:
    toys.decide(toys.submit("ada"), a_verdict(correctness=13.5))
    toys.graded("ada")
    with toys.gradebook() as book:
        book.find_comment("file-kernel-cu", SLUG, SLUG, "ada").manual_comment = "Neat."
        book.find_grade("check-correctness", SLUG, SLUG, "ada").manual_score = 33.0
        book.db.commit()
    assert toys.graded("ada")["correctness"] == (13.5, True)
    with toys.gradebook() as book:
        assert book.find_submission(SLUG, "ada").score == 73.0
        assert book.find_comment("file-kernel-cu", SLUG, SLUG, "ada").comment == "Neat."


def test_questions_of_an_instructors_own_are_kept_for_a_person(toys: Class) -> None:
    """An essay, a review and a test beside the checks: answers are taken from what was handed in, and no
    test is run, which nbgrader would give full marks for.
    """
    import nbformat
    from nbformat.v4 import new_code_cell, new_markdown_cell

    def facts(name: str, **kinds: bool) -> dict[str, Any]:
        chosen = {"grade": False, "solution": False, "locked": False, "task": False} | kinds
        return {"nbgrader": {"schema_version": 3, "grade_id": name, "points": 5, **chosen}}

    path = toys.folder / "source" / SLUG / f"{SLUG}.ipynb"
    source = nbformat.read(path, as_version=4)
    source.cells.append(new_markdown_cell("Why?", metadata=facts("why", grade=True, solution=True)))
    source.cells.append(new_markdown_cell("Review.", metadata=facts("review", task=True, locked=True)))
    source.cells.insert(1, new_code_cell("assert 1 == 2", metadata=facts("test", grade=True, locked=True)))
    path.write_text(nbformat.writes(source))
    assert toys.api().generate_assignment(SLUG)["success"]
    for student in ("ada", "zoe"):
        submission = toys.submit(student)
        toys.decide(submission, a_verdict())
        if student == "ada":
            handed = toys.notebook("ada", "submitted")
            handed.cells[-2].source = f"Memory bandwidth, `k<<<grid, block>>>`. {SLIPPED_IN}"
            (submission.folder / f"{SLUG}.ipynb").write_text(nbformat.writes(handed))
    marks = {student: toys.graded(student) for student in ("ada", "zoe")}
    assert (marks["ada"]["why"], marks["zoe"]["why"]) == ((None, True), (0.0, False))
    assert marks["ada"]["review"] == (None, True)
    assert marks["ada"]["test"] == (None, True)
    assert marks["ada"]["correctness"] == (60.0, False)
    answer = toys.cell("ada", "why").source
    assert answer.replace("\u200b", "") == f"Memory bandwidth, `k<<<grid, block>>>`. {SLIPPED_IN}"
    assert toys.api().generate_feedback(SLUG, "ada")["success"]
    page = toys.feedback("ada")
    assert "Memory bandwidth" in page and not re.search(r"<(img|script|!--)[^>]*(evil|steal)", page)
    with toys.gradebook() as book:
        assert book.find_comment("why", SLUG, SLUG, "zoe").auto_comment == "No response."
        assert book.find_comment("why", SLUG, SLUG, "ada").auto_comment is None


def test_an_assignment_that_is_no_exercise_is_left_to_nbgrader(toys: Class) -> None:
    """Its notebook is executed: here it fails, since no kernel may start."""
    from nbformat.v4 import new_code_cell, new_notebook

    from grader.instruct.nbgrader.notebook import as_text

    facts = {"schema_version": 3, "grade": True, "solution": False, "locked": True, "task": False,
             "grade_id": "one", "points": 1}  # fmt: skip
    essay = as_text(new_notebook(cells=[new_code_cell("assert True", metadata={"nbgrader": facts})]))
    for step in ("source", "submitted/ada"):
        place = toys.folder / step / "essay" / "essay.ipynb"
        place.parent.mkdir(parents=True)
        place.write_text(essay)
    assert toys.api().generate_assignment("essay")["success"]
    done = toys.api().autograde("essay", "ada")
    assert not done["success"]
    assert "a kernel was started" in done["log"]
    place.write_text(essay.replace('"schema_version": 3', '"schema_version": 99'))
    assert "SchemaTooNewError" in toys.api().autograde("essay", "ada")["error"]
