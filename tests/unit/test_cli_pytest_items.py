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

from grader import checks
from grader.cli.pytest_items import _limits_changes
from grader.compilation import devices
from grader.course import progress
from grader.course.catalog import Catalog, Exercise
from grader.support.errors import ToolchainError
from grader.verdict import NOT_JUDGED, CheckResult, Status, Verdict

pytest_plugins = ["pytester"]
ROOT = Path(__file__).resolve().parents[2]
CONFTEST = ROOT / "exercises" / "conftest.py"


class PretendedGrader:
    """Gives every check of an exercise a pass, but for ``results``, and counts how often it is asked."""

    def __init__(self) -> None:
        self.results: dict[str, CheckResult] = {}
        self.graded: list[str] = []
        self.error: Exception | None = None

    def __call__(self, exercise: Exercise, files: Path, **options: Any) -> Verdict:
        self.graded.append(exercise.slug)
        if self.error is not None:
            raise self.error
        results = [CheckResult(name, Status.PASS, "All right.") for name in ("build", *exercise.scores)]
        checks = tuple(self.results.pop(each.name, each) for each in results)
        return Verdict(exercise.slug, exercise.title, "simt", 7, (*self.results.values(), *checks))


@pytest.fixture
def pretended(monkeypatch: pytest.MonkeyPatch) -> PretendedGrader:
    grader = PretendedGrader()
    monkeypatch.setattr(checks, "grade", grader)
    monkeypatch.setattr(devices, "detect_backend", lambda: "simt")
    return grader


Run = Callable[..., pytest.RunResult]
MULADD = ("todo", "build", "correctness", "gradient", "safety", "device_work")
SUITE = "def test_mine():\n    pass\n"
COUNTING = """\
from pathlib import Path

from grader import checks
from grader.verdict import CheckResult, Status, Verdict


def grade(exercise, files, **options):
    with Path(__file__).with_name("graded.txt").open("a") as graded:
        graded.write(f"{exercise.slug}\\n")
    results = [CheckResult(name, Status.PASS, "All right.") for name in ("build", *exercise.scores)]
    return Verdict(exercise.slug, exercise.title, "simt", 7, tuple(results))


checks.grade = grade
"""


def ids_in(result: pytest.RunResult) -> list[str]:
    return [line for line in result.outlines if "::" in line]


@pytest.fixture
def run(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs pytest in a copy of the toy course, as a learner would."""
    shutil.copytree(ROOT / "tests/toy_course", pytester.path, dirs_exist_ok=True)
    shutil.copy(CONFTEST, pytester.path / "exercises")
    pytester.makeini("[pytest]\n")
    return lambda *arguments: pytester.runpytest_inprocess("-rs", *arguments)


def test_each_check_is_an_item(run: Run, pretended: PretendedGrader) -> None:
    result = run("exercises/01_muladd", "--collect-only", "-q")
    assert ids_in(result) == [f"exercises/01_muladd/kernel.cu::{name}" for name in MULADD]
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


def test_an_error_fails_each_item_with_its_sentences_and_is_met_once(
    run: Run, pretended: PretendedGrader
) -> None:
    pretended.error = ToolchainError("There is no ninja.", "Builds need it.", "Run: pip install ninja")
    result = run("exercises/01_muladd")
    result.assert_outcomes(failed=6)
    said = ["There is no ninja.", "Builds need it.", "Run: pip install ninja"]
    result.stdout.fnmatch_lines(6 * ["*01_muladd: *", *said])
    result.stdout.no_fnmatch_line("*pytest_items.py*")
    assert pretended.graded == ["01_muladd"]


def test_a_fault_of_the_grader_shows_its_traceback_and_is_met_once(
    run: Run, pretended: PretendedGrader
) -> None:
    pretended.error = ZeroDivisionError("of the grader")
    result = run("exercises/01_muladd")
    result.assert_outcomes(failed=6)
    result.stdout.fnmatch_lines(
        6 * ["*pytest_items.py:*", "E *ZeroDivisionError: of the grader", "E *failed on 01_muladd."]
    )
    assert pretended.graded == ["01_muladd"]


def test_an_exercise_that_cannot_be_read_leaves_the_others(run: Run, pretended: PretendedGrader) -> None:
    Path("exercises/00_negate/exercise.toml").write_text("edit = 3\n")
    for arguments in (["exercises"], ["exercises/00_negate/kernel.cu", "exercises/01_muladd"]):
        result = run("--continue-on-collection-errors", *arguments)
        result.assert_outcomes(passed=6, errors=1)
        result.stdout.fnmatch_lines(
            [
                "*ERROR collecting exercises/00_negate/*",
                "*exercises/00_negate/exercise.toml: edit is 3.",
                "It must be a list of strings.",
                "Edit exercise.toml, then run: make sync",
            ],
            consecutive=True,
        )
        result.stdout.no_fnmatch_line("*pytest_items.py*")


# ---- the file that stands for an exercise --------------------------------------------------------------


def test_tests_that_a_learner_writes_run_when_their_file_is_named(
    run: Run, pretended: PretendedGrader
) -> None:
    Path("exercises/01_muladd/test_op.py").write_text(SUITE)
    Path("exercises/test_beside.py").write_text(SUITE)
    run("exercises").assert_outcomes(passed=5 + 6 + 1)
    pretended.graded.clear()
    result = run("exercises/01_muladd/test_op.py", "-v")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["exercises/01_muladd/test_op.py::test_mine PASSED*"])
    assert pretended.graded == []


def test_a_suite_that_is_the_exercise_keeps_its_own_tests(run: Run, pretended: PretendedGrader) -> None:
    facts = Path("exercises/01_muladd/exercise.toml")
    text, _, _ = facts.read_text().partition("\n[sections")
    text = text.replace('edit = ["kernel.cu", "op.py"]', 'edit = ["test_op.py"]')
    facts.write_text(text.replace('given = ["binding.cpp"]', 'given = ["kernel.cu", "op.py", "binding.cpp"]'))
    Path("exercises/01_muladd/test_op.py").write_text(SUITE)
    listed = run("exercises/01_muladd", "--collect-only", "-q")
    assert ids_in(listed) == [f"exercises/01_muladd/exercise.toml::{name}" for name in MULADD]
    listed = run("exercises/01_muladd/test_op.py", "--collect-only", "-q")
    assert ids_in(listed) == ["exercises/01_muladd/test_op.py::test_mine"]


def test_an_exercise_without_its_files_still_has_its_items(run: Run, pretended: PretendedGrader) -> None:
    for missing, shown in (("kernel.cu", "op.py"), ("op.py", "exercise.toml")):
        Path("exercises/01_muladd", missing).unlink()
        result = run("exercises/01_muladd", "--collect-only", "-q")
        assert ids_in(result) == [f"exercises/01_muladd/{shown}::{name}" for name in MULADD]


def test_an_exercise_may_be_made_of_links(run: Run, pretended: PretendedGrader) -> None:
    Path("exercises/01_muladd/kernel.cu").rename("my_kernel.cu")
    Path("exercises/01_muladd/kernel.cu").symlink_to(Path("my_kernel.cu").resolve())
    Path("exercises/00_negate").rename("negate")
    Path("exercises/00_negate").symlink_to(Path("negate").resolve())
    ids = ids_in(run("exercises", "--collect-only", "-q"))
    assert [each for each in ids if "01" in each] == [f"exercises/01_muladd/kernel.cu::{n}" for n in MULADD]
    assert "exercises/00_negate/kernel.cu::build" in ids


@pytest.mark.slow("grades in two workers")
def test_xdist_grades_an_exercise_once_where_files_stay_whole(run: Run, pytester: pytest.Pytester) -> None:
    Path("conftest.py").write_text(COUNTING)
    done = pytester.runpytest_subprocess("exercises", "-n", "2", "--dist", "loadfile")
    done.assert_outcomes(passed=5 + 6)
    assert sorted(Path("graded.txt").read_text().split()) == ["00_negate", "01_muladd"]


def test_collecting_the_course_imports_no_torch() -> None:
    program = (
        "import sys, pytest; code = pytest.main(['--collect-only', '-q', 'exercises']); "
        "sys.exit(int(code) or 100 * ('torch' in sys.modules))"
    )
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    collected: dict[str, list[tuple[str, str]]] = {}
    for line in (each for each in done.stdout.splitlines() if "::" in each):
        path, _, check = line.partition("::")
        exercises, slug, file = path.split("/")
        assert exercises == "exercises"
        collected.setdefault(slug, []).append((file, check))
    # Where the first of the files to be written is in a folder, the first that pytest comes to.
    shown = {"27_write_the_tests": "exercise.toml", "24_stable_abi": "setup.py"}
    for exercise in Catalog.open(ROOT).exercises:
        changes = ["changes"] if _limits_changes(exercise) else []
        file = shown.get(exercise.slug, exercise.edit[0])
        expected = [(file, name) for name in ("todo", *changes, "build", *exercise.scores)]
        assert collected.pop(exercise.slug) == expected
    assert not collected


def test_a_repair_has_an_item_for_its_extent(toy_catalog: Catalog) -> None:
    exercise = toy_catalog.find("01")
    assert not _limits_changes(exercise)
    assert _limits_changes(replace(exercise, elsewhere=0))
