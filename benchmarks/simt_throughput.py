"""What the simulated GPU does in a second: elementwise threads, a tiled matmul, a fiber switch.

Compiles ``simt_kernels.cu`` with the simulated nvcc, once fast and once checked, and runs both.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import record

from grader.simt.native import runtime_library
from grader.simt.nvcc import CHECKS_VARIABLE

SOURCE = Path(__file__).parent / "simt_kernels.cu"
BARRIERS, BARRIER_THREADS = 10_000, 256


def times(checked: bool, folder: Path) -> dict[str, tuple[float, int]]:
    """Kernel name -> (milliseconds, CUDA threads launched)."""
    program = folder / ("checked" if checked else "fast")
    environment = {
        **os.environ,
        "PYTHONPATH": str(record.REPOSITORY),
        CHECKS_VARIABLE: str(int(checked)),
        "LD_LIBRARY_PATH": str(runtime_library().parent),
    }
    compiler = [sys.executable, "-m", "grader.simt.nvcc", "-O2", str(SOURCE), "-o", str(program)]
    subprocess.run(compiler, check=True, env=environment)
    done = subprocess.run([program], check=True, capture_output=True, text=True, env=environment)
    lines = done.stdout.splitlines()
    return {name: (float(ms), int(threads)) for name, ms, threads in map(str.split, lines)}


def main() -> None:
    options = record.arguments(__doc__).parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        fast, checked = times(False, Path(scratch)), times(True, Path(scratch))
    rows = [
        (name, f"{fast[name][0]:.2f}", f"{checked[name][0]:.2f}", f"{checked[name][0] / fast[name][0]:.1f}")
        for name in fast
    ]
    milliseconds, threads = fast["vector_add"]
    switch = fast["barriers_only"][0] * 1e6 / (BARRIERS * BARRIER_THREADS)
    text = record.table(("kernel", "fast ms", "checked ms", "checked / fast"), rows)
    text += f"\n\nelementwise: {threads / milliseconds / 1e3:.0f} M thread launches/s; "
    text += f"a thread's passage through a barrier: {switch:.0f} ns"
    record.report("Throughput of the simulated GPU", text, options.record)


if __name__ == "__main__":
    main()
