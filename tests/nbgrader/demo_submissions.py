"""A class made up from solutions and a few planted mistakes: three exercises, ten students, all endings.

`python -m tests.nbgrader.demo_submissions CLASS` writes CLASS/submitted/STUDENT/EXERCISE/, with the notebooks
in CLASS/release. The same every time; every kind of an exercise comes from a student or two. That each
planted mistake is caught is for tests/exercises/test_mutants.py to show.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from grader.course.catalog import Catalog
from grader.course.exercise import Exercise
from grader.course.mutants import load_mutants
from grader.course.stubs import render_stub, stub_text, without_markers
from grader.verdict import Status

ROOT = Path(__file__).resolve().parents[2]
STUDENTS = tuple(f"s{number:02d}" for number in range(1, 11))
TIMESTAMP = "2026-10-01 12:00:00.000000 UTC"
HOSTILE = "</code></pre><script>document.title = 'owned'</script>"

Files = dict[str, str]


@dataclass(frozen=True)
class Kind:
    """What somebody handed in: ``files`` by name, and how the checks named in ``ended`` must have ended.

    A kind without ``ended`` passes. ``earned`` are the points of a kind whose points are all or nothing.
    """

    name: str
    files: Files
    ended: Mapping[str, Status] = field(default_factory=dict)
    earned: float | None = None


def kinds_of(exercise: Exercise) -> list[Kind]:
    """The kinds of submission to one of the three exercises."""
    return [
        Kind("solution", solution(exercise)),
        Kind("stub", {name: stub_text(exercise, name) for name in exercise.edit}, earned=0.0,
             ended={"todo": Status.NOT_ATTEMPTED, "correctness": Status.NOT_ATTEMPTED}),
        Kind("syntax error", _changed(exercise, "kernel.cu", lambda text: text.replace(") {", ") {{", 1)),
             {"build": Status.BUILD_ERROR}, 0.0),
        *_KINDS[exercise.slug](exercise),
    ]  # fmt: skip


def _first_kernel(exercise: Exercise) -> list[Kind]:
    def at_the_launcher(statement: str) -> Files:
        head = "cudaStream_t stream) {"
        return _changed(exercise, "kernel.cu", lambda text: text.replace(head, f"{head}\n    {statement}"))

    return [
        mistake(exercise, "guard missing"),
        mistake(exercise, "loop on the host", 0.0),
        Kind("crash", at_the_launcher("*static_cast<volatile int*>(nullptr) = 1;"),
             {"correctness": Status.CRASH}, 0.0),
        # It sleeps, so that the other lanes have the processor meanwhile.
        Kind("endless loop", at_the_launcher("for (timespec second{1, 0};; nanosleep(&second, nullptr)) {}"),
             {"correctness": Status.TIMEOUT}, 0.0),
        Kind("hostile comment", _changed(exercise, "kernel.cu", lambda text: f"// {HOSTILE}\n{text}")),
    ]  # fmt: skip


def _fused_muladd(exercise: Exercise) -> list[Kind]:
    master = (exercise.solution_dir / "op.py").read_text()
    half = render_stub(master, ".py", {"backward": exercise.sections["backward"]})
    return [
        mistake(exercise, "gradients exchanged"),
        mistake(exercise, "library instead of the op"),
        Kind("backward still open", solution(exercise) | {"op.py": half},
             {"todo": Status.NOT_ATTEMPTED, "correctness": Status.PASS}),
        Kind("reaches for the grader", _changed(exercise, "op.py", lambda text: f"import os\n{text}"),
             {"build": Status.FAIL}, 0.0),
    ]  # fmt: skip


def _transpose(exercise: Exercise) -> list[Kind]:
    right = solution(exercise)
    return [
        mistake(exercise, "written by columns"),
        Kind("a file missing", {name: text for name, text in right.items() if name != "binding.cpp"},
             {"build": Status.BUILD_ERROR}, 0.0),
        Kind("lines of Windows", {name: text.replace("\n", "\r\n") for name, text in right.items()}),
    ]  # fmt: skip


_KINDS: dict[str, Callable[[Exercise], list[Kind]]] = {
    "00_first_kernel": _first_kernel,
    "03_fused_muladd": _fused_muladd,
    "13_transpose": _transpose,
}
SLUGS = tuple(_KINDS)


def kind_of(student: str, exercise: Exercise) -> Kind:
    """What one student handed in; who is good at one exercise need not be at the next."""
    kinds = kinds_of(exercise)
    return kinds[(STUDENTS.index(student) + SLUGS.index(exercise.slug) * 3) % len(kinds)]


def write_submissions(school: Path, catalog: Catalog) -> dict[tuple[str, str], Kind]:
    """Write all submissions; the kind of each by student and exercise."""
    written = {}
    for exercise in map(catalog.find, SLUGS):
        for student in STUDENTS:
            kind = kind_of(student, exercise)
            hand_in(school, student, exercise, kind.files)
            written[student, exercise.slug] = kind
    return written


def hand_in(school: Path, student: str, exercise: Exercise, files: Files) -> None:
    """Write a submission as nbgrader collects it, with the notebook that was released."""
    place = school / "submitted" / student / exercise.slug
    place.mkdir(parents=True)
    shutil.copy(school / "release" / exercise.slug / f"{exercise.slug}.ipynb", place)
    (place / "timestamp.txt").write_text(TIMESTAMP)
    for name, text in files.items():
        (place / name).write_bytes(text.encode())


def solution(exercise: Exercise) -> Files:
    return {name: without_markers((exercise.solution_dir / name).read_text()) for name in exercise.edit}


def _changed(exercise: Exercise, name: str, change: Callable[[str], str]) -> Files:
    files = solution(exercise)
    changed = change(files[name])
    assert changed != files[name]
    return files | {name: changed}


def mistake(exercise: Exercise, name: str, earned: float | None = None) -> Kind:
    """A planted mistake: the check that is there to catch it fails."""
    mutant = next(each for each in load_mutants(exercise) if each.name == name)
    master = (exercise.solution_dir / mutant.file).read_text()
    files = solution(exercise) | {mutant.file: without_markers(master.replace(mutant.find, mutant.replace))}
    return Kind(name, files, {mutant.caught_by: Status.FAIL}, earned)


if __name__ == "__main__":
    write_submissions(Path(sys.argv[1]), Catalog.open(ROOT))
