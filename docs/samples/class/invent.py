"""Invents a class of twenty, three of them adversarial: what Canvas would give out for two exercises.

    python docs/samples/class/invent.py FOLDER

writes ``gradebook.csv``, ``hand-ins_00.zip`` and ``hand-ins_01.zip`` into FOLDER, always the same.
"""

from __future__ import annotations

import csv
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

from grader.course.catalog import Catalog, Exercise
from grader.course.stubs import stub_text, without_markers

STUDENTS = (
    "ada", "alan", "barbara", "claude", "donald", "edsger", "emmy", "frances", "grace", "hedy",
    "ivan", "joan", "john", "karen", "konrad", "lotfi", "mary", "niklaus", "radia", "sofia",
)  # fmt: skip
EXERCISES = ("00", "01")
FIRST_NUMBER = 4001  # of Canvas's users
GUARD = "if (i >= n) return;"
HOST_LOOP = {
    "00": "    for (int64_t i = 0; i < n; ++i) y[i] = alpha * x[i];\n    return;\n",
    "01": "    for (int64_t i = 0; i < n; ++i) d_out[i] = d_a[i] + d_b[i];\n    return cudaSuccess;\n",
}
Files = dict[str, str]


def right(exercise: Exercise) -> Files:
    return {name: without_markers((exercise.solution_dir / name).read_text()) for name in exercise.edit}


def kernel_with(change: Callable[[str], str]) -> Callable[[Exercise], Files]:
    """A right answer with another ``kernel.cu``."""

    def made(exercise: Exercise) -> Files:
        files = right(exercise)
        changed = change(files["kernel.cu"])
        assert changed != files["kernel.cu"], exercise.slug
        return files | {"kernel.cu": changed}

    return made


def untouched(exercise: Exercise) -> Files:
    return {name: stub_text(exercise, name) for name in exercise.edit}


def computed_on_the_host(exercise: Exercise) -> Files:
    """Adversarial: right values, and no kernel made them."""
    files = right(exercise)
    head = "int64_t n, cudaStream_t stream) {\n" if "stream) {" in files["kernel.cu"] else "int64_t n) {\n"
    before, found, after = files["kernel.cu"].rpartition(head)
    assert found, exercise.slug
    return files | {"kernel.cu": f"{before}{head}{HOST_LOOP[exercise.slug[:2]]}{after}"}


without_guard = kernel_with(lambda text: text.replace(GUARD, ""))
does_not_build = kernel_with(lambda text: text.replace(";", "", 1))
shell = kernel_with(
    lambda text: '#include <cstdlib>\nstatic int run = std::system("id > /tmp/owned");\n' + text
)
leaves = kernel_with(
    lambda text: "#include <unistd.h>\n__attribute__((constructor)) void leave() { _exit(0); }\n" + text
)

# What a student hands in, and the mark that is right for it; the others hand in a right answer.
KINDS: dict[str, tuple[Callable[[Exercise], Files], float]] = {
    "donald": (without_guard, 80.0),
    "frances": (without_guard, 80.0),
    "grace": (untouched, 0.0),
    "ivan": (untouched, 0.0),
    "karen": (does_not_build, 0.0),
    "lotfi": (computed_on_the_host, 0.0),
    "mary": (shell, 0.0),
    "niklaus": (leaves, 0.0),
}
NOTHING = "hedy"  # hands in nothing for 01
TWICE = "sofia"  # hands in an untouched stub, then the right answer


def handed_in(student: str, exercise: Exercise) -> list[Files]:
    """What was uploaded, in this order."""
    if student == NOTHING and exercise.number == 1:
        return []
    made, _ = KINDS.get(student, (right, 100.0))
    uploads = [untouched, made] if student == TWICE else [made]
    return [upload(exercise) for upload in uploads]


def write_class(folder: Path, catalog: Catalog) -> None:
    """Writes the three files, as Canvas names what is in them."""
    folder.mkdir(parents=True, exist_ok=True)
    exercises = [catalog.find(name) for name in EXERCISES]
    titles = [f"{each.title} ({501 + number})" for number, each in enumerate(exercises)]
    with (folder / "gradebook.csv").open("w", newline="", encoding="utf-8") as file:
        sheet = csv.writer(file)
        sheet.writerow(["Student", "ID", "SIS User ID", "SIS Login ID", "Section", *titles])
        sheet.writerow(["    Points Possible", "", "", "", "", "10.00", "10.00"])
        for number, student in enumerate(STUDENTS, FIRST_NUMBER):
            sheet.writerow([student.title(), number, f"s{number}", student, "A", "", ""])
    for exercise in exercises:
        with zipfile.ZipFile(folder / f"hand-ins_{exercise.slug[:2]}.zip", "w") as packed:
            for number, student in enumerate(STUDENTS, FIRST_NUMBER):
                for time, files in enumerate(handed_in(student, exercise)):
                    for place, (name, text) in enumerate(files.items()):
                        path = Path(name)
                        again = f"{path.stem}-{time}{path.suffix}" if time else name
                        entry = f"{student}_{number}_{number * 100 + 10 * time + place}_{again}"
                        packed.writestr(zipfile.ZipInfo(entry, (2026, 10, 14, 12, time, 0)), text)


if __name__ == "__main__":
    write_class(Path(sys.argv[1]), Catalog.open(None))
    print(f"{len(STUDENTS)} students; see {sys.argv[1]}/gradebook.csv and hand-ins_*.zip")
