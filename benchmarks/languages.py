"""The same operation in eager PyTorch, `torch.compile`, Triton and CUDA C++, in one table for lesson 25.

    python benchmarks/languages.py --record languages_h200

Every exercise that has kernels in Triton (`docs/samples/triton`) is measured, on the arguments of its SPEED,
forward and with its backward. Times are medians on the device's clock, launches queued ahead, L2 cold
(`device_clock`); the floor is the least traffic at the speed of a large copy. `languages_of_one` measures one
exercise in a process of its own: all at once first, to build and compile, then one after another. A contender
that fails, and a process that ends, cost their own cells alone, and another table says why.
"""

from __future__ import annotations

import importlib.metadata
import json
import os
import subprocess
import sys
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from pathlib import Path
from typing import Any

import record

from grader.course.catalog import Catalog

ONE = Path(__file__).parent / "languages_of_one.py"
REHEARSAL_SECONDS, SECONDS = 110, 60  # of all together, and of each
FORWARD, STEP = STAGES = ("forward", "forward and backward")
EAGER, COMPILED, TRITON, CUDA = CONTENDERS = ("eager", "`torch.compile`", "Triton", "CUDA C++")
NOT_TIMED = "not timed"


def answers(slug: str, size: Fraction, seconds: int, *more: str) -> list[dict[str, Any]]:
    """What the process of one exercise answered; the last answer says how it ended, if badly."""
    # One thread of Inductor: six processes with a pool each would compete for the processors.
    environment = os.environ | {"TORCHINDUCTOR_COMPILE_THREADS": "1"}
    environment["PYTHONPATH"] = os.pathsep.join([str(record.REPOSITORY), environment.get("PYTHONPATH", "")])
    command = [sys.executable, str(ONE), slug, "--size", str(size), *more]
    try:
        done = subprocess.run(
            command, env=environment, capture_output=True, text=True, check=False, timeout=seconds
        )
        text, ended = done.stdout, ""
        if done.returncode:
            last = done.stderr.strip().splitlines()[-1:]
            ended = f"its process ended with exit code {done.returncode}: {''.join(last)}".replace("|", "/")
    except subprocess.TimeoutExpired as late:
        text = late.stdout.decode() if isinstance(late.stdout, bytes) else late.stdout or ""
        ended = f"its process took more than {seconds} s"
    lines = (line for line in text.splitlines() if line.startswith("{") and line.endswith("}"))
    return [*(json.loads(line) for line in lines), *([{"ended": ended}] if ended else [])]


def cells(found: Sequence[dict[str, Any]], stage: str, floor: float | None) -> Iterable[str]:
    """Microseconds and share of the floor, which is in milliseconds, of every contender."""
    times = {each["contender"]: each.get("ms") for each in found if each.get("stage") == stage}
    for name in CONTENDERS:
        ms = times.get(name)
        share = f", {100 * floor / ms:.0f} %" if ms and floor else ""
        yield f"{1e3 * ms:.1f} µs{share}" if ms else NOT_TIMED


def problems(slug: str, found: Sequence[dict[str, Any]]) -> Iterable[tuple[str, str]]:
    """What has no time, and why."""
    timed = {(each["contender"], each["stage"]) for each in found if "contender" in each}
    for each in found:
        if "problem" in each:
            yield f"{slug}, {each['contender']}, {each['stage']}", each["problem"]
    ended = next((each["ended"] for each in found if "ended" in each), "")
    left = [name for name in CONTENDERS for stage in STAGES if (name, stage) not in timed]
    if ended:
        yield f"{slug}, {', '.join(dict.fromkeys(left)) or 'at its end'}", ended


def tables(found: dict[str, list[dict[str, Any]]]) -> str:
    """Times; inputs and bytes; and what has no time, if anything."""
    times, inputs, why = [], [], []
    for slug, each in found.items():
        facts = next((one for one in each if "bytes" in one), None)
        number = slug[:2]
        for stage in STAGES:
            floor = facts["bytes"][stage] / facts["copy"] if facts else None
            label = f"{number}, {facts['entry'] if facts else slug}, {stage}"
            shown = f"{1e3 * floor:.1f} µs" if floor else NOT_TIMED
            times.append((label, shown, *cells(each, stage, floor)))
        if facts:
            moved = (f"{facts['bytes'][stage] / 1e6:,.1f} MB" for stage in STAGES)
            inputs.append((number, facts["inputs"], *moved, f"{facts['copy'] / 1e9:.2f} TB/s"))
        why += problems(slug, each)
    parts = [
        record.table(("operation", "floor", *CONTENDERS), times),
        record.table(("exercise", "inputs", *(f"bytes, {each}" for each in STAGES), "a large copy"), inputs),
    ]
    if why:
        parts.append(record.table((NOT_TIMED, "why"), why))
    return "\n\n".join(parts)


def triton_version() -> str:
    try:
        return f"With Triton {importlib.metadata.version('triton')}."
    except importlib.metadata.PackageNotFoundError:
        return "Without Triton."


def main() -> None:
    options = record.arguments(__doc__)
    options.add_argument("names", nargs="*", metavar="NN", help="the exercises to measure; default all")
    options.add_argument("--size", type=Fraction, default=Fraction(1), help="of the timed size, as 1/4")
    chosen = options.parse_args()
    catalog = Catalog.open(record.REPOSITORY)
    named = [catalog.find(name) for name in chosen.names] or catalog.exercises
    slugs = [each.slug for each in named if each.triton_dir.is_dir()]
    if not slugs:
        options.error("None of these exercises has kernels in Triton.")
    with ThreadPoolExecutor(len(slugs)) as pool:
        list(pool.map(lambda slug: answers(slug, chosen.size, REHEARSAL_SECONDS, "--rehearse"), slugs))
    found = {slug: answers(slug, chosen.size, SECONDS) for slug in slugs}
    text = f"{triton_version()}\n\n{tables(found)}"
    record.report("The same operation in four languages", text, chosen.record)


if __name__ == "__main__":
    main()
