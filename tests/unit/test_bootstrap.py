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
    installed = {re.split(r"[<>=~ ]", dependency)[0] for dependency in dependencies}
    assert {module.partition(".")[0] for names in WORKER_MODULES.values() for module in names} <= installed
