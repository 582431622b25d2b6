"""What the simulated GPU does in a second: elementwise threads, a tiled matmul, a fiber switch.

Compiles ``simt_kernels.cu`` with the simulated nvcc, once fast and once checked, and runs both in turn, the
fast one on one OS thread and on two. A run gives the median of a kernel's launches; on a machine with other
work, take the fastest of several runs.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import record
from cuda_program import Times, fastest, simulated_program, times_printed

from cusimt.programs.schedules import THREADS_VARIABLE

SOURCE = Path(__file__).parent / "simt_kernels.cu"
BARRIERS, BARRIER_THREADS = 10_000, 256


def main() -> None:
    parser = record.arguments(__doc__)
    parser.add_argument("--runs", type=int, default=1, help="take the fastest of so many (default: 1)")
    options = parser.parse_args()
    fast, shared, checked = _measured(options.runs)
    rows = [
        (
            *(name, f"{alone * 1e3:.2f}", f"{shared[name][0] * 1e3:.2f}", f"{alone / shared[name][0]:.2f}"),
            *(f"{checked[name][0] * 1e3:.2f}", f"{checked[name][0] / alone:.1f}"),
        )
        for name, (alone, _) in fast.items()
    ]
    seconds, threads = fast["vector_add"]
    switch = fast["barriers_only"][0] * 1e9 / (BARRIERS * BARRIER_THREADS)
    columns = ("kernel", "fast ms", "on two threads ms", "gain", "checked ms", "checked / fast")
    text = record.table(columns, rows)
    text += f"\n\nelementwise: {threads / seconds / 1e6:.0f} M thread launches/s; "
    text += f"a thread's passage through a barrier: {switch:.0f} ns"
    if options.runs > 1:
        load = os.getloadavg()[1]
        text += f"\n\nThe fastest of {options.runs} runs, at a load average of {load:.0f}, itself included."
    record.report("Throughput of the simulated GPU", text, options.record)


def _measured(runs: int) -> tuple[Times, Times, Times]:
    """Times of the fast program on one OS thread and on two, and of the checked one, from runs in turn."""
    with tempfile.TemporaryDirectory() as scratch:
        fast, checked = (simulated_program(SOURCE, checked, Path(scratch)) for checked in (False, True))
        counts = [(fast, 1), (fast, 2), (checked, 1)]
        ways = [(command, {**given, THREADS_VARIABLE: str(n)}) for (command, given), n in counts]
        rounds = [[times_printed(*way) for way in ways] for _ in range(runs)]
    alone, shared, watched = (fastest(way) for way in zip(*rounds, strict=True))
    return alone, shared, watched


if __name__ == "__main__":
    main()
