"""`pytest exercises/...`: one item for each check, graded once, failing with the sentences of the verdict."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from grader import checks, progress
from grader.catalog import Catalog, Exercise
from grader.cli import checking
from grader.cli.pytest_items import _limits_changes
from grader.verdict import NOT_JUDGED, CheckResult, Status, Verdict

pytest_plugins = ["pytester"]
ROOT = Path(__file__).resolve().parents[2]
CONFTEST = ROOT / "exercises" / "conftest.py"


class PretendedGrader:
    """Gives every check of an exercise a pass, but for ``results``, and counts how often it is asked."""

    def __init__(self) -> None:
        self.results: dict[str, CheckResult] = {}
        self.graded: list[str] = []

    def __call__(self, exercise: Exercise, files: Path, **options: Any) -> Verdict:
        self.graded.append(exercise.slug)
        results = [CheckResult(name, Status.PASS, "All right.") for name in ("build", *exercise.scores)]
        checks = tuple(self.results.pop(each.name, each) for each in results)
        return Verdict(exercise.slug, exercise.title, "simt", 7, (*self.results.values(), *checks))


@pytest.fixture
def pretended(monkeypatch: pytest.MonkeyPatch) -> PretendedGrader:
    grader = PretendedGrader()
    monkeypatch.setattr(checks, "grade", grader)
    monkeypatch.setattr(checking, "found_backend", lambda: "simt")
    return grader


Run = Callable[..., pytest.RunResult]


@pytest.fixture
def run(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs pytest in a copy of the toy course, as a learner would."""
    shutil.copytree(ROOT / "tests/toy_course", pytester.path, dirs_exist_ok=True)
    shutil.copy(CONFTEST, pytester.path / "exercises")
    pytester.makeini("[pytest]\n")
    return lambda *arguments: pytester.runpytest_inprocess("-rs", *arguments)


def test_each_check_is_an_item(run: Run, pretended: PretendedGrader) -> None:
    result = run("exercises/01_muladd", "--collect-only", "-q")
    names = ("todo", "build", "correctness", "gradient", "safety", "device_work")
    ids = [line for line in result.outlines if "::" in line]
    assert ids == [f"exercises/01_muladd/kernel.cu::{name}" for name in names]
    assert pretended.graded == []


def test_an_exercise_is_graded_once_and_its_verdict_is_kept(
    run: Run, pretended: PretendedGrader, pytester: pytest.Pytester
) -> None:
    run("exercises").assert_outcomes(passed=5 + 6)
    assert pretended.graded == ["00_negate", "01_muladd"]
    record = progress.load_record(Catalog.open(pytester.path).find("00"))
    assert record is not None and record.passed


def test_one_check_can_be_chosen(run: Run, pretended: PretendedGrader) -> None:
    run("exercises/01_muladd", "-k", "gradient").assert_outcomes(passed=1, deselected=5)
    assert pretended.graded == ["01_muladd"]


def test_a_failure_is_the_sentence_of_the_verdict_without_a_traceback(
    run: Run, pretended: PretendedGrader
) -> None:
    pretended.results["gradient"] = CheckResult(
        "gradient", Status.FAIL, "grad_b is wrong at (0, 3).", 0, 30, lines=("a = 2.0",), lesson="docs/x.md#y"
    )
    result = run("exercises/01_muladd")
    result.assert_outcomes(passed=5, failed=1)
    result.stdout.fnmatch_lines(
        [
            "*01_muladd: gradient*",
            "Gradient failed, 0 of 30 points. grad_b is wrong at (0, 3).",
            "  a = 2.0",
            "  Read docs/x.md#y",
        ],
        consecutive=True,
    )
    result.stdout.no_fnmatch_line("*pytest_items.py*")


def test_what_cannot_be_judged_here_is_skipped_with_the_reason(run: Run, pretended: PretendedGrader) -> None:
    pretended.results["safety"] = CheckResult("safety", Status.UNAVAILABLE, "Needs the simulated GPU.")
    result = run("exercises/01_muladd")
    result.assert_outcomes(passed=5, skipped=1)
    result.stdout.fnmatch_lines(["SKIPPED*Needs the simulated GPU."])


def test_a_check_that_the_build_prevents_fails_with_the_builds_reason(
    run: Run, pretended: PretendedGrader
) -> None:
    left = f"{NOT_JUDGED}: it does not build."
    pretended.results = {
        "build": CheckResult(
            "build", Status.BUILD_ERROR, "It does not compile.", lines=("kernel.cu:3: error",)
        ),
        "gradient": CheckResult("gradient", Status.BUILD_ERROR, left, 0, 30),
    }
    result = run("exercises/01_muladd", "-k", "gradient")
    result.assert_outcomes(failed=1, deselected=5)
    result.stdout.fnmatch_lines(
        [
            f"Gradient failed, 0 of 30 points. {left}",
            "Build failed. It does not compile.",
            "  kernel.cu:3: error",
        ],
        consecutive=True,
    )


def test_an_open_todo_fails_the_item_of_that_name(run: Run, pretended: PretendedGrader) -> None:
    pretended.results["todo"] = CheckResult("todo", Status.NOT_ATTEMPTED, "TODO(element) is still open.")
    result = run("exercises/01_muladd")
    result.assert_outcomes(passed=5, failed=1)
    result.stdout.fnmatch_lines(["TODO(element) is still open."])


def test_tests_that_a_learner_writes_are_not_collected(run: Run, pretended: PretendedGrader) -> None:
    Path("exercises/01_muladd/test_op.py").write_text("def test_mine():\n    assert False\n")
    Path("exercises/test_beside.py").write_text("def test_beside():\n    pass\n")
    run("exercises").assert_outcomes(passed=5 + 6 + 1)


def test_collecting_the_course_imports_no_torch() -> None:
    program = (
        "import sys, pytest; code = pytest.main(['--collect-only', '-q', 'exercises']); "
        "sys.exit(int(code) or 100 * ('torch' in sys.modules))"
    )
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    for exercise in Catalog.open(ROOT).exercises:
        for name in ("todo", "build", *exercise.scores):
            assert f"exercises/{exercise.slug}/" in done.stdout
            assert f"::{name}" in done.stdout


def test_a_repair_has_an_item_for_its_extent(toy_catalog: Catalog) -> None:
    exercise = toy_catalog.find("01")
    assert not _limits_changes(exercise)
    assert _limits_changes(replace(exercise, elsewhere=0))
