"""The command line over a pretended grader: what is asked of it, what is printed, which exit code follows."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from grader import __version__
from grader.cli import demo, fast_start, grading, main
from grader.cli.commands import ENTRIES
from grader.cli.screen import _Pace, _Working
from grader.course import progress
from grader.course.catalog import Catalog, Exercise
from grader.course.snapshot import digest_of
from grader.course.workspace import without_markers
from grader.verdict import CheckResult, ReportedFinding, Status, Verdict

Command = Callable[..., int]


def verdict_of(exercise: Exercise, status: Status, seed: int = 7, files: Path | None = None) -> Verdict:
    points = 100.0 if status is Status.PASS else 0.0
    result = CheckResult("correctness", status, f"pretended {status.value}", points, 100.0)
    digest = digest_of(exercise, files or exercise.root)
    return Verdict(exercise.slug, exercise.title, "simt", seed, (result,), digest=digest)


class PretendedGrader:
    """Answers with ``statuses[slug]``, by default a pass, and remembers how it was called."""

    def __init__(self) -> None:
        self.statuses: dict[str, Status] = {}
        self.calls: list[dict[str, Any]] = []

    def __call__(self, exercise: Exercise, files: Path, **options: Any) -> Verdict:
        kernel = (files / "kernel.cu").read_text()
        self.calls.append({"slug": exercise.slug, "files": files, "kernel": kernel, **options})
        options["progress"]("build")
        seed = options["seed"] if options["seed"] is not None else 7
        return verdict_of(exercise, self.statuses.get(exercise.slug, Status.PASS), seed, files)


@pytest.fixture
def pretended(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> PretendedGrader:
    grader = PretendedGrader()
    monkeypatch.setattr(grading, "grade", grader)
    monkeypatch.setattr(demo, "grade", grader)
    monkeypatch.setenv("CU2GRAD_BACKEND", "simt")
    monkeypatch.setenv("CUSIMT_CACHE", str(tmp_path / "cache"))
    return grader


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, toy_course: Path) -> Command:
    """Runs `grader ARGUMENTS` inside the toy course."""
    monkeypatch.chdir(toy_course)

    def command(*arguments: str) -> int:
        monkeypatch.setattr(sys, "argv", ["grader", *arguments])
        return main()

    return command


@pytest.mark.parametrize(
    ("status", "code", "next_step"),
    [
        (Status.PASS, 0, "Next: edit exercises/01_muladd and run: grader check 01"),
        (Status.FAIL, 1, "Next: repair it and run: grader check 00. For a hint: grader hint 00"),
        (Status.BUILD_ERROR, 1, "repair the first thing that build names, then run: grader check 00"),
        (Status.NOT_ATTEMPTED, 1, "Next: edit exercises/00_negate and run: grader check 00. For a hint:"),
        (Status.INFRA_ERROR, 3, "Your code was not judged. Next: grader doctor, then grader check 00"),
    ],
)
def test_every_check_ends_with_its_exit_code_and_the_next_step(
    run: Command,
    pretended: PretendedGrader,
    capsys: pytest.CaptureFixture[str],
    status: Status,
    code: int,
    next_step: str,
) -> None:
    pretended.statuses["00_negate"] = status
    assert run("check", "00") == code
    printed = capsys.readouterr().out
    assert f"pretended {status.value}" in printed or status is Status.PASS
    assert next_step in printed.splitlines()[-1]


def test_commands_name_the_course_when_it_is_not_around_here(
    run: Command,
    pretended: PretendedGrader,
    capsys: pytest.CaptureFixture[str],
    toy_course: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pretended.statuses["00_negate"] = Status.FAIL
    monkeypatch.chdir(tmp_path)
    assert run("check", "00", "--course", "course") == 1
    last = capsys.readouterr().out.splitlines()[-1]
    assert last == (
        "Next: repair it and run: grader check 00 --course course. For a hint: grader hint 00 --course course"
    )


def test_options_reach_the_grader(run: Command, pretended: PretendedGrader, toy_course: Path) -> None:
    assert run("check", "1", "--backend", "cuda", "--seed", "5", "--verbose", "--isolate", "--plain") == 0
    (call,) = pretended.calls
    stub = (toy_course / "exercises" / "01_muladd" / "kernel.cu").read_text()
    assert (call["slug"], call["kernel"]) == ("01_muladd", stub)
    assert (call["backend"], call["seed"], call["verbose"], call["isolate"]) == ("cuda", 5, True, True)


def test_several_exercises_are_checked_once_each_and_the_worst_code_counts(
    run: Command, pretended: PretendedGrader, capsys: pytest.CaptureFixture[str]
) -> None:
    pretended.statuses["01_muladd"] = Status.CRASH
    assert run("check", "01", "negate", "exercises/01_muladd") == 1
    assert [call["slug"] for call in pretended.calls] == ["01_muladd", "00_negate"]
    assert "grader hint 01" in capsys.readouterr().out.splitlines()[-1]


def test_all_means_every_exercise(run: Command, pretended: PretendedGrader) -> None:
    assert run("check", "--all") == 0
    assert [call["slug"] for call in pretended.calls] == ["00_negate", "01_muladd"]


def test_solutions_are_graded_from_their_folder_and_leave_no_mark(
    run: Command, pretended: PretendedGrader, toy_course: Path, toy_catalog: Catalog
) -> None:
    assert run("check", "00", "--from", "solutions") == 0
    solution = (toy_course / "solutions" / "00_negate" / "kernel.cu").read_text()
    assert pretended.calls[0]["kernel"] == solution
    assert progress.load_record(toy_catalog.exercises[0]) is None


def test_json_is_one_document_or_a_list_and_nothing_else(
    run: Command, pretended: PretendedGrader, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("check", "00", "--json") == 0
    assert Verdict.from_json(capsys.readouterr().out).exercise == "00_negate"
    assert run("check", "--all", "--json") == 0
    documents = json.loads(capsys.readouterr().out)
    assert [document["exercise"] for document in documents] == ["00_negate", "01_muladd"]
    assert documents[0]["schema_version"] == 1


def test_reports_are_written_beside_what_is_printed(
    run: Command, pretended: PretendedGrader, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    page, junit = tmp_path / "verdict.html", tmp_path / "verdict.xml"
    assert run("check", "--all", "--html", str(page), "--junit", str(junit)) == 0
    assert all(f"<b>{slug}</b>" in page.read_text() for slug in ("00_negate", "01_muladd"))
    assert junit.read_text().count("<testsuite ") == 2
    pretended.calls.clear()
    assert run("check", "00", "--html", str(tmp_path / "missing" / "verdict.html")) == 2
    assert not pretended.calls and "is no folder" in capsys.readouterr().err


def test_files_elsewhere_are_graded_and_leave_no_mark(
    run: Command, pretended: PretendedGrader, toy_catalog: Catalog, tmp_path: Path
) -> None:
    folder = tmp_path / "ada"
    folder.mkdir()
    assert run("check", "00", "--files", str(folder)) == 2
    exercise = toy_catalog.exercises[0]
    (folder / "kernel.cu").write_text("// hers")
    for name in exercise.given:
        shutil.copy(exercise.root / name, folder)
    assert run("check", "00", "01", "--files", str(folder)) == 2
    assert run("check", "00", "--from", "solutions", "--files", str(folder)) == 2
    assert not pretended.calls
    assert run("check", "00", "--files", str(folder)) == 0
    relative = os.path.relpath(folder)  # the sandbox has another current folder
    assert run("check", "00", "--files", relative) == 0
    assert [call["kernel"] for call in pretended.calls] == ["// hers", "// hers"]
    assert progress.load_record(exercise) is None


def test_a_hand_in_is_checked_with_the_files_that_are_given(
    run: Command, pretended: PretendedGrader, toy_catalog: Catalog, tmp_path: Path,
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    """As TAs look at one: an import takes only what learners edit."""
    exercise = toy_catalog.exercises[0]
    handed_in = tmp_path / "submitted" / "ada" / exercise.slug
    handed_in.mkdir(parents=True)
    (handed_in / "kernel.cu").write_text("// hers")
    seen: dict[str, bytes] = {}

    def grade(exercise: Exercise, files: Path, **options: Any) -> Verdict:
        seen.update({path.name: path.read_bytes() for path in files.iterdir()})
        return pretended(exercise, files, **options)

    monkeypatch.setattr(grading, "grade", grade)
    assert run("check", "00", "--files", str(handed_in), "--json") == 0
    given = {name: (exercise.root / name).read_bytes() for name in exercise.given}
    assert seen == {"kernel.cu": b"// hers", **given}
    assert given
    assert json.loads(capsys.readouterr().out)["files"] == str(handed_in)
    assert [path.name for path in handed_in.iterdir()] == ["kernel.cu"]


def test_list_shows_the_last_verdicts_and_what_comes_next(
    run: Command, pretended: PretendedGrader, capsys: pytest.CaptureFixture[str]
) -> None:
    pretended.statuses["01_muladd"] = Status.FAIL
    run("check", "--all")
    capsys.readouterr()
    assert run("list") == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "2 exercises, 1 passed. A star marks the core course."
    assert lines[2].startswith("★ 00_negate") and "passed, 100/100 simt" in lines[2]
    assert lines[3].startswith("  01_muladd") and "not passed, 0/100 simt" in lines[3]
    assert lines[-1] == "Next: edit exercises/01_muladd and run: grader check 01"


def test_list_asks_for_another_check_when_the_exercise_changed(
    run: Command, pretended: PretendedGrader, capsys: pytest.CaptureFixture[str], toy_course: Path
) -> None:
    pretended.statuses["01_muladd"] = Status.FAIL
    run("check", "--all")
    facts = toy_course / "exercises" / "00_negate" / "exercise.toml"
    facts.write_text(facts.read_text().replace("version = 1", "version = 2"))
    capsys.readouterr()
    run("list")
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("2 exercises, 0 passed.")
    assert "min  passed version 1, changed since  Negate" in lines[2]
    assert "min  not passed, 0/100 simt " in lines[3]  # at the version that it still has
    assert lines[-1] == "Next: edit exercises/00_negate and run: grader check 00"
    pretended.statuses["00_negate"] = Status.FAIL
    run("check", "00")
    capsys.readouterr()
    run("list")
    assert "passed version 1, changed since · now 0/100  Negate" in capsys.readouterr().out


def test_a_pass_is_kept_whatever_the_files_give_now(
    run: Command, pretended: PretendedGrader, capsys: pytest.CaptureFixture[str], toy_course: Path
) -> None:
    kernel = toy_course / "exercises" / "00_negate" / "kernel.cu"

    def line() -> str:
        capsys.readouterr()
        assert run("list") == 0
        printed = capsys.readouterr().out.splitlines()
        assert printed[0].startswith("2 exercises, 1 passed.")
        assert printed[-1] == "Next: edit exercises/01_muladd and run: grader check 01"
        return printed[2].partition("min  ")[2].split("  ")[0]

    run("check", "00")
    assert line() == "passed, 100/100 simt"
    kernel.write_text("// broken, as the lesson asks")
    assert line() == "passed, 100/100 simt · edited since"
    pretended.statuses["00_negate"] = Status.FAIL
    run("check", "00")
    assert line() == "passed, 100/100 simt · now 0/100"
    pretended.statuses["00_negate"] = Status.INFRA_ERROR
    run("check", "00")  # which says nothing about the files
    assert line() == "passed, 100/100 simt · now 0/100"
    pretended.statuses["00_negate"] = Status.PASS
    run("check", "00")
    assert line() == "passed, 100/100 simt"


def test_next_names_what_to_read_edit_and_run_and_what_failed(
    run: Command, pretended: PretendedGrader, capsys: pytest.CaptureFixture[str], toy_course: Path
) -> None:
    assert run("next") == 0
    assert capsys.readouterr().out.splitlines() == [
        "Next: 00_negate, Negate. About 5 minutes.",
        "",
        "  files   kernel.cu in exercises/00_negate",
        "  open    2 TODOs, first index in kernel.cu, line 6",
        "  check   grader check 00",
        "  hint    grader hint 00",
    ]
    pretended.statuses["00_negate"] = Status.CRASH
    run("check", "00")
    capsys.readouterr()
    assert run("next", "--course", str(toy_course)) == 0
    assert "  last    0/100 simt: correctness: pretended crash\n" in capsys.readouterr().out
    pretended.statuses.clear()
    run("check", "--all")
    capsys.readouterr()
    assert run("next") == 0
    assert capsys.readouterr().out == (
        "Every exercise is passed. Check them all once more: grader check --all\n"
    )


def test_an_exercise_waits_for_those_it_requires(
    run: Command, pretended: PretendedGrader, capsys: pytest.CaptureFixture[str], toy_course: Path
) -> None:
    facts = toy_course / "exercises" / "00_negate" / "exercise.toml"
    facts.write_text(facts.read_text().replace("requires = []", 'requires = ["01_muladd"]'))
    later = toy_course / "exercises" / "01_muladd" / "exercise.toml"
    later.write_text(later.read_text().replace('requires = ["00_negate"]', "requires = []"))
    assert run("next") == 0
    assert capsys.readouterr().out.startswith("Next: 01_muladd")
    run("check", "01")
    capsys.readouterr()
    assert run("next") == 0
    assert capsys.readouterr().out.startswith("Next: 00_negate")


def test_the_solution_is_shown_after_a_pass_and_not_before(
    run: Command, pretended: PretendedGrader, capsys: pytest.CaptureFixture[str], toy_course: Path
) -> None:
    pretended.statuses["00_negate"] = Status.FAIL
    run("check", "00")
    capsys.readouterr()
    assert run("solution", "00") == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.splitlines() == [
        "You have not passed 00_negate yet, so its solution is not shown.",
        "A hint shows where to look and leaves the answer to you: grader hint 00",
        "To give up and see the solution, run: grader solution 00 --give-up",
    ]
    pretended.statuses.clear()
    run("check", "00")
    capsys.readouterr()
    assert run("solution", "00") == 0
    printed = capsys.readouterr().out
    master = without_markers((toy_course / "solutions/00_negate/kernel.cu").read_text())
    assert printed.startswith(f"==> solutions/00_negate/kernel.cu\n{master}")
    assert printed.endswith("Next: compare it with yours: grader solution 00 --diff\n")
    run("list")
    assert "solution seen" not in capsys.readouterr().out  # it came after the pass


def test_the_solution_as_a_difference_from_the_learners_file(
    run: Command, pretended: PretendedGrader, capsys: pytest.CaptureFixture[str], toy_course: Path
) -> None:
    run("check", "00")
    capsys.readouterr()
    assert run("solution", "00", "--diff") == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[:2] == ["--- yours/kernel.cu", "+++ solution/kernel.cu"]
    assert "-    // TODO(store): store minus the element, about 1 line." in lines
    assert any(line.startswith("+") and "= -x[i];" in line for line in lines)
    master = without_markers((toy_course / "solutions/00_negate/kernel.cu").read_text())
    (toy_course / "exercises/00_negate/kernel.cu").write_text(master)
    run("solution", "00", "--diff")
    assert capsys.readouterr().out == "kernel.cu: yours is the same.\nNext: grader next\n"


def test_giving_up_is_remembered_and_costs_no_points(
    run: Command, pretended: PretendedGrader, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("solution", "01", "--give-up") == 0
    assert "Next: close it, write it from memory, then run: grader check 01" in capsys.readouterr().out
    assert run("solution", "01") == 0  # once is enough
    capsys.readouterr()
    run("list")
    assert "min  not started · solution seen  Multiply" in capsys.readouterr().out
    run("check", "01")
    capsys.readouterr()
    run("list")
    assert "passed, 100/100 simt · solution seen" in capsys.readouterr().out


def test_a_course_without_solutions_says_so(
    run: Command, capsys: pytest.CaptureFixture[str], toy_course: Path
) -> None:
    shutil.rmtree(toy_course / "solutions")
    assert run("solution", "00", "--give-up") == 2
    assert capsys.readouterr().err.splitlines() == [
        "There is no solution of 00_negate here.",
        "This copy of the course comes without solutions.",
        "Ask the person who gave you the course, or run: grader hint 00",
    ]


def test_the_help_shows_learners_commands_first_and_each_on_one_line(
    run: Command, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert run("--help") == 0
    printed = capsys.readouterr().out
    panels = [line for line in printed.splitlines() if line.endswith(":") and not line.startswith(" ")]
    assert panels == ["Options:", "Learn:", "More:", "Instructors:", "Authors:"]
    learn = printed.partition("Learn:\n")[2].partition("\n\n")[0].splitlines()
    names = ["list", "next", "check", "watch", "hint", "solution", "reset", "profile", "bench"]
    assert [line.split()[0] for line in learn] == names
    for entry in ENTRIES.values():
        assert f"  {entry.name:<14}  {entry.summary}\n" in printed


@pytest.mark.parametrize("name", ENTRIES)
def test_every_command_can_be_called(run: Command, capsys: pytest.CaptureFixture[str], name: str) -> None:
    assert run(name, "--help") == 0
    assert f"Usage: grader {name} " in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("check",), "No exercise was named."),
        (("check", "00", "--all"), "--all and '00' were both given."),
        (("check", "9"), "There is no exercise '9'"),
        (("check", "00", "--backend", "metal"), "'metal' is not one of 'simt', 'cuda'"),
        (("chek", "00"), "No such command 'chek'"),
        (("replay", "nowhere.json"), "nowhere.json cannot be read"),
        (("replay", "exercises/00_negate/kernel.cu"), "00_negate/kernel.cu is not a verdict: it is not JSON"),
        (("list", "--course", "exercises"), "is not a course folder"),
        (("hint", "00", "launch"), "There are hints for index, store."),
    ],
)
def test_a_wrong_command_is_a_usage_error_without_traceback(
    run: Command,
    pretended: PretendedGrader,
    capsys: pytest.CaptureFixture[str],
    arguments: tuple[str, ...],
    sentence: str,
) -> None:
    assert run(*arguments) == 2
    printed = capsys.readouterr()
    assert sentence in printed.err
    assert printed.out == ""
    assert "Traceback" not in printed.err


def test_the_version_is_printed_alone(run: Command, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--version") == 0
    assert capsys.readouterr().out == f"grader {__version__}\n"


def test_a_python_without_the_requirements_is_told_which_one_has_them(
    run: Command, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "typer", None)
    monkeypatch.delitem(sys.modules, "grader.cli.app", raising=False)
    monkeypatch.delitem(sys.modules, "typer.core", raising=False)
    for arguments in (("doctor",), ("check", "00")):
        assert run(*arguments) == 3
        what, _, advice = capsys.readouterr().err.splitlines()
        assert what == f"typer is not installed in this Python, {sys.executable}."
        assert "source .venv/bin/activate" in advice


def test_a_fault_of_the_grader_is_kept_in_a_file_and_is_nobody_elses(
    run: Command,
    pretended: PretendedGrader,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    def broken(*_: object, **__: object) -> Verdict:
        raise ZeroDivisionError("in the grader")

    monkeypatch.setattr(grading, "grade", broken)
    assert run("check", "00") == 3
    printed = capsys.readouterr().err
    assert "The grader itself failed: ZeroDivisionError: in the grader" in printed
    assert "Traceback" not in printed
    (report,) = (tmp_path / "cache" / "faults").iterdir()
    assert "in broken" in report.read_text()


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("exercises/00_negate/hints.md", ("hint", "00")),
        ("exercises/00_negate/exercise.toml", ("check", "00")),
        ("verdict.json", ("replay", "verdict.json")),
        ("verdict.json", ("import-verdict", "verdict.json")),
    ],
)
@pytest.mark.parametrize("content", [b"\x7fELF\xd0", None], ids=["binary", "missing"])
def test_a_file_that_is_no_text_is_named_without_a_traceback(
    run: Command,
    pretended: PretendedGrader,
    capsys: pytest.CaptureFixture[str],
    toy_course: Path,
    name: str,
    arguments: tuple[str, ...],
    content: bytes | None,
) -> None:
    (toy_course / name).unlink(missing_ok=True)
    if content is not None:
        (toy_course / name).write_bytes(content)
    assert run(*arguments) == 2
    first = capsys.readouterr().err.splitlines()[0]
    assert Path(name).name in first or "There is no exercise" in first
    assert "Errno" not in first and "codec" not in first
    if content is not None:
        assert first.endswith(f"{name} cannot be read: it is not text in UTF-8.")


def test_hints_come_one_by_one_and_start_with_what_is_open(
    run: Command, capsys: pytest.CaptureFixture[str], toy_course: Path
) -> None:
    headings = []
    for _ in range(7):
        assert run("hint", "00") == 0
        headings.append(capsys.readouterr().out.splitlines()[0])
    assert headings == [
        "00_negate, index: hint 1 of 3",
        "00_negate, index: hint 2 of 3",
        "00_negate, index: hint 3 of 3",
        "00_negate, store: hint 1 of 3",
        "00_negate, store: hint 2 of 3",
        "00_negate, store: hint 3 of 3",
        "00_negate, index: hint 3 of 3",
    ]


def test_a_hint_is_shown_without_the_ones_after_it(run: Command, capsys: pytest.CaptureFixture[str]) -> None:
    run("hint", "00", "store")
    printed = capsys.readouterr().out
    assert "The right-hand side reads `x`." in printed
    assert "One thread writes one element." not in printed
    assert "For more: grader hint 00 store" in printed


def said(check: CheckResult, course: Path) -> None:
    """Keeps a verdict on 00 that consists of ``check``, as `grader check` would."""
    exercise = Catalog.open(course).find("00")
    grading.keep(exercise, Verdict(exercise.slug, exercise.title, "simt", 7, (check,)))


@pytest.mark.parametrize(
    ("check", "section"),
    [
        (
            CheckResult(
                "safety", Status.FAIL, "x", findings=(ReportedFinding("race", "x", file="kernel.cu", line=8),)
            ),
            "store",
        ),
        (
            CheckResult("build", Status.BUILD_ERROR, "x", lines=("exercises/kernel.cu:8:5: error: y",)),
            "store",
        ),
        (CheckResult("device_work", Status.FAIL, "Waits for the device in kernel.cu:8."), "store"),
        (CheckResult("store", Status.FAIL, "a part, which has the name of its section"), "store"),
        (CheckResult("answers", Status.FAIL, "x", lines=("store = 4 is not right. Count again.",)), "store"),
    ],
)
def test_without_a_section_the_hint_is_for_what_the_last_verdict_names(
    run: Command,
    pretended: PretendedGrader,
    capsys: pytest.CaptureFixture[str],
    toy_course: Path,
    check: CheckResult,
    section: str,
) -> None:
    kernel = toy_course / "exercises" / "00_negate" / "kernel.cu"
    kernel.write_text(without_markers((toy_course / "solutions/00_negate/kernel.cu").read_text()))
    said(check, toy_course)
    for number in (1, 2):
        assert run("hint", "00") == 0
        assert capsys.readouterr().out.startswith(f"00_negate, {section}: hint {number} of 3")


@pytest.mark.parametrize(
    "check",
    [
        CheckResult("safety", Status.FAIL, "in a file that is given: binding.cpp:8"),
        CheckResult("todo", Status.NOT_ATTEMPTED, "x", lines=("kernel.cu:8: TODO(store)",)),
        CheckResult("correctness", Status.FAIL, "wrong, and nobody knows where"),
        None,
    ],
)
def test_where_nothing_points_at_a_section_the_learner_chooses_one(
    run: Command, capsys: pytest.CaptureFixture[str], toy_course: Path, check: CheckResult | None
) -> None:
    kernel = toy_course / "exercises" / "00_negate" / "kernel.cu"
    stub = kernel.read_text()
    kernel.write_text(without_markers((toy_course / "solutions/00_negate/kernel.cu").read_text()))
    if check is not None:
        said(check, toy_course)
    assert run("hint", "00") == 0
    printed = capsys.readouterr().out
    assert printed.splitlines()[0].endswith("Name the section that you want a hint for.")
    assert "There are hints for index, store. Run: grader hint 00 index" in printed
    assert progress.revealed_hints(Catalog.open(toy_course).find("00")) == {}
    kernel.write_text(stub)  # what is still open needs no verdict
    assert run("hint", "00") == 0
    assert capsys.readouterr().out.startswith("00_negate, index: hint 1 of 3")


def test_after_a_pass_a_hint_needs_a_section(
    run: Command, pretended: PretendedGrader, capsys: pytest.CaptureFixture[str], toy_course: Path
) -> None:
    kernel = toy_course / "exercises" / "00_negate" / "kernel.cu"
    stub = kernel.read_text()
    kernel.write_text(without_markers((toy_course / "solutions/00_negate/kernel.cu").read_text()))
    said(CheckResult("correctness", Status.PASS, "right"), toy_course)
    assert run("hint", "00") == 0
    printed = capsys.readouterr().out
    assert "nothing is open: name a section to read its hints." in printed
    assert "There are hints for index, store. Run: grader hint 00 index" in printed
    run("hint", "00", "store")
    assert capsys.readouterr().out.startswith("00_negate, store: hint 1 of 3")
    kernel.write_text(stub)  # begun anew: what was said of the old file does not count
    run("hint", "00")
    assert capsys.readouterr().out.startswith("00_negate, index: hint 1 of 3")


def test_a_damaged_verdict_is_no_reason_to_give_no_hint(
    run: Command, pretended: PretendedGrader, capsys: pytest.CaptureFixture[str], toy_course: Path
) -> None:
    said(CheckResult("correctness", Status.PASS, "right"), toy_course)
    (toy_course / ".cu2grad" / "verdicts" / "00_negate.json").write_text("{")
    assert run("hint", "00") == 0
    assert capsys.readouterr().out.startswith("00_negate, index: hint 1 of 3")


def test_reset_says_where_the_backup_is(
    run: Command, capsys: pytest.CaptureFixture[str], toy_course: Path
) -> None:
    (toy_course / "exercises" / "00_negate" / "kernel.cu").write_text("mine")
    assert run("reset", "00") == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "Put back kernel.cu in exercises/00_negate."
    folder = lines[1].removeprefix("Your version is kept in ").removesuffix(".")
    assert (toy_course / folder / "kernel.cu").read_text() == "mine"
    assert run("reset", "00") == 0
    assert "nothing to reset" in capsys.readouterr().out


def test_a_given_file_that_was_changed_is_told_and_can_be_put_back(
    run: Command, pretended: PretendedGrader, capsys: pytest.CaptureFixture[str], toy_course: Path
) -> None:
    folder = toy_course / "exercises" / "00_negate"
    (folder / "kernel.cu").write_text("mine")
    run("check", "00", "--plain")
    assert "which the course provides" not in capsys.readouterr().out

    (folder / "binding.cpp").write_text("mine")
    assert run("check", "00", "--plain") == 0
    said = capsys.readouterr().out
    assert "You changed binding.cpp, which the course provides. What you hand in is graded" in said
    assert "\nTo put the course's version back: grader reset 00 --given\n" in said
    run("check", "00", "--plain", "--from", "solutions")
    assert "which the course provides" not in capsys.readouterr().out
    run("check", "00", "--plain", "--files", str(shutil.copytree(folder, toy_course / "copy")))
    said = capsys.readouterr().out
    assert "You changed binding.cpp" in said and "--given" not in said  # a reset is not about the copy

    assert run("reset", "00", "--given") == 0
    assert capsys.readouterr().out.startswith("Put back binding.cpp in exercises/00_negate.\n")
    assert (folder / "kernel.cu").read_text() == "mine"
    assert run("reset", "00", "--given") == 0
    assert "What was given in 00_negate is as it was shipped" in capsys.readouterr().out


def test_dev_sync_check_fails_on_a_difference_and_writes_nothing(
    run: Command, capsys: pytest.CaptureFixture[str], toy_course: Path
) -> None:
    assert run("dev", "sync", "--check") == 0
    stub = toy_course / "exercises" / "00_negate" / "kernel.cu"
    stub.write_text("old\n")
    assert run("dev", "sync", "--check") == 1
    assert "differs  exercises/00_negate/kernel.cu" in capsys.readouterr().out
    assert stub.read_text() == "old\n"
    assert run("dev", "sync") == 0
    assert "TODO(index)" in stub.read_text()


def test_replay_uses_the_stored_seed_and_backend_and_says_what_changed(
    run: Command, pretended: PretendedGrader, capsys: pytest.CaptureFixture[str], toy_catalog: Catalog
) -> None:
    path = toy_catalog.course / "verdict.json"
    path.write_text(verdict_of(toy_catalog.exercises[0], Status.FAIL, seed=1234).to_json())
    assert run("replay", "verdict.json") == 0
    assert (pretended.calls[0]["seed"], pretended.calls[0]["backend"]) == (1234, "simt")
    last = capsys.readouterr().out.splitlines()[-1]
    assert last == "Replayed with seed 1234: correctness was fail and is pass."
    pretended.statuses["00_negate"] = Status.FAIL
    assert run("replay", "verdict.json") == 1
    assert capsys.readouterr().out.splitlines()[-1] == (
        "Replayed with seed 1234: every check came out as before."
    )


def test_the_last_verdict_on_an_exercise_can_be_replayed(
    run: Command, pretended: PretendedGrader, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("replay", "00") == 2
    assert "No verdict on 00_negate is kept." in capsys.readouterr().err
    assert run("check", "00", "--seed", "99") == 0
    assert run("replay", "00") == 0
    assert [call["seed"] for call in pretended.calls] == [99, 99]


def test_the_demo_grades_every_solution_only_when_asked(
    run: Command, pretended: PretendedGrader, capsys: pytest.CaptureFixture[str]
) -> None:
    run("demo", "--all")
    assert [call["slug"] for call in pretended.calls] == ["00_negate", "00_negate", "01_muladd"]
    printed = capsys.readouterr().out
    assert "\nThe other reference solutions:\n\n  01_muladd: passed" in printed
    assert printed.index("A right kernel") < printed.index("1. No_guard") < printed.index("The other")


def test_wrong_kernels_are_built_once_the_right_one_is(
    run: Command, pretended: PretendedGrader, monkeypatch: pytest.MonkeyPatch
) -> None:
    order: list[str] = []
    built = threading.Event()

    def compile_submission(exercise: Exercise, files: Path, *_: object, **__: object) -> None:
        order.append(f"ahead {exercise.slug}: {(files / 'kernel.cu').read_text().count('return;')}")
        built.set()

    def grade(exercise: Exercise, files: Path, **options: Any) -> Verdict:
        order.append(f"grade {exercise.slug}")
        for stage in ("audit", "build", "build: the simulated GPU, once per machine", "audit"):
            options["progress"](stage)
            assert not built.wait(0.1)
        options["progress"]("correctness")
        assert built.wait(30)
        return pretended(exercise, files, **options)

    monkeypatch.setattr("grader.checks.build.compile_submission", compile_submission)
    monkeypatch.setattr(grading, "grade", grade)
    assert run("demo") == 1
    assert order == ["grade 00_negate", "ahead 00_negate: 1"]  # one guard is the launcher's


def test_the_demo_reports_a_wrong_kernel_that_was_not_caught(
    run: Command, pretended: PretendedGrader, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("demo") == 1
    printed = capsys.readouterr().out
    assert [call["slug"] for call in pretended.calls] == ["00_negate", "00_negate"]
    assert "- if (i >= n) return;" in " ".join(printed.split())
    assert "Not as expected: 00_negate/no_guard." in printed


@pytest.mark.parametrize("command", ["list", "next"])
def test_list_and_next_import_nothing_that_is_large(toy_course: Path, command: str) -> None:
    large = ("torch", "rich", "numpy", "typer", "pydantic")
    program = (
        "import sys; from grader.cli import main; sys.argv = ['grader', *sys.argv[1:]];"
        f"main(); print([name for name in {large} if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, command, "--course", str(toy_course)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.splitlines()[-1] == "[]"


@pytest.mark.parametrize(
    "words", [("list",), ("list", "--course", "."), ("list", "--course=."), ("next", "--course=.")]
)
def test_the_short_way_prints_what_typer_would(
    run: Command, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert fast_start.answered(words)
    short = capsys.readouterr().out
    monkeypatch.setattr(fast_start, "answered", lambda words: False)
    assert run(*words) == 0
    assert capsys.readouterr().out == short


@pytest.mark.parametrize("words", [("list", "--help"), ("list", "00"), ("check",), (), ("list", "--course")])
def test_anything_else_is_read_by_typer(words: tuple[str, ...]) -> None:
    assert not fast_start.answered(words)


@pytest.mark.parametrize(
    ("times", "expected"),
    [
        ([("build", 0.2), ("build", 9.9), ("correctness", 10.0), ("correctness", 19.0)], []),
        ([("build", 0.2), ("build", 10.3), ("build", 11.0), ("build", 40.0), ("build", 40.4)], [10.3, 40.4]),
        ([("build", 0.2), ("build", 10.3), ("safety", 10.4), ("safety", 20.5)], [10.3, 20.5]),
        ([("kills, 1 of 9 tested", 0.2), ("kills, 2 of 9 tested", 10.3), ("kills, 3 of 9", 20.0)], [10.3]),
    ],
)
def test_a_log_gets_one_line_for_a_long_stage_and_then_rarely_another(
    times: list[tuple[str, float]], expected: list[float]
) -> None:
    pace = _Pace()
    assert [seconds for stage, seconds in times if pace.is_due(stage, seconds)] == expected


def test_a_check_grades_the_files_as_they_were_when_it_began(
    run: Command, pretended: PretendedGrader, capsys: pytest.CaptureFixture[str], toy_course: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    kernel = toy_course / "exercises" / "00_negate" / "kernel.cu"
    kernel.write_text("// before")

    def grade(exercise: Exercise, files: Path, **options: Any) -> Verdict:
        kernel.write_text("// saved meanwhile")
        return pretended(exercise, files, **options)

    monkeypatch.setattr(grading, "grade", grade)
    assert run("check", "00", "--json") == 0
    verdict = Verdict.from_json(capsys.readouterr().out)
    assert pretended.calls[0]["kernel"] == "// before"
    assert verdict.files == str(kernel.parent)
    run("list")
    assert "edited since" in capsys.readouterr().out


def test_the_seconds_shown_are_those_of_the_stage(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    now = 0.0
    monkeypatch.setattr("grader.cli.screen.time", SimpleNamespace(monotonic=lambda: now))
    monkeypatch.setattr("grader.cli.screen._FRAME_SECONDS", 0.01)
    shown = ""
    line = _Working("07", moving=True)
    try:
        for at, stage, expected in [
            (1.0, "audit", "07: audit, 0 s"),
            (9.0, "audit, half of it", "07: audit, half of it, 8 s"),
            (9.0, "build", "07: build, 0 s"),
            (11.6, "build", "07: build, 3 s"),
        ]:
            now = at
            line.enter(stage)
            end = time.monotonic() + 60
            while not shown.endswith(expected):
                assert time.monotonic() < end, shown
                time.sleep(0.01)
                shown += capsys.readouterr().err
    finally:
        line.stop()
