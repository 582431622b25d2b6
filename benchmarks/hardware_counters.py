"""The simulated GPU against a real one: counters, findings and values of every solution.

    python benchmarks/hardware_counters.py          # about five minutes on a machine with a GPU

Every reference solution, the measured kernels of tests/simt/surface/counters.cu, and every planted mistake
that is about memory run three times: simulated, under Nsight Compute (`ncu`), and under each tool of
compute-sanitizer. Counters must agree within 1 %, what the sanitizer reports must be found here, and values
must agree within 8 units of the last place. What a machine lacks is said and not compared. The tables go to
results/hardware.md.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import hardware_tools as tools
import record
from hardware_subjects import Subject, run, run_on_gpu, simulate, subjects

from grader.build import detect_backend

MOST_ULPS = 8
# Where the compilers differ, and why. Nothing else may.
EXCEPTIONS = {
    ("product_tiled", "shared_load_wavefronts"): "nvcc merges four loads of `left` into one of 16 bytes",
}


# ---- tables ----------------------------------------------------------------------------------------------


def counter_rows(subject: Subject, ncu: str | None) -> tuple[list[tuple[str, ...]], bool]:
    """A row for each kernel, and whether all is as it should be."""
    if not ncu:
        return [
            (subject.name, kernel, "not compared: there is no ncu", "") for kernel in subject.kernels
        ], True
    command = tools.ncu_command(ncu, _launched_names(subject), subject.program("ncu", True))
    try:
        hardware = tools.parse_ncu(run(command, "cuda"))
    except ValueError as problem:
        return [(subject.name, "all", f"not compared: {problem}", "")], False
    found = tools.differences(subject.kernels, hardware)
    rows: list[tuple[str, ...]] = []
    fine = True
    for kernel in sorted({*subject.kernels, *hardware}):
        wrong = {metric: pair for (name, metric), pair in found.items() if name == kernel}
        for metric, (own, other) in wrong.items():
            cause = EXCEPTIONS.get((kernel, metric), "")
            fine = fine and bool(cause)
            rows.append((subject.name, kernel, f"{metric}: {own:.0f} here, {other:.0f} on the GPU", cause))
        if not wrong:
            counts = [sum(launch[metric] for launch in subject.kernels[kernel]) for metric in tools.METRICS]
            rows.append(
                (subject.name, kernel, "equal within 1 %", ", ".join(f"{each:.0f}" for each in counts))
            )
    return rows, fine


def finding_row(subject: Subject, sanitizer: str | None) -> tuple[tuple[str, ...], bool]:
    """What the tools of compute-sanitizer and the simulated GPU say, and whether all of it is found here."""
    own = ", ".join(sorted(set(subject.findings))) or "nothing"
    if not sanitizer:
        return (subject.name, "not compared: there is no compute-sanitizer", own, ""), True
    said, missing, unfinished = [], [], []
    for tool in tools.SANITIZER_TOOLS:
        program = subject.program(tool, False)
        text = run(tools.sanitizer_command(sanitizer, tool, _launched_names(subject), program), "cuda")
        if "SUMMARY" not in text:  # a version that names its filter otherwise: all kernels, then
            text = run(tools.sanitizer_command(sanitizer, tool, (), program), "cuda")
        reports = tools.parse_sanitizer(text)
        if "SUMMARY" not in text:
            unfinished.append(f"{tool} did not finish")
        elif reports:
            said.append(f"{tool}: {'; '.join(' or '.join(sorted(kinds)) for kinds in reports)}")
        missing += tools.unheard(reports, subject.findings)
    if subject.solution and (said or subject.findings):
        missing.append("a solution should have none")
    row = (subject.name, " ".join(said) or "nothing", own, "; ".join([*missing, *unfinished]))
    return row, not missing and not unfinished


def value_row(subject: Subject) -> tuple[tuple[str, ...], bool]:
    """How far results on both backends are apart."""
    hardware = subject.values("cuda")
    if not hardware:
        return (subject.name, "not compared: it did not run on the GPU"), False
    apart = tools.ulps(subject.values("simt"), hardware)
    return (subject.name, "the same bits" if apart == 0 else f"{apart:.1f} ulp"), apart <= MOST_ULPS


def _launched_names(subject: Subject) -> list[str]:
    if subject.kernels:
        return list(subject.kernels)
    sources = "\n".join(path.read_text() for path in subject.folder.glob("*.cu"))
    return sorted(set(tools.KERNEL.findall(sources)))


def compare(all_subjects: Sequence[Subject], pool: ThreadPoolExecutor) -> tuple[str, bool]:
    """The tables, and whether everything agrees."""
    ncu, sanitizer = tools.find_tool("ncu"), tools.find_tool("compute-sanitizer")
    programs = [each for each in all_subjects if each.slug != "patterns"]
    solutions = [each for each in programs if each.solution]
    list(pool.map(run_on_gpu, all_subjects))
    values = [value_row(each) for each in solutions]
    findings = list(pool.map(lambda each: finding_row(each, sanitizer), programs))
    counted = [counter_rows(each, ncu) for each in all_subjects if each.solution]  # ncu: one at a time
    metrics = ", ".join(tools.METRICS)
    parts = [
        f"## Counters\n\nFigures of a kernel that agrees: {metrics}.",
        record.table(
            ("program", "kernel", "result", "figures or cause"), [row for rows, _ in counted for row in rows]
        ),
        "## Findings",
        record.table(("program", "compute-sanitizer", "here", "missing here"), [row for row, _ in findings]),
        "## Values",
        record.table(("program", "largest difference"), [row for row, _ in values]),
    ]
    absent = [name for name, tool in (("ncu", ncu), ("compute-sanitizer", sanitizer)) if not tool]
    notes = [f"Not available: {name}." for name in absent] + [
        note for each in all_subjects for note in each.notes
    ]
    fine = all(ok for _, ok in [*counted, *findings, *values]) and not notes
    return "\n\n".join([*parts, *notes]), fine


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch, ThreadPoolExecutor(min(8, os.cpu_count() or 1)) as pool:
        everything = subjects(Path(scratch))
        list(pool.map(simulate, everything))
        if detect_backend() != "cuda":
            print(simulated_table(everything))
            raise SystemExit(
                "There is no GPU here: nothing was compared. This is what the simulated one says."
            )
        text, fine = compare(everything, pool)
    record.report("The simulated GPU against a real one", text, "hardware")
    sys.exit(0 if fine else 1)


def simulated_table(all_subjects: Sequence[Subject]) -> str:
    """What the simulated GPU alone has to say."""
    rows = [
        (
            each.name,
            kernel,
            ", ".join(f"{sum(launch[metric] for launch in launches):.0f}" for metric in tools.METRICS),
        )
        for each in all_subjects
        for kernel, launches in each.kernels.items()
    ]
    rows += [
        (each.name, "findings", ", ".join(sorted(set(each.findings))) or "none") for each in all_subjects
    ]
    notes = [note for each in all_subjects for note in each.notes]
    return "\n".join([record.table(("program", "kernel", ", ".join(tools.METRICS)), rows), *notes])


if __name__ == "__main__":
    main()
