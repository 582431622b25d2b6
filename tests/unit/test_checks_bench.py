"""What the bench sends for a case, and what it records of the call."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
import torch

from grader.checks.bench import case_options
from grader.checks.device.counted_case import run_counted
from grader.checks.gradients.gradcheck import WorkerFunction
from grader.checks.values.inputs import draw, seeded
from grader.checks.values.wording import call_text
from grader.run.values import Reply
from grader.specification import Case, Refusal, drawn, tensor
from tests.unit.fake_submission import FakeSession, fake_bench, fake_exercise

ARGUMENT = replace(tensor(4), name="a")
CASE = Case(
    "all of it", [ARGUMENT], stream="side", modifies=("a",), device=1, autocast="bfloat16",
    deterministic=True, waits=True,
)  # fmt: skip


class Recording(FakeSession):
    """Keeps the keyword arguments of every call."""

    def __init__(self, **changes: Any) -> None:
        super().__init__(lambda a: a * 2, **changes)
        self.options: list[dict[str, Any]] = []

    def call(self, *args: Any, **options: Any) -> Reply:
        self.options.append(options)
        return super().call(*args, **options)


def test_every_caller_asks_for_what_the_case_says() -> None:
    session = Recording(edit_trace=lambda trace, stage, schedule: replace(trace, counts=({},)))
    bench = fake_bench(session, lambda a: a * 2, [CASE], parameters=("a",))
    inputs = bench.draw(CASE.args)
    bench.forward(CASE, inputs)
    WorkerFunction(bench, CASE, inputs, ["a"]).call([torch.ones(4)], [True])
    run_counted(session, bench.spec, fake_exercise(), CASE, 0)  # type: ignore[arg-type]
    wanted = {
        "stream": "side", "device": 1, "in_place": ("a",), "autocast": "bfloat16", "deterministic": True,
    }  # fmt: skip
    assert case_options(CASE) == wanted
    assert len(session.options) == 3
    assert all(options.items() >= wanted.items() for options in session.options)


def test_a_call_records_what_the_case_allows_and_asks_for() -> None:
    bench = fake_bench(Recording(), lambda a: a * 2, [CASE], parameters=("a",))
    call = bench.forward(CASE, bench.draw(CASE.args))
    assert (call.stream, call.device, call.autocast, call.waits) == ("side", 1, True, True)
    assert call.text.endswith(" under a side stream under autocast to bfloat16 in deterministic mode")


def test_bad_input_is_sent_with_nothing_around_the_call() -> None:
    session = Recording()
    bench = fake_bench(session, lambda a: a * 2, [CASE], parameters=("a",))
    refusal = Refusal("wrong", [ARGUMENT])
    call = bench.forward(refusal, bench.draw(refusal.args), stage="refusal")
    assert (call.case, call.stream, call.device, call.autocast, call.waits) == (
        "wrong",
        "default",
        0,
        False,
        False,
    )
    assert session.options[0].items() >= case_options(Case("", [])).items()


def test_on_a_gpu_a_call_without_a_launch_is_not_made_twice() -> None:
    session = Recording(edit_trace=lambda trace, stage, schedule: replace(trace, launches=()))
    bench = fake_bench(
        session, lambda a: a * 2, [Case("plain", [ARGUMENT])], parameters=("a",), backend="cuda"
    )
    call = bench.forward(bench.spec.cases[0], bench.draw([ARGUMENT]))
    assert call.traced and session.log == ["call"]


def test_on_a_gpu_the_drawn_sizes_and_a_case_of_the_seeds_choice_are_traced() -> None:
    sizes = drawn(lambda n: [replace(tensor(n), name="a")], n=(2, 9))
    cases = [Case(str(number), [ARGUMENT]) for number in range(6)] + [Case("drawn", [ARGUMENT], sizes=sizes)]

    def traced(seed: int) -> set[str]:
        session = FakeSession(lambda a: a * 2)
        bench = replace(
            fake_bench(session, lambda a: a * 2, cases, parameters=("a",), backend="cuda"), seed=seed
        )
        calls = [bench.forward(case, bench.draw([ARGUMENT])) for case in cases]
        return {call.case for call in calls if call.traced}

    every = [traced(seed) for seed in range(40)]
    assert all({"0", "drawn"} <= each and len(each) <= 3 for each in every)
    assert set().union(*every) == {case.name for case in cases}
    assert traced(5) == traced(5)


def test_in_a_hurry_one_call_with_the_drawn_sizes_is_traced() -> None:
    sizes = drawn(lambda n: [replace(tensor(n), name="a")], n=(2, 9))
    case = Case("drawn", [ARGUMENT], sizes=sizes)
    for hurried in (False, True):
        bench = fake_bench(
            FakeSession(lambda a: a * 2), lambda a: a * 2, [case], parameters=("a",), backend="cuda"
        )
        if hurried:
            bench.hurry()
        traced = [bench.forward(case, bench.draw([ARGUMENT])).traced for _ in range(3)]
        assert traced == [True, not hurried, not hurried]


@pytest.mark.parametrize(
    ("special", "words"),
    [("ones", "ones"), ("zeros", "zeros"), ("nan", "with NaN"), ("masked", "masked with -inf"), (None, "")],
)
def test_a_call_says_what_its_tensors_hold_in_the_words_that_hints_match(special: Any, words: str) -> None:
    inputs = draw([replace(tensor((3, 33), special=special), name="x")], seeded(1))
    assert call_text("softmax", inputs) == f"softmax(x: float32 (3, 33) {words}".rstrip() + ")"
