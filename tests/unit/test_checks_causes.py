"""What the device saw comes before any guess; what the compiler warned of is told beside it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import torch

from grader.checks.bench import Call
from grader.checks.device import causes
from grader.checks.outcome import Outcome
from grader.checks.values import correctness
from grader.compilation import Artifact
from grader.run.values import Trace
from grader.specification import Case, tensor
from grader.verdict import ReportedFinding, Status
from tests.unit.fake_submission import FakeSession, fake_bench

CASES = [Case("plain", [replace(tensor(40), name="x")])]
RACE = {"kind": "race_global", "access": "write", "bytes": 4, "space": "global", "note": "write after write"}
ABSENT = {"kind": "absent_lane", "note": "lane 0 takes the value of lane 16, which did not make this call"}


def twice(x: torch.Tensor) -> torch.Tensor:
    return 2 * x


def judged(
    wrong: bool, *raw: dict[str, object], log: Path | None = None, files: Path | None = None
) -> Outcome:
    def edit(trace: Trace, stage: str, schedule: str) -> Trace:
        return replace(trace, findings=raw)

    session = FakeSession((lambda x: 3 * x) if wrong else twice, edit_trace=edit)
    bench = fake_bench(session, twice, CASES, parameters="x")
    bench.files = files or bench.files
    if log is not None:
        bench.artifact = Artifact("x", "torch_library", Path("x.so"), "simt", True, 0.5, False, log)
    return correctness.check(bench)


def test_without_a_cause_the_numbers_are_looked_at() -> None:
    assert "The values are wrong, too" not in judged(True).sentence


@pytest.mark.parametrize("raw", [RACE, ABSENT], ids=lambda raw: str(raw["kind"]))
def test_what_was_seen_comes_first(raw: dict[str, object]) -> None:
    sentence = judged(True, raw).sentence
    assert sentence.startswith(("Race on global memory", "Undefined value from a shuffle: lane 0 takes"))
    assert ". The values are wrong, too: " in sentence


def test_of_two_writers_the_rule_is_told_at_once() -> None:
    for note, said in (("write after write", True), ("read after write", False)):
        outcome = judged(True, {**RACE, "note": note})
        assert outcome.cause is not None and (outcome.cause.rule in outcome.sentence) is said


def test_the_outcome_holds_what_was_seen() -> None:
    cause = judged(True, RACE).cause
    assert cause is not None and cause.kind == "race_global"
    assert judged(True).cause is None


def test_only_a_wrong_answer_is_worth_the_search(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def search(bench: object, call: Call, given: object) -> None:
        asked.append(call.text)

    monkeypatch.setattr(correctness, "cause_of", search)
    assert judged(False, ABSENT).status is Status.PASS
    assert asked == []
    judged(True, ABSENT)
    assert asked == ["muladd(x: float32 (40,))"]


def test_the_cause_is_what_to_read_up_on() -> None:
    assert (judged(True, RACE).topic, judged(True, RACE).reading) == ("values", "race_global")
    assert judged(True).reading == ""


COPY = {"call": "cudaMemcpyAsync", "kind": "d2d", "bytes": 2664, "error": 1}


@pytest.mark.parametrize(
    ("calls", "words"),
    [
        (
            [COPY],
            "cudaMemcpyAsync was refused, of 2664 bytes: is the target given before the source, does the "
            "direction say where each of them is, and do both have as many bytes?",
        ),
        (
            [{**COPY, "call": "cudaMemsetAsync"}],
            "cudaMemsetAsync was refused, of 2664 bytes: has its target as many?",
        ),
        ([{**COPY, "error": 0}], ""),
        ([{**COPY, "error": 700}], ""),  # what failed is an earlier kernel
        ([{"call": "cudaMalloc", "error": 2}, COPY], ""),
        ([{**COPY, "bytes": 0}], ""),
    ],
)
def test_a_copy_that_was_refused_is_named(calls: list[dict[str, object]], words: str) -> None:
    def edit(trace: Trace, stage: str, schedule: str) -> Trace:
        return replace(trace, api_calls=tuple(calls))

    def fails(x: torch.Tensor) -> torch.Tensor:
        raise RuntimeError("CUDA error: invalid argument")

    bench = fake_bench(FakeSession(fails, edit_trace=edit), twice, CASES, parameters="x")
    assert correctness.check(bench).sentence.endswith(f"invalid argument. {words}" if words else "argument")


def test_a_suspicion_is_no_fault_where_the_values_are_right() -> None:
    assert "Undefined" not in judged(False, ABSENT).sentence


@pytest.mark.parametrize(
    "line",
    [
        "/tmp/a/kernel.cu:26:27: warning: ‘sum’ may be used uninitialized [-Wmaybe-uninitialized]",
        "/tmp/a/kernel.cu:26:7: warning: ‘sum’ is used uninitialized [-Wuninitialized]",
        "/tmp/a/kernel.cu:26:9: warning: ‘sum.Sums::at[0]’ is used uninitialized [-Wuninitialized]",
        'kernel.cu(26): warning #549-D: variable "sum" is used before its value is set',
    ],
)
def test_a_warning_about_a_variable_without_a_value(tmp_path: Path, line: str) -> None:
    log = tmp_path / "build.log"
    log.write_text(f"[1/2] g++ ...\n{line}\n")
    outcome = judged(True, log=log)
    assert "too large by exactly x" in outcome.sentence  # the guess stays: a warning may be mistaken
    assert outcome.lines[0].startswith(
        "kernel.cu:26: the compiler warns that `sum` may be read before it has a value"
    )
    log.write_text("/tmp/a/kernel.cu:26:27: warning: unused variable ‘sum’ [-Wunused-variable]\n")
    assert judged(True, log=log).lines == ()
    log.write_text(
        "/usr/include/torch/Optional.h:26:27: warning: ‘sum’ may be used uninitialized "
        "[-Wmaybe-uninitialized]\n"
    )
    assert judged(True, log=log).lines == ()


@pytest.mark.parametrize(("layout", "told"), [("expanded", True), ("contiguous", False)])
def test_a_tensor_that_is_expanded_needs_no_guard(layout: str, told: bool) -> None:
    sentence = "Invalid __global__ read: element 1 of `x`, which has 1 element (1 past the end)."
    tensor = torch.ones(1).expand(40) if layout == "expanded" else torch.ones(40)
    found = ReportedFinding("out_of_bounds", sentence, "", "kernel.cu:3", 1)
    text = causes._read_as_dense(found, {"x": tensor})
    assert ("x is expanded: 40 elements by its sizes, with a stride of 0, and 1 element in" in text) is told
    assert bool(text) is told
    assert causes._read_as_dense(found, {"y": tensor}) == ""


FRAGMENT = "wmma::fragment<wmma::accumulator, 16, 16, 16, float>"
UNSET = [
    ("", "    float sum[4];", "for (int j = 0; j < 4; ++j) sum[j] += a[j];"),
    ("", "    float sum[2][4];", "sum[0][j] = fmaf(a[j], b[j], sum[0][j]);"),
    ("", f"    {FRAGMENT} sum;", "wmma::mma_sync(sum, left, right, sum);"),
    ("", f"    {FRAGMENT} sum[2][2];", "wmma::mma_sync(sum[i][j], left[i], right[j], sum[i][j]);"),
    (
        "using Sums = float[4][4]; void add(const float (&a)[4], Sums& into) { into[0][1] += a[2]; }",
        "    Sums sum;",
        "add(row, sum);",
    ),
    (
        f"struct Sums {{ {FRAGMENT} at[2]; }}; template <class T> void add(Sums& s, const Step<T, 2>& step) "
        "{ for (int i = 0; i < 2; ++i) wmma::mma_sync(s.at[i], step.a, step.b, s.at[i]); }",
        "    Sums sum;",
        "add(sum, step);",
    ),
]


@pytest.mark.parametrize(("before", "declared", "used"), UNSET)
def test_what_is_added_to_before_it_has_a_value(
    tmp_path: Path, before: str, declared: str, used: str
) -> None:
    def lines(*body: str, before: str = before) -> tuple[str, ...]:
        text = "\n".join([before, "__global__ void kernel() {", *body, "}", ""])
        (tmp_path / "kernel.cu").write_text(text)
        return judged(True, files=tmp_path).lines

    said = lines(declared, "    // sum[j] = 0 would be needed here", used)
    assert said[0].startswith("kernel.cu:5: `sum` is added to before it has a value")
    assert "What is not initialised holds whatever was in its register" in said[0]
    assert ("call fill_fragment first" in said[0]) is ("mma_sync" in before + used)
    assert lines(declared, "clear(sum);", used) == ()
    assert lines(declared, "for (auto& each : sum) each = 0;", used) == ()
    assert lines(declared.replace(";", " = {};"), used) == ()
    assert lines(declared.replace("    ", "    __shared__ ", 1), used) == ()
    assert lines(declared, used.replace("sum", "other.sum")) == ()
    if "struct" in before:
        assert lines(declared, used, before=before.replace("at[2];", "at[2] = {};")) == ()
