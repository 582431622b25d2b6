"""`grader doctor`: every line that is wrong comes with its fix, and what is merely optional is no problem."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader import toolchain
from grader.cli import probes
from grader.cli.doctor import examine
from grader.errors import ToolchainError
from grader.toolchain import TorchInstall


@pytest.fixture(autouse=True)
def healthy_machine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, toy_course: Path) -> None:
    """A machine without a GPU, with its own cache, inside the toy course."""
    monkeypatch.setenv("CU2GRAD_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("CU2GRAD_BACKEND", "simt")
    monkeypatch.setattr(probes, "gpu_present", lambda: False)
    monkeypatch.chdir(toy_course)


def report(capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    code = examine()
    return code, capsys.readouterr().out


def missing() -> None:
    raise ToolchainError("It is not here.", "It is needed.", "Run: sudo apt install it")


def test_what_another_grading_takes_out_of_the_cache_is_no_problem(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "there").write_bytes(bytes(3 << 20))
    monkeypatch.setattr(probes.os, "walk", lambda folder: [(str(tmp_path), [], ["there", "gone"])])
    code, said = report(capsys)
    assert (code, "3 MiB used" in said) == (0, True)


def test_a_machine_that_can_grade_is_told_so(capsys: pytest.CaptureFixture[str], toy_course: Path) -> None:
    code, said = report(capsys)
    assert code == 0
    assert "PROBLEM" not in said
    assert "optional  GPU           none found" in said
    assert f"course        {toy_course}, 2 exercises" in said
    assert said.splitlines()[-1] == "This machine can grade. Next: grader list"


@pytest.mark.parametrize(
    ("tool", "name"),
    [
        ("python_include", "Python.h"),
        ("host_compiler", "C++ compiler"),
        ("ninja", "ninja"),
        ("torch_install", "torch"),
    ],
)
def test_what_is_missing_is_a_problem_with_its_fix(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tool: str, name: str
) -> None:
    monkeypatch.setattr(toolchain, tool, missing)
    code, said = report(capsys)
    assert code == 3
    lines = said.splitlines()
    at = next(number for number, line in enumerate(lines) if line.startswith(f"PROBLEM   {name}"))
    assert lines[at].endswith("It is not here.")
    assert lines[at + 1].strip() == "-> Run: sudo apt install it"
    assert lines[-1].startswith("Repair first: ") and name in lines[-1]


def test_a_missing_toolkit_is_optional(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(toolchain, "cuda_toolkit", missing)
    code, said = report(capsys)
    assert code == 0
    assert "optional  nvcc          no complete CUDA toolkit" in said


@pytest.mark.parametrize(
    ("limit", "version", "words"),
    [
        ("RLIMIT_NPROC", 7, "bwrap at /bin/true, processes are limited by RLIMIT_NPROC, Landlock 7"),
        ("", 7, "do not grade as root"),
        ("a control group", 0, "every submission waits for a fresh start of torch"),
    ],
)
def test_how_far_a_sandbox_goes_is_told(
    limit: str, version: int, words: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(probes.shutil, "which", lambda name: "/bin/true")
    monkeypatch.setattr(probes.groups, "process_limit", lambda: limit)
    monkeypatch.setattr(probes.landlock, "version", lambda: version)
    code, said = report(capsys)
    assert code == 0
    assert words in " ".join(said.split())
    assert ("optional sandbox" in " ".join(said.split())) == (not limit or not version)


@pytest.mark.parametrize(
    ("version", "cuda", "word"),
    [("2.10.1", None, "2.10.1 is older than 2.11"), ("2.13.0+cu130", "13.0", "built for CUDA 13.0")],
)
def test_torchs_version_and_build_are_told(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    version: str,
    cuda: str | None,
    word: str,
) -> None:
    monkeypatch.setattr(toolchain, "torch_install", lambda: TorchInstall(Path("/torch"), version, cuda))
    monkeypatch.setattr(toolchain, "cuda_toolkit", missing)
    _, said = report(capsys)
    assert word in said


def test_a_cache_that_cannot_be_written_names_the_setting(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("CU2GRAD_CACHE", str(tmp_path / "file" / "cache"))
    code, said = report(capsys)
    assert code == 3
    assert "cannot be written" in said
    assert "export CU2GRAD_CACHE=DIR" in said


def test_a_probe_that_fails_itself_does_not_end_the_report(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken() -> None:
        raise RuntimeError("nobody expected this")

    monkeypatch.setattr(toolchain, "ninja", broken)
    code, said = report(capsys)
    assert code == 3
    assert "could not be examined: RuntimeError: nobody expected this" in said
    assert "course        " in said
