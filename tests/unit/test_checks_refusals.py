"""Bad input: refused with the right exception and words, or accepted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
import torch

from grader.checks.outcome import Outcome
from grader.checks.values.refusals import judge_refusal, mentions
from grader.run.values import Trace
from grader.specification import Case, Refusal, tensor
from grader.verdict import Status
from tests.unit.fake_submission import FakeSession, fake_bench
from tests.unit.test_checks_correctness import CASES, muladd, three
from tests.unit.test_checks_correctness import judged as judged_cases

REFUSAL = Refusal("different shapes", [*three(4)[:2], replace(tensor(5), name="c")], mentions=["c", "shape"])


def refusing(error: BaseException) -> Callable[..., torch.Tensor]:
    def function(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> torch.Tensor:
        if c.shape != a.shape:
            raise error
        return muladd(a, b, c)

    return function


def judged(function: Callable[..., torch.Tensor], cases: list[Case] = CASES) -> Outcome:
    return judged_cases(function, cases, refusals=[REFUSAL])


@pytest.mark.parametrize("kind", [RuntimeError, TypeError, ValueError, IndexError])
def test_a_good_refusal_passes(kind: type[Exception]) -> None:
    """With a class of TORCH_CHECK or of one of its relatives, such as TORCH_CHECK_TYPE."""
    outcome = judged(refusing(kind("c has another shape than a")))
    assert outcome.status is Status.PASS
    assert outcome.sentence == "All 3 cases are right, and bad input is refused (1 way)."


def test_what_pytorchs_own_checks_say_is_enough() -> None:
    said = "Expected tensor for argument #1 'a' to have same size as tensor for argument #3 'c'"
    assert judged(refusing(RuntimeError(said))).status is Status.PASS


@pytest.mark.parametrize(
    ("error", "part"),
    [
        (KeyError("c has another shape"), "must be refused with RuntimeError, not KeyError"),
        (NotImplementedError("c has another shape"), "not NotImplementedError"),
        (RuntimeError("something is wrong"), 'the message does not say "c" and "shape"'),
        (RuntimeError("shapes: a because of another cell"), 'the message does not say "c".'),
    ],
)
def test_refusals_of_the_wrong_kind(error: BaseException, part: str) -> None:
    outcome = judged(refusing(error))
    assert outcome.status is Status.FAIL
    assert part in outcome.sentence


def test_bad_input_that_reached_a_kernel_is_not_a_matter_of_the_exception_type() -> None:
    def dies(trace: Trace, stage: str, schedule: str) -> Trace:
        return replace(trace, sticky_error="cudaErrorIllegalAddress")

    session = FakeSession(refusing(ValueError("an illegal memory access")), edit_trace=dies)
    bench = fake_bench(session, muladd, CASES, refusals=[REFUSAL])
    outcome = judge_refusal(bench, REFUSAL)
    assert outcome is not None and outcome.status is Status.FAIL
    assert "before a kernel runs; here a kernel ran on it, and failed: an illegal" in outcome.sentence


def test_bad_input_that_is_accepted_fails() -> None:
    accepting = judged(lambda a, b, c: a * b + c[: len(a)], [CASES[1]])
    assert accepting.status is Status.FAIL
    assert "(different shapes) must be refused with RuntimeError, but it was accepted" in accepting.sentence


@pytest.mark.parametrize(
    ("message", "word", "whole", "found"),
    [
        ("a must be float32", "a", True, True),
        ("bad argument", "a", True, False),
        ("expected `A`, got", "a", True, True),
        ("grad_a is wrong", "a", True, False),
        ("the shapes differ", "shape", False, True),
        ("reshape it", "shape", False, False),
        ("must be on CUDA:0", "cuda:0", False, True),
        ("b must be like a here", "like a", False, True),
    ],
)
def test_words_are_found_whole_or_as_beginnings(message: str, word: str, whole: bool, found: bool) -> None:
    assert mentions(message, word, whole) is found


@pytest.mark.parametrize(
    ("message", "told"), [("c: 20 wrong", True), ("c: 4 wrong", False), ("c: 24 wrong", False)]
)
def test_a_multiple_of_the_number_that_the_message_should_hold(message: str, told: bool) -> None:
    refusal = replace(REFUSAL, mentions=["c", "4", "shape"])
    outcome = judged_cases(refusing(RuntimeError(message)), CASES, refusals=[refusal])
    question = "20 = 5 x 4, and c.size(0) is 5: is each counted 5 times?"
    assert outcome.sentence.endswith(question) is told
