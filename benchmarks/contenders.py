"""`grader bench` for every exercise that is timed: the solution beside Triton, PyTorch and the floor.

python benchmarks/contenders.py --record contenders_h200
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import record

from grader.course.catalog import Catalog

HEADER = ("contender", "time", "spread", "speed", "of the floor", "peak memory")


def rows(workload: dict[str, Any]) -> list[tuple[str, ...]]:
    """A row for each contender but the submission, which is the solution here."""
    found = []
    for each in workload["contenders"]:
        if each["name"] == "your submission":
            continue
        if "median_ms" not in each:
            found.append((each["name"], "not timed: " + each["problem"], "", "", "", ""))
            continue
        spread = 50 * (each["high_ms"] - each["low_ms"]) / each["median_ms"]
        found.append((
            f"`{each['name']}`", f"{each['median_ms']:.4f} ms", f"± {spread:.1f} %",
            f"{each['speed']:,.4g} {workload['floor']['unit']}", f"{each['share_of_floor']:.2f}",
            f"{each['peak_bytes'] / 2**20:,.1f} MiB",
        ))  # fmt: skip
    return found


def measured(slug: str) -> str:
    """The tables of one exercise."""
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch) / "bench.json"
        command = [sys.executable, "-m", "grader", "bench", slug[:2], "--from", "solutions"]
        command += ["--backend", "cuda", "--size", "1", "--json", str(path), "--plain"]
        done = subprocess.run(command, cwd=record.REPOSITORY, capture_output=True, text=True, check=False)
        if done.returncode:
            return f"## {slug}\n\nNot measured: {done.stderr.strip()}\n"
        workloads = json.loads(path.read_text())["workloads"]
    tables = [f"{each['workload']}\n\n{record.table(HEADER, rows(each))}\n" for each in workloads]
    return "\n".join([f"## {slug}\n", *tables])


def main() -> None:
    options = record.arguments(__doc__)
    options.add_argument("names", nargs="*", metavar="SLUG", help="the exercises to measure; default all")
    chosen = options.parse_args()
    timed = [
        each.slug for each in Catalog.open(Path(record.REPOSITORY)).exercises if "performance" in each.scores
    ]
    found = []
    for slug in chosen.names or timed:
        found.append(measured(slug))
        print(found[-1], flush=True)
    record.report("Solutions beside Triton, PyTorch and the floor", "\n".join(found), chosen.record)


if __name__ == "__main__":
    main()
