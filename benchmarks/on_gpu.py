"""Everything that only a machine with a GPU can show, in one run: tests, figures, comparisons.

    python benchmarks/on_gpu.py            # all parts, one after another
    python benchmarks/on_gpu.py tests      # one of them

Each part is an ordinary command that prints and records its own results; what the tests printed is kept
here, under ``results/gpu_tests.md``. A part that fails or takes too long does not keep the next from running,
and the exit code says whether all went well.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import subprocess
import sys
import time
from dataclasses import dataclass

import record

from grader.compilation import detect_backend


@dataclass(frozen=True)
class Part:
    """A command and the seconds it may take."""

    arguments: tuple[str, ...]
    limit: int


def gpu_name() -> str:
    """``h200`` of "NVIDIA H200", for the names of files."""
    import torch

    return torch.cuda.get_device_name().split()[-1].lower() if torch.cuda.is_available() else "none"


def test_arguments() -> tuple[str, ...]:
    """pytest over tests/gpu, several at a time where pytest-xdist is: nvcc takes most of the time."""
    chosen = ["-m", "pytest", "tests/gpu", "-q", "-rA", "--no-header", "-p", "no:cacheprovider"]
    chosen += ["-p", "no:benchmark"]  # where that plugin is installed, it warns about xdist
    if importlib.util.find_spec("xdist"):
        chosen += ["-n", str(max(1, (os.cpu_count() or 1) * 2 // 3)), "--dist", "worksteal"]
    return tuple(chosen)


PARTS = {
    "tests": Part(test_arguments(), 540),
    "lessons": Part(("benchmarks/lessons.py", "--record"), 240),
    "contenders": Part(("benchmarks/contenders.py", "--record", f"contenders_{gpu_name()}"), 540),
    "languages": Part(("benchmarks/languages.py", "--record", f"languages_{gpu_name()}"), 240),
    "edit_to_verdict": Part(
        ("benchmarks/edit_to_verdict.py", "--rounds", "5", "--record", f"edit_to_verdict_{gpu_name()}"), 300
    ),
    "counters": Part(("benchmarks/hardware_counters.py", "counters", "values"), 420),
    "findings": Part(("benchmarks/hardware_counters.py", "findings"), 540),
    "bindings": Part(("benchmarks/bindings_on_gpu.py", "--record", f"bindings_{gpu_name()}"), 480),
    "lanes": Part(("benchmarks/gpu_lanes.py", "--record", f"gpu_lanes_{gpu_name()}"), 420),
}


def run(name: str, part: Part) -> tuple[int, float, str]:
    """Exit code (124: it took too long), seconds and what was printed; shown while it runs."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(record.REPOSITORY), *sys.path[1:]])}
    print(f"== {name}", flush=True)
    start, lines = time.perf_counter(), []
    command = ["timeout", str(part.limit), sys.executable, *part.arguments]
    with subprocess.Popen(
        command,
        cwd=record.REPOSITORY,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as running:
        assert running.stdout is not None
        for line in running.stdout:
            print(line, end="", flush=True)
            lines.append(line)
    return running.returncode, time.perf_counter() - start, "".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument(
        "parts", nargs="*", metavar="PART", help=f"{', '.join(PARTS)}; all when none is named"
    )
    chosen = parser.parse_args().parts or list(PARTS)
    if unknown := set(chosen) - set(PARTS):
        parser.error(f"no such part: {', '.join(sorted(unknown))}. There are {', '.join(PARTS)}.")
    if detect_backend() != "cuda":
        sys.exit("This needs a GPU, nvcc and a CUDA build of torch. `grader doctor` says what is missing.")
    rows = []
    for name in chosen:
        code, seconds, text = run(name, PARTS[name])
        if name == "tests":
            record.report("tests/gpu on a GPU", f"```text\n{text.rstrip()}\n```", "gpu_tests")
        rows.append((name, "passed" if code == 0 else f"exit code {code}", f"{seconds:.0f} s"))
    print("\n" + record.table(("part", "result", "time"), rows))
    sys.exit(any(result != "passed" for _, result, _ in rows))


if __name__ == "__main__":
    main()
