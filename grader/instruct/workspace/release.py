"""The contents of a learner's folder: exercises and lessons without answers, and instructions.

A release is a table of files, made from a course. Packing and writing it is another matter:
:mod:`grader.handout`.
"""

from __future__ import annotations

import importlib.resources
import zipfile
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

import grader
from grader.course.catalog import Catalog, Exercise
from grader.course.workspace import shipped_files
from grader.handout import Release
from grader.instruct.workspace.lessons import answers_for, pages_of
from grader.support.errors import UsageError
from grader.support.folders import PACKAGES

_OWN = "for_learners"  # a folder of the course
_HANDOUT = {
    "AGENTS.md": "AGENTS.md",
    "README.md": "README.md",
    "gitignore": ".gitignore",
    "clangd": ".clangd",
    "conftest": "exercises/conftest.py",
    "extensions.json": ".vscode/extensions.json",
    "pytest.ini": "pytest.ini",
    "settings.json": ".vscode/settings.json",
    "tasks.json": ".vscode/tasks.json",
}  # and its name there
_MADE = {"build", "dist", "__pycache__"}  # folders that building an exercise leaves behind
_COMPILED = {".pyc", ".o", ".so", ".fatbin", ".ptx"}


def release_of(catalog: Catalog, chosen: Collection[str] = (), wheel: Path | None = None) -> Release:
    """The exercises of ``catalog`` that ``chosen`` names (numbers or slugs; none: all), as learners get them.

    Needs the solutions: from them come the stubs, and what must not be handed out. ``wheel`` is the grader
    for learners to install. Raises UnknownExercise for a wrong name, BrokenExercise for a broken exercise,
    and UsageError where a file would show an answer, or for a wheel of something else.
    """
    slugs = {catalog.find(name).slug for name in chosen}
    exercises = [each for each in catalog.exercises if not slugs or each.slug in slugs]
    files: dict[str, bytes] = {}
    for exercise in exercises:
        files |= _files_of(exercise)
    files |= pages_of(catalog.course, exercises)
    own = _own_files(catalog.course, taken=files)
    _refuse_answers(catalog, exercises, files | own)
    files |= _handout(exercises, wheel) | own
    if wheel is not None:
        files[wheel.name] = _grader_in(wheel)
    return Release(
        files=dict(sorted(files.items())),
        edit=frozenset(f"exercises/{each.slug}/{name}" for each in exercises for name in each.edit),
        exercises={each.slug: each.version for each in exercises},
        grader=grader.__version__,
    )


def _files_of(exercise: Exercise) -> dict[str, bytes]:
    """The folder of one exercise with untouched stubs, and the stubs once more, for `grader reset`."""
    if not exercise.solution_dir.is_dir():
        raise UsageError(
            f"{exercise.solution_dir} is not there.",
            "A workspace is made from the authors' copy: its stubs come from the solutions, and without them "
            "a leaked answer could not be detected.",
            "Name the authors' copy: grader class release --course COURSE",
        )
    inside = f"exercises/{exercise.slug}"
    stubs = {
        path.relative_to(exercise.root).as_posix(): text for path, text in shipped_files(exercise).items()
    }
    files = {f"{inside}/{name}": (exercise.root / name).read_bytes() for name in _others(exercise)}
    for name, text in stubs.items():
        files[f"{inside}/{name}"] = text.encode()
        if name in (*exercise.edit, *exercise.given):
            files[f".cu2grad/stubs/{exercise.slug}/{name}"] = text.encode()
    return files


def _others(exercise: Exercise) -> Iterator[str]:
    """What an author put into the exercise's folder, less what a build or a tool left there."""
    for path in sorted(exercise.root.rglob("*")):
        parts = path.relative_to(exercise.root).parts
        left = any(part in _MADE or part.startswith(".") or part.endswith(".egg-info") for part in parts)
        if path.is_file() and not left and path.suffix not in _COMPILED:
            yield "/".join(parts)


def _own_files(course: Path, taken: Collection[str]) -> dict[str, bytes]:
    """What an instructor adds to every workspace, or puts in the place of the README and its like."""
    folder = course / _OWN
    paths = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    files = {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}
    for name in files:
        if name in taken or name.startswith((".cu2grad/", "exercises/")):
            raise UsageError(
                f"{folder / name} would take the place of a file of the course.",
                f"{_OWN}/ adds files to a workspace, and may replace {', '.join(_HANDOUT.values())}.",
                "Give it another name.",
            )
    return files


def _refuse_answers(catalog: Catalog, exercises: list[Exercise], files: Mapping[str, bytes]) -> None:
    """Raises UsageError if a file shows a line that only the solutions have."""
    answers = answers_for(catalog, exercises)
    for path, content in files.items():
        shown = answers.found_in(content.decode("utf-8", errors="ignore"))
        if shown:
            raise UsageError(
                f"{path} would show a line of {answers.places[shown[0]]}: {shown[0]}",
                "A handout contains no line that occurs only in the solutions.",
                "Take the line out of the file, or move the file out of what is handed out.",
            )


def _handout(exercises: list[Exercise], wheel: Path | None) -> dict[str, bytes]:
    """The files that are the same for every course, but for the first exercise and what to install."""
    folder = importlib.resources.files("grader.instruct.workspace") / "handout"
    words = {
        "{first}": f"{exercises[0].number:02d}",
        "{install}": f"./{wheel.name}" if wheel else "WHAT-YOUR-INSTRUCTOR-NAMES",
    }
    written = {}
    for name, there in _HANDOUT.items():
        text = (folder / name).read_text(encoding="utf-8")
        for word, meaning in words.items():
            text = text.replace(word, meaning)
        written[there] = text.encode()
    return written


def _grader_in(wheel: Path) -> bytes:
    """The wheel's content, if it installs the grader and nothing of a course."""
    problem = "it does not hold the grader alone"
    try:
        with zipfile.ZipFile(wheel) as archive:
            folders = {name.partition("/")[0] for name in archive.namelist()}
        packages = {name for name in folders if not name.endswith(".dist-info")}
        if wheel.suffix == ".whl" and packages == {each.name for each in PACKAGES}:
            return wheel.read_bytes()
    except (OSError, zipfile.BadZipFile) as error:
        problem = str(error)
    raise UsageError(
        f"{wheel} cannot be handed out: {problem}.",
        "Learners install the grader from a wheel, a file that ends in .whl and holds no solution.",
        "Make it in the folder of the grader: python -m pip wheel --no-deps --wheel-dir dist .",
    )
