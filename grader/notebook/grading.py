"""`grader.grade("03")`: the checks of `grader check` on the files beside a notebook or in the course.

They run in a process of their own, so a crash costs a verdict and no kernel; that process prints the verdict
as JSON, and all else that it prints stays out of the notebook, where nbgrader takes a word on stderr for a
failed cell.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from grader.course.catalog import Catalog, Exercise
from grader.notebook.report import Report
from grader.support.errors import ExplainedError, InfrastructureError, UsageError
from grader.support.folders import python_path
from grader.verdict import Verdict

if TYPE_CHECKING:
    from grader.support.backends import Backend


def grade(
    exercise: str | int, path: str | Path | None = None, *, backend: Backend | None = None,
    seed: int | None = None, isolate: bool = False, course: str | Path | None = None,
) -> Report:  # fmt: skip
    """Judge the files of an exercise, named by number or slug, as `grader check` does.

    The files are those in ``path``; without it those in the current folder, if it holds any of the exercise's
    files; else those in the course's own folder of the exercise. ``course`` is a course's folder, found from
    here if not given. ``backend``, ``seed`` and ``isolate`` are the options of `grader check`.

    Raises:
        UsageError: there is no such exercise, or no such folder.
        InfrastructureError: the process that grades did not answer.
    """
    catalog = Catalog.open(Path(course) if course is not None else None)
    found = catalog.find(str(exercise))
    folder = files_for(found, Path(path) if path is not None else None)
    options = ["--course", str(catalog.course)]
    if folder.resolve() != found.root:
        options += ["--files", str(folder.resolve())]
    if backend is not None:
        options += ["--backend", backend]
    if seed is not None:
        options += ["--seed", str(seed)]
    if isolate:
        options.append("--isolate")
    return Report(_verdict_of_child([found.slug, *options]))


def files_for(exercise: Exercise, path: Path | None) -> Path:
    """The folder whose files are graded.

    Exercises name their files alike, so standing in the folder of another one does not count.
    """
    if path is not None:
        return path
    here = Path.cwd().resolve()
    another = here.parent == exercise.root.parent and here != exercise.root
    if not another and any((here / name).is_file() for name in exercise.edit):
        return here
    return exercise.root


def _verdict_of_child(arguments: list[str]) -> Verdict:
    """Run `grader check` and read its verdict; what went wrong before there was one is raised."""
    # -P: a file of the learner's that is called grader.py or torch.py is not imported in the place of ours.
    command = [sys.executable, "-P", "-m", "grader", "check", *arguments, "--json"]
    done = subprocess.run(
        command, env={**os.environ, "PYTHONPATH": python_path()}, stdin=subprocess.DEVNULL,
        capture_output=True, text=True, errors="replace", check=False,
    )  # fmt: skip
    if done.stdout.lstrip().startswith("{"):
        return Verdict.from_json(done.stdout)
    said = done.stderr.strip()
    if done.returncode == UsageError.exit_code and said:
        raise UsageError(*said.splitlines()[:3])
    if done.returncode == ExplainedError.exit_code and said:
        raise InfrastructureError(*said.splitlines()[:3])
    raise InfrastructureError(
        f"The process that grades ended with code {done.returncode} and without a verdict.",
        "Your code is not at fault: it runs in a process of its own.",
        "Look for what ended it, most often too little memory; then run: grader doctor",
    )
