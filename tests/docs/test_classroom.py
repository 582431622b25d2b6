"""GitHub Classroom's and GitLab's files: what they run, in a fresh clone of a learner's copy."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from grader.course.catalog import Catalog
from grader.course.workspace import without_markers
from grader.handout import create
from grader.instruct.workspace import release_of

SAMPLES = Path(__file__).resolve().parents[2] / "docs/samples/class"
KERNEL = "exercises/00_negate/kernel.cu"


def github(document: dict[Any, Any]) -> str:
    steps = document["jobs"]["grade"]["steps"]
    return "\n".join(step["run"] for step in steps if "run" in step)


def gitlab(document: dict[Any, Any]) -> str:
    return "\n".join(document["grade"]["script"])


def cached(document: object) -> set[str]:
    """The folders that a service brings back before it runs anything, wherever its file names them."""
    if isinstance(document, dict):
        named = document.get("path", document.get("paths", ()))
        own = named.split() if isinstance(named, str) else list(named)
        return set(own).union(*map(cached, document.values()))
    return set().union(*map(cached, document)) if isinstance(document, list) else set()


def git(folder: Path, *words: str) -> None:
    who = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")
    subprocess.run(["git", *who, *words], cwd=folder, check=True, capture_output=True)


def cloned(repository: Path, into: Path) -> Path:
    """A clone as a runner has it once the cached environment is back, and programs that only root may use."""
    into.parent.mkdir()
    git(into.parent, "clone", "--quiet", str(repository), str(into))
    (into / ".venv/bin").mkdir(parents=True)
    for program, words in ((into / ".venv/bin/grader", f'exec {sys.executable} -m grader "$@"'),
                           (into.parent / "bin/sudo", "exit 0")):  # fmt: skip
        program.parent.mkdir(exist_ok=True)
        program.write_text(f"#!/bin/sh\n{words}\n")
        program.chmod(0o755)
    return into


def run(script: str, clone: Path) -> tuple[int, dict[str, list[str]]]:
    """The exit code, and by exercise the checks that are no pass in the JUnit file that is uploaded."""
    environment = {
        **os.environ, "PATH": f"{clone.parent / 'bin'}:{os.environ['PATH']}",
        "PYTHONPATH": str(Path(__file__).resolve().parents[2]),
    }  # fmt: skip
    done = subprocess.run(
        ["bash", "-e", "-c", script], cwd=clone, env=environment, capture_output=True, text=True, check=False
    )
    report = clone / "verdict.xml"
    assert report.is_file(), done.stdout + done.stderr
    suites = ElementTree.parse(report).getroot()
    return done.returncode, {
        suite.attrib["name"]: [case.attrib["name"] for case in suite if len(case)] for suite in suites
    }


@pytest.mark.slow("grades two exercises from the command line, three times")
@pytest.mark.parametrize("service", [github, gitlab], ids=["github", "gitlab"])
def test_a_push_is_graded_in_a_fresh_clone(service: Any, toy_catalog: Catalog, tmp_path: Path) -> None:
    yaml = pytest.importorskip("yaml", reason="PyYAML is not installed: pip install 'cu2grad[instructor]'")
    document = yaml.safe_load((SAMPLES / f"{service.__name__}.yml").read_text())
    script = service(document)
    assert ".venv" in cached(document) and "pip install ./*.whl" in script  # only where nothing is cached yet
    repository = tmp_path / "ada"
    create(release_of(toy_catalog), repository)
    git(repository, "init", "--quiet")
    git(repository, "add", "--all")
    git(repository, "commit", "--quiet", "--message", "as handed out")
    code, failed = run(script, cloned(repository, tmp_path / "first/clone"))
    assert code == 1 and all(failed.values()) and len(failed) == 2

    for exercise in toy_catalog.exercises:
        for name in exercise.edit:
            text = without_markers((exercise.solution_dir / name).read_text())
            (repository / "exercises" / exercise.slug / name).write_text(text)
    git(repository, "commit", "--all", "--quiet", "--message", "mine")
    code, failed = run(script, cloned(repository, tmp_path / "second/clone"))
    assert (code, set(map(tuple, failed.values()))) == (0, {()}), failed

    shutil.copy(tmp_path / "first/clone" / KERNEL, repository / KERNEL)
    git(repository, "commit", "--all", "--quiet", "--message", "the stub again")
    code, failed = run(script, cloned(repository, tmp_path / "third/clone"))
    assert code == 1 and sorted(map(bool, failed.values())) == [False, True]
