"""The verdict: scores, precedence, and a JSON form that survives a round trip and is read strictly."""

from __future__ import annotations

import json

import pytest

from grader.support.errors import UsageError
from grader.verdict import CheckResult, ReportedFinding, Status, Verdict, WarpRequest

FINDING = ReportedFinding(
    "out_of_bounds", "reads past the end", "Guard it.", "kernel.cu", 12, "x[i] = 0;", (3, 0, 0), (5, 0, 0), 7,
    WarpRequest("global", "load", 4, (0, 128, None), "a", 4),
)  # fmt: skip


def verdict(*checks: CheckResult) -> Verdict:
    return Verdict(
        "03_muladd", "Fused multiply-add", "simt", 2**47 + 1, checks, "exercises/03_muladd", "sha256:0"
    )


def result(status: Status, points: float = 0, out_of: float = 40, **more: object) -> CheckResult:
    return CheckResult("correctness", status, "A sentence.", points, out_of, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize("status", [Status.UNAVAILABLE, Status.INCONCLUSIVE, Status.INFRA_ERROR])
def test_what_nobody_could_judge_leaves_the_denominator(status: Status) -> None:
    graded = verdict(result(Status.PASS, 40), result(status, 0, 20))
    assert (graded.earned, graded.out_of) == (40, 40)


@pytest.mark.parametrize(
    "status", [Status.FAIL, Status.BUILD_ERROR, Status.CRASH, Status.TIMEOUT, Status.NOT_ATTEMPTED]
)
def test_what_went_wrong_stays_in_the_denominator_and_keeps_other_points(status: Status) -> None:
    graded = verdict(result(Status.PASS, 40), result(status, 0, 20))
    assert (graded.earned, graded.out_of) == (40, 60)
    assert not graded.passed
    assert graded.exit_code == 1


def test_passing_needs_no_hardware_that_is_missing() -> None:
    graded = verdict(result(Status.PASS, 40), result(Status.UNAVAILABLE, 0, 20))
    assert graded.passed
    assert graded.exit_code == 0


def test_nothing_judged_is_not_a_pass() -> None:
    assert verdict(result(Status.UNAVAILABLE)).status is Status.UNAVAILABLE
    assert verdict(result(Status.UNAVAILABLE)).exit_code == 1


def test_the_machines_fault_outranks_the_submissions() -> None:
    graded = verdict(result(Status.FAIL), result(Status.INFRA_ERROR))
    assert graded.status is Status.INFRA_ERROR
    assert graded.exit_code == 3


@pytest.mark.parametrize(
    ("first", "second", "whole"),
    [
        (Status.FAIL, Status.CRASH, Status.CRASH),
        (Status.NOT_ATTEMPTED, Status.FAIL, Status.FAIL),
        (Status.TIMEOUT, Status.BUILD_ERROR, Status.BUILD_ERROR),
        (Status.PASS, Status.NOT_ATTEMPTED, Status.NOT_ATTEMPTED),
    ],
)
def test_the_whole_verdict_names_the_gravest_ending(first: Status, second: Status, whole: Status) -> None:
    assert verdict(result(first), result(second)).status is whole


def test_json_round_trip_keeps_every_field() -> None:
    full = result(
        Status.FAIL, case="odd", input="a = 1", expected="2", got="3", index=(3, 7), findings=(FINDING,),
        lines=("kernel.cu:12",), lesson="docs/lessons/03_muladd.md", seconds=0.25,
    )  # fmt: skip
    before = verdict(full, result(Status.PASS, 40))
    assert Verdict.from_json(before.to_json()) == before


def test_json_has_the_documented_keys_and_derived_values() -> None:
    document = json.loads(verdict(result(Status.FAIL, findings=(FINDING,))).to_json())
    assert set(document) == {
        "schema_version", "exercise", "title", "backend", "seed", "status", "score", "files", "digest",
        "versions", "seconds", "to_review", "checks",
    }  # fmt: skip
    assert document["schema_version"] == 1
    assert document["status"] == "fail"
    assert document["score"] == {"earned": 0, "out_of": 40}
    assert set(document["checks"][0]) == {
        "name", "status", "sentence", "points", "out_of", "seconds", "case", "input", "expected", "got",
        "index", "findings", "lines", "lesson", "topic", "not_own",
    }  # fmt: skip
    assert document["checks"][0]["findings"][0]["thread"] == [5, 0, 0]


def test_an_unknown_schema_version_is_refused_by_number() -> None:
    document = json.loads(verdict(result(Status.PASS)).to_json())
    document["schema_version"] = 2
    with pytest.raises(UsageError, match="schema version 2"):
        Verdict.from_json(json.dumps(document))


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", "null", '{"schema_version": 1}', '{"schema_version": 1, "checks": [3]}']
)
def test_text_that_is_no_verdict_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="not a verdict"):
        Verdict.from_json(text)


def test_a_surplus_or_missing_key_is_refused_by_name() -> None:
    document = json.loads(verdict(result(Status.PASS)).to_json())
    document["checks"][0]["bonus"] = 100
    with pytest.raises(UsageError, match="bonus"):
        Verdict.from_json(json.dumps(document))
    del document["checks"][0]["bonus"], document["seed"]
    with pytest.raises(UsageError, match="seed"):
        Verdict.from_json(json.dumps(document))


def test_an_unknown_status_is_refused() -> None:
    document = json.loads(verdict(result(Status.PASS)).to_json())
    document["checks"][0]["status"] = "excellent"
    with pytest.raises(UsageError, match="excellent"):
        Verdict.from_json(json.dumps(document))


def test_a_document_from_before_there_were_requests_is_read() -> None:
    document = json.loads(verdict(result(Status.FAIL, findings=(FINDING,))).to_json())
    del document["checks"][0]["findings"][0]["request"]
    assert Verdict.from_json(json.dumps(document)).checks[0].findings[0].request is None


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("seed",), "1"),
        (("seconds",), "Infinity"),
        (("seed",), True),
        (("versions",), {"torch": 2}),
        (("checks", 0, "points"), "40"),
        (("checks", 0, "lines"), ["a", 3]),
        (("checks", 0, "findings", 0, "line"), "<script>"),
        (("checks", 0, "findings", 0, "block"), [1, "2", 3]),
        (("checks", 0, "findings", 0, "request", "addresses"), [0, 1.5]),
        (("checks", 0, "findings"), [3]),
    ],
)
def test_a_value_of_another_type_is_refused(path: tuple[str | int, ...], value: object) -> None:
    document = json.loads(verdict(result(Status.FAIL, findings=(FINDING,))).to_json())
    inner = document
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    with pytest.raises(UsageError, match="not a verdict"):
        Verdict.from_json(json.dumps(document))


def test_a_number_that_is_none_is_refused() -> None:
    text = verdict(result(Status.PASS, 40)).to_json().replace('"points": 40', '"points": NaN')
    with pytest.raises(UsageError, match=r"`checks\[0\].points` must be a number, not nan"):
        Verdict.from_json(text)
