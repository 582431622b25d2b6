"""The record of a suite's programs: a row for each, the counts, and the rows of former runs."""

from __future__ import annotations

import argparse
import os
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchmarks import record
from benchmarks.checkouts import in_scratch
from benchmarks.judged_programs import RUN_LIMIT, Result
from cusimt.programs.program import prepare

_VERDICTS = ("passed", "failed", "unsupported", "limit", "lacking")
_HEADER = ("program", "arguments", "result", "build", "seconds", "own PASS", "cusimt", "reason")
Row = tuple[str, ...]  # what a record says of a program, in the order of _HEADER
Known = dict[str, dict[str, Any]]  # of programs: `lacks` and `remark` are sentences


def row(result: Result, known: Known) -> Row:
    """What the record says of a program: `known` may say what it lacks, or what its failure means."""
    about = known.get(result.name, {})
    if result.verdict != "passed" and "lacks" in about:
        result = replace(result, verdict="lacking", why=about["lacks"])
    remark = about.get("remark", "") if result.verdict != "passed" else ""
    reason = ": ".join(filter(None, (result.why, remark)))
    own = "-" if result.verdict == "lacking" else result.own
    ends = (result.build, f"{result.seconds:.0f}", own, result.simulator, reason)
    return (result.name, "; ".join(result.runs) or "-", result.verdict, *ends)


def recorded(text: str) -> list[Row]:
    """The rows of a record."""
    lines = (line.strip("|").split("|") for line in text.splitlines() if line[:1] == "|")
    rows = [tuple(cell.strip() for cell in cells) for cells in lines]
    return [each for each in rows if len(each) == len(_HEADER) and each[2] in _VERDICTS]


def merged(old: list[Row], new: list[Row], chosen: Sequence[str]) -> list[Row]:
    """The rows of the `chosen` programs, the `new` ones instead of `old` ones."""
    rows = {each[0]: each for each in (*old, *new)}
    return [rows[name] for name in chosen if name in rows]


def summary(rows: list[Row], chosen: str) -> str:
    """The counts, and a row for each program."""
    count = Counter(each[2] for each in rows)
    fast = sum(each[2] == "passed" and each[3] == "fast" for each in rows)
    counted = max(len(rows) - count["lacking"], 1)
    own = sum("build" in each[5] for each in rows)
    passes = (count["passed"] - fast, count["passed"], own)
    shares = (f"{100 * passed / counted:.1f} %" for passed in passes)
    counts = (len(rows), *(count[verdict] for verdict in _VERDICTS), fast, *shares)
    share = "of those that lack nothing"
    passed = (f"{word}, {share}" for word in ("passed checked", "passed", "own PASS"))
    header = ("programs", *_VERDICTS, "passed fast", *passed)
    return f"{chosen}\n\n{record.table(header, [counts])}\n\n{record.table(_HEADER, rows)}"


def arguments(description: str | None) -> argparse.ArgumentParser:
    """The options that every suite has."""
    parser = record.arguments(description)
    parser.add_argument("checkout", type=Path)
    parser.add_argument("--only", default="", help="of those, the programs whose names match this pattern")
    parser.add_argument("--keep", type=Path, help="write the output of each program into this folder")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--limit", type=float, default=RUN_LIMIT, help="seconds of processor time of a run")
    parser.add_argument("--patience", type=float, default=0, help="seconds of processor time; see above")
    return parser


def run_and_record(
    run: Callable[[str, Path], Result],
    chosen: Sequence[str],
    known: Known,
    options: argparse.Namespace,
    title: str,
    how: str,
    end: str = "",
) -> None:
    """`run` the `chosen` programs that the options name, each in a folder of its own; print and record them.

    The record says `how` above the table, and `end` below it.
    """
    if options.keep:
        options.keep.mkdir(parents=True, exist_ok=True)
    prepare(checked=True)
    results = in_scratch(run, [name for name in chosen if re.search(options.only, name)], options.jobs)
    former = record.RESULTS / f"{options.record}.md"
    old = recorded(former.read_text()) if options.record and former.exists() else []
    rows = merged(old, [row(each, known) for each in results], chosen)
    record.report(title, "\n\n".join(filter(None, (summary(rows, how), end))), options.record)
