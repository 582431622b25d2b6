"""Lesson 26: its table of tools. What runs here is run for the stub; the records have the rest."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LESSON = (ROOT / "docs" / "lessons" / "26_debugging_clinic.md").read_text(encoding="utf-8")
STUB = ROOT / "exercises" / "26_debugging_clinic"
SAMPLES = ROOT / "docs" / "samples" / "clinic"
RESULTS = ROOT / "benchmarks" / "results"
TOOLS = ("memcheck", "racecheck", "initcheck", "synccheck")
# Their errors persist: nothing that is called after them in one process runs.
ENDS_THE_PROCESS = ("polynomial", "negative")
SENTENCES = {
    "out_of_bounds": "Invalid __global__ read of size 4 bytes: element 1000",
    "host_pointer": "Invalid read of size . bytes: host memory",
    "device_pointer_on_host": "Host code makes a read of device memory",
    "uninitialized_read": "Uninitialized __shared__",
    "race_shared": "Race on shared memory",
    "race_global": "Race on global memory",
    "invalid_launch": "Invalid launch",
    "stream_order": ".* neither stream waits for the other",
}
# The records of an H200 that the letters below the table name.
RECORDS = {
    "R1": ("00_first_kernel: guard one too late", "00_first_kernel: guard missing"),
    "R2": ("14_reduction: __syncwarp instead of the block's barrier",),
    "R3": ("13_transpose: threads beyond the edge leave",),
}

pytestmark = [pytest.mark.slow("builds the extension twice"), pytest.mark.xdist_group("clinic")]


@dataclass(frozen=True)
class Row:
    operation: str
    numbers: str
    finding: str
    tools: dict[str, str]


def _rows() -> list[Row]:
    table = LESSON.partition("<!-- tools: begin -->")[2].partition("<!-- tools: end -->")[0]
    lines = [line for line in table.splitlines() if line.startswith("| `")]
    cells = [[cell.strip().strip("`") for cell in line.strip("|").split(" | ")] for line in lines]
    return [Row(*row[:3], dict(zip(TOOLS, row[3:], strict=True))) for row in cells]


ROWS = _rows()


def _run(sample: str, *words: str, options: tuple[str, ...] = ()) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "cusimt", *options, str(SAMPLES / sample), str(STUB), *words]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


def _operation(line: int) -> str:
    """The operation whose code in kernel.cu has this line."""
    before = (STUB / "kernel.cu").read_text(encoding="utf-8").splitlines()[:line]
    defined = re.findall(r"^(?:__global__ )?void (?:launch_)?(\w+?)(?:_kernel)?\(", "\n".join(before), re.M)
    return str(defined[-1])


def _findings(printed: str) -> set[tuple[str, str]]:
    """Kinds of findings, with the operation that each is in."""
    found = set()
    for line in printed.splitlines():
        place = re.search(r"kernel\.cu:(\d+)(?:, block|\.$)", line)
        kinds = [kind for kind, sentence in SENTENCES.items() if re.match(sentence, line)]
        if place and kinds:
            found.add((_operation(int(place[1])), kinds[0]))
    return found


@pytest.fixture(scope="module")
def orders() -> dict[str, dict[str, str]]:
    """Whether the numbers are right, without access checks, in two orders of the threads."""
    done = _run("examine.py", options=("--no-checks", "--schedules=2"))
    names = re.findall(r"^cusimt: schedule (\w+)$", done.stderr, re.MULTILINE)
    answers = re.findall(r"^(\w+): (right|wrong)$", done.stdout, re.MULTILINE)
    assert len(answers) == len(names) * len(ROWS), done.stdout + done.stderr
    return {name: dict(answers[at * len(ROWS) : (at + 1) * len(ROWS)]) for at, name in enumerate(names)}


def test_the_numbers_are_right_or_wrong_as_the_table_says(orders: dict[str, dict[str, str]]) -> None:
    assert orders["forward"] == {row.operation: row.numbers for row in ROWS}
    assert list(orders["forward"].values()).count("right") == 5


def test_one_more_is_right_in_the_reversed_order(orders: dict[str, dict[str, str]]) -> None:
    changed = {name for name in orders["forward"] if orders["forward"][name] != orders["reversed"][name]}
    assert changed == {"block_sums"} and orders["reversed"]["block_sums"] == "right"


def test_the_findings_of_the_checked_build_are_those_of_the_table() -> None:
    together = [row.operation for row in ROWS if row.operation not in ENDS_THE_PROCESS]
    runs = [_run("examine.py", *names) for names in (together, *([name] for name in ENDS_THE_PROCESS))]
    found = set().union(*(_findings(done.stderr + done.stdout) for done in runs))
    assert {row.operation for row in ROWS if row.finding == "none"} == {row.operation for row in ROWS} - {
        operation for operation, _ in found
    }
    for row in ROWS:
        assert row.finding == "none" or (row.operation, row.finding) in found


def test_gradcheck_of_one_layer_sees_nothing() -> None:
    block = LESSON.partition("For the stub it prints:\n\n```text\n")[2].partition("```")[0]
    assert _run("two_layers.py").stdout == block
    assert block == "one layer: gradcheck passes\ntwo layers: gradcheck fails\n"


def _recorded(program: str) -> str:
    lines = (RESULTS / "hardware_findings.md").read_text(encoding="utf-8").splitlines()
    (line,) = (line for line in lines if line.startswith(f"| {program} "))
    return line.split("|")[2]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.operation)
def test_every_answer_about_the_sanitizer_says_where_it_is_from(row: Row) -> None:
    for tool, cell in row.tools.items():
        answer, source = re.fullmatch(r"(yes|no|in part) \((D|R\d)\)", cell).groups()  # type: ignore[union-attr]
        records = [_recorded(program) for program in RECORDS.get(source, ())]
        if records:
            assert any(f"{tool}:" in text for text in records) == (answer != "no")


def test_the_refused_launch_is_on_record() -> None:
    records = (RESULTS / "late_error_h200.md").read_text(encoding="utf-8")
    assert re.search(r"`compute-sanitizer late_error launch` +\| Program hit cudaErrorInvalidValue", records)
    assert re.search(r"`compute-sanitizer overrun.py` +\| no report", records)
