"""The hours that the handbook's formula says, beside a class graded on paper, up to a million submissions.

The formula knows means; on paper every submission takes its own time, and a share of them is cut short and
done again. No cluster was used: what one submission costs is a parameter here, and on a real class it is
measured: the seconds of each grading are in results/verdicts.jsonl.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass

import record
from simulated_cluster import Costs, Fleet, Variation, hours_with, simulated_hours


@dataclass(frozen=True)
class Case:
    """A class, in words and in numbers."""

    words: str
    submissions: int
    costs: Costs
    fleet: Fleet


ON_CUDA, ON_SIMT = Costs(core_seconds=12, gpu_seconds=3), Costs(core_seconds=6)
CASES = (
    Case("a class on a workstation", 500, ON_CUDA, Fleet(8, 1)),
    Case("a course on a workstation, simt", 6_500, ON_SIMT, Fleet(16)),
    Case("a course on four GPUs", 6_500, ON_CUDA, Fleet(32, 4)),
    Case("ten courses on eight GPUs", 65_000, ON_CUDA, Fleet(64, 8)),
    Case("a million on few cores", 1_000_000, ON_CUDA, Fleet(128, 512)),
    Case("a million on a cluster", 1_000_000, ON_CUDA, Fleet(1024, 256)),
    Case("a million on simt", 1_000_000, ON_SIMT, Fleet(8_192)),
)
QUIET, LOSSES = Variation(spread=0.5), Variation(spread=0.5, lost=0.02)


def row(case: Case, seed: int) -> tuple[str, ...]:
    """One line of the table: said, simulated, and the difference in percent."""
    size = hours_with(case.fleet, case.submissions, case.costs)
    begun = time.perf_counter()
    quiet = simulated_hours(case.fleet, case.submissions, case.costs, QUIET, seed)
    seconds = time.perf_counter() - begun
    lossy = simulated_hours(case.fleet, case.submissions, case.costs, LOSSES, seed)
    return (
        case.words,
        f"{case.submissions:,}".replace(",", " "),
        f"{case.fleet.cores} + {case.fleet.gpus}",
        f"{size.hours:.2f}",
        f"{quiet:.2f}",
        f"{100 * (size.hours / quiet - 1):+.1f} %",
        f"{lossy:.2f}",
        size.bottleneck,
        f"{seconds:.1f} s",
    )


def main() -> None:
    parser: argparse.ArgumentParser = record.arguments(__doc__)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    header = (
        "class", "submissions", "cores + GPUs", "hours said", "simulated", "difference", "2 % done again",
        "held up by", "simulated in",
    )  # fmt: skip
    text = record.table(header, [row(case, options.seed) for case in CASES])
    costs = (
        f"On cuda {ON_CUDA.core_seconds:g} s of a core and {ON_CUDA.gpu_seconds:g} s of a GPU for each "
        f"submission, on simt {ON_SIMT.core_seconds:g} s of a core: assumed. gpu_lanes_h200.md measured 2.3 "
        "to 2.8 s of an H200 for 03 and 06."
    )
    record.report("Sizes of clusters, said and simulated", f"{costs}\n\n{text}", options.record)


if __name__ == "__main__":
    main()
