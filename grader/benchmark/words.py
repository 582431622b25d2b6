"""A benchmark in words: as plain text, and the sentences that the tables share."""

from __future__ import annotations

from collections.abc import Sequence

from cusimt.profile.phrases import counted, number
from grader.benchmark.contenders import SUBMISSION
from grader.benchmark.counters import NO_TIMES, CounterBenchmark, Counters, pairs
from grader.benchmark.rows import Comparison, Row

_PLACES = ((1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB"))


def size_text(nbytes: int | None) -> str:
    """``64 MiB``; "" where it is not known."""
    if nbytes is None:
        return ""
    for unit, name in _PLACES:
        if nbytes >= unit:
            return f"{nbytes / unit:.3g} {name}"
    return f"{nbytes} B"


def time_text(ms: float) -> str:
    """Four digits."""
    return f"{ms:.4g} ms" if ms >= 1e-3 else f"{ms * 1e3:.3g} µs"


def shown_name(row: Row, rows: Sequence[Row]) -> tuple[str, bool]:
    """The contender's name, without that of the function above it that it compiles; then True."""
    for other in rows:
        if row.contender.startswith(other.contender + ", "):
            return row.contender[len(other.contender) + 2 :], True
    return row.contender, False


def heading(comparison: Comparison) -> str:
    """What is above the rows of a workload."""
    floor = comparison.floor
    if floor is None:
        return comparison.workload
    return f"{comparison.workload}\nfloor {time_text(floor.ms)}: {floor.sentence}"


def conclusion(comparison: Comparison) -> str:
    """One sentence on the submission: its share of the floor, and who is faster; "" without a time."""
    rows = {row.contender: row for row in comparison.rows if row.times}
    own = rows.get(SUBMISSION)
    if own is None:
        return ""
    share = own.share(comparison.floor)
    first = f"Your submission reaches {100 * share:.0f} % of the floor" if share is not None else "Timed"
    best = min(rows.values(), key=lambda row: row.ms)
    if best is own:
        return f"{first}; no contender is faster."
    if _overlap(own, best):
        return f"{first}, and the fastest, {best.contender}, is not faster beyond the spread."
    return f"{first}; the fastest, {best.contender}, takes {best.ms / own.ms:.2f} of its time."


def _overlap(one: Row, other: Row) -> bool:
    (low, high), (least, most) = one.quartiles, other.quartiles
    return low <= most and least <= high


def comparison_text(comparison: Comparison) -> str:
    """One workload as sentences."""
    lines = [f"{heading(comparison)}."]
    lines += [f"{row.contender}: {_row_text(row, comparison)}" for row in comparison.rows]
    return "\n".join([*lines, *filter(None, [conclusion(comparison)])])


def _row_text(row: Row, comparison: Comparison) -> str:
    if not row.times:
        return f"not timed, {row.problem}."
    low, high = row.quartiles
    said = [f"{time_text(row.ms)}, half of the turns between {time_text(low)} and {time_text(high)}"]
    floor, share = comparison.floor, row.share(comparison.floor)
    if floor is not None and share is not None:
        said.append(f"{floor.speed(row.ms):,.4g} {floor.unit}, {100 * share:.0f} % of the floor")
    if row.peak_bytes is not None:
        said.append(f"peak memory {size_text(row.peak_bytes)}")
    return "; ".join(said) + "."


def counters_text(benchmark: CounterBenchmark) -> str:
    """Counters as sentences."""
    parts = [
        f"{benchmark.exercise}, counters on {benchmark.device}.\n{NO_TIMES}\n"
        f'{benchmark.call}, case "{benchmark.case}".'
    ]
    for stage, found in pairs(benchmark):
        lines = [f"{stage}:"]
        lines += [f"{who}: {_counters_text(each)}" for who, each in found.items()]
        for line in (line for each in found.values() for line in each.lines):
            for access, fewest in zip(line.accesses, line.fewest, strict=True):
                lines.append(
                    f"{line.where}, {access.what}: {access.requests:,} requests, {access.sectors:,} sectors, "
                    f"of which {fewest:,} would hold the bytes. {line.source}"
                )
        parts.append("\n".join(lines))
    return "\n\n".join([*parts, *benchmark.notes])


def _counters_text(counters: Counters) -> str:
    said = (
        f"{counted(counters.launches, 'launch', 'launches')}, {counted(counters.requests, 'request')}, "
        f"{size_text(counters.moved)} moved"
    )
    if counters.least is not None:
        said += f", {_against_least(counters)} the {size_text(counters.least)} that the operation needs"
    if counters.conflicts:
        said += f", {counted(counters.conflicts, 'bank conflict')}"
    return said + "."


def _against_least(counters: Counters) -> str:
    """``100 % of``, ``53.7 times`` or ``less than``."""
    if counters.share is None:
        return "less than"
    times = 1 / counters.share
    return f"{number(times)} times" if times >= 2 else f"{100 * times:.0f} % of"
