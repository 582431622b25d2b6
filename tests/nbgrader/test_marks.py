"""nbgrader autograde: what a verdict becomes in the gradebook."""

from __future__ import annotations

import math
from typing import Any

import pytest

from grader.support.errors import InfrastructureError
from grader.verdict import CheckResult, Status
from tests.nbgrader.school import SLUG, Class, a_verdict

pytestmark = pytest.mark.usefixtures("no_kernel")


def test_points_are_those_of_the_verdict(toys: Class) -> None:
    toys.decide(toys.submit("ada"), a_verdict(correctness=13.5))
    expected = {"correctness": (13.5, False), "safety": (20.0, False), "device_work": (20.0, False)}
    assert toys.graded("ada") == expected
    with toys.gradebook() as book:
        submission = book.find_submission(SLUG, "ada")
        assert (submission.score, submission.max_score) == (53.5, 100.0)


def test_earned_marks_survive_a_crash(toys: Class) -> None:
    toys.decide(toys.submit("ada"), a_verdict(safety=Status.CRASH, device_work=Status.CRASH))
    marks = toys.graded("ada")
    assert marks == {"correctness": (60.0, False), "safety": (0.0, False), "device_work": (0.0, False)}


@pytest.mark.parametrize(
    ("points", "expected"), [(math.nan, 0.0), (-5.0, 0.0), (math.inf, 0.0), (1e-9, 0.0), (400.0, 20.0)]
)
def test_odd_numbers_never_become_full_marks_by_accident(
    toys: Class, monkeypatch: pytest.MonkeyPatch, points: float, expected: float
) -> None:
    from grader.instruct.nbgrader.autograding import GradedNotebook

    odd = a_verdict(safety=CheckResult("safety", Status.FAIL, "Odd.", points, 20.0))
    monkeypatch.setattr(GradedNotebook, "verdict", lambda self, work: odd)
    toys.submit("ada")
    assert toys.graded("ada")["safety"] == (expected, False)
    output = toys.cell("ada", "check-safety").outputs[-1]
    assert output.data["text/plain"] == repr(expected)


def test_what_learners_print_costs_nothing(toys: Class) -> None:
    """nbgrader gives 0 to a cell with a line on stderr; what was printed is shown, and is no stream."""
    loud = CheckResult("safety", Status.PASS, "As asked.", 20.0, 20.0, lines=("stderr: Traceback",))
    toys.decide(toys.submit("ada"), a_verdict(safety=loud))
    assert toys.graded("ada")["safety"] == (20.0, False)
    kinds = {output.output_type for cell in toys.notebook("ada").cells for output in cell.get("outputs", [])}
    assert kinds == {"display_data", "execute_result"}


def test_outputs_that_were_handed_in_are_nobodys_marks(toys: Class) -> None:
    import nbformat
    from nbformat.v4 import new_output

    submission = toys.submit("eve")
    notebook = toys.notebook("eve", "submitted")
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs = [new_output("execute_result", {"text/plain": "nan"})]
    nbformat.write(notebook, submission.folder / f"{SLUG}.ipynb")
    toys.decide(submission, a_verdict(correctness=Status.FAIL, safety=Status.FAIL, device_work=Status.FAIL))
    assert {points for points, _ in toys.graded("eve").values()} == {0.0}


def test_a_fault_of_the_machine_is_left_to_a_person(toys: Class, monkeypatch: pytest.MonkeyPatch) -> None:
    from grader.instruct.nbgrader import autograding

    def no_sandbox(*arguments: Any, **options: Any) -> None:
        raise InfrastructureError(
            "There is no bubblewrap here.", "Strangers' code runs in it.", "Install it."
        )

    monkeypatch.setattr(autograding, "grade_one", no_sandbox)
    toys.submit("ada")
    assert set(toys.graded("ada").values()) == {(None, True)}
    assert "There is no bubblewrap here." in str(toys.cell("ada", "run-grader").outputs)


@pytest.mark.parametrize("status", [Status.INFRA_ERROR, Status.INCONCLUSIVE, Status.UNAVAILABLE])
def test_what_could_not_be_judged_is_no_zero(toys: Class, status: Status) -> None:
    toys.decide(toys.submit("ada"), a_verdict(device_work=status))
    marks = toys.graded("ada")
    assert marks == {"correctness": (60.0, False), "safety": (20.0, False), "device_work": (None, True)}


def test_files_are_shown_as_they_were_handed_in(toys: Class) -> None:
    toys.decide(toys.submit("ada", "// mine: ünï\n__global__ void k() {}\n"), a_verdict())
    toys.graded("ada")
    cell = toys.cell("ada", "file-kernel-cu")
    assert cell.source == "// mine: ünï\n__global__ void k() {}"  # line 1 is the first one, as verdicts count
    assert [output.data["text/plain"] for output in cell.outputs] == ["kernel.cu"]
    beside = toys.folder / "autograded" / "ada" / SLUG / "kernel.cu"
    assert beside.read_text().startswith("// mine")  # not the stub, which nbgrader would put there


def test_feedback_leads_to_the_site_of_the_class(toys: Class) -> None:
    (toys.folder / "course.toml").write_text(
        f'title = "Toys"\nsite = "https://gpu.example.org/101/"\n[assignments.{SLUG}]\n'
    )
    told = CheckResult(
        "safety", Status.FAIL, "kernel.cu:1: So.", 0.0, 20.0, lesson="docs/lessons/00.md#guard"
    )
    toys.decide(toys.submit("ada"), a_verdict(safety=told))
    toys.graded("ada")
    toys.command("GenerateFeedbackApp", SLUG)
    page = toys.feedback("ada")
    assert 'href="https://gpu.example.org/101/lessons/00/#guard"' in page
    assert "docs/lessons" not in page


def test_a_long_file_is_cut_where_it_is_shown(toys: Class) -> None:
    from grader.instruct.nbgrader.autograding import SHOWN

    toys.decide(toys.submit("ada", "x" * (SHOWN + 7)), a_verdict())
    toys.graded("ada")
    assert toys.cell("ada", "file-kernel-cu").source.endswith("... 7 more characters are in kernel.cu")


def test_parts_are_one_cell() -> None:
    from dataclasses import replace

    from grader.instruct.nbgrader.scores import score_of

    checks = (
        CheckResult("build", Status.PASS, "Built."),
        CheckResult("muladd", Status.PASS, "Right.", 10.0, 10.0),
        CheckResult("mix", Status.FAIL, "Wrong.", 0.0, 30.0),
        CheckResult("answers", Status.PASS, "All right.", 20.0, 20.0),
    )
    verdict = replace(a_verdict(), checks=checks)
    score = score_of(verdict, "parts", 80.0)
    assert (score.points, score.judged) == (20.0, True)
    assert score.lines == ("muladd: Right.", "mix: Wrong.")
    assert score_of(verdict, "answers", 20.0).points == 20.0
    assert not score_of(verdict, "gradient", 20.0).judged
