"""A benchmark as a JSON document, ``schema_version`` 1."""

from __future__ import annotations

import json
from typing import Any

from grader.benchmark.counters import Access, CounterBenchmark, Counters
from grader.benchmark.rows import Benchmark, Comparison, Row

VERSION = 1


def to_json(benchmark: Benchmark | CounterBenchmark) -> str:
    """``kind`` is ``times`` or ``counters``; times are in milliseconds, sizes in bytes."""
    found = _times(benchmark) if isinstance(benchmark, Benchmark) else _counts(benchmark)
    common = {
        "schema_version": VERSION, "exercise": benchmark.exercise, "title": benchmark.title,
        "device": benchmark.device, "done": benchmark.done, "notes": list(benchmark.notes),
    }  # fmt: skip
    return json.dumps(common | found, indent=2, ensure_ascii=False) + "\n"


def _times(benchmark: Benchmark) -> dict[str, Any]:
    workloads = [_comparison(each) for each in benchmark.comparisons]
    return {"kind": "times", "versions": benchmark.versions, "workloads": workloads}


def _comparison(comparison: Comparison) -> dict[str, Any]:
    floor = comparison.floor
    return {
        "workload": comparison.workload, "size": comparison.factor, "dtype": comparison.dtype,
        "bytes": comparison.traffic, "operations": comparison.operations,
        "floor": None
        if floor is None
        else {"bound": floor.bound, "ms": floor.ms, "unit": floor.unit, "rate": floor.speed(floor.ms)},
        "contenders": [_row(row, comparison) for row in comparison.rows],
    }  # fmt: skip


def _row(row: Row, comparison: Comparison) -> dict[str, Any]:
    if not row.times:
        return {"name": row.contender, "problem": row.problem}
    low, high = row.quartiles
    floor = comparison.floor
    return {
        "name": row.contender, "problem": row.problem, "median_ms": row.ms, "low_ms": low, "high_ms": high,
        "turns_ms": list(row.times), "speed": floor.speed(row.ms) if floor is not None else None,
        "share_of_floor": row.share(floor), "peak_bytes": row.peak_bytes,
    }  # fmt: skip


def _counts(benchmark: CounterBenchmark) -> dict[str, Any]:
    return {
        "kind": "counters", "call": benchmark.call, "case": benchmark.case,
        "contenders": [
            {"name": who, "stages": [_stage(each) for each in found]}
            for who, found in benchmark.contenders.items()
        ],
    }  # fmt: skip


def _stage(counters: Counters) -> dict[str, Any]:
    return {
        "stage": counters.stage, "launches": counters.launches, "requests": counters.requests,
        "moved_bytes": counters.moved, "least_bytes": counters.least, "share_of_least": counters.share,
        "bank_conflicts": counters.conflicts,
        "accesses": [_access(each) for each in counters.accesses],
        "lines": [
            {
                "where": line.where, "source": line.source,
                "accesses": [
                    _access(each) | {"fewest": fewest}
                    for each, fewest in zip(line.accesses, line.fewest, strict=True)
                ],
            }
            for line in counters.lines
        ],
    }  # fmt: skip


def _access(access: Access) -> dict[str, Any]:
    return {"access": access.what, "requests": access.requests, "sectors": access.sectors}
