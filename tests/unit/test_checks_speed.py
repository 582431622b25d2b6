"""The speed check: ratios with intervals, noise that decides nothing, and claims that cannot be true."""

from __future__ import annotations

import math
import random
from dataclasses import replace
from typing import Any

import pytest
import torch

from grader.checks.outcome import Outcome
from grader.checks.timing import speed
from grader.checks.timing.ratios import Block, log_ratios, ratio
from grader.run.values import Measurement, RemoteError
from grader.spec import Part, Speed, tensor
from grader.verdict import Status
from tests.unit.fake_submission import FakeSession, fake_bench

ARGS = [replace(tensor(1000), name="a")]
SPEED = Speed(ARGS, baseline="a + 1", steps=((0.5, 0.25), (0.8, 0.5), (1.0, 1.0)))


def blocks(
    own: float, baseline: float, noise: float = 0.01, number: int = 25, seed: int = 1
) -> tuple[Block, ...]:
    chance = random.Random(seed)

    def time(mean: float) -> float:
        return mean * math.exp(chance.gauss(0, noise))

    return tuple((time(own), time(baseline), time(baseline), time(own)) for _ in range(number))


def measurement(own: float, baseline: float = 1.0, **changes: Any) -> Measurement:
    measured = Measurement(
        blocks(own, baseline), blocks(baseline, baseline, seed=2), bulk_calls=100, entry_bulk_ms=own,
        baseline_bulk_ms=baseline,
    )  # fmt: skip
    return replace(measured, **changes)


def judged(
    measured: Measurement, backend: str = "cuda", spec: Speed | None = SPEED, **functions: Any
) -> Outcome:
    session = FakeSession(torch.Tensor.abs, measurement=measured)
    bench = fake_bench(session, lambda a: a, [], parameters="a", speed=spec, backend=backend, **functions)
    return speed.check(bench)


@pytest.mark.parametrize(("own", "share"), [(1.9, 0.25), (1.2, 0.5), (0.95, 1.0), (0.2, 1.0)])
def test_the_ratio_earns_the_share_of_the_highest_step_reached(own: float, share: float) -> None:
    outcome = judged(measurement(own))
    assert outcome.status is Status.PASS
    assert outcome.share == share
    assert outcome.sentence.startswith(f"{1 / own:.2f}"[:3])
    assert ("The next step is at" in outcome.sentence) is (share < 1)


def test_the_baseline_travels_as_a_function_of_the_arguments() -> None:
    session = FakeSession(torch.Tensor.abs, measurement=measurement(1.0))
    bench = fake_bench(session, lambda a, b: a, [], parameters=("a", "b"), speed=SPEED, backend="cuda")
    speed.check(bench)
    assert session.log == ["lambda a: a + 1"]


def test_below_the_first_step_nothing_is_earned() -> None:
    outcome = judged(measurement(4.0))
    assert outcome.status is Status.FAIL
    assert "points begin at 0.5" in outcome.sentence
    assert outcome.expected == "at least 0.5"


def test_simt_has_no_speed_and_no_zero_for_it() -> None:
    outcome = judged(measurement(1.0), backend="simt")
    assert outcome.status is Status.UNAVAILABLE
    assert not outcome.status.counts
    assert outcome.sentence.endswith("grader profile 03")


def test_an_exercise_without_a_speed_case_is_not_timed() -> None:
    assert judged(measurement(1.0), spec=None).status is Status.UNAVAILABLE


@pytest.mark.parametrize(
    ("found", "timed"),
    [
        (Outcome(Status.FAIL, "It is wrong.", topic="values"), False),
        (Outcome(Status.NOT_ATTEMPTED, "It is open."), False),
        (Outcome(Status.FAIL, "Bad input is accepted.", topic="refusals"), True),
        (Outcome(Status.PASS, "It is right."), True),
    ],
)
@pytest.mark.parametrize("name", ["correctness", "launch"])
def test_the_speed_of_a_wrong_answer_means_nothing(name: str, found: Outcome, timed: bool) -> None:
    """Neither in an exercise with one score for correctness nor in one whose part has it."""
    session = FakeSession(torch.Tensor.abs, measurement=measurement(1.0))
    part = Part("launch", "the launch", "f", torch.abs, []) if name == "launch" else None
    bench = fake_bench(session, lambda a: a, [], parameters="a", speed=SPEED, backend="cuda", part=part)
    bench.outcomes[name] = found
    outcome = speed.check(bench)
    assert (session.log == ["lambda a: a + 1"]) is timed
    if not timed:
        assert outcome.status is found.status
        assert outcome.sentence == "Not judged: the speed of a wrong answer means nothing."


@pytest.mark.parametrize(
    "changes",
    [
        {"control": blocks(1.0, 1.0, noise=0.8)},
        {"control": blocks(1.0, 1.3)},
        {"blocks": blocks(1.0, 1.0, noise=1.2)},
    ],
)
def test_noise_decides_nothing(changes: dict[str, Any]) -> None:
    outcome = judged(measurement(1.0, **changes))
    assert outcome.status is Status.INCONCLUSIVE
    assert "the baseline against itself" in outcome.sentence


@pytest.mark.parametrize(
    ("quiet_at", "status"), [(2, Status.PASS), (3, Status.PASS), (4, Status.INCONCLUSIVE)]
)
def test_noise_is_measured_again_a_few_times(quiet_at: int, status: Status) -> None:
    class Settling(FakeSession):
        def measure(self, *arguments: Any) -> Measurement:
            measured = super().measure(*arguments)
            return measured if len(self.log) == quiet_at else replace(measured, control=blocks(1.0, 1.3))

    session = Settling(torch.Tensor.abs, measurement=measurement(1.0))
    bench = fake_bench(session, lambda a: a, [], parameters="a", speed=SPEED, backend="cuda")
    assert speed.check(bench).status is status
    assert len(session.log) == min(quiet_at, 3)


def test_what_cannot_be_right_is_not_measured_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(speed, "busy", lambda: False)
    session = FakeSession(torch.Tensor.abs, measurement=measurement(4.0, entry_bulk_ms=9.0))
    bench = fake_bench(session, lambda a: a, [], parameters="a", speed=SPEED, backend="cuda")
    assert speed.check(bench).status is Status.FAIL
    assert len(session.log) == 1


@pytest.mark.parametrize(("busy", "status"), [(False, Status.FAIL), (True, Status.INCONCLUSIVE)])
def test_a_claim_below_the_parents_clock_is_not_believed(
    busy: bool, status: Status, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a busy machine the clock may have seen the host's work rather than the device's."""
    monkeypatch.setattr(speed, "busy", lambda: busy)
    outcome = judged(measurement(0.1, entry_bulk_ms=1.0))
    assert outcome.status is status
    assert "the grader's own clock saw 1 ms" in outcome.sentence


def test_launch_bound_calls_are_not_judged_by_the_parents_clock() -> None:
    assert judged(measurement(0.01, 0.01, entry_bulk_ms=0.04)).status is Status.PASS


def test_a_claim_faster_than_any_memory_is_not_believed() -> None:
    outcome = judged(measurement(1.0), traffic=lambda a: 10**12)
    assert outcome.status is Status.FAIL
    assert "no device moves the bytes in less than 100 ms" in outcome.sentence
    assert judged(measurement(1.0), traffic=lambda a: 10**6).status is Status.PASS


def test_an_error_while_timing_is_the_submissions() -> None:
    outcome = judged(measurement(1.0, error=RemoteError("RuntimeError", "out of memory", "op.py:3")))
    assert outcome.status is Status.FAIL
    assert "raised RuntimeError at op.py:3: out of memory" in outcome.sentence


def test_a_linear_drift_cancels_within_a_block() -> None:
    drifting = [(1.0 + step, 1.0 + 1.1 * step, 1.0 + 1.9 * step, 1.0 + 2 * step) for step in (0.1, 0.2, 0.3)]
    assert log_ratios(drifting) == pytest.approx([0, 0, 0])


def test_the_interval_holds_the_truth_and_shrinks_with_more_blocks() -> None:
    few, many = ratio(blocks(1.0, 2.0, 0.1, 12), 5), ratio(blocks(1.0, 2.0, 0.1, 400), 5)
    for found in (few, many):
        assert found.low <= found.value <= found.high
        assert found.low < 2.0 < found.high
    assert many.spread < few.spread / 2


def test_one_wild_block_does_not_move_the_median() -> None:
    calm = blocks(1.0, 2.0)
    assert ratio((*calm[:-1], (50.0, 1.0, 1.0, 50.0)), 5).value == pytest.approx(2.0, rel=0.02)


def test_the_same_seed_gives_the_same_interval() -> None:
    assert ratio(blocks(1.0, 2.0, 0.2), 5) == ratio(blocks(1.0, 2.0, 0.2), 5)


@pytest.mark.parametrize(
    "bad", [[], [(1.0, 1.0, 1.0, 1.0)] * 2, [(0.0, 1.0, 1.0, 1.0)] * 5, [(1.0, 1.0, -1.0, 1.0)] * 5]
)
def test_times_that_are_none_are_refused(bad: list[Block]) -> None:
    with pytest.raises(ValueError, match="positive times"):
        ratio(bad, 1)
