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
from grader.specification import Case, Refusal, tensor
from grader.specification.vocabulary import TensorSpec
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

    def wrong(*tensors: torch.Tensor) -> torch.Tensor:
        return muladd(*tensors) + 1

    outcome = judged(wrong, edit_trace=idle)
    assert outcome.sentence.startswith("No kernel of yours was launched: see device work. muladd(a: float32")
    assert outcome.not_own == "no kernel of yours ran"
    assert judged(wrong).sentence.startswith("muladd(a: float32")
    refusals = [Refusal("of any kind", three(4), mentions=["a"])]
    right = judged(muladd, refusals=refusals, edit_trace=idle)
    assert right.sentence.startswith("The values are right, but no kernel of yours ran: no points.")
    assert judged(muladd, refusals=refusals).topic == "refusals"


def raises_invalid(*_: torch.Tensor) -> None:
    raise RuntimeError("CUDA error: invalid argument")


@pytest.mark.parametrize(
    ("note", "reason", "rule"),
    [
        ("the grid has 0 blocks in x", "the grid has 0 blocks in x.", "round the number of blocks up"),
        ("the block has 2048 threads; at most 1024", "at most 1024.", "take a smaller block"),
        ("the grid has 65536 blocks in y; at most 65535", "at most 65535.", "each thread go on"),
    ],
)
def test_an_error_after_a_refused_launch_says_what_did_not_fit(note: str, reason: str, rule: str) -> None:
    finding = {"kind": "invalid_launch", "file": "kernel.cu", "line": 12, "note": note}

    def refused(trace: Trace, stage: str, schedule: str) -> Trace:
        return replace(trace, launches=(replace(LAUNCH, error=1),), findings=(finding,))

    outcome = judged(raises_invalid, edit_trace=refused)
    assert f"invalid argument. kernel.cu:12: Invalid launch: {note}. " in outcome.sentence
    assert reason in outcome.sentence and rule in outcome.sentence
    assert "safety check" not in outcome.sentence
    assert (outcome.topic, outcome.reading) == ("errors", "invalid_launch")


def test_a_launch_refused_for_an_unknown_reason_is_told_with_its_dimensions() -> None:
    def refused(trace: Trace, stage: str, schedule: str) -> Trace:
        return replace(trace, launches=(replace(LAUNCH, error=1),))

    assert judged(raises_invalid, edit_trace=refused).sentence.endswith(
        "invalid argument. kernel.cu:12: The launch of muladd_kernel<float> was refused: grid (1, 1, 1), "
        "block (256, 1, 1)."
    )


def test_an_error_without_a_refused_launch_is_told_as_it_is() -> None:
    assert judged(raises_invalid).sentence.endswith("CUDA error: invalid argument")


def test_configurations_that_disagree_come_after_what_the_device_saw() -> None:
    class DifferentAnswers(RuntimeError):
        """As the simulated device's autotuning raises it."""

    def disagree(*_: torch.Tensor) -> None:
        raise DifferentAnswers("`kernel` leaves different values in `out`.")

    race = {"kind": "race_global", "access": "write", "bytes": 4, "space": "global", "note": "why"}

    def seen(trace: Trace, stage: str, schedule: str) -> Trace:
        return replace(trace, findings=(race,))

    outcome = judged(disagree, edit_trace=seen)
    assert outcome.sentence.startswith("Race on global memory")
    assert outcome.sentence.endswith("`kernel` leaves different values in `out`.")
    assert outcome.reading == "race_global"
    assert judged(disagree).sentence.startswith("muladd(a: float32")


POISONED = torch.full((4,), 0xA5, dtype=torch.uint8).view(torch.float32).item()


def only_one_block(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> torch.Tensor:
    """What kernels of 128 threads leave behind that write the elements of the first block but one."""
    out = muladd(a, b, c)
    out.view(-1)[min(128, a.numel() - 1) :] = POISONED
    return out


def of_three_blocks(trace: Trace, stage: str, schedule: str) -> Trace:
    launch = replace(LAUNCH, grid=(3, 1, 1), block=(128, 1, 1))
    return replace(trace, launches=(launch,), writers=())


def test_the_case_comes_first_whose_launch_explains_the_wrong_elements() -> None:
    cases = [Case("unclear", three(9)), Case("telling", three(300)), Case("also unclear", three(8))]
    outcome = judged(only_one_block, cases, edit_trace=of_three_blocks)
    assert outcome.case == "telling"
    assert "what one block covers: does the index take the block into account?" in outcome.sentence
    assert outcome.lines[-1] == 'Also wrong: "unclear" and "also unclear".'
    assert judged(only_one_block, [cases[0], cases[2]], edit_trace=of_three_blocks).case == "unclear"


def test_what_the_numbers_suggest_stays_in_front_of_what_another_case_explains() -> None:
    def doubled_or_unwritten(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> torch.Tensor:
        return 2 * muladd(a, b, c) if a.numel() == 9 else only_one_block(a, b, c)

    cases = [Case("doubled", three(9)), Case("telling", three(300))]
    outcome = judged(doubled_or_unwritten, cases, edit_trace=of_three_blocks)
    assert outcome.case == "doubled" and "2 times what it should be" in outcome.sentence
    assert any(line.startswith('Of the case "telling": The launch has') for line in outcome.lines)


def test_what_the_device_saw_stays_in_front_of_what_another_case_explains() -> None:
    calls: list[str] = []

    def seen_in_the_first(trace: Trace, stage: str, schedule: str) -> Trace:
        calls.append(stage)
        race = {"kind": "race_global", "access": "write", "bytes": 4, "space": "global", "note": "why"}
        return replace(of_three_blocks(trace, stage, schedule), findings=(race,) if len(calls) == 1 else ())

    cases = [Case("seen", three(9)), Case("telling", three(300))]
    outcome = judged(only_one_block, cases, edit_trace=seen_in_the_first)
    assert outcome.case == "seen" and outcome.sentence.startswith("Race on global memory")
    assert any(
        line.startswith('Of the case "telling": The launch has 3 blocks of 128 threads, and')
        for line in outcome.lines
    )


@pytest.mark.parametrize(("strides", "told"), [((1, 5), True), ((9, 1), False)])
def test_a_wrong_result_that_is_not_dense_is_told_with_its_strides(strides: Any, told: bool) -> None:
    def laid_out(reply: Reply) -> Reply:
        return replace(reply, outputs=tuple(replace(each, strides=strides) for each in reply.outputs))

    cases = [Case("a matrix", three((5, 9)))]
    outcome = judged(lambda *args: muladd(*args) + 1, cases, edit_reply=laid_out)
    words = "The result itself has strides (1, 5): does the kernel write by them?"
    assert outcome.sentence.endswith(words) is told
    assert judged(muladd, cases, edit_reply=laid_out).status is Status.PASS


def test_an_array_of_nan_that_the_host_left_as_it_was_asks_for_the_copy() -> None:
    def by_host(trace: Trace, stage: str, schedule: str) -> Trace:
        return replace(trace, writers=({"kernel": 0, "host": 1024},))

    def not_a_number(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> torch.Tensor:
        return muladd(a, b, c) * float("nan")

    assert "Is the copy to the host missing?" in judged(not_a_number, edit_trace=by_host).sentence
    assert "Is the copy" not in judged(not_a_number).sentence


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
        launch = replace(LAUNCH, error=700)  # the record holds what became of the kernel, too
        return replace(trace, launches=(launch,), sticky_error="cudaErrorIllegalAddress")

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


def test_an_answer_that_is_as_wrong_in_float64_is_not_put_down_to_the_dtype() -> None:
    cases = [CASES[0], Case("double", three(70, dtype="float64"))]

    def rough(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> torch.Tensor:
        return muladd(a, b, c) + 1e-3 * a.sin()

    def rough_float32(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> torch.Tensor:
        return muladd(a, b, c) if a.dtype == torch.float64 else rough(a, b, c)

    (line, _) = judged(rough, cases).lines
    assert line.startswith('In "double" it is no nearer, so the dtype is not the cause')
    assert not any("no nearer" in line for line in judged(rough_float32, cases).lines)


def test_the_case_that_is_explained_comes_first_where_nothing_explains_the_first() -> None:
    def dense(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> torch.Tensor:
        if a.is_contiguous():
            return a.sin()
        return a.as_strided(a.shape, (5, 1)) * b + c

    cases = [CASES[0], Case("transposed", [three((9, 5), layout="transposed")[0], *three((9, 5))[1:]])]
    told = judged(dense, cases)
    assert told.case == "transposed"
    assert "This is the answer for `a` read as dense memory" in told.sentence
    (line,) = judged(lambda a, b, c: a.sin(), cases).lines
    assert line == 'Also wrong: "transposed".'
