"""`pytest -p cusimt`: whose failure a finding is, and that nothing reaches the next test.

The suite under test lies in plugin/. Each test here runs it once and reads pytest's own report.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass
from pathlib import Path

import pytest

from cusimt.compiler.toolkit import cuda_home

SUITE = Path(__file__).parent / "plugin"
OVERRUN = (
    "Invalid __global__ write of size 4 bytes: element 32 of an allocation, which has 32 elements "
    "(1 past the end). kernels.cu:9, block (0,0,0), thread (32,0,0)."
)
WATCHDOG = "--simt-watchdog=2"
PASSED = {
    "test_fill",
    "test_leave_early",
    "test_fill_after_overrun",
    "test_fill_after_an_error_that_spoils_a_process",
    "test_on_each_device[cpu]",
    "test_on_each_device[cuda:0]",
    "test_on_each_device[cuda:1]",
}
SKIPPED = {
    "test_skipped",
    "test_without_device",
    "test_known_overrun",
    "test_known_of_unittest",
    "test_architecture",
}
FAILED = {
    "test_overrun",
    "test_race",
    "test_follow_null",
    "test_error_is_raised",
    "test_wrong_and_overrun",
    "test_skipped_after_overrun",
    "test_skip_is_raised",
    "test_skipped_of_unittest",
    "test_overrun_of_unittest",
    "test_wrong_of_unittest",
    "test_overrun_in_a_process",
    "test_overrun_in_a_fork",
    "test_endless",
}
ERRORS = {"test_with_fixture_before", "test_with_fixture_behind"}


@dataclass(frozen=True)
class Session:
    """What one run of pytest said: its status, its output, and per outcome the tests with their messages."""

    status: int
    output: str
    passed: set[str]
    skipped: set[str]
    failed: dict[str, str]
    errors: dict[str, str]


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The suite beside its kernels, compiled with access checks and without."""
    folder = tmp_path_factory.mktemp("repository").resolve() / "suite"
    shutil.copytree(SUITE, folder)
    (folder / "pytest.ini").write_text("[pytest]\n")
    for checked, name in ((False, "unchecked.so"), (True, "libkernels.so")):
        nvcc = cuda_home(checked) / "bin/nvcc"
        subprocess.run(
            [nvcc, "-shared", "-Xcompiler", "-fPIC", "kernels.cu", "-o", name], cwd=folder, check=True
        )
    return folder


def run(folder: Path, *arguments: str, **variables: str) -> Session:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **variables}
    report = folder / "report.xml"
    command = [sys.executable, "-m", "pytest", "-p", "cusimt", f"--junit-xml={report}", *arguments]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=300)
    cases: dict[str, dict[str, str]] = {"failure": {}, "error": {}, "skipped": {}, "": {}}
    for case in ElementTree.parse(report).iter("testcase"):
        outcome = case[0].tag if len(case) and case[0].tag in cases else ""
        texts = [f"{each.get('message') or ''}\n{each.text or ''}" for each in case]
        cases[outcome][str(case.get("name"))] = "\n".join(texts)
    output = done.stdout + done.stderr
    passed, skipped = set(cases[""]), set(cases["skipped"])
    return Session(done.returncode, output, passed, skipped, cases["failure"], cases["error"])


# ---- whose failure it is -------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def session(repository: Path) -> Session:
    return run(repository, "suite.py", WATCHDOG)


def test_each_finding_fails_its_own_test_and_no_other(session: Session) -> None:
    assert session.status == 1
    # A test that passed and whose fixture then failed is reported twice by pytest.
    assert session.passed - ERRORS == PASSED
    assert session.skipped == SKIPPED
    assert set(session.failed) == FAILED
    assert set(session.errors) == ERRORS


@pytest.mark.parametrize(
    "name",
    [
        "test_overrun",
        "test_skipped_after_overrun",
        "test_skip_is_raised",
        "test_overrun_of_unittest",
        "test_skipped_of_unittest",
        "test_overrun_in_a_process",
    ],
)
def test_a_failure_is_the_finding_in_words(session: Session, name: str) -> None:
    assert session.failed[name].count(OVERRUN) >= 1
    assert "Traceback" not in session.failed[name]
    assert (
        "look at the index or the loop bound.\n    kernels.cu:9   x[threadIdx.x] = 1;" in session.failed[name]
    )


def test_both_parties_of_a_race_are_shown(session: Session) -> None:
    text = session.failed["test_race"]
    assert "Race on shared memory" in text
    assert "kernels.cu:14  tile[threadIdx.x] = x[threadIdx.x];" in text
    assert "kernels.cu:15  x[threadIdx.x] = tile[n - 1 - threadIdx.x];" in text
    assert "kernels.cu:27  void reverse(float* x, int n) { reverse_kernel<<<1, n>>>(x, n); }" in text


@pytest.mark.parametrize("name", ["test_wrong_and_overrun", "test_wrong_of_unittest"])
def test_a_test_that_fails_anyway_keeps_its_own_failure(session: Session, name: str) -> None:
    assert "the answer is wrong, too" in session.failed[name]
    assert "findings of the simulated GPU" in session.output
    section = session.output.partition(f" {name} ")[2] or session.output.partition(f".{name} ")[2]
    assert OVERRUN in section.partition("\n____")[0]


def test_a_loop_without_end_is_stopped(session: Session) -> None:
    assert "1 block waits for a value that no thread changes" in session.failed["test_endless"]


def test_fixtures(session: Session) -> None:
    assert 'failed on setup with "' in session.errors["test_with_fixture_before"]
    assert 'failed on teardown with "' in session.errors["test_with_fixture_behind"]
    assert all(OVERRUN in text for text in session.errors.values())


def test_header_and_summary(session: Session) -> None:
    assert "\nsimt: cusimt simulated GPU" in session.output
    assert "findings: error, schedule: forward" in session.output
    assert "out_of_bounds kernels.cu:9: suite.py::test_overrun and " in session.output
    assert "19 launches of 6 kernels in 19 tests; 5 findings" in session.output
    assert "Without access checks" not in session.output


def test_xdist_reports_the_same(repository: Path, session: Session) -> None:
    pytest.importorskip("xdist", reason="needs pytest-xdist")
    spread = run(repository, "suite.py", WATCHDOG, "-n2")
    assert spread.passed == session.passed
    assert spread.skipped == session.skipped
    assert set(spread.failed) == set(session.failed)
    assert set(spread.errors) == set(session.errors)
    assert "19 launches of 6 kernels in 19 tests; 5 findings" in spread.output


# ---- what can be chosen --------------------------------------------------------------------------------


def test_findings_as_warnings(repository: Path) -> None:
    chosen = "test_overrun or test_skipped_of_unittest"
    warned = run(repository, "suite.py", "-k", chosen, "--simt-findings=warn")
    assert warned.status == 0
    assert not warned.failed
    assert warned.skipped == {"test_skipped_of_unittest"}
    assert "kernels.cu:9: SimtFinding: Invalid __global__ write" in warned.output


def test_without_checks(repository: Path) -> None:
    (repository / "pytest.ini").write_text("[pytest]\nsimt_findings = off\n")
    off = run(repository, "suite.py", "-k", "test_race or test_skipped_after_overrun")
    (repository / "pytest.ini").write_text("[pytest]\n")
    assert off.status == 0, "the command line decides how tests compile, not what was compiled before"
    assert "without access checks, schedule: forward" in off.output


def test_a_library_without_checks_is_named(repository: Path, tmp_path: Path) -> None:
    for name in ("suite.py", "kernels.cu", "pytest.ini"):
        shutil.copy(repository / name, tmp_path)
    shutil.copy(repository / "unchecked.so", tmp_path / "libkernels.so")
    unchecked = run(tmp_path, "suite.py", "-k", "test_fill")
    assert unchecked.status == 0
    assert "Without access checks: libkernels.so." in unchecked.output
    assert "python -m cusimt setup.py build_ext --inplace --force" in unchecked.output


def test_known_findings_are_ignored_by_place(repository: Path) -> None:
    (repository / "pytest.ini").write_text("[pytest]\nsimt_ignore =\n    out_of_bounds kernels.cu:9\n")
    ignored = run(repository, "suite.py", "-k", "test_overrun_of_unittest or test_race")
    (repository / "pytest.ini").write_text("[pytest]\n")
    assert ignored.passed == {"test_overrun_of_unittest"}
    assert set(ignored.failed) == {"test_race"}
    assert "1 ignored by simt_ignore" in ignored.output


def test_another_device(repository: Path) -> None:
    chosen = run(repository, "suite.py", "-k", "test_architecture", "--simt-device=t4", CAPABILITY="7.5")
    assert chosen.passed == {"test_architecture"}, chosen.output


def test_another_order_of_threads(repository: Path, session: Session) -> None:
    backwards = run(repository, "suite.py", "-k", "test_race", "--simt-schedule=reversed")
    assert "schedule: reversed" in backwards.output
    seeded = run(repository, "suite.py", "-k", "test_race", "--simt-schedule=seeded:7")
    assert "schedule: seeded:7" in seeded.output
    runs = (session, backwards, seeded)
    shown = {each.failed["test_race"].partition(". kernels.cu")[0] for each in runs}
    assert len(shown) == 3, "each order meets other threads first"


def test_each_test_in_several_orders(repository: Path) -> None:
    repeated = run(repository, "repeats.py", "--simt-schedules=3")
    assert repeated.passed == {"test_repeated", "test_of_the_one_before"}
    assert set(repeated.failed) == {"test_not_reversed"}
    assert "The blocks and threads ran reversed." in repeated.output


def test_a_sampled_session_judges_findings_alone(repository: Path) -> None:
    session = run(repository, "suite.py", "-k", "fill or overrun or race", "--simt-sample-blocks=1")
    assert not session.passed and {"test_fill", "test_fill_after_overrun"} <= session.skipped
    assert {"test_overrun", "test_race", "test_wrong_and_overrun"} <= set(session.failed)
    assert "SAMPLED: 1 block of each launch, no values" in session.output


def test_the_environment_chooses_where_no_option_does(repository: Path) -> None:
    chosen = {"CUSIMT_SCHEDULE": "seeded:3", "CUSIMT_STRICT": "1", "CUSIMT_WATCHDOG": "7"}
    kept = run(repository, "chosen.py", EXPECTED="seeded:3 1 7", **chosen)
    assert kept.passed == {"test_chosen"}, kept.output
    options = ("--simt-schedule=reversed", "--simt-strict=off", "--simt-watchdog=0")
    replaced = run(repository, "chosen.py", *options, EXPECTED="reversed 0 0", **chosen)
    assert replaced.passed == {"test_chosen"}, replaced.output


@pytest.mark.parametrize(
    ("argument", "sentence"),
    [
        ("--simt-schedules=0", "--simt-schedules takes the number of orders in which each test runs."),
        ("--simt-strict=maybe", "--simt-strict (or simt_strict in the ini file) takes one of: on, off."),
        ("--simt-device=abacus", "(or simt_device in the ini file) takes one of: h200, "),
        ("--simt-findings=maybe", "takes one of: error, warn, off."),
        ("--simt-schedule=seeded:x", "takes one of: forward, reversed, seeded (seeded:7 chooses the seed)."),
        ("--simt-sample-blocks=few", "--simt-sample-blocks takes the number of blocks"),
        ("--simt-watchdog=soon", "--simt-watchdog takes a number of seconds; 0 is no limit."),
        ("--simt-watchdog=-1", "--simt-watchdog takes a number of seconds; 0 is no limit."),
    ],
)
def test_what_cannot_be_chosen(repository: Path, argument: str, sentence: str) -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-m", "pytest", "-p", "cusimt", argument, "suite.py"]
    done = subprocess.run(command, cwd=repository, env=environment, capture_output=True, text=True)
    assert done.returncode == 4
    assert sentence in done.stderr
    assert "Traceback" not in done.stderr


# ---- outside of tests ----------------------------------------------------------------------------------


def test_a_finding_while_a_module_is_imported(repository: Path) -> None:
    collected = run(repository, "at_import.py", OVERRUN="at import")
    assert collected.status == 2
    assert "ERROR collecting at_import.py" in collected.output
    assert OVERRUN in collected.output


def test_a_finding_before_a_module_is_skipped_or_fails(repository: Path) -> None:
    modules = ["skips_at_import.py", "fails_at_import.py"]
    collected = run(repository, *modules)
    assert collected.status == 2
    for module in modules:
        section = collected.output.partition(f"ERROR collecting {module} ")[2].partition("\n____")[0]
        assert OVERRUN in section.partition("simulated GPU ===")[0], module
    assert "the module is wrong, too" in collected.output


def test_a_finding_at_import_as_a_warning(repository: Path) -> None:
    warned = run(
        repository, "at_import.py", "skips_at_import.py", "--simt-findings=warn", OVERRUN="at import"
    )
    assert warned.status == 0
    assert warned.passed == {"test_fill"}
    assert "kernels.cu:9: SimtFinding: Invalid __global__ write" in warned.output


def test_a_finding_between_tests_fails_the_session(repository: Path) -> None:
    between = run(repository, "at_import.py", OVERRUN="between tests")
    assert between.status == 1
    assert between.passed == {"test_fill"}
    assert "out_of_bounds kernels.cu:9: outside of tests" in between.output
    assert OVERRUN in between.output


def test_torch_that_was_there_first(tmp_path: Path) -> None:
    (tmp_path / "early.py").write_text("import torch\n")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path])}
    command = [sys.executable, "-m", "pytest", "-p", "early", "-p", "cusimt"]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 4
    assert "The simulated device cannot be added: torch is already imported." in done.stderr
