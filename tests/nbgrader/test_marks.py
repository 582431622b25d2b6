"""nbgrader autograde: what a verdict becomes in the gradebook, and what it survives."""

from __future__ import annotations

import math
from typing import Any

import pytest

from grader.errors import InfrastructureError
from grader.verdict import CheckResult, Status
from tests.nbgrader.school import SECOND, SLUG, Class, a_verdict


@pytest.fixture(autouse=True)
def no_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    """Autograding starts none: what a learner wrote into a notebook never runs."""

    def start(*arguments: Any, **options: Any) -> None:
        raise AssertionError("a kernel was started")

    manager = pytest.importorskip("jupyter_client.manager")
    monkeypatch.setattr(manager.AsyncKernelManager, "start_kernel", start)
    monkeypatch.setattr(manager.KernelManager, "start_kernel", start)


def graded(toys: Class, student: str, **options: Any) -> dict[str, tuple[float | None, bool]]:
    done = toys.autograde(student, **options)
    assert done["success"], done["log"]
    return toys.grades(student)


def test_points_are_those_of_the_verdict(toys: Class) -> None:
    toys.decide(toys.submit("ada"), a_verdict(correctness=13.5))
    expected = {"correctness": (13.5, False), "safety": (20.0, False), "device_work": (20.0, False)}
    assert graded(toys, "ada") == expected
    with toys.gradebook() as book:
        submission = book.find_submission(SLUG, "ada")
        assert (submission.score, submission.max_score) == (53.5, 100.0)


def test_earned_marks_survive_a_crash(toys: Class) -> None:
    toys.decide(toys.submit("ada"), a_verdict(safety=Status.CRASH, device_work=Status.CRASH))
    marks = graded(toys, "ada")
    assert marks == {"correctness": (60.0, False), "safety": (0.0, False), "device_work": (0.0, False)}


@pytest.mark.parametrize(
    ("points", "expected"), [(math.nan, 0.0), (-5.0, 0.0), (math.inf, 0.0), (1e-9, 0.0), (400.0, 20.0)]
)
def test_odd_numbers_never_become_full_marks_by_accident(
    toys: Class, monkeypatch: pytest.MonkeyPatch, points: float, expected: float
) -> None:
    from grader.instruct.nbgrader.injecting import InjectVerdict

    odd = a_verdict(safety=CheckResult("safety", Status.FAIL, "Odd.", points, 20.0))
    monkeypatch.setattr(InjectVerdict, "verdict", lambda self, work: odd)
    toys.submit("ada")
    assert graded(toys, "ada")["safety"] == (expected, False)
    output = toys.cell("ada", "check-safety").outputs[-1]
    assert output.data["text/plain"] == repr(expected)


def test_what_learners_print_costs_nothing(toys: Class) -> None:
    """nbgrader gives 0 to a cell with a line on stderr; what was printed is shown, and is no stream."""
    loud = CheckResult("safety", Status.PASS, "As asked.", 20.0, 20.0, lines=("stderr: Traceback",))
    toys.decide(toys.submit("ada"), a_verdict(safety=loud))
    assert graded(toys, "ada")["safety"] == (20.0, False)
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
    assert {points for points, _ in graded(toys, "eve").values()} == {0.0}


def test_a_fault_of_the_machine_is_left_to_a_person(toys: Class, monkeypatch: pytest.MonkeyPatch) -> None:
    from grader.instruct.nbgrader import injecting

    def no_sandbox(*arguments: Any, **options: Any) -> None:
        raise InfrastructureError(
            "There is no bubblewrap here.", "Strangers' code runs in it.", "Install it."
        )

    monkeypatch.setattr(injecting, "grade_one", no_sandbox)
    toys.submit("ada")
    assert set(graded(toys, "ada").values()) == {(None, True)}
    assert "There is no bubblewrap here." in str(toys.cell("ada", "run-grader").outputs)


@pytest.mark.parametrize("status", [Status.INFRA_ERROR, Status.INCONCLUSIVE, Status.UNAVAILABLE])
def test_what_could_not_be_judged_is_no_zero(toys: Class, status: Status) -> None:
    toys.decide(toys.submit("ada"), a_verdict(device_work=status))
    marks = graded(toys, "ada")
    assert marks == {"correctness": (60.0, False), "safety": (20.0, False), "device_work": (None, True)}


def test_a_resubmission_is_judged_anew(toys: Class) -> None:
    toys.decide(toys.submit("ada"), a_verdict())
    assert graded(toys, "ada")["correctness"] == (60.0, False)
    toys.decide(toys.submit("ada", "// worse\n", at=SECOND), a_verdict(correctness=Status.BUILD_ERROR))
    assert graded(toys, "ada", force=False)["correctness"] == (0.0, False)


def test_a_grade_does_not_survive_a_resubmission_whose_grading_breaks_off(
    toys: Class, monkeypatch: pytest.MonkeyPatch
) -> None:
    from grader.instruct.nbgrader.injecting import InjectVerdict

    def killed(self: InjectVerdict, work: object) -> None:
        raise RuntimeError("the disk is full")

    toys.decide(toys.submit("ada"), a_verdict())
    graded(toys, "ada")
    toys.submit("ada", "// worse\n", at=SECOND)
    monkeypatch.setattr(InjectVerdict, "verdict", killed)
    assert not toys.autograde("ada")["success"]
    assert set(toys.grades("ada").values()) == {(None, True)}
    with toys.gradebook() as book:
        assert book.find_submission(SLUG, "ada").score == 0


def test_a_grade_does_not_survive_a_resubmission_that_crashes(toys: Class) -> None:
    toys.decide(toys.submit("ada"), a_verdict())
    graded(toys, "ada")
    worse = toys.submit("ada", "// crashes\n", at=SECOND)
    crash = Status.CRASH
    toys.decide(worse, a_verdict(correctness=crash, safety=crash, device_work=crash))
    assert {points for points, _ in graded(toys, "ada").values()} == {0.0}


def test_an_untouched_stub_is_told_from_an_answer(toys: Class) -> None:
    stub = (toys.folder / "source" / SLUG / "kernel.cu").read_text()
    toys.decide(toys.submit("zoe", stub.replace("\n", "\r\n")), a_verdict(correctness=Status.NOT_ATTEMPTED))
    toys.decide(toys.submit("ada"), a_verdict())
    for student, comment in (("zoe", "No response."), ("ada", None)):
        graded(toys, student)
        with toys.gradebook() as book:
            assert book.find_comment("file-kernel-cu", SLUG, SLUG, student).auto_comment == comment


def test_a_comment_and_a_score_of_a_person_stay(toys: Class) -> None:
    toys.decide(toys.submit("ada"), a_verdict(correctness=13.5))
    graded(toys, "ada")
    with toys.gradebook() as book:
        book.find_comment("file-kernel-cu", SLUG, SLUG, "ada").manual_comment = "Neat."
        book.find_grade("check-correctness", SLUG, SLUG, "ada").manual_score = 33.0
        book.db.commit()
    assert graded(toys, "ada")["correctness"] == (13.5, True)
    with toys.gradebook() as book:
        assert book.find_submission(SLUG, "ada").score == 73.0
        assert book.find_comment("file-kernel-cu", SLUG, SLUG, "ada").comment == "Neat."


def test_files_are_shown_as_they_were_handed_in(toys: Class) -> None:
    toys.decide(toys.submit("ada", "// mine: ünï\n__global__ void k() {}\n"), a_verdict())
    graded(toys, "ada")
    source = toys.cell("ada", "file-kernel-cu").source
    assert source == "%%writefile kernel.cu\n// mine: ünï\n__global__ void k() {}"
    beside = toys.folder / "autograded" / "ada" / SLUG / "kernel.cu"
    assert beside.read_text().startswith("// mine")  # not the stub, which nbgrader would put there


def test_a_long_file_is_cut_where_it_is_shown(toys: Class) -> None:
    from grader.instruct.nbgrader.sanitizing import SHOWN

    toys.decide(toys.submit("ada", "x" * (SHOWN + 7)), a_verdict())
    graded(toys, "ada")
    assert toys.cell("ada", "file-kernel-cu").source.endswith("... 7 more characters are in kernel.cu")


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
    assert graded(toys, "ada")["correctness"] == (11.0, False)


def test_what_was_killed_halfway_is_done_again(toys: Class, capsys: pytest.CaptureFixture[str]) -> None:
    """nbgrader takes a folder that is there for one that is done, and would pass it over for ever."""
    import shutil

    from grader.cli.nbgrader import mend

    for student in ("ada", "zoe"):
        toys.decide(toys.submit(student), a_verdict())
        graded(toys, student)
    half = toys.folder / "autograded" / "ada" / SLUG
    (half / f"{SLUG}.ipynb").unlink()
    shutil.copy(toys.folder / "release" / SLUG / f"{SLUG}.ipynb", half)  # what the first half of it writes
    assert mend(toys.top / "course", toys.folder) == 0
    assert f"removed  {half}" in capsys.readouterr().out
    assert not half.exists() and (toys.folder / "autograded" / "zoe" / SLUG).is_dir()
    assert graded(toys, "ada", force=False)["correctness"] == (60.0, False)
    assert half.is_dir()


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
            handed.cells[-2].source = "Memory bandwidth."
            (submission.folder / f"{SLUG}.ipynb").write_text(nbformat.writes(handed))
    marks = {student: graded(toys, student) for student in ("ada", "zoe")}
    assert (marks["ada"]["why"], marks["zoe"]["why"]) == ((None, True), (0.0, False))
    assert marks["ada"]["review"] == (None, True)
    assert marks["ada"]["test"] == (None, True)
    assert marks["ada"]["correctness"] == (60.0, False)
    assert toys.cell("ada", "why").source == "Memory bandwidth."
    with toys.gradebook() as book:
        assert book.find_comment("why", SLUG, SLUG, "zoe").auto_comment == "No response."
        assert book.find_comment("why", SLUG, SLUG, "ada").auto_comment is None
