"""The simulated GPU against a real one: counters, findings and values of every solution.

    python benchmarks/hardware_counters.py              # all parts, on a machine with a GPU
    python benchmarks/hardware_counters.py findings     # one of them

counters: every reference solution and the measured kernels of tests/simt/surface/counters.cu, simulated and
    under Nsight Compute (`ncu`), must agree within 1 %.
values: what the solutions answer must agree within 8 units of the last place.
findings: what any tool of compute-sanitizer reports of a solution, or of a planted mistake that is about
    memory, must be found here.

What a machine lacks is said and not compared. The tables go to results/hardware_PART.md.
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


def compare_counters(chosen: Sequence[Subject], pool: ThreadPoolExecutor) -> tuple[str, bool]:
    """A table of the kernels of all solutions, and whether they agree. ncu runs one program at a time."""
    ncu = tools.find_tool("ncu")
    counted = [counter_rows(each, ncu) for each in chosen if each.solution]
    rows = [row for own, _ in counted for row in own]
    table = record.table(("program", "kernel", "result", "figures or cause"), rows)
    text = f"Figures of a kernel that agrees: {', '.join(tools.METRICS)}.\n\n{table}"
    return text, all(fine for _, fine in counted)


def compare_findings(chosen: Sequence[Subject], pool: ThreadPoolExecutor) -> tuple[str, bool]:
    """A table of what is said of every program, and whether nothing is missing here."""
    sanitizer = tools.find_tool("compute-sanitizer")
    found = list(pool.map(lambda each: finding_row(each, sanitizer), _programs(chosen)))
    table = record.table(("program", "compute-sanitizer", "here", "missing here"), [row for row, _ in found])
    return table, all(fine for _, fine in found)


def compare_values(chosen: Sequence[Subject], pool: ThreadPoolExecutor) -> tuple[str, bool]:
    """A table of the largest difference of every solution, and whether all are small."""
    values = [value_row(each) for each in _programs(chosen) if each.solution]
    return record.table(("program", "largest difference"), [row for row, _ in values]), all(
        fine for _, fine in values
    )


def _programs(chosen: Sequence[Subject]) -> list[Subject]:
    return [each for each in chosen if each.slug != "patterns"]


PARTS = {"counters": compare_counters, "values": compare_values, "findings": compare_findings}
TITLES = {
    "counters": "Counters: the simulated GPU against Nsight Compute",
    "values": "Values: the simulated GPU against a real one",
    "findings": "Findings: the simulated GPU against compute-sanitizer",
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument(
        "parts", nargs="*", metavar="PART", help=f"{', '.join(PARTS)}; all when none is named"
    )
    parts = parser.parse_args().parts or list(PARTS)
    if unknown := set(parts) - set(PARTS):
        parser.error(f"no such part: {', '.join(sorted(unknown))}. There are {', '.join(PARTS)}.")
    with tempfile.TemporaryDirectory() as scratch, ThreadPoolExecutor(os.cpu_count()) as pool:
        chosen = [each for each in subjects(Path(scratch)) if each.solution or "findings" in parts]
        list(pool.map(simulate, chosen))
        if detect_backend() != "cuda":
            print(simulated_table(chosen))
            raise SystemExit(
                "There is no GPU here: nothing was compared. This is what the simulated one says."
            )
        list(pool.map(run_on_gpu, chosen))
        notes = [note for each in chosen for note in each.notes]
        fine = not notes
        for part in parts:
            text, agree = PARTS[part](chosen, pool)
            record.report(TITLES[part], "\n\n".join([text, *notes]), f"hardware_{part}")
            fine = fine and agree
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
