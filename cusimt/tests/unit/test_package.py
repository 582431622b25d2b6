"""The simulator as a distribution of its own: complete, and without the course and its grader."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tomllib
from fnmatch import fnmatch
from pathlib import Path

import pytest

from cusimt.folders import PACKAGE

PROJECT = tomllib.loads((PACKAGE / "pyproject.toml").read_text())
NOT_INSTALLED = {"pyproject.toml", "README.md", ".clang-format"}


def packages() -> set[str]:
    found = (path.parent.relative_to(PACKAGE.parent) for path in PACKAGE.rglob("__init__.py"))
    return {folder.as_posix().replace("/", ".") for folder in found if "tests" not in folder.parts}


def own_files(folder: Path) -> set[str]:
    """The files below `folder` that belong to the package, less what Python and the tests leave there."""
    files = (path.relative_to(folder) for path in folder.rglob("*") if path.is_file())
    kept = (file for file in files if not {"tests", "__pycache__", "build"} & set(file.parts))
    return {file.as_posix() for file in kept if not any(part.endswith(".egg-info") for part in file.parts)}


def test_every_package_is_listed() -> None:
    assert set(PROJECT["tool"]["setuptools"]["packages"]) == packages()


def test_it_needs_nothing_of_the_course() -> None:
    needed = PROJECT["project"]["dependencies"]
    assert [name for name in needed if "cu2grad" in name or "nbgrader" in name or "mkdocs" in name] == []


@pytest.mark.slow("pip makes a wheel")
def test_an_installation_has_every_file(tmp_path: Path) -> None:
    source, target = tmp_path / "source", tmp_path / "target"
    shutil.copytree(
        PACKAGE, source, ignore=shutil.ignore_patterns("tests", "__pycache__", "build", "*.egg-info")
    )
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation"]
    subprocess.run([*pip, "--target", target, source], check=True)
    assert own_files(target / "cusimt") == own_files(PACKAGE) - NOT_INSTALLED


def test_the_readme_of_the_runtime_names_every_part() -> None:
    readme = (PACKAGE / "runtime" / "README.md").read_text(encoding="utf-8")
    table = readme.partition("| step | files |")[2].partition("\n\n")[0]
    named = [name.removesuffix(".h").removesuffix(".cpp") for name in re.findall(r"`([\w.*]+)`", table)]
    parts = {file.stem for file in (PACKAGE / "runtime").iterdir() if file.suffix in (".cpp", ".h")}
    assert len(parts) > 100
    assert {part for part in parts if not any(fnmatch(part, name) for name in named)} == set()
