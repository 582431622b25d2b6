"""What the simulated GPU does in a second: elementwise threads, a tiled matmul, a fiber switch.

Compiles ``simt_kernels.cu`` with the simulated nvcc, once fast and once checked, and runs both in turn. A run
gives the median of a kernel's launches; on a machine with other work, take the fastest of several runs.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import record
from cuda_program import Times, fastest, simulated_program, times_printed

SOURCE = Path(__file__).parent / "simt_kernels.cu"
BARRIERS, BARRIER_THREADS = 10_000, 256


def main() -> None:
    parser = record.arguments(__doc__)
    parser.add_argument("--runs", type=int, default=1, help="take the fastest of so many (default: 1)")
    options = parser.parse_args()
    fast, checked = _measured(options.runs)
    rows = [
        (name, f"{quick * 1e3:.2f}", f"{checked[name][0] * 1e3:.2f}", f"{checked[name][0] / quick:.1f}")
        for name, (quick, _) in fast.items()
    ]
    seconds, threads = fast["vector_add"]
    switch = fast["barriers_only"][0] * 1e9 / (BARRIERS * BARRIER_THREADS)
    text = record.table(("kernel", "fast ms", "checked ms", "checked / fast"), rows)
    text += f"\n\nelementwise: {threads / seconds / 1e6:.0f} M thread launches/s; "
    text += f"a thread's passage through a barrier: {switch:.0f} ns"
    if options.runs > 1:
        load = os.getloadavg()[1]
        text += f"\n\nThe fastest of {options.runs} runs, at a load average of {load:.0f}, itself included."
    record.report("Throughput of the simulated GPU", text, options.record)


def _measured(runs: int) -> tuple[Times, Times]:
    """The fast and the checked program's times, from runs in turn."""
    with tempfile.TemporaryDirectory() as scratch:
        programs = [simulated_program(SOURCE, checked, Path(scratch)) for checked in (False, True)]
        rounds = [[times_printed(*program) for program in programs] for _ in range(runs)]
    return fastest(fast for fast, _ in rounds), fastest(checked for _, checked in rounds)


if __name__ == "__main__":
    main()
