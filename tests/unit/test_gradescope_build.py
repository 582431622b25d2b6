"""The autograder's zip file: what is in it, and a grading in a root that has little else."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from cusimt.support.cache import cache_root
from grader.cli.gradescope_build import build_autograder
from grader.course.catalog import Catalog

ROOT = Path(__file__).resolve().parents[2]
SLUG = "00_first_kernel"


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    path = tmp_path / "autograder.zip"
    build_autograder(Catalog.open(ROOT).find(SLUG), ["--points", "20"], path)
    return path


def test_one_exercise_and_the_grader(archive: Path) -> None:
    with zipfile.ZipFile(archive) as packed:
        names = {name.removeprefix("cu2grad/") for name in packed.namelist()}
        setup = packed.read("setup.sh").decode()
        modes = {entry.filename: entry.external_attr >> 16 & 0o777 for entry in packed.infolist()}
        stub = packed.read(f"cu2grad/exercises/{SLUG}/kernel.cu").decode()
    assert {"pyproject.toml", "grader/checks/grading.py", "cusimt/runtime/counting.h"} <= names
    assert {name.split("/")[1] for name in names if name.startswith("exercises/")} == {SLUG}
    assert {name.split("/")[1] for name in names if name.startswith("solutions/")} == {SLUG}
    parts = {part for name in names for part in name.split("/")}
    assert not parts & {".venv", ".git", ".cu2grad", "__pycache__", "tests"}
    assert (modes["setup.sh"], modes["run_autograder"]) == (0o755, 0o755)
    assert f"rm solutions/{SLUG}/kernel.cu\n" in setup
    assert "TODO" in stub


def test_the_same_bytes_again(archive: Path, tmp_path: Path) -> None:
    build_autograder(Catalog.open(ROOT).find(SLUG), ["--points", "20"], tmp_path / "again.zip")
    assert (tmp_path / "again.zip").read_bytes() == archive.read_bytes()


@pytest.mark.release("installs itself into a root of its own, as Gradescope's machine does")
@pytest.mark.slow("grades a submission")
def test_it_grades_in_a_root_of_its_own(archive: Path, tmp_path: Path) -> None:
    """As in a container: the system, what setup.sh made, and the upload; nothing of this clone."""
    if shutil.which("bwrap") is None:
        pytest.skip("needs bubblewrap (package bubblewrap)")
    autograder = tmp_path / "autograder"
    course = autograder / "source" / "cu2grad"
    with zipfile.ZipFile(archive) as packed:
        packed.extractall(autograder / "source")
    upload = autograder / "submission"
    shutil.copytree(course / "solutions" / SLUG, upload)
    (course / "solutions" / SLUG / "kernel.cu").unlink()
    (course / ".venv" / "bin").mkdir(parents=True)
    (course / ".venv" / "bin" / "grader").write_text(
        f'#!/bin/sh\nexec env PYTHONPATH=. {sys.executable} -m grader "$@" --trust-submissions\n'
    )
    (course / ".venv" / "bin" / "grader").chmod(0o755)
    (autograder / "results").mkdir()
    there = [
        Path(each)
        for each in ("/usr", "/etc", "/bin", "/lib", "/lib64", "/sbin", sys.prefix, sys.base_prefix)
    ]
    binds = [word for each in there if each.exists() for word in ("--ro-bind", str(each), str(each))]
    inside = [
        "bwrap", "--unshare-net", "--tmpfs", "/tmp", *binds, "--proc", "/proc", "--dev", "/dev",
        "--bind", str(autograder), "/autograder", "--bind", str(cache_root()), "/autograder/cache",
        "bash", "/autograder/source/run_autograder",
    ]  # fmt: skip
    done = subprocess.run(
        inside, env={"PATH": os.environ["PATH"]}, capture_output=True, text=True, check=False
    )
    if "namespace" in done.stderr:
        pytest.skip(done.stderr)
    assert done.returncode == 0, done.stdout + done.stderr
    document = json.loads((autograder / "results" / "results.json").read_text())
    assert document["score"] == 20.0
    assert {test["status"] for test in document["tests"] if "status" in test} == {"passed"}
