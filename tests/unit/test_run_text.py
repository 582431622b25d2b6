"""What a submission says is shown, and does nothing else: no line of its own, no escape, no direction."""

from __future__ import annotations

from dataclasses import fields

import pytest

from grader.checks.outcome import Outcome
from grader.report import plain
from grader.run.cleaned_text import clean, lines_of, one_line
from grader.verdict import CheckResult, ReportedFinding, Status, Verdict, WarpRequest

MARK = "\ufffd"
STEERING = {
    "an escape": "\x1b[2J",
    "a carriage return": "\r",
    "a backspace": "\b",
    "an 8-bit escape": "\x9b2J",
    "right to left": "\u202e",
    "an isolate": "\u2066",
    "an Arabic letter mark": "\u061c",
    "a line separator": "\u2028",
    "a zero-width space": "\u200b",
    "a byte order mark": "\ufeff",
    "a lone surrogate": "\ud800",
    "a private character": "\ue000",
}


@pytest.mark.parametrize("sign", STEERING.values(), ids=STEERING)
def test_what_steers_is_marked(sign: str) -> None:
    for cleaned in (clean(f"a{sign}b"), one_line(f"a{sign}b")):
        assert cleaned.startswith(f"a{MARK}")
        assert cleaned.isprintable()
        assert cleaned.encode("utf-8")


@pytest.mark.parametrize("text", ["größer als 1 µs", "数値 ≠ 0", "a → b", "  four", "🙂"])
def test_what_people_write_stays(text: str) -> None:
    assert clean(text) == one_line(text) == text


def test_spaces_of_any_width_are_spaces() -> None:
    assert clean("1\u00a0000\u2009ms") == "1 000 ms"


def test_lines_stay_where_a_text_is_shown_as_it_is() -> None:
    assert clean("a\n\tb") == "a\n\tb"
    assert one_line("a\n\tb\n  c") == "a b c"
    assert lines_of("a\r\n\tb\n") == ["a", "\tb", ""]


FORGED = "x\n[pass] correctness 40 of 40\u202e\x1b[1A"


def forged_outcome() -> Outcome:
    request = WarpRequest(FORGED, FORGED, 4, (0,), FORGED)
    finding = ReportedFinding(FORGED, FORGED, FORGED, FORGED, 1, FORGED, request=request)
    return Outcome(
        Status.FAIL, FORGED, case=FORGED, input=FORGED, expected=FORGED, got=FORGED, findings=(finding,),
        lines=(FORGED,),
    )  # fmt: skip


def texts(record: object) -> list[str]:
    """Every string in a record and below."""
    found: list[str] = []
    for each in fields(record):  # type: ignore[arg-type]
        value = getattr(record, each.name)
        for inner in value if isinstance(value, tuple) else (value,):
            if isinstance(inner, str) and not isinstance(inner, Status):
                found.append(inner)
            elif isinstance(inner, ReportedFinding | WarpRequest):
                found += texts(inner)
    return found


def test_every_field_of_a_result_is_cleaned() -> None:
    result = forged_outcome().scored("correctness", 40, 0.0, "")
    said = texts(result)
    assert len([text for text in said if "pass" in text]) == 14  # 13 fields, and a line that stays one
    assert all(text.isprintable() for text in said)


def test_an_exception_cannot_write_a_line_of_the_verdict() -> None:
    result: CheckResult = forged_outcome().scored("correctness", 40, 0.0, "")
    verdict = Verdict("01_muladd", "Multiply and add", "simt", 1, (result,))
    shown = plain.verdict_text(verdict)
    assert FORGED.splitlines()[1][:20] in shown
    assert not any(line.startswith("[pass]") for line in shown.splitlines())
