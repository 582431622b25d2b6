"""Captures what the grader prints for stubs and mistakes, for the lessons; with ``--check`` only compares.

Each capture runs ``grader check`` in a copy of the course in which one exercise holds the stub, or the
solution with one mistake; or ``grader profile`` on the solution, as it is or edited. Seconds, which differ
from run to run, are blanked out; the seed is fixed.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import counted
from generated import bring_up_to_date
from profiles import edited

from grader.course.catalog import Catalog, Exercise
from grader.course.mutants import load_mutants
from cusimt.support.processors import processors
from grader.course.snapshot import desk
from grader.course.workspace import shipped_files, without_markers

COURSE = Path(__file__).resolve().parent.parent.parent
SAMPLE = COURSE / "docs" / "samples" / "course"
FOLDER = COURSE / "docs" / "_captured"
SEED = "20260401"
SECONDS = re.compile(r"\b\d+(?:\.\d+)? (?=(?:m?s|seconds?)\b)")
BUILD_OF_TORCH = re.compile(r"(?<=torch )(\d+\.\d+\.\d+)\+\w+")  # as in 2.13.0+cpu
WALL_CLOCK = re.compile(r"\b\d+(?:\.\d+)? (?=(?:s|seconds?)\b)")


@dataclass(frozen=True)
class Capture:
    """``mutant`` names an entry of mutants.toml, ``edit`` is a replacement; without either, the stub, or
    where ``solved``, the solution.

    ``compiler`` is the major version of g++ whose words are shown, if any are, ``nvcc`` the release of the
    toolkit whose numbers are. ``profiled`` are replacements in the solution's kernel.cu. Milliseconds are kept
    if they are ``simulated``: those are the same in every run.
    """

    name: str
    exercise: str
    mutant: str = ""
    edit: tuple[str, str, str] | None = None
    course: Path = COURSE
    compiler: str = ""
    nvcc: str = ""
    profiled: tuple[tuple[str, str], ...] | None = None
    solved: bool = False
    simulated: bool = False

    @property
    def exit_code(self) -> int:
        return 0 if self.solved or self.profiled is not None else 1


EXERCISES = Catalog.open(COURSE).exercises
PTXAS = {"18_occupancy_and_divergence": "13.0"}  # its verdict has registers, where nvcc is present
CAPTURES = (
    *(Capture(exercise.slug, exercise.slug) for exercise in EXERCISES),  # the stubs
    *(
        Capture(f"{exercise.slug}.passed", exercise.slug, solved=True, nvcc=PTXAS.get(exercise.slug, ""))
        for exercise in EXERCISES
    ),
    Capture("index", "07", mutant="x and out both laid out like x"),
    Capture("00_first_kernel.guard_missing", "00", mutant="guard missing"),
    Capture("00_first_kernel.index_without_the_block", "00", mutant="index without the block"),
    Capture(
        "00_first_kernel.syntax_error", "00", edit=("kernel.cu", "(blockIdx.x)", "(blokIdx.x)"), compiler="12"
    ),
    Capture(
        "00_first_kernel.crash",
        "00",
        edit=("kernel.cu", "if (n == 0) return;", "if (n == 0) *static_cast<volatile int*>(nullptr) = 0;"),
    ),  # fmt: skip
    Capture("01_vector_add.host_pointer_in_the_kernel", "01", mutant="host pointer in the kernel"),
    Capture("03_fused_muladd.double_not_instantiated", "03", mutant="double not instantiated"),
    Capture("05_streams_and_devices.scratch_not_recorded", "05", mutant="scratch not recorded"),
    Capture("07_fused_bias_gelu.inner_derivative_forgotten", "07", mutant="inner derivative forgotten"),
    Capture("08_half_and_bfloat16.sum_in_half", "08", mutant="sum kept in half precision"),
    Capture("09_embedding_backward.no_atomic", "09", mutant="no atomic"),
    Capture("09_embedding_backward.deterministic_mode_ignored", "09", mutant="deterministic mode ignored"),
    Capture("09_embedding_backward.profile", "09", profiled=(), nvcc="13.0"),
    Capture("11_measure_first.no_head_start", "11", mutant="no head start", simulated=True),
    Capture("12_vectorized_access.alignment_not_tested", "12", mutant="alignment not tested"),
    Capture("13_transpose.written_by_columns", "13", mutant="written by columns"),
    Capture("21_dispatcher.derivative_under_the_cuda_key", "21", mutant="derivative under the CUDA key"),
    Capture("06_naive_matmul.profile_exchanged", "06", profiled=counted.EXCHANGED, nvcc="13.0"),
    Capture(
        "12_vectorized_access.profile_scalar",
        "12",
        profiled=(("if (aligned(a) && aligned(b) && aligned(out)) {", "if (n < 0) {"),),
        nvcc="13.0",
    ),
    Capture("26_debugging_clinic.x_made_contiguous", "26", mutant="x made contiguous"),
    Capture("27_write_the_tests.class_of_the_exception", "27", mutant="any exception will do"),
    Capture("27_write_the_tests.too_strict", "27", mutant="messages word for word"),
    Capture("90_row_sums.second_barrier_missing", "90", mutant="second barrier missing", course=SAMPLE),
)


def run(capture: Capture) -> str:
    """What ``grader check NN --plain`` prints, with the seconds blanked out, or ``grader profile``."""
    command = ["check", "--plain", "--seed", SEED] if capture.profiled is None else ["profile"]
    width = "100" if capture.profiled is None else "80"
    with course_with(capture) as folder:
        environment = {**os.environ, "PYTHONPATH": str(COURSE), "CU2GRAD_BACKEND": "simt", "COLUMNS": width}
        environment["TERM"] = "xterm"  # a terminal that can draw lines
        done = subprocess.run(
            [sys.executable, "-m", "grader", *command, capture.exercise],
            cwd=folder, env=environment, capture_output=True, text=True, check=False,
        )  # fmt: skip
        if done.returncode != capture.exit_code:
            raise SystemExit(f"{capture.name}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
        text = done.stdout.replace(str(folder), "").replace(str(COURSE), "")
    text = text.replace("Built from the cache.", "Built in 1 s.")  # it depends on what ran before
    text = BUILD_OF_TORCH.sub(r"\1", text)
    text = (WALL_CLOCK if capture.simulated else SECONDS).sub("… ", text)
    if capture.solved:  # the copy holds one exercise, so its next step is not a learner's
        text = text.rstrip().rpartition("\n")[0]
    return "\n".join(line.rstrip() for line in text.rstrip().splitlines()) + "\n"


@contextmanager
def course_with(capture: Capture) -> Iterator[Path]:
    """A copy of the course with the stub or the mistake in place of what the learner has.

    It is in the same folder each time, so what was compiled for the last capture serves the next.
    """
    exercise = Catalog.open(capture.course).find(capture.exercise)
    with desk(exercise, FOLDER / exercise.slug) as place:
        folder = place / exercise.slug
        for part in ("exercises", "solutions"):
            shutil.copytree(capture.course / part / exercise.slug, folder / part / exercise.slug)
        if exercise.lesson_path.is_file():
            lesson = folder / exercise.lesson_path.relative_to(capture.course)
            lesson.parent.mkdir(parents=True)
            shutil.copyfile(exercise.lesson_path, lesson)
        copy = Catalog.open(folder).find(capture.exercise)
        _put(copy, capture)
        yield folder


def _put(exercise: Exercise, capture: Capture) -> None:
    for path, text in shipped_files(exercise).items():
        path.write_text(text, encoding="utf-8")
    if capture.solved or capture.profiled is not None:
        for name in exercise.edit:
            text = (exercise.solution_dir / name).read_text(encoding="utf-8")
            (exercise.root / name).write_text(without_markers(text), encoding="utf-8")
        if capture.profiled is not None:
            kernel = exercise.root / "kernel.cu"
            text = edited(kernel.read_text(encoding="utf-8"), capture.profiled)
            kernel.write_text(text, encoding="utf-8")
    elif capture.mutant:
        chosen = [mutant for mutant in load_mutants(exercise) if mutant.name == capture.mutant]
        if not chosen:
            raise SystemExit(f"{exercise.slug} has no mutant {capture.mutant!r}")
        chosen[0].write(exercise.root)
    elif capture.edit:
        file, find, replace = capture.edit
        text = (exercise.solution_dir / file).read_text(encoding="utf-8")
        if text.count(find) != 1:
            raise SystemExit(f"{capture.name}: {find!r} occurs {text.count(find)} times in {file}")
        (exercise.root / file).write_text(text.replace(find, replace), encoding="utf-8")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="compare only; 1 if a capture is not up to date")
    parser.add_argument("names", nargs="*", help="captures to take; default all")
    options = parser.parse_args()
    chosen = [each for each in CAPTURES if not options.names or each.name in options.names]
    with ThreadPoolExecutor(processors()) as pool:
        texts = pool.map(run, chosen)
        taken = ((FOLDER / f"{each.name}.txt", text) for each, text in zip(chosen, texts, strict=True))
        return bring_up_to_date(taken, options.check, "captures.py")


if __name__ == "__main__":
    raise SystemExit(main())
