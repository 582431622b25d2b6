"""From a one-line edit of kernel.cu to the verdict, against the tutorial's way.

What a learner waits for after saving a file. Each round changes one line of a kernel in the exercise's
``kernel.cu`` (of 03, or as ``--exercise`` says) into one that no cache has seen, then runs ``grader check``
in a new process; afterwards the same with ``grader watch``, from the save to the last line of the verdict.

The tutorial's way compiles the same op as one file that includes ``torch/extension.h``: with nvcc where
nvcc is present (compilation alone, no link, no check), otherwise the C++ side of ``load_inline``. Where there
is a GPU, ``torch.utils.cpp_extension.load`` of that file is timed as well, in a cold process, and the seconds
that the verdict's own checks take are added to it.
"""

from __future__ import annotations

import os
import shutil
import signal
import statistics
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import record

from grader.compilation import detect_backend
from grader.course.catalog import Catalog, Exercise

TUTORIAL = Path(__file__).parent / "tutorial_muladd.cu"


def seconds(command: list[str], environment: dict[str, str]) -> float:
    """Wall time of a command that must succeed."""
    start = time.perf_counter()
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    elapsed = time.perf_counter() - start
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)} failed:\n{done.stdout}\n{done.stderr}")
    return elapsed


def seconds_to_verdict(command: list[str], environment: dict[str, str]) -> float:
    """Wall time of a `grader check` until its verdict is there; what it does afterwards nobody waits for."""
    start = time.perf_counter()
    unbuffered = environment | {"PYTHONUNBUFFERED": "1"}  # as on a terminal, where a line is seen at once
    with subprocess.Popen(command, env=unbuffered, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        if next((line for line in process.stdout if line.startswith("Seed ")), None) is None:
            sys.exit(f"{' '.join(command)} gave no verdict")
        elapsed = time.perf_counter() - start
        process.communicate()
    if process.returncode != 0:
        sys.exit(f"{' '.join(command)} did not pass")
    return elapsed


def course(folder: Path, exercise: Exercise) -> Path:
    """A copy of the course in which `exercise` is solved, so that its kernel can be edited freely."""
    for name in ("exercises", "solutions"):
        shutil.copytree(record.REPOSITORY / name, folder / name)
    for name in (*exercise.edit, *exercise.given):
        shutil.copy(exercise.solution_dir / name, folder / "exercises" / exercise.slug / name)
    return folder


def edit(kernel: Path, original: str, generation: int) -> None:
    """Change one line of the first kernel's body into code that no earlier build can have seen."""
    body = original.index("{", original.index(")", original.index("__global__"))) + 1
    unseen = f" if (gridDim.z == {70_000 + generation}u) return;"  # no grid is that deep
    kernel.write_text(original[:body] + unseen + original[body:])


def load_seconds() -> float:
    """A cold process that builds and loads the tutorial's file as its readers do."""
    program = (
        "import sys\nfrom torch.utils.cpp_extension import load\n"
        "load('tutorial', [sys.argv[1]], build_directory=sys.argv[2], extra_cuda_cflags=['-arch=native'])"
    )
    with tempfile.TemporaryDirectory() as scratch:
        return seconds([sys.executable, "-c", program, str(TUTORIAL), scratch], dict(os.environ))


def watched(
    command: list[str], environment: dict[str, str], save: Callable[[int], None], rounds: int
) -> list[float]:
    """Seconds from each save to its verdict, by a `grader watch` that has given its first one."""
    times = []
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        verdict_ends = (line for line in process.stdout if line.startswith("Seed "))
        for generation in range(rounds + 1):
            start = time.perf_counter()
            if generation:
                save(generation)
            if next(verdict_ends, None) is None:
                sys.exit(f"{' '.join(command)} ended by itself")
            times.append(time.perf_counter() - start)
            time.sleep(0.5)  # until it waits for the next
        process.send_signal(signal.SIGINT)
    return times[1:]


def verdicts(exercise: Exercise, rounds: int) -> tuple[float, list[float], list[float], float]:
    """Seconds of the very first check with an empty cache, of one check per edit after it, of one verdict per
    edit while watching, and of the checks in such a verdict.
    """
    with tempfile.TemporaryDirectory() as scratch:
        folder = course(Path(scratch) / "course", exercise)
        environment = {**os.environ, "CUSIMT_CACHE": str(Path(scratch) / "cache")}
        command = [sys.executable, "-m", "grader", "check", exercise.slug, "--course", str(folder), "--plain"]
        first = seconds_to_verdict(command, environment)
        kernel = folder / "exercises" / exercise.slug / "kernel.cu"
        original = kernel.read_text()
        times = []
        for generation in range(rounds):
            edit(kernel, original, generation)
            times.append(seconds_to_verdict(command, environment))
        command[3] = "watch"
        saved = watched(command, environment, lambda n: edit(kernel, original, rounds + n), rounds)
        checks = record.check_seconds(exercise.slug, "--course", str(folder), environment=environment)
        return first, times, saved, sum(checks.values()) - checks["build"]


def tutorial_command(output: Path) -> tuple[str, list[str]]:
    """How the tutorial's single file is compiled on this machine: (label, command)."""
    from torch.utils import cpp_extension

    includes = [f"-I{path}" for path in cpp_extension.include_paths()] + [
        f"-I{sysconfig.get_paths()['include']}"
    ]
    defines = ["-DTORCH_EXTENSION_NAME=tutorial", "-DTORCH_API_INCLUDE_EXTENSION_H"]
    if shutil.which("nvcc"):
        flags = ["-std=c++20", "-O2", "--expt-relaxed-constexpr", "-arch=sm_90", "-Xcompiler", "-fPIC"]
        return "nvcc, one .cu with torch/extension.h", [
            "nvcc",
            *flags,
            *includes,
            *defines,
            "-c",
            str(TUTORIAL),
            "-o",
            str(output),
        ]
    flags = ["-std=c++20", "-O2", "-fPIC", "-x", "c++", "-DHOST_SIDE_ONLY"]
    return "g++, load_inline's C++ side", [
        "g++",
        *flags,
        *includes,
        *defines,
        "-c",
        str(TUTORIAL),
        "-o",
        str(output),
    ]


def main() -> None:
    parser = record.arguments(__doc__)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--exercise", default="03")
    parser.add_argument("--without-tutorial", action="store_true", help="time only the grader")
    options = parser.parse_args()
    exercise = Catalog.open(record.REPOSITORY).find(options.exercise)
    first, times, saved, checks = verdicts(exercise, options.rounds)
    median = statistics.median(times)
    rows = [
        ("import of torch, median", f"{import_seconds():.2f} s", "in a new process"),
        ("first check, empty cache", f"{first:.1f} s", "until the verdict; headers are precompiled after it"),
        ("edit to verdict, median", f"{median:.2f} s", spread(times)),
        ("save to verdict with grader watch, median", f"{statistics.median(saved):.2f} s", spread(saved)),
    ]
    if not options.without_tutorial:
        rows += tutorial_rows(median, checks)
    table = record.table(("what", "wall time", "note"), rows)
    record.report(f"Edit to verdict: {exercise.slug}", table, options.record)


def spread(times: list[float]) -> str:
    return f"{len(times)} edits, from {min(times):.2f} to {max(times):.2f} s"


def import_seconds() -> float:
    """Median seconds of a new process that imports torch."""
    command = [sys.executable, "-c", "import torch"]
    return statistics.median(seconds(command, dict(os.environ)) for _ in range(5))


def tutorial_rows(median: float, checks: float) -> list[tuple[str, str, str]]:
    """The tutorial's way beside an edit to verdict of `median` seconds, of which `checks` are no build."""
    with tempfile.TemporaryDirectory() as scratch:
        label, command = tutorial_command(Path(scratch) / "tutorial.o")
        tutorial = seconds(command, dict(os.environ))
    rows = [
        (label, f"{tutorial:.1f} s", "compilation alone"),
        ("ratio", f"{tutorial / median:.1f}", "tutorial's compilation / edit to verdict"),
    ]
    if detect_backend() == "cuda":
        load = load_seconds()
        ratio = f"{(load + checks) / median:.1f}"
        rows += [
            ("load() of that file", f"{load:.1f} s", "torch.utils.cpp_extension, cold process"),
            ("ratio", ratio, f"(load() + {checks:.1f} s of checks) / edit to verdict"),
        ]
    return rows


if __name__ == "__main__":
    main()
