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
from pathlib import Path

import record
from cuda_program import simulated_times, times_printed

FOLDER = Path(__file__).parent
GOAL = 1000  # times as many threads a second


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
        ours = simulated_times(FOLDER / "numba_comparison.cu", False, Path(scratch))
    simulator = [options.numba_python, str(FOLDER / "numba_kernels.py")]
    theirs = times_printed(simulator, {**os.environ, "NUMBA_ENABLE_CUDASIM": "1"})
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
