"""Five kernels on the simulated GPU (fast build) and in numba-cuda's simulator, side by side in one run.

numba is no dependency of this project. Install it into an environment of its own, and name that:

    python3 -m venv /tmp/numba && /tmp/numba/bin/pip install numba numba-cuda
    python benchmarks/numba_comparison.py --numba-python /tmp/numba/bin/python

A figure is CUDA threads a second. Each side gets a grid large enough to take a while on it; blocks and the
work of a thread are the same (numba_comparison.cu, numba_kernels.py).
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

import record

from grader.simt.native import runtime_library
from grader.simt.nvcc import CHECKS_VARIABLE

FOLDER = Path(__file__).parent
GOAL = 1000  # times as many threads a second
Times = dict[str, tuple[float, int]]  # kernel name -> (seconds, CUDA threads launched)


def _times(command: list[str], environment: Mapping[str, str]) -> Times:
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
    lines = map(str.split, done.stdout.splitlines())
    return {name: (float(seconds), int(threads)) for name, seconds, threads in lines}


def simulated_gpu(folder: Path) -> Times:
    """Compile the kernels with the simulated nvcc, without checks, and run them."""
    program = folder / "kernels"
    environment = {
        **os.environ,
        "PYTHONPATH": str(record.REPOSITORY),
        CHECKS_VARIABLE: "0",
        "LD_LIBRARY_PATH": str(runtime_library().parent),
    }
    compiler = [sys.executable, "-m", "grader.simt.nvcc", "-O2"]
    command = [*compiler, str(FOLDER / "numba_comparison.cu"), "-o", str(program)]
    subprocess.run(command, check=True, env=environment)
    return _times([str(program)], environment)


def numba_simulator(python: str) -> Times:
    return _times([python, str(FOLDER / "numba_kernels.py")], {**os.environ, "NUMBA_ENABLE_CUDASIM": "1"})


def numba_versions(python: str) -> str | None:
    """The versions of numba and numba-cuda that an interpreter has; None if it has not both."""
    question = "from importlib.metadata import version; "
    question += "print('numba', version('numba'), 'numba-cuda', version('numba-cuda'))"
    done = subprocess.run([python, "-c", question], capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else None


def main() -> None:
    parser = record.arguments(__doc__)
    parser.add_argument(
        "--numba-python", default=sys.executable, help="a Python that has numba and numba-cuda"
    )
    options = parser.parse_args()
    versions = numba_versions(options.numba_python)
    if versions is None:
        sys.exit(
            f"{options.numba_python} has not both numba and numba-cuda.\n"
            "This script compares with their simulator; nothing else here needs them.\n"
            "pip install numba numba-cuda into another environment, and name its Python with --numba-python."
        )
    with tempfile.TemporaryDirectory() as scratch:
        ours = simulated_gpu(Path(scratch))
    theirs = numba_simulator(options.numba_python)
    rates = {name: (ours[name][1] / ours[name][0], theirs[name][1] / theirs[name][0]) for name in theirs}
    rows = [
        (name, f"{fast / 1e6:.1f} M", f"{slow / 1e3:.2f} k", f"{fast / slow:,.0f}")
        for name, (fast, slow) in rates.items()
    ]
    text = record.table(("kernel", "simulated GPU, threads/s", f"{versions}, threads/s", "times"), rows)
    least = min(fast / slow for fast, slow in rates.values())
    text += f"\n\nleast: {least:,.0f} times (goal: {GOAL:,})"
    record.report("Throughput beside numba-cuda's simulator", text, options.record)


if __name__ == "__main__":
    main()
