"""The simulated GPU against a real one: counters, findings and values of every solution.

    python benchmarks/hardware_counters.py              # all parts, on a machine with a GPU
    python benchmarks/hardware_counters.py findings     # one of them

counters: every reference solution and the measured kernels of cusimt/tests/surface/counters.cu, simulated and
    under Nsight Compute (`ncu`), must agree within 1 %.
values: what the solutions answer must agree within 8 units of the last place.
findings: what any tool of compute-sanitizer reports of a solution, or of a planted mistake that is about
    memory, must be found here, on the same line.

What a machine lacks is said and not compared. The tables go to results/hardware_PART.md.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import hardware_tools as tools
import record
from hardware_subjects import (
    LIMIT,
    WAITING_LIMIT,
    Subject,
    is_over_time,
    run,
    run_on_gpu,
    simulate,
    subjects,
)

from grader.compilation import detect_backend

MOST_ULPS = 8
# Where the compilers differ, and why. Nothing else may.
EXCEPTIONS = {
    ("product_tiled", "shared_load_wavefronts"): "nvcc merges four loads of `left` into one of 16 bytes",
}
# What compute-sanitizer alone reports of a program, and why. Nothing else may be missing here.
UNHEARD = {
    (
        "13_transpose: threads beyond the edge leave",
        "Uninitialized access to on access by cudaMemcpy",
    ): "unwritten results are no finding here: the check of values names them; the barrier is one",
}


@dataclass(frozen=True)
class Work:
    """``pool`` runs programs side by side; the folder ``keep``, if any, takes what tools print of them."""

    pool: ThreadPoolExecutor
    keep: Path | None


# ---- tables ----------------------------------------------------------------------------------------------


def counter_rows(subject: Subject, ncu: str | None) -> tuple[list[tuple[str, ...]], bool]:
    """A row for each kernel, and whether all is as it should be."""
    if not ncu:
        return [
            (subject.name, kernel, "not compared: there is no ncu", "") for kernel in subject.kernels
        ], True
    command = tools.ncu_command(ncu, _launched_names(subject), subject.program("ncu", True))
    try:
        hardware = tools.parse_ncu(run(command, "cuda", LIMIT))
    except ValueError as problem:
        said = "; ".join([str(problem), *subject.notes_of("ncu").get("errors", [])])
        return [(subject.name, "all", f"not compared: {said}", "")], False
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


def listen(subject: Subject, tool: str, sanitizer: str, keep: Path | None = None) -> str:
    """What one tool of compute-sanitizer prints of one program; with ``keep``, also in a file there."""
    program = subject.program(tool, False)
    seconds = WAITING_LIMIT if subject.may_wait else LIMIT
    text = run(tools.sanitizer_command(sanitizer, tool, _launched_names(subject), program), "cuda", seconds)
    if keep is not None:
        (keep / f"{subject.out.name}.{tool}.txt").write_text(text)
    return text


def finding_row(subject: Subject, heard: Mapping[str, str]) -> tuple[tuple[str, ...], bool]:
    """What the tools of compute-sanitizer printed and what the simulated GPU says, what of the one is missing
    in the other, and whether all of that has a known cause. A kernel that waits for ever lets no tool finish:
    that must have been found here.
    """
    own = ", ".join(map(str, subject.findings)) or "nothing"
    if not heard:
        return (subject.name, "not compared: there is no compute-sanitizer", own, ""), True
    said: list[str] = []
    missing: list[str] = []
    for tool, text in heard.items():
        reports = tools.parse_sanitizer(text)
        if reports:
            said.append(f"{tool}: {', '.join(map(str, reports))}")
        missing += map(str, tools.unmatched(reports, subject.findings))
        if not tools.is_finished(text):
            waits = is_over_time(text) and subject.may_wait
            said += [f"{tool}: stopped after {WAITING_LIMIT} s"] if waits else []
            missing += [] if waits else [f"{tool} did not finish"]
    if subject.solution and (said or subject.findings):
        missing.append("a solution should have none")
    causes = [UNHEARD.get((subject.name, what), "") for what in missing]
    told = [f"{what}: {cause}" if cause else what for what, cause in zip(missing, causes, strict=True)]
    return (subject.name, "; ".join(said) or "nothing", own, "; ".join(told)), all(causes)


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


def compare_counters(chosen: Sequence[Subject], work: Work) -> tuple[str, bool]:
    """A table of the kernels of all solutions, and whether they agree. ncu runs one program at a time."""
    ncu = tools.find_tool("ncu")
    counted = [counter_rows(each, ncu) for each in chosen if each.solution]
    rows = [row for own, _ in counted for row in own]
    table = record.table(("program", "kernel", "result", "figures or cause"), rows)
    text = f"Figures of a kernel that agrees: {', '.join(tools.METRICS)}.\n\n{table}"
    return text, all(fine for _, fine in counted)


def compare_findings(chosen: Sequence[Subject], work: Work) -> tuple[str, bool]:
    """A table of what is said of every program, and whether nothing is missing here."""
    sanitizer = tools.find_tool("compute-sanitizer")
    programs = _programs(chosen)
    heard: dict[str, dict[str, str]] = {each.name: {} for each in programs}
    if sanitizer:
        runs = [(each, tool) for tool in tools.SANITIZER_TOOLS for each in programs]
        runs.sort(key=lambda run: run[0].may_wait)  # a kernel that waits takes the GPU's time from others
        texts = work.pool.map(lambda run: listen(*run, sanitizer, work.keep), runs)
        for (each, tool), text in zip(runs, texts, strict=True):
            heard[each.name][tool] = text
    found = [finding_row(each, heard[each.name]) for each in programs]
    table = record.table(("program", "compute-sanitizer", "here", "missing here"), [row for row, _ in found])
    return table, all(fine for _, fine in found)


def compare_values(chosen: Sequence[Subject], work: Work) -> tuple[str, bool]:
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
    parser.add_argument("--keep", type=Path, metavar="DIR", help="what compute-sanitizer printed goes there")
    options = parser.parse_args()
    parts = options.parts or list(PARTS)
    if options.keep is not None:
        options.keep.mkdir(parents=True, exist_ok=True)
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
            text, agree = PARTS[part](chosen, Work(pool, options.keep))
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
    rows += [(each.name, "findings", ", ".join(map(str, each.findings)) or "none") for each in all_subjects]
    notes = [note for each in all_subjects for note in each.notes]
    return "\n".join([record.table(("program", "kernel", ", ".join(tools.METRICS)), rows), *notes])


if __name__ == "__main__":
    main()
