from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from grader import bootstrap
from grader.checks.registry import WORKER_MODULES

ROOT = Path(__file__).resolve().parents[2]


def test_every_missing_package_is_named_in_one_go(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CXX", raising=False)
    monkeypatch.setattr(bootstrap, "find_spec", lambda name: None)
    monkeypatch.setattr("sysconfig.get_paths", lambda: {"include": str(tmp_path)})
    with pytest.raises(SystemExit) as caught:
        bootstrap.preflight()
    said = str(caught.value).splitlines()
    assert said[0].startswith("This machine lacks python3-venv (to make .venv), python3-dev (for Python.h")
    assert said[1] == "Run: sudo apt install python3-venv python3-dev g++"


def test_a_machine_that_has_everything_passes() -> None:
    assert bootstrap.missing_packages() == {}


def test_the_cpu_index_is_not_asked_where_a_gpu_or_a_folder_of_wheels_is(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("the network was asked")

    monkeypatch.setattr("urllib.request.urlopen", refuse)
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))
    assert bootstrap.cpu_index() == []


def test_an_index_out_of_reach_is_not_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def unreachable(*_: object, **__: object) -> None:
        raise OSError("no network")

    monkeypatch.delenv("PIP_FIND_LINKS", raising=False)
    monkeypatch.delenv("PIP_NO_INDEX", raising=False)
    monkeypatch.setattr("shutil.which", lambda name: None)
    monkeypatch.setattr("urllib.request.urlopen", unreachable)
    assert bootstrap.cpu_index() == []


def pretended_pip(folder: Path, script: str) -> Path:
    python = folder / "python"
    python.write_text(f"#!/bin/sh\n{script}\n")
    python.chmod(0o755)
    return python


def test_a_success_prints_one_line_and_keeps_what_pip_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    python = pretended_pip(tmp_path, "for i in 1 2 3; do echo Collecting $i; done; echo careful >&2")
    bootstrap.install(python, tmp_path, "test")
    log = tmp_path / "install.log"
    assert capsys.readouterr().out.splitlines() == [
        f"Installing what test needs into {tmp_path}: about a minute. pip's log is {log}."
    ]
    assert log.read_text().splitlines() == ["Collecting 1", "Collecting 2", "Collecting 3", "careful"]


def test_several_extras_are_installed_at_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bootstrap.install(pretended_pip(tmp_path, 'echo "$@"'), tmp_path, "test,docs")
    log = tmp_path / "install.log"
    assert capsys.readouterr().out.splitlines() == [
        f"Installing what test and what docs needs into {tmp_path}: about a minute. pip's log is {log}."
    ]
    assert log.read_text().split()[-2:] == ["-e", ".[test,docs]"]


def test_a_failure_prints_the_end_of_what_pip_said_and_where_the_rest_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    python = pretended_pip(tmp_path, "seq 1 100; echo no space left >&2; exit 1")
    with pytest.raises(SystemExit) as caught:
        bootstrap.install(python, tmp_path, "test")
    log = tmp_path / "install.log"
    printed = capsys.readouterr().out.splitlines()
    assert printed[1] == f"... 61 earlier lines are in {log}"
    assert printed[-3:] == [
        "100",
        "no space left",
        f"pip could not install everything. The reason is above; all of the output is in {log}.",
    ]
    assert str(caught.value) == "Remove the reason, then run the same command again."


@pytest.mark.parametrize(("index", "size"), [(["--extra-index-url", "x"], "1 GB"), ([], "5 GB")])
def test_the_first_installation_says_how_much_it_loads(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    index: list[str],
    size: str,
) -> None:
    monkeypatch.setattr(bootstrap, "cpu_index", lambda: index)
    bootstrap.install(pretended_pip(tmp_path, 'echo "$@"'), tmp_path, "")
    (line,) = capsys.readouterr().out.splitlines()
    assert f" {size}, " in line
    assert (tmp_path / "install.log").read_text().split()[-2:] == (index or ["-e", "."])


def test_it_runs_on_a_bare_python() -> None:
    program = f"import runpy; runpy.run_path({str(ROOT / 'grader' / 'bootstrap.py')!r})"
    subprocess.run([sys.executable, "-I", "-S", "-c", program], check=True)


def test_an_old_python_is_named_by_make(tmp_path: Path) -> None:
    old = tmp_path / "python-old"
    old.write_text('#!/bin/sh\n[ "$1" = --version ] && { echo Python 3.9.2; exit; }\nexit 1\n')
    old.chmod(0o755)
    done = subprocess.run(
        ["make", "--no-print-directory", "demo", f"PYTHON={old}", f"VENV={tmp_path / 'venv'}"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode != 0
    assert done.stdout.splitlines() == [
        "Python 3.9.2 is too old: cu2grad needs Python 3.11 or newer.",
        "Name a newer one: make demo PYTHON=python3.12",
    ]


def test_what_the_checks_import_in_workers_is_installed_with_the_package() -> None:
    dependencies = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
    installed = {"grader", *(re.split(r"[<>=~ ]", dependency)[0] for dependency in dependencies)}
    assert {module.partition(".")[0] for names in WORKER_MODULES.values() for module in names} <= installed
