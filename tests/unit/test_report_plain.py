"""The plain rendering: sentences only, nothing lost, nothing repeated."""

from __future__ import annotations

from dataclasses import replace

import pytest

from grader.report import table_text, verdict_text
from grader.verdict import NOT_JUDGED, CheckResult, ReportedFinding, Status, Verdict

GUARD = ReportedFinding(
    "out_of_bounds", "reads past the end of a.", "Guard it.", "kernel.cu", 12, "  x[i] = a[i];",
    (3, 0, 0), (5, 0, 0), 7,
)  # fmt: skip
LEAK = ReportedFinding("leak", "One allocation was never freed.", count=3)
LESSON = "docs/lessons/03_muladd.md#guard"


def verdict(*checks: CheckResult, title: str = "Fused multiply-add") -> Verdict:
    return Verdict("03_muladd", title, "simt", 81985529216486, checks, seconds=1.73)


FAILED = verdict(
    CheckResult("build", Status.PASS, "Built in 0.6 s."),
    CheckResult("correctness", Status.PASS, "All 11 cases are right.", 40, 40),
    CheckResult(
        "safety", Status.FAIL, "kernel.cu:12: reads past the end of a.", 0, 10,
        findings=(GUARD, LEAK), lesson=LESSON,
    ),
    CheckResult("performance", Status.UNAVAILABLE, "Speed needs a GPU.", 0, 20),
)  # fmt: skip

BROKEN = verdict(
    CheckResult("build", Status.BUILD_ERROR, "It does not compile.", lines=("kernel.cu:3:1: error: foo",)),
    CheckResult("correctness", Status.BUILD_ERROR, f"{NOT_JUDGED}: it does not build.", 0, 40),
    CheckResult("device_work", Status.BUILD_ERROR, f"{NOT_JUDGED}: it does not build.", 0, 10),
)  # fmt: skip


def test_a_failed_check_is_told_with_source_place_and_lesson() -> None:
    assert verdict_text(FAILED).splitlines() == [
        "Exercise 03_muladd, Fused multiply-add, on simt: not passed, 40 of 50 points.",
        "Build passed. Built in 0.6 s.",
        "Correctness passed, 40 of 40 points. All 11 cases are right.",
        "Safety failed, 0 of 10 points. kernel.cu:12: reads past the end of a.",
        "  Line 12 of kernel.cu is: x[i] = a[i];",
        "  Thread (5, 0, 0) of block (3, 0, 0), 7 times.",
        "  One allocation was never freed.",
        "  Seen 3 times.",
        "  Read docs/lessons/03_muladd.md#guard",
        "Performance is not available here and does not count. Speed needs a GPU.",
        "Seed 81985529216486. It took 1.7 seconds.",
    ]


def test_a_line_with_several_findings_is_quoted_once() -> None:
    late = replace(GUARD, kind="use_after_free", sentence="reads freed memory.")
    check = CheckResult("safety", Status.FAIL, "kernel.cu:12: reads.", 0, 10, findings=(GUARD, late))
    lines = verdict_text(verdict(check)).splitlines()
    assert [line for line in lines if "x[i] = a[i];" in line] == ["  Line 12 of kernel.cu is: x[i] = a[i];"]
    assert "  kernel.cu:12: reads freed memory." in lines


def test_what_could_not_be_judged_is_named_once() -> None:
    text = verdict_text(BROKEN)
    assert "  kernel.cu:3:1: error: foo" in text.splitlines()
    assert "Not judged, since it does not build: correctness, device work." in text.splitlines()
    assert text.count("Not judged") == 1


@pytest.mark.parametrize("text", [verdict_text(FAILED), verdict_text(BROKEN), table_text([FAILED, BROKEN])])
def test_no_colour_and_no_drawing_characters(text: str) -> None:
    assert text.isascii()
    assert "\033" not in text


def test_the_table_is_one_sentence_per_verdict_and_the_sum() -> None:
    assert table_text([FAILED, BROKEN]).splitlines() == [
        "03_muladd: not passed because of safety, 40 of 50 points, 1.7 seconds, simt.",
        "03_muladd: does not build, 0 of 50 points, 1.7 seconds, simt.",
        "0 of 2 passed, 40 of 100 points.",
    ]


def test_a_half_done_exercise_is_not_called_not_begun() -> None:
    half = verdict(
        CheckResult("todo", Status.NOT_ATTEMPTED, "One TODO is still open: next is TODO(backward)."),
        CheckResult("correctness", Status.PASS, "All right.", 40, 40),
    )
    headline = verdict_text(half).splitlines()[0]
    assert headline == "Exercise 03_muladd, Fused multiply-add, on simt: not finished, 40 of 40 points."


@pytest.mark.parametrize("status", list(Status))
def test_every_status_has_words(status: Status) -> None:
    assert "Correctness " in verdict_text(verdict(CheckResult("correctness", status, "So it is.", 0, 40)))
