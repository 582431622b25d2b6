"""Results that others than the learner's kernels made earn nothing in any check; an honest half counts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
import torch

from grader.checks.bench import Bench
from grader.checks.device import device_work, efficiency, safety
from grader.checks.gradients import gradient
from grader.checks.outcome import Outcome
from grader.checks.outcome import passed as passed_outcome
from grader.checks.values import correctness
from grader.run.values import Trace
from grader.specification import Case, Gradient, tensor
from grader.specification.efficiency import Efficiency, Limit
from grader.verdict import CheckResult, Status, Verdict
from tests.unit.fake_submission import LAUNCH, FakeSession, fake_bench, fake_exercise

ADD = "aten::add"


def case(name: str, size: int) -> Case:
    return Case(name, [replace(tensor(size, "float64"), name=each) for each in "ab"])


SMALL, LARGE, EMPTY = case("small", 10), case("large", 500), case("empty", 0)


def add(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return a + b


def bench_where(
    edit: Callable[[Trace, str, int], Trace], *, function: Callable[..., Any] = add, **exercise: Any
) -> Bench:
    """``edit`` is told the trace, the stage, and how many bytes came back."""

    def traced(trace: Trace, stage: str, schedule: str) -> Trace:
        return edit(trace, stage, sum(sum((each or {}).values()) for each in trace.writers))

    session = FakeSession(function, edit_trace=traced)
    return fake_bench(
        session, add, [SMALL, LARGE, EMPTY], parameters="ab", gradient=Gradient(cases=[SMALL, LARGE]),
        exercise=fake_exercise(**exercise),
    )  # fmt: skip


CHECKS = {
    "correctness": correctness, "gradient": gradient, "safety": safety, "device_work": device_work,
}  # fmt: skip


def judged(bench: Bench) -> dict[str, Outcome]:
    for name, check in CHECKS.items():
        bench.outcomes[name] = check.check(bench)  # type: ignore[attr-defined]
    return bench.outcomes


def passed(outcomes: dict[str, Outcome]) -> set[str]:
    return {name for name, outcome in outcomes.items() if outcome.status is Status.PASS}


def overwritten(trace: Trace) -> Trace:
    """A kernel ran, and the library wrote the result after it."""
    writers = tuple({"library": sum((each or {}).values())} for each in trace.writers)
    return replace(trace, operators=(*trace.operators, f"{ADD}.out"), writers=writers)


# ---- which half counts -------------------------------------------------------------------------------------


def test_own_results_pass_everywhere() -> None:
    assert passed(judged(bench_where(lambda trace, stage, size: trace))) == set(CHECKS)


def test_a_decoy_beside_the_library_earns_nothing_at_all() -> None:
    outcomes = judged(bench_where(lambda trace, stage, size: overwritten(trace)))
    assert passed(outcomes) == set()
    assert outcomes["correctness"].sentence == (
        "The values are right, but aten::add computed them: no points. Points are for what your kernels "
        "compute; device work says more."
    )
    assert outcomes["gradient"].sentence.startswith("The gradients are right, but aten::add took part in")
    assert outcomes["safety"].sentence == "Not judged: your kernels did not make what forward returned."
    assert outcomes["device_work"].sentence.endswith("by a library operator instead of your kernel.")
    assert {outcome.topic for outcome in outcomes.values()} == {"library"}
    assert not any(outcome.share for outcome in outcomes.values())


@pytest.mark.parametrize(
    ("stage", "kept"),
    [("forward", {"gradient"}), ("call", {"gradient"}), ("backward", {"correctness", "safety"})],
)
def test_the_half_that_is_the_learners_keeps_its_points(stage: str, kept: set[str]) -> None:
    library_in = "call" if stage == "forward" else stage
    bench = bench_where(lambda trace, at, size: overwritten(trace) if at == library_in else trace)
    assert passed(judged(bench)) == kept


def test_one_case_of_the_library_is_enough_and_is_named() -> None:
    bench = bench_where(lambda trace, stage, size: overwritten(trace) if size > 80 else trace)
    found = correctness.check(bench)
    assert found.status is Status.FAIL and found.case == "large"
    assert found.sentence.startswith("The values are right, but in 1 of 2 cases aten::add computed them: no")
    assert found.lines == ('Not by your kernels: "large".',)


def test_a_library_that_is_used_only_where_gradients_are_asked_for() -> None:
    calls = iter(range(1000))

    def edit(trace: Trace, stage: str, size: int) -> Trace:  # the first three are those of correctness
        return overwritten(trace) if stage == "call" and next(calls) >= 3 else trace

    outcomes = judged(bench_where(edit))
    assert passed(outcomes) == {"correctness", "safety"}
    assert outcomes["gradient"].sentence.startswith(
        "The values are right, but with an input that requires grad, aten::add computed them: no points."
    )


def test_wrong_values_are_told_first_and_the_library_is_remembered() -> None:
    def wrong(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return a + b + 1

    bench = bench_where(lambda trace, stage, size: overwritten(trace), function=wrong)
    found = correctness.check(bench)
    assert found.topic == "values" and "expected" in found.sentence
    assert found.not_own == "aten::add computed them"
    right = correctness.check(bench_where(lambda trace, stage, size: trace, function=wrong))
    assert right.sentence == found.sentence and right.not_own == ""


def test_an_exercise_without_points_for_device_work_leaves_open_who_does_it() -> None:
    bench = bench_where(lambda trace, stage, size: overwritten(trace), scores={"correctness": 100})
    assert correctness.check(bench).status is Status.PASS


# ---- what makes a result another's -------------------------------------------------------------------------

TO_HOST, TO_DEVICE = "aten::copy_ device to host of {} bytes", "aten::copy_ host to device of {} bytes"


@pytest.mark.parametrize(
    ("changes", "who"),
    [
        ({"launches": (), "operators": (ADD,)}, "aten::add computed them"),
        ({"launches": (), "writers": ({"host": 1},)}, "host code computed them"),
        ({"launches": (replace(LAUNCH, error=9),)}, "no kernel of yours ran"),
        ({"operators": ("aten::mul",)}, "aten::mul took part in computing them"),
        ({"writers": ({"copy": 4000},)}, "a copy brought them"),
        ({"findings": ({"kind": "device_pointer_on_host"},)}, "host code took part in computing them"),
        ({"copies": (TO_HOST.format(8000), TO_DEVICE.format(4000))}, "they went through the host"),
        ({"copies": (TO_HOST.format(4000),)}, "they went through the host"),  # back as arguments of kernels
        # what costs device work alone
        ({"copies": (TO_HOST.format(8),)}, ""),
        ({"copies": (TO_HOST.format(64),)}, ""),  # less than the result
        ({"copies": (TO_DEVICE.format(24),)}, ""),
        ({"host_syncs": 1}, ""),
        ({"operators": ("aten::to", "aten::_to_copy")}, ""),
        ({"api_calls": ({"call": "cudaMalloc", "kind": "alloc"},)}, ""),
    ],
)
def test_what_makes_a_result_anothers_and_what_is_only_bad_style(changes: dict[str, Any], who: str) -> None:
    bench = bench_where(
        lambda trace, stage, size: replace(trace, **changes) if stage == "call" and size > 80 else trace
    )
    outcomes = judged(bench)
    assert outcomes["device_work"].status is Status.FAIL
    assert outcomes["device_work"].not_own == who
    assert outcomes["correctness"].not_own == who
    assert (outcomes["correctness"].status is Status.FAIL) == bool(who)


def test_what_is_anothers_comes_before_what_is_bad_style() -> None:
    """An allocation in the first call hides no copy, and no library in a later one."""
    changes = {
        "api_calls": ({"call": "cudaMalloc", "kind": "alloc"},),
        "copies": (TO_HOST.format(8000), TO_DEVICE.format(4000)),
    }
    bench = bench_where(lambda trace, stage, size: replace(trace, **changes) if size > 80 else trace)
    assert judged(bench)["device_work"].topic == "copies"
    later = bench_where(
        lambda trace, stage, size: overwritten(trace) if size > 80 else replace(trace, host_syncs=1)
    )
    assert judged(later)["device_work"].topic == "library"


@pytest.mark.parametrize(("function", "moved"), [(lambda a, b: a.flip(0), True), (add, False)])
def test_operators_that_move_made_a_result_only_if_moving_is_all_it_takes(
    function: Callable[..., Any], moved: bool
) -> None:
    copied = {"operators": ("aten::clone",)}
    session = FakeSession(
        function,
        edit_trace=lambda trace, stage, schedule: replace(trace, **copied) if stage == "call" else trace,
    )
    bench = fake_bench(session, function, [LARGE], parameters="ab", exercise=fake_exercise(moves=False))
    assert correctness.check(bench).not_own == ("aten::clone moved them" if moved else "")
    assert device_work.check(bench).status is Status.FAIL


def test_a_result_that_is_an_argument_by_chance_was_not_moved() -> None:
    zero = Case("b is zero", [LARGE.args[0], replace(tensor(500, "float64", low=0, high=0), name="b")])
    session = FakeSession(
        add, edit_trace=lambda trace, stage, schedule: replace(trace, operators=("aten::clone",))
    )
    bench = fake_bench(session, add, [zero, LARGE], parameters="ab", exercise=fake_exercise(moves=False))
    assert correctness.check(bench).status is Status.PASS
    assert bench.calls[0].only_moved and not bench.calls[1].only_moved


# ---- the cost of what others made --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("stages", "share"), [(["forward"], None), (["forward", "backward"], 1 / 4), (["backward"], None)]
)
def test_the_cost_of_forward_counts_where_backward_alone_is_the_librarys(
    stages: list[Any], share: float | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(efficiency, "_failed", lambda call: None)  # no trace here has counts
    limits = [Limit("launches", 10, stage=stage, share=3 if stage == "backward" else 1) for stage in stages]
    bench = bench_where(lambda trace, at, size: overwritten(trace) if at == "backward" else trace)
    bench = replace(bench, spec=replace(bench.spec, efficiency=(Efficiency(SMALL, limits),)))
    judged(bench)
    outcome = efficiency.check(bench)
    assert outcome.share == share
    assert (outcome.status is Status.PASS) == (stages == ["forward"]), outcome.sentence
    if len(stages) == 2:
        assert outcome.sentence.startswith("Backward is not counted: only your own kernels are. Within all")
        assert outcome.not_own == "aten::add took part in computing them"
    refused = outcome.sentence == "Not judged: only your own kernels are counted."
    assert refused == (stages == ["backward"])


def test_the_cost_beside_a_wrong_gradient_is_not_counted_whoever_made_it() -> None:
    limits = [Limit("launches", 10, stage=stage) for stage in ("forward", "backward")]
    bench = bench_where(lambda trace, at, size: overwritten(trace) if at == "backward" else trace)
    bench = replace(bench, spec=replace(bench.spec, efficiency=(Efficiency(SMALL, limits),)))
    wrong = Outcome(Status.FAIL, "The gradient is 3, expected 4.", topic="values", not_own="somebody")
    bench.outcomes = {"correctness": passed_outcome("Right."), "gradient": wrong}
    outcome = efficiency.check(bench)
    assert outcome.share is None and outcome.sentence.startswith("Not judged: ")


# ---- the verdict -------------------------------------------------------------------------------------------


def test_the_verdict_names_who_made_the_results_once_each() -> None:
    outcomes = judged(bench_where(lambda trace, stage, size: overwritten(trace)))
    checks = tuple(outcome.scored(name, 10, 0.1, "") for name, outcome in outcomes.items())
    verdict = Verdict("03_muladd", "Multiply-add", "simt", 7, checks)
    assert verdict.earned == 0
    assert verdict.to_review == (
        "Results are not its kernels' work: aten::add computed them (`correctness`, `safety`, "
        "`device_work`); aten::add took part in computing them (`gradient`)."
    )
    assert Verdict.from_json(verdict.to_json()).to_review == verdict.to_review
    assert '"to_review": "Results are' in verdict.to_json()


def test_a_pass_has_nothing_to_review_and_an_older_verdict_can_be_read() -> None:
    verdict = Verdict("x", "X", "simt", 7, (CheckResult("correctness", Status.PASS, "Right.", 1.0, 1.0),))
    assert verdict.to_review == ""
    older = verdict.to_json().replace('"topic": "",\n      "not_own": ""', '"topic": ""')
    older = older.replace(',\n  "to_review": ""', "")
    assert "not_own" not in older and "to_review" not in older
    assert Verdict.from_json(older) == verdict
