"""A launch that the device refuses has to become an exception of the call that made it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from grader.run.values import Trace
from grader.specification import Case
from grader.verdict import Status
from tests.unit.test_checks_correctness import judged, muladd, three
from tests.unit.test_checks_gradient import ODD, Product
from tests.unit.test_checks_gradient import judged as judged_gradient

CASES = [Case("size 4", three(4), launch_errors=True)]


def test_a_checked_launch_passes() -> None:
    assert judged(muladd, CASES).status is Status.PASS


def test_a_launch_whose_error_is_dropped_fails_and_is_named() -> None:
    outcome = judged(muladd, CASES, unchecked=[1])
    assert (outcome.status, outcome.topic) == (Status.FAIL, "invalid_launch")
    assert outcome.sentence.startswith("kernel.cu:12: muladd(a: float32 (4,)")
    assert "although the device had refused the launch of muladd_kernel<float>" in outcome.sentence
    assert "C10_CUDA_KERNEL_LAUNCH_CHECK()" in outcome.sentence


def test_each_launch_has_to_be_checked() -> None:
    outcome = judged(muladd, CASES, kernels=["count_kernel", "cub::DeviceScan"], unchecked=[2])
    assert (outcome.status, outcome.topic) == (Status.FAIL, "invalid_launch")
    assert "had refused the launch of cub::DeviceScan" in outcome.sentence
    assert "The status that a library's function returns" in outcome.sentence
    assert judged(muladd, CASES, kernels=["count_kernel", "cub::DeviceScan"]).topic != "invalid_launch"


def test_eight_launches_are_tried_those_of_other_lines_first() -> None:
    kernels = [*["sum_kernel"] * 9, "last_kernel"]
    assert judged(muladd, CASES, kernels=kernels, unchecked=[2]).topic == "invalid_launch"
    assert judged(muladd, CASES, kernels=kernels, unchecked=[10]).topic == "invalid_launch"
    assert judged(muladd, CASES, kernels=kernels, unchecked=[9]).status is Status.PASS


def test_launches_of_backward_have_to_be_checked() -> None:
    cases = [replace(case, launch_errors=True) for case in ODD.cases]
    outcome = judged_gradient(Product.apply, replace(ODD, cases=cases), unchecked=[1])
    assert (outcome.status, outcome.topic) == (Status.FAIL, "invalid_launch")
    assert "returned gradients although the device had refused the launch" in outcome.sentence
    assert judged_gradient(Product.apply, replace(ODD, cases=cases)).status is Status.PASS


LIBRARIES = ["cuBLAS gemm", "cuSPARSE SpMM"]


@pytest.mark.parametrize(("number", "name"), [(1, "cuBLAS gemm"), (2, "cuSPARSE SpMM")])
def test_the_status_of_each_call_of_a_library_has_to_be_checked(number: int, name: str) -> None:
    outcome = judged(muladd, CASES, library_calls=LIBRARIES, unchecked_calls=[number])
    assert (outcome.status, outcome.topic) == (Status.FAIL, "invalid_launch")
    assert f"although the device had refused the call of {name}" in outcome.sentence
    assert "The status that a library's function returns" in outcome.sentence
    assert judged(muladd, CASES, library_calls=LIBRARIES).status is Status.PASS


def test_so_has_that_of_a_call_which_only_prepares_work() -> None:
    calls = ["cusparseSpMM_bufferSize", "cuSPARSE SpMM"]
    outcome = judged(muladd, CASES, library_calls=calls, unchecked_calls=[1])
    assert (outcome.status, outcome.topic) == (Status.FAIL, "invalid_launch")
    assert "although the library had refused the call of cusparseSpMM_bufferSize" in outcome.sentence
    assert judged(muladd, CASES, library_calls=calls).status is Status.PASS


def test_so_has_that_of_a_call_in_backward() -> None:
    cases = [replace(case, launch_errors=True) for case in ODD.cases]
    checked = replace(ODD, cases=cases)
    outcome = judged_gradient(Product.apply, checked, library_calls=LIBRARIES[:1], unchecked_calls=[1])
    assert (outcome.status, outcome.topic) == (Status.FAIL, "invalid_launch")
    assert "returned gradients although the device had refused the call of cuBLAS gemm" in outcome.sentence


def test_the_other_cases_were_not_asked_and_say_nothing_about_it() -> None:
    outcome = judged(muladd, [*CASES, Case("size 5", three(5))], unchecked=[1])
    assert outcome.topic == "invalid_launch" and outcome.lines == ()


def test_only_cases_that_ask_for_it_are_called_again() -> None:
    cases = [replace(CASES[0], launch_errors=False)]
    assert judged(muladd, cases, unchecked=[1]).status is Status.PASS


def test_a_call_without_a_launch_has_no_error_to_raise() -> None:
    def idle_if_refused(trace: Trace, stage: str, schedule: str) -> Trace:
        return replace(trace, launches=()) if stage == "refused" else trace

    outcome = judged(muladd, CASES, unchecked=[1], edit_trace=idle_if_refused)
    assert outcome.status is Status.PASS
