"""What Nsight Compute and compute-sanitizer print, as values in the simulated GPU's terms."""

from __future__ import annotations

import csv
import re
import shutil
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from hardware_run import base_name
from numpy.typing import NDArray

# LaunchCounts' properties -> Nsight Compute's metrics
METRICS = {
    "global_load_requests": "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
    "global_store_requests": "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
    "global_load_sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "global_store_sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
    "shared_load_wavefronts": "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
    "shared_store_wavefronts": "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
}
SANITIZER_TOOLS = ("memcheck", "racecheck", "synccheck", "initcheck")
KERNEL = re.compile(r"__global__\s+(?:void\s+|__launch_bounds__\([^)]*\)\s*)+(\w+)\s*\(")
TOLERANCE = 0.01

Counts = dict[str, float]
Kernels = dict[str, list[Counts]]  # base name -> its launches, in order

# What compute-sanitizer says -> the kinds of findings that say the same here.
_REPORTS = (
    (
        r"Invalid __(global|shared|local)__ (read|write|atomic)",
        {"out_of_bounds", "use_after_free", "host_pointer"},
    ),
    # What lies past the end was never written either: here that is an access out of bounds.
    (r"Uninitialized __(global|shared)__ memory read", {"uninitialized_read", "out_of_bounds"}),
    (r"Uninitialized access .*on access by cudaMemcpy", {"uninitialized_read"}),
    (r"Race reported|hazard detected", {"race_shared", "race_global"}),
    (r"Barrier error detected", {"divergent_barrier", "deadlock", "bad_mask"}),
    (r"Program hit cudaError(Invalid|LaunchOutOf)", {"invalid_launch"}),
    (r"Leaked [\d,]+ bytes", {"leak"}),
)
_MISALIGNED = re.compile(r"Address 0x[0-9a-f]+ is misaligned")
_LINE = re.compile(r" in (\S+\.cuh?:\d+)")


@dataclass(frozen=True)
class Diagnosis:
    """What one side says of a program: in its ``words``, as the ``kinds`` of findings that say the same.

    ``lines`` of the source, ``kernel.cu:28``, are those of all parties; none where the tool names none.
    """

    words: str
    kinds: frozenset[str]
    lines: frozenset[str] = frozenset()

    def __str__(self) -> str:
        return " ".join([self.words, *([f"({', '.join(sorted(self.lines))})"] if self.lines else [])])

    def agrees(self, other: Diagnosis) -> bool:
        """Whether both say the same of a common line."""
        common = self.lines & other.lines or not (self.lines and other.lines)
        return bool(common and self.kinds & other.kinds)


def find_tool(name: str) -> str | None:
    """The path of `ncu` or `compute-sanitizer`, also where the toolkit keeps it off PATH."""
    places = sorted(Path("/opt/nvidia/nsight-compute").glob(f"*/{name}"), reverse=True)
    return (
        shutil.which(name) or shutil.which(name, path="/usr/local/cuda/bin") or next(map(str, places), None)
    )


def ncu_command(ncu: str, kernels: Iterable[str], program: Sequence[str]) -> list[str]:
    """Counts the launches of `kernels` (base names) of a Python program, one CSV row for each."""
    pattern = "regex:^(" + "|".join(sorted(kernels)) + ")$"
    metrics = ",".join(METRICS.values())
    options = ["--csv", "--page", "raw", "--print-units", "base", "--target-processes", "all"]
    return [ncu, *options, "--kernel-name", pattern, "--metrics", metrics, *program]


def parse_ncu(text: str) -> Kernels:
    """Nsight Compute's CSV, of its page `raw` (a column for each metric) or `details` (a row for each).

    Lines before the header are other output. Raises ValueError where there is no table, with what it says.
    """
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("==")]
    start = next((number for number, line in enumerate(lines) if line.startswith('"ID",')), None)
    if start is None:
        said = [line for line in text.splitlines() if line.strip()] or ["it printed nothing"]
        raise ValueError(next((line for line in said if line.startswith("==ERROR==")), said[-1]))
    launches: dict[str, tuple[str, Counts]] = {}
    for row in csv.DictReader(lines[start:]):
        if not row["ID"].isdigit():  # the row of units
            continue
        _, counts = launches.setdefault(row["ID"], (base_name(row["Kernel Name"]), {}))
        for own, metric in METRICS.items():
            value = row.get("Metric Value") if row.get("Metric Name") == metric else row.get(metric)
            if value not in (None, ""):
                counts[own] = float(str(value).replace(",", ""))
    kernels: defaultdict[str, list[Counts]] = defaultdict(list)
    for name, counts in launches.values():
        kernels[name].append(counts)
    return dict(kernels)


def differences(ours: Kernels, hardware: Kernels) -> dict[tuple[str, str], tuple[float, float]]:
    """(kernel, metric) -> both sums over the kernel's launches, wherever they differ by more than 1 %.

    A kernel that one side launched more often than the other differs in "launches".
    """
    found: dict[tuple[str, str], tuple[float, float]] = {}
    for kernel in sorted({*ours, *hardware}):
        own, other = ours.get(kernel, []), hardware.get(kernel, [])
        pairs = {"launches": (float(len(own)), float(len(other)))}
        pairs |= {metric: (_sum(own, metric), _sum(other, metric)) for metric in METRICS}
        for metric, (a, b) in pairs.items():
            if abs(a - b) > TOLERANCE * max(b, 1):
                found[kernel, metric] = (a, b)
    return found


def _sum(launches: Iterable[Counts], metric: str) -> float:
    return sum(launch.get(metric, 0) for launch in launches)


def sanitizer_command(sanitizer: str, tool: str, kernels: Iterable[str], program: Sequence[str]) -> list[str]:
    """One tool over a Python program; only `kernels` are watched: PyTorch's own are not the question.

    Except with initcheck, which must see who writes what they read.
    """
    options = ["--tool", tool, "--print-limit", "5000", "--show-backtrace", "no"]
    if tool == "memcheck":
        options += ["--leak-check", "no"]
    for kernel in sorted(kernels) if tool != "initcheck" else ():
        options += ["--kernel-name", f"kernel_substring={kernel}"]
    return [sanitizer, *options, *program]


def parse_sanitizer(text: str) -> list[Diagnosis]:
    """Each report once, in the order in which they came; one of an unknown kind as its text."""
    reports: list[Diagnosis] = []
    lines = [line.removeprefix("=========").strip() for line in text.splitlines() if line.startswith("=====")]
    for line in lines:
        known = ((re.search(pattern, line), kinds) for pattern, kinds in _REPORTS)
        found = next(((match[0], kinds) for match, kinds in known if match), None)
        if found:
            reports.append(Diagnosis(re.sub("0x[0-9a-f]+ ", "", found[0]), frozenset(found[1])))
        if not reports:
            continue
        if _MISALIGNED.match(line):  # says more about the report that has begun
            reports[-1] = replace(reports[-1], kinds=frozenset({"misaligned"}))
        if place := _LINE.search(line):
            reports[-1] = replace(reports[-1], lines=reports[-1].lines | {place[1]})
    summary = re.search(r"ERROR SUMMARY: (\d+) error|RACECHECK SUMMARY: (\d+) hazard", text)
    if summary and int(summary[1] or summary[2]) and not reports:
        reports.append(
            Diagnosis(next((line for line in lines if line.startswith("Error")), lines[0]), frozenset())
        )
    return list(dict.fromkeys(reports))


def is_finished(text: str) -> bool:
    """Whether compute-sanitizer came to its end."""
    return "SUMMARY" in text


def unmatched(reports: Iterable[Diagnosis], findings: Sequence[Diagnosis]) -> list[Diagnosis]:
    """The reports of the sanitizer that no finding here says."""
    return [report for report in reports if not any(report.agrees(finding) for finding in findings)]


def ulps(ours: Mapping[str, NDArray[np.generic]], hardware: Mapping[str, NDArray[np.generic]]) -> float:
    """The largest difference, in units of the last place of the value or of its array's typical magnitude.

    Infinite where results are missing, differ in shape or dtype, or only one of two is a number.
    """
    if set(ours) != set(hardware):
        return float("inf")
    return max((_ulps(ours[name], hardware[name]) for name in ours), default=0.0)


def _ulps(a: NDArray[np.generic], b: NDArray[np.generic]) -> float:
    if (a.shape, a.dtype) != (b.shape, b.dtype):
        return float("inf")
    if np.array_equal(a, b, equal_nan=a.dtype.kind in "fc"):
        return 0.0
    if a.dtype.kind != "f":
        return float("inf")
    same = (a == b) | (np.isnan(a) & np.isnan(b))
    if not (np.isfinite(a) & np.isfinite(b) | same).all():
        return float("inf")
    typical = np.sqrt(np.mean(np.square(b[np.isfinite(b)], dtype=np.float64)))
    a, b = np.where(same, 0, a).astype(a.dtype), np.where(same, 0, b).astype(b.dtype)
    unit = np.spacing(np.maximum(np.maximum(np.abs(a), np.abs(b)), typical).astype(a.dtype))
    return float(np.max(np.abs(a.astype(np.float64) - b.astype(np.float64)) / unit))
