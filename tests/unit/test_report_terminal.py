"""The terminal rendering: complete at 80 and 120 columns, and never wider than the terminal."""

from __future__ import annotations

import io
import re

import pytest
from rich.console import Console

from grader.report.terminal import MARKS, show_table, show_verdict
from grader.verdict import NOT_JUDGED, CheckResult, ReportedFinding, Status, Verdict

LESSON = "docs/lessons/18_occupancy.md#values"
SENTENCE = (
    "muladd(a: float32 (5, 67), b: float32 (5, 67), c: float32 (5, 67)) returned 0 at [3, 7], expected "
    "0.301142 (a = -0.16329, b = 0.490929, c = -0.0234354). Every element is 0: it was never computed."
)
FINDINGS = tuple(
    ReportedFinding(
        "race_shared", f"Finding number {number}.", "", "kernel.cu", 10 + number, f"line_{number}();"
    )
    for number in range(6)
)
VERDICT = Verdict(
    "18_occupancy_and_divergence", "Occupancy and divergence", "simt", 2**48 - 1,
    (
        CheckResult("build", Status.PASS, "Built in 0.6 s."),
        CheckResult("correctness", Status.FAIL, SENTENCE, 0, 40, lesson=LESSON),
        CheckResult("safety", Status.FAIL, "kernel.cu:10: Finding number 0.", 0, 10, findings=FINDINGS),
        CheckResult("device_work", Status.PASS, "Every result was written by your kernels.", 10, 10),
        CheckResult("performance", Status.UNAVAILABLE, "Speed needs a GPU.", 0, 20),
    ),
    seconds=1.7,
)  # fmt: skip


def printed(width: int, verdict: Verdict = VERDICT, table: bool = False) -> str:
    stream = io.StringIO()
    console = Console(file=stream, width=width, color_system=None, highlight=False)
    if table:
        show_table([verdict, verdict], console)
    else:
        show_verdict(verdict, console)
    return stream.getvalue()


def unwrapped(text: str) -> str:
    return re.sub(r"\s+", " ", text)


@pytest.mark.parametrize("width", [80, 120])
def test_nothing_is_wider_than_the_terminal(width: int) -> None:
    for text in (printed(width), printed(width, table=True)):
        assert max(len(line) for line in text.splitlines()) <= width


@pytest.mark.parametrize("width", [80, 120])
def test_every_word_of_a_failure_is_there(width: int) -> None:
    text = unwrapped(printed(width).replace("0/40", ""))
    assert SENTENCE in text
    assert "read docs/lessons/18_occupancy.md#values" in text
    assert "18_occupancy_and_divergence · not passed, 10/60 · Occupancy and divergence · simt" in text


def test_source_lines_are_shown_and_a_flood_of_findings_is_counted() -> None:
    text = printed(100)
    assert "   10 │ line_0();" in text
    assert "kernel.cu:13: Finding number 3." in text
    assert "Finding number 4." not in text
    assert "and 2 more findings" in text


def test_a_points_column_has_no_points_where_none_count() -> None:
    lines = printed(100).splitlines()
    performance = next(line for line in lines if "performance" in line)
    assert "/20" not in performance
    assert any(line.rstrip().endswith("10/10") for line in lines if "device work" in line)


def test_checks_behind_a_failed_build_are_named_in_one_line() -> None:
    broken = Verdict(
        "03_muladd", "Fused", "simt", 1,
        (
            CheckResult("build", Status.BUILD_ERROR, "It does not compile.", lines=("kernel.cu:3: error",)),
            CheckResult("correctness", Status.BUILD_ERROR, f"{NOT_JUDGED}: it does not build.", 0, 40),
            CheckResult("gradient", Status.BUILD_ERROR, f"{NOT_JUDGED}: it does not build.", 0, 20),
        ),
    )  # fmt: skip
    text = printed(80, broken)
    assert "Not judged, since it does not build: correctness, gradient." in text
    assert text.count("does not build") == 2  # in the headline, and as the reason


def test_the_table_marks_each_check_in_the_order_of_its_legend() -> None:
    text = printed(80, table=True)
    assert re.search(r"18_occupancy_and_divergence +✓ ✗ ✗ ✓ – +10/60 +1\.7 s +simt", text)
    assert "checks: build, correctness, safety, device work, performance" in text


def test_parts_have_one_mark_together_in_the_table() -> None:
    ways = {"mix": Status.PASS, "silu": Status.NOT_ATTEMPTED, "square": Status.FAIL, "answers": Status.PASS}
    parts = [CheckResult(name, status, "It ended.") for name, status in ways.items()]
    verdict = Verdict("10_broken", "t", "simt", 1, (CheckResult("build", Status.PASS, "Built."), *parts))
    text = printed(80, verdict, table=True)
    assert re.search(r"10_broken +✓ ✗ ✓ ", text)
    assert "checks: build, parts, answer sheet" in text


def test_square_brackets_are_text_and_not_markup() -> None:
    verdict = Verdict(
        "x", "t", "simt", 1, (CheckResult("correctness", Status.FAIL, "at [bold] [3, 7]", 0, 40),)
    )
    assert "at [bold] [3, 7]" in printed(80, verdict)


def test_marks_can_be_told_apart_without_colour() -> None:
    assert MARKS[Status.PASS][0] not in {MARKS[status][0] for status in Status if status is not Status.PASS}
    assert set(MARKS) == set(Status)
