"""`grader gradescope build`: the autograder of one exercise, as the zip file that Gradescope takes."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from pathlib import Path

import grader
from cusimt.support.words import counted
from grader.cli.overview import shown
from grader.course.catalog import Exercise
from grader.course.workspace import shipped_files
from grader.instruct.export import write_export
from grader.support.errors import UsageError
from grader.support.zip_files import packed

_SOURCES = ("grader", "cusimt")
_BESIDE = ("pyproject.toml", "constraints.txt", "README.md", "LICENSE")
_PASSED_OVER = {"__pycache__", "tests", "build"}
_CACHE = "/autograder/cache"
_SETUP = f"""\
#!/usr/bin/env bash
set -e
apt-get update
apt-get install -y python3 python3-venv python3-dev g++ bubblewrap
cd /autograder/source/cu2grad
python3 -I grader/bootstrap.py .venv
# The solution proves that this image can judge, and compiles what is compiled once; then it goes.
mkdir -p {_CACHE}
CUSIMT_CACHE={_CACHE} .venv/bin/grader gradescope run {{exercise}} --submission solutions/{{exercise}} \\
    --results /tmp/results.json --trust-submissions
rm {{answers}}
"""
_RUN = f"""\
#!/usr/bin/env bash
cd /autograder/source/cu2grad
# One compiler at a time: Gradescope's containers have half a processor and little memory.
export CUSIMT_CACHE={_CACHE}
exec taskset --cpu-list "$(taskset --cpu-list --pid $$ | grep -o '[0-9]*$')" \\
    .venv/bin/grader gradescope run {{exercise}} {{options}}
"""


def build_autograder(exercise: Exercise, options: list[str], out: Path) -> int:
    """Writes ``out``. Raises UsageError where the grader was not installed from its sources."""
    root = Path(grader.__file__).resolve().parent.parent
    if not (root / "pyproject.toml").is_file():
        raise UsageError(
            f"There are no sources of the grader in {root}.",
            "Gradescope builds an image from them.",
            "Run it with the grader of a clone of the course.",
        )
    files = {f"cu2grad/{path}": content for path, content in _course(root, exercise).items()}
    words = {
        "exercise": exercise.slug,
        "options": shlex.join(options),
        "answers": " ".join(f"solutions/{exercise.slug}/{name}" for name in exercise.edit),
    }
    scripts = {"setup.sh": _SETUP.format(**words).encode(), "run_autograder": _RUN.format(**words).encode()}
    files |= scripts
    write_export(out, packed(files, scripts))
    print(f"{shown(out)} has {counted(len(files), 'file')}, and of all solutions that of {exercise.slug}.")
    print("setup.sh grades that one to prove the image, then removes it.")
    print("Next: in Gradescope, Configure Autograder, upload it, and test it with a hand-in.")
    return 0


def _course(root: Path, exercise: Exercise) -> Mapping[str, bytes]:
    """The grader, and one exercise with untouched stubs and its solution."""
    files = {name: (root / name).read_bytes() for name in _BESIDE}
    for package in _SOURCES:
        files |= {path.relative_to(root).as_posix(): path.read_bytes() for path in _below(root / package)}
    inside = Path("exercises", exercise.slug)
    for path in _below(exercise.root):
        files[(inside / path.relative_to(exercise.root)).as_posix()] = path.read_bytes()
    for path, text in shipped_files(exercise).items():
        files[(inside / path.relative_to(exercise.root)).as_posix()] = text.encode()
    for path in _below(exercise.solution_dir):
        name = path.relative_to(exercise.solution_dir)
        files[Path("solutions", exercise.slug, name).as_posix()] = path.read_bytes()
    return files


def _below(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.rglob("*")):
        parts = path.relative_to(folder).parts
        if path.is_file() and not any(part in _PASSED_OVER or part.startswith(".") for part in parts):
            yield path
