"""What the simulated GPU does in a second: elementwise threads, a tiled matmul, a fiber switch.

Compiles ``simt_kernels.cu`` with the simulated nvcc, once fast and once checked, and runs both.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import record
from cuda_program import simulated_times

SOURCE = Path(__file__).parent / "simt_kernels.cu"
BARRIERS, BARRIER_THREADS = 10_000, 256


def main() -> None:
    options = record.arguments(__doc__).parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        fast, checked = (simulated_times(SOURCE, each, Path(scratch)) for each in (False, True))
    rows = [
        (name, f"{quick * 1e3:.2f}", f"{checked[name][0] * 1e3:.2f}", f"{checked[name][0] / quick:.1f}")
        for name, (quick, _) in fast.items()
    ]
    seconds, threads = fast["vector_add"]
    switch = fast["barriers_only"][0] * 1e9 / (BARRIERS * BARRIER_THREADS)
    text = record.table(("kernel", "fast ms", "checked ms", "checked / fast"), rows)
    text += f"\n\nelementwise: {threads / seconds / 1e6:.0f} M thread launches/s; "
    text += f"a thread's passage through a barrier: {switch:.0f} ns"
    record.report("Throughput of the simulated GPU", text, options.record)


if __name__ == "__main__":
    main()
