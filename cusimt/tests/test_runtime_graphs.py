"""CUDA graphs: stream capture, nodes, launches, updates; and what the checks see of a graph's kernels.

Expectations come from the documentation of the CUDA runtime API and from the programming guide's section on
prohibited operations.
"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from cusimt.tests.runtime_program import SOURCES, program, source_line

OK = "cudaSuccess"
INVALID = "cudaErrorInvalidValue"
CHANGED = "cudaErrorGraphExecUpdateFailure"


def capture_error(name: str) -> str:
    return f"cudaErrorStreamCapture{name}"


FAILED = f"2, {capture_error('Invalidated')}, null"
CASES = {
    "capture": ["1", "0 4", "0 1 2 3", "0 22 24 26", "20 22 24 26", "0 64 68 72", OK, INVALID, INVALID],
    "fork_and_join": ["1 4 4 1", "12 21 30 39", "204 205 206 207"],
    "node_edges": [
        *(INVALID, INVALID, "2 1 1 1", "1 1 1", "1 1", "6 9 12 15", "20 29 38 47"),
        *(INVALID, "2", OK, "1", INVALID),
    ],
    "all_nodes": [INVALID, "5 2 1 3 4 7", "1 1 2 1 hici", OK, "8", INVALID, INVALID, INVALID],
    "parameters": [
        *("1 64 1 2.5 3 4 5.5 8 1 1", "38", "36", "0 0 0 0", "324 9 2", "9 9 0 0"),
        *(INVALID, "cudaErrorInvalidDeviceFunction"),
    ],
    "update": [OK, "24 28 32 36", CHANGED, "2", CHANGED, "3 1", "68 76 84 92"],
    "nested_launch": ["2 4", "0 1 2 3", "7 9 11 13"],
    "prohibited": [
        f"synchronize: {capture_error('Unsupported')}, {FAILED}",
        f"query: {capture_error('Unsupported')}, {FAILED}",
        f"device: {capture_error('Unsupported')}, {FAILED}",
        f"event: cudaErrorCapturedEvent, {FAILED}",
        f"wait for it: cudaErrorCapturedEvent, {FAILED}",
        f"isolation: {capture_error('Isolation')}, {FAILED}",
        f"callback: {capture_error('Unsupported')}, {FAILED}",
        f"malloc: {capture_error('Unsupported')}, {FAILED}",
        f"malloc async: cudaErrorNotSupported, {FAILED}",
        f"copy: {capture_error('Implicit')}, {FAILED}",
        f"copy beside: {capture_error('Unsupported')}, {FAILED}",
        f"legacy: {capture_error('Implicit')}, {FAILED}",
        f"legacy beside: {OK}, 1, {OK}, graph",
        f"after an error: {capture_error('Invalidated')}, {FAILED}",
        f"relaxed: {OK}, 1, {OK}, graph",
        f"configuration: {INVALID}, 1, {OK}, graph",
        "1 2 3 4",  # of the one launch beside a capture
    ],
    "modes": [
        f"{capture_error('Unsupported')} {capture_error('Invalidated')}",  # global: in this thread
        f"{capture_error('Unsupported')} {capture_error('Invalidated')}",  # in another one
        f"{OK} {OK}",  # in one that ignores the captures of others
        f"{capture_error('Unsupported')} {capture_error('Invalidated')}",  # thread-local: in this thread
        *[f"{OK} {OK}"] * 5,
    ],
    "sequences": [
        capture_error("Unsupported"),
        "cudaErrorIllegalState",
        "cudaErrorIllegalState",
        capture_error("Implicit"),
        capture_error("Unjoined"),
        "0",
        "cudaErrorCapturedEvent",
        capture_error("Unmatched"),
        capture_error("Invalidated"),
        capture_error("Merge"),
        capture_error("Invalidated"),
        capture_error("Invalidated"),
        capture_error("WrongThread"),
        OK,
    ],
    "information": ["1 1 1 1", "1 2 1 1", "102 104 106 108", OK],
    "host_functions": ["3 ''", "ab", OK, INVALID, INVALID],
    "threads": ["1999 2000 2001 2002", "2000 2001 2002 2003"],
    "pointer": ["1 2 3 4"],
}


def output_of(case: str, folder: Path, checked: bool) -> tuple[list[str], list[dict[str, Any]]]:
    """What a case printed: its own lines, and the records behind them."""
    command = [program("graphs", checked), case]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    lines = [line.rstrip() for line in done.stdout.splitlines()]
    return [line for line in lines if not line.startswith("{")], [
        json.loads(line) for line in lines if line.startswith("{")
    ]


@pytest.mark.parametrize("checked", [True, False], ids=["checked", "fast"])
@pytest.mark.parametrize("case", CASES)
def test_graphs(case: str, checked: bool, tmp_path: Path) -> None:
    lines, records = output_of(case, tmp_path, checked)
    assert lines == CASES[case]
    assert {record["kind"] for record in records if "kind" in record} <= {"invalid_launch"}


def test_each_launch_of_a_graph_is_recorded_where_its_kernels_were_captured(tmp_path: Path) -> None:
    _, records = output_of("capture", tmp_path, checked=True)
    launches = [(record["kernel"], record["line"]) for record in records if "grid" in record]
    first = source_text_line("add<<<1, 4, 0, stream>>>(x, term, 4);")
    assert launches == [("add", first), ("scale", first + 2)] * 2


def source_text_line(text: str) -> int:
    lines = (SOURCES / "graphs.cu").read_text().splitlines()
    return next(number for number, line in enumerate(lines, 1) if line.strip() == text)


@pytest.mark.parametrize(
    ("case", "launched_on"),
    [("unordered_branches", "stream"), ("unordered_on_default", "the default stream")],
)
def test_branches_that_no_edge_orders_race(case: str, launched_on: str, tmp_path: Path) -> None:
    _, (finding,) = output_of(case, tmp_path, checked=True)
    assert finding["kind"] == "stream_order"
    assert "scale on branch" in finding["note"] and f"and add on {launched_on}" in finding["note"]


def test_a_finding_after_the_end_of_a_graph_names_its_launch(tmp_path: Path) -> None:
    _, (finding,) = output_of("after_the_graph", tmp_path, checked=True)
    assert (finding["kind"], Path(finding["file"]).name) == ("stream_order", "graphs.cu")
    assert finding["line"] == source_line("graphs", "captured in two")
    assert finding["note"].startswith("cudaMemsetAsync on stream") and "add on branch" in finding["note"]


@pytest.mark.parametrize(
    ("case", "kind", "kernel"),
    [("fault", "out_of_bounds", "beyond"), ("unwritten", "uninitialized_read", "scale")],
)
def test_findings_name_kernel_and_launch(case: str, kind: str, kernel: str, tmp_path: Path) -> None:
    _, (finding,) = output_of(case, tmp_path, checked=True)
    assert (finding["kind"], finding["kernel"]) == (kind, kernel)
    if case == "fault":
        assert finding["line"] == source_line("graphs", "launch of beyond")


def test_a_second_order_reorders_branches_as_well(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUSIMT_SCHEDULE", "reversed")
    assert output_of("unordered_branches", tmp_path, checked=False)[0] == ["2 5 8 11"]
    monkeypatch.setenv("CUSIMT_SCHEDULE", "forward")
    assert output_of("unordered_branches", tmp_path, checked=False)[0] == ["6 9 12 15"]


def test_a_graph_as_dot(tmp_path: Path) -> None:
    output_of("information", tmp_path, checked=False)
    text = (tmp_path / "graph.dot").read_text()
    assert text.startswith("digraph dot {")
    assert text.count("KERNEL") == 3 and text.count("EMPTY") == 1 and text.count("->") == 3
    assert "\\nadd\\ngrid (1,1,1)\\nblock (4,1,1)" in text
