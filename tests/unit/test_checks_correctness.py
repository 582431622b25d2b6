"""The correctness check against submissions that are wrong in one way each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
import torch

from grader.checks.outcome import Outcome
from grader.checks.values import correctness
from grader.run.values import Reply, Trace
from grader.spec import Case, Refusal, tensor
from grader.spec.vocabulary import TensorSpec
from grader.verdict import Status
from tests.unit.fake_submission import LAUNCH, FakeSession, fake_bench


def three(shape: int | tuple[int, ...], **more: Any) -> list[TensorSpec]:
    return [replace(tensor(shape, **more), name=name) for name in "abc"]


def muladd(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> torch.Tensor:
    return a * b + c


CASES = [Case("a full block", three(256)), Case("odd", three((5, 67))), Case("empty", three(0))]


def judged(function: Callable[..., Any], cases: list[Case] = CASES, **more: Any) -> Outcome:
    refusals = more.pop("refusals", ())
    reference = more.pop("reference", muladd)
    return correctness.check(fake_bench(FakeSession(function, **more), reference, cases, refusals=refusals))


def test_the_right_function_passes() -> None:
    outcome = judged(muladd)
    assert outcome.status is Status.PASS
    assert outcome.sentence == "All 3 cases are right."


def test_a_wrong_value_is_told_with_call_index_and_three_values() -> None:
    def wrong(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> torch.Tensor:
        out = muladd(a, b, c)
        if out.ndim == 2:
            out[3, 7] = 100
        return out

    outcome = judged(wrong)
    assert outcome.status is Status.FAIL
    assert outcome.sentence.startswith(
        "muladd(a: float32 (5, 67), b: float32 (5, 67), c: float32 (5, 67)) returned 100 at [3, 7], expected "
    )
    assert (outcome.case, outcome.index, outcome.got) == ("odd", (3, 7), "100")
    values = dict(part.split(" = ") for part in outcome.input.split(", "))
    recomputed = float(values["a"]) * float(values["b"]) + float(values["c"])
    assert recomputed == pytest.approx(float(outcome.expected), rel=1e-4)


@pytest.mark.parametrize(
    ("reference", "shown"),
    [
        (lambda a, b: a * b, True),
        (lambda a, b: a @ b, False),
        (lambda a, b: a.mT + 0 * b, False),
        (lambda a, b: a.cumsum(0) + b, False),
    ],
)
def test_inputs_are_shown_where_they_explain_the_value(reference: Callable[..., Any], shown: bool) -> None:
    square = Case("a square", [replace(tensor((9, 9)), name=name) for name in "ab"])

    def wrong(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        out = reference(a, b).clone()
        out[3, 7] += 1
        return out

    outcome = correctness.check(fake_bench(FakeSession(wrong), reference, [square], parameters="ab"))
    assert outcome.index == (3, 7)
    assert bool(outcome.input) is shown
    assert ("(a = " in outcome.sentence) is shown


def test_that_no_kernel_ran_is_said_before_anything_else() -> None:
    def idle(trace: Trace, stage: str, schedule: str) -> Trace:
        return replace(trace, launches=())

    refusals = [Refusal("of any kind", three(4), mentions=["a"])]
    outcome = judged(muladd, refusals=refusals, edit_trace=idle)
    assert outcome.sentence.startswith("No kernel of yours was launched: see device work. muladd(a: float32")
    assert judged(muladd, refusals=refusals).sentence.startswith("muladd(a: float32 (4,)")


def test_an_error_after_a_refused_launch_points_to_safety() -> None:
    def refused(trace: Trace, stage: str, schedule: str) -> Trace:
        return replace(trace, launches=(replace(LAUNCH, error=1),))

    def raises(*_: torch.Tensor) -> None:
        raise RuntimeError("CUDA error: invalid argument")

    outcome = judged(raises, edit_trace=refused)
    assert outcome.sentence.endswith("invalid argument. A launch was refused: the safety check says where.")


@pytest.mark.parametrize(
    ("function", "got", "part"),
    [
        (lambda a, b, c: None, "None", "the output is None, expected a tensor. Is a return missing?"),
        (
            lambda a, b, c: muladd(a, b, c).double(),
            "float64",
            "the output has dtype float64, expected float32.",
        ),
        (
            lambda a, b, c: muladd(a, b, c)[None],
            "(1, 256)",
            "the output has shape (1, 256), expected (256,).",
        ),
        (lambda a, b, c: muladd(a, b, c) * float("nan"), "nan", "256 of 256 elements are NaN where"),
        (lambda a, b, c: (a, b), "2", "returned 2 values, expected 1."),
        (lambda a, b, c: 3.0, "something that is neither a tensor nor an array", "expected a tensor"),
    ],
)
def test_wrong_forms(function: Callable[..., Any], got: str, part: str) -> None:
    outcome = judged(function)
    assert outcome.status is Status.FAIL
    assert outcome.got == got
    assert part in outcome.sentence


def test_a_wrong_device() -> None:
    def on_the_host(reply: Reply) -> Reply:
        return replace(reply, outputs=tuple(replace(each, device="cpu") for each in reply.outputs))

    outcome = judged(muladd, edit_reply=on_the_host)
    assert (outcome.expected, outcome.got) == ("cuda:0", "cpu")
    assert "allocate it with the input's options" in outcome.sentence


def test_input_elements_are_shown_only_where_all_of_them_line_up() -> None:
    a, b = (replace(tensor(shape), name=name) for name, shape in (("a", (4, 6)), ("b", (6, 6))))
    product = Case("a product", [a, b])
    bench = fake_bench(FakeSession(lambda a, b: a @ b + 1), lambda a, b: a @ b, [product], parameters="ab")
    assert correctness.check(bench).input == ""


def test_other_wrong_cases_are_named() -> None:
    outcome = judged(lambda a, b, c: muladd(a, b, c) + 1)
    assert outcome.case == "a full block"
    assert outcome.lines == ('Also wrong: "odd".',)


def test_of_many_other_wrong_cases_three_are_named_and_the_rest_counted() -> None:
    cases = [Case(f"case {number}", three(5)) for number in range(6)]
    outcome = judged(lambda a, b, c: muladd(a, b, c) + 1, cases)
    assert outcome.lines == ('Also wrong: "case 1", "case 2", "case 3" and 2 more.',)


@pytest.mark.parametrize(
    "appendix",
    [
        "",
        "\nException raised from check at ../binding.cpp:3\nframe #0",
        "\nSearch for `cudaErrorInvalidValue' in https://docs.nvidia.com",
        "\nCUDA kernel errors might be asynchronously reported",
    ],
)
def test_an_exception_is_told_with_its_place_and_without_its_appendix(appendix: str) -> None:
    def raises(*_: torch.Tensor) -> None:
        raise RuntimeError(f"b must be contiguous{appendix}")

    outcome = judged(raises)
    assert outcome.status is Status.FAIL
    assert outcome.sentence.endswith("raised RuntimeError at op.py:7: b must be contiguous")


def test_an_open_todo_is_work_and_not_a_failure() -> None:
    def todo(*_: torch.Tensor) -> None:
        raise NotImplementedError("TODO(forward): call the op")

    outcome = judged(todo)
    assert outcome.status is Status.NOT_ATTEMPTED
    assert "TODO(forward): call the op" in outcome.sentence


def test_a_sticky_error_ends_the_check_since_the_context_is_gone() -> None:
    def dies(trace: Trace, stage: str, schedule: str) -> Trace:
        return replace(trace, sticky_error="cudaErrorIllegalAddress")

    session = FakeSession(muladd, edit_trace=dies)
    bench = fake_bench(session, muladd, CASES)
    outcome = correctness.check(bench)
    assert outcome.got == "cudaErrorIllegalAddress"
    assert session.log == ["call"]
    assert bench.context_lost


def test_an_exception_after_a_failed_kernel_points_to_the_safety_check() -> None:
    def raises(*_: torch.Tensor) -> None:
        raise RuntimeError("copy out: an illegal memory access was encountered")

    def dies(trace: Trace, stage: str, schedule: str) -> Trace:
        return replace(trace, sticky_error="cudaErrorIllegalAddress")

    assert judged(raises, edit_trace=dies).sentence.endswith(
        "an illegal memory access was encountered. A kernel failed: the safety check says where."
    )
    assert judged(raises).sentence.endswith("an illegal memory access was encountered")


def test_a_modified_input_is_found_though_the_answer_is_right() -> None:
    def spoils(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> torch.Tensor:
        out = muladd(a, b, c)
        if b.ndim == 2:
            b[2, 3] = 7
        return out

    outcome = judged(spoils)
    assert "changed its input b: at [2, 3] it was " in outcome.sentence
    assert " and is 7 afterwards" in outcome.sentence


def test_an_in_place_operation_is_judged_by_what_it_changed() -> None:
    cases = [Case("in place", three(9), modifies=("a",))]

    def add_into(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> torch.Tensor:
        return a.mul_(b).add_(c)

    assert judged(add_into, cases, reference=add_into).status is Status.PASS
    outcome = judged(muladd, cases, reference=add_into)
    assert "a is changed in place, and afterwards holds" in outcome.sentence


def test_a_list_that_is_changed_in_place_is_judged_tensor_by_tensor() -> None:
    rings = [replace(tensor(size), name=f"rings[{position}]") for position, size in enumerate((4, 7))]
    cases = [Case("in place", [rings, 2.0], modifies=("rings",))]

    def scale_(rings: list[torch.Tensor], factor: float) -> list[torch.Tensor]:
        return [ring.mul_(factor) for ring in rings]

    def scale_the_first(rings: list[torch.Tensor], factor: float) -> list[torch.Tensor]:
        return [rings[0].mul_(factor), rings[1] * factor]

    def outcome_of(function: Callable[..., Any]) -> Outcome:
        bench = fake_bench(FakeSession(function), scale_, cases, parameters=("rings", "factor"))
        return correctness.check(bench)

    assert outcome_of(scale_).status is Status.PASS
    assert "rings[1] is changed in place, and afterwards holds" in outcome_of(scale_the_first).sentence


def test_right_cases_are_kept_for_later_checks() -> None:
    bench = fake_bench(FakeSession(muladd), muladd, CASES)
    correctness.check(bench)
    assert [right.case.name for right in bench.right] == ["a full block", "odd", "empty"]
