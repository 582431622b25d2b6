"""The speed check: ratios with intervals, noise that decides nothing, and claims that cannot be true."""

from __future__ import annotations

import math
import random
from dataclasses import replace
from typing import Any

import pytest
import torch

from grader.checks.bench import Bench, Call
from grader.checks.outcome import Outcome
from grader.checks.timing import alternation, speed
from grader.checks.timing.alternation import CASE, FULL, SHORT, Length, Measured
from grader.checks.timing.ratios import Block, log_ratios, ratio
from grader.checks.timing.scaling import Fitted
from grader.run.values import RemoteError, Reply, Trace, TracedLaunch
from grader.specification import Part, Speed, tensor
from grader.verdict import Status
from tests.unit.fake_submission import LAUNCH, FakeSession, fake_bench

ARGS = [replace(tensor(1000), name="a")]
SPEED = Speed(ARGS, baseline="a + 1", steps=((0.5, 0.25), (0.8, 0.5), (1.0, 1.0)))


def blocks(
    own: float, baseline: float, noise: float = 0.01, number: int = 25, seed: int = 1
) -> tuple[Block, ...]:
    chance = random.Random(seed)

    def time(mean: float) -> float:
        return mean * math.exp(chance.gauss(0, noise))

    return tuple((time(own), time(baseline), time(baseline), time(own)) for _ in range(number))


def measured(own: float, baseline: float = 1.0, **changes: Any) -> Measured:
    """As the alternation finds it, both clocks alike."""
    plain = blocks(own, baseline, number=6, seed=3)
    found = Measured(blocks(own, baseline), plain, traced=TRACED, calls=2, copy_rate=4e9)
    return replace(found, **changes)


def traced(*launches: TracedLaunch, **changes: Any) -> Call:
    return Call("forward", CASE, "f(a)", Reply(trace=Trace(launches=launches, **changes)))


LIBRARYS = "void at::native::vectorized_elementwise_kernel<4, Op>(int, Op)"
TRACED = traced(LAUNCH, LAUNCH)


def judged(
    found: Measured, monkeypatch: pytest.MonkeyPatch, *, backend: str = "cuda", spec: Speed | None = SPEED,
    attempts: list[int] | None = None, outcomes: dict[str, Outcome] | None = None, note: str = "",
    hurries: bool = False, lengths: list[Length] | None = None,
    **functions: Any,
) -> Outcome:  # fmt: skip
    def measure(bench: Bench, speed: Speed, text: str, attempt: int, length: Length) -> Measured:
        if attempts is not None:
            attempts.append(attempt)
        if lengths is not None:
            lengths.append(length)
        return found

    monkeypatch.setattr(alternation, "measure", measure)
    monkeypatch.setattr(speed, "fitted", lambda bench, given: Fitted(given, note))
    session = FakeSession(torch.Tensor.abs)
    bench = fake_bench(session, lambda a: a, [], parameters="a", speed=spec, backend=backend, **functions)
    bench.outcomes.update(outcomes or {})
    bench.hurries = hurries
    return speed.check(bench)


@pytest.mark.parametrize(
    ("own", "lengths"),
    [
        (1.2, [SHORT]),  # half of the points, and far from the next step
        (1.0, [SHORT, FULL]),  # the last step is within the interval
    ],
)
def test_a_loop_of_edits_is_timed_for_long_only_where_a_step_is_close(
    own: float, lengths: list[Length], monkeypatch: pytest.MonkeyPatch
) -> None:
    found: list[Length] = []
    assert judged(measured(own), monkeypatch, hurries=True, lengths=found).status is Status.PASS
    assert found == lengths


def test_what_a_short_measurement_does_not_decide_is_measured_for_longer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    noisy = blocks(1.0, 1.0, noise=0.5)
    found: list[Length] = []
    outcome = judged(measured(1.0, queued=tuple(noisy)), monkeypatch, hurries=True, lengths=found)
    assert outcome.status is Status.INCONCLUSIVE
    assert found == [SHORT, FULL, FULL]


@pytest.mark.parametrize(
    ("by_parent", "lengths"),
    [
        (1.3, [SHORT]),  # as far from the device's clock as short turns explain
        (1.6, [SHORT, FULL]),
    ],
)
def test_clocks_that_differ_after_short_turns_are_asked_again(
    by_parent: float, lengths: list[Length], monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = blocks(by_parent, 1.0, number=6, seed=3)
    found: list[Length] = []
    judged(measured(1.2, plain=plain, apart=SHORT.apart), monkeypatch, hurries=True, lengths=found)
    assert found == lengths


def test_what_counts_is_timed_at_full_length(monkeypatch: pytest.MonkeyPatch) -> None:
    found: list[Length] = []
    judged(measured(1.2), monkeypatch, lengths=found)
    assert found == [FULL]


@pytest.mark.parametrize(("own", "share"), [(1.9, 0.25), (1.2, 0.5), (0.95, 1.0), (0.2, 1.0)])
def test_the_ratio_earns_the_share_of_the_highest_step_reached(
    own: float, share: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    outcome = judged(measured(own), monkeypatch)
    assert outcome.status is Status.PASS
    assert outcome.share == share
    assert outcome.sentence.startswith(f"{1 / own:.2f}"[:3])
    assert ("The next step is at" in outcome.sentence) is (share < 1)


def test_below_the_first_step_nothing_is_earned(monkeypatch: pytest.MonkeyPatch) -> None:
    outcome = judged(measured(4.0), monkeypatch)
    assert outcome.status is Status.FAIL
    assert "points begin at 0.5" in outcome.sentence
    assert outcome.expected == "at least 0.5"


def test_simt_has_no_speed_and_no_zero_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    outcome = judged(measured(1.0), monkeypatch, backend="simt")
    assert outcome.status is Status.UNAVAILABLE
    assert not outcome.status.counts
    assert outcome.sentence.endswith("grader profile 03")


def test_an_exercise_without_a_speed_case_is_not_timed(monkeypatch: pytest.MonkeyPatch) -> None:
    assert judged(measured(1.0), monkeypatch, spec=None).status is Status.UNAVAILABLE


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
def test_the_speed_of_a_wrong_answer_means_nothing(
    name: str, found: Outcome, timed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither in an exercise with one score for correctness nor in one whose part has it."""
    part = Part("launch", "the launch", "f", torch.abs, []) if name == "launch" else None
    attempts: list[int] = []
    outcome = judged(measured(1.0), monkeypatch, part=part, attempts=attempts, outcomes={name: found})
    assert attempts == [0] * timed
    if not timed:
        assert outcome.status is found.status
        assert outcome.sentence == "Not judged: the speed of a wrong answer means nothing."


def test_what_others_computed_is_not_timed(monkeypatch: pytest.MonkeyPatch) -> None:
    found = Outcome(
        Status.FAIL, "The values are right, but ...", topic="library", not_own="aten::mm computed them"
    )
    outcome = judged(measured(1.0), monkeypatch, outcomes={"correctness": found})
    assert outcome.status is Status.FAIL
    assert outcome.sentence == "Not judged: only what your own kernels compute is timed."
    assert outcome.not_own == "aten::mm computed them"


@pytest.mark.parametrize(
    "queued",
    [
        pytest.param([(1.0, 1.0, 1.3, 1.0)] * 8, id="the baseline slower the second time"),
        pytest.param(blocks(1.0, 1.0, noise=0.8), id="all over the place"),
    ],
)
def test_noise_decides_nothing_however_often_it_is_tried(
    queued: tuple[Block, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    attempts: list[int] = []
    outcome = judged(measured(1.0, queued=queued), monkeypatch, attempts=attempts)
    assert outcome.status is Status.INCONCLUSIVE
    assert "the baseline against itself" in outcome.sentence
    assert attempts == [0, 1, 2]


def test_a_baseline_whose_clocks_disagree_decides_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Launching took longer than the kernels: the parent's clock has not seen the device."""
    outcome = judged(measured(0.1, plain=blocks(3.0, 3.0, number=6)), monkeypatch)
    assert outcome.status is Status.INCONCLUSIVE
    assert "ms per call on the GPU, and" in outcome.sentence


def test_a_claim_that_the_parents_clock_contradicts_is_not_believed(monkeypatch: pytest.MonkeyPatch) -> None:
    outcome = judged(measured(0.1, plain=blocks(1.9, 1.0, number=6)), monkeypatch)
    assert outcome.status is Status.PASS and outcome.share == 0.25
    assert "by the grader's own clock" in outcome.sentence


def test_the_device_clock_refines_what_agrees(monkeypatch: pytest.MonkeyPatch) -> None:
    outcome = judged(measured(1.0, plain=blocks(1.02, 1.0, noise=0.05, number=6)), monkeypatch)
    assert outcome.status is Status.PASS
    assert "own clock" not in outcome.sentence


def test_short_calls_are_not_judged_by_the_parents_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """Below 50 microseconds it sees launches."""
    found = measured(0.01, 0.01, plain=blocks(0.04, 0.02, number=6))
    assert judged(found, monkeypatch).share == 1.0


def test_a_wrong_result_of_a_timed_call_earns_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = {"what": "value", "expected": "2", "got": "0", "index": [3, 4], "share": 0.5}
    outcome = judged(measured(0.1, wrong=wrong), monkeypatch)
    assert outcome.status is Status.FAIL
    assert "element (3, 4) is 0 instead of 2" in outcome.sentence and "50 %" in outcome.sentence
    assert outcome.index == (3, 4)
    shape = {"what": "shape", "expected": "(4,)", "got": "(2,)", "index": None, "share": 1.0}
    assert (
        "the shape of its result is (2,) instead of (4,)"
        in judged(measured(0.1, wrong=shape), monkeypatch).sentence
    )


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (traced(LAUNCH), "2 timed calls of f(a) launched 1 kernel of yours"),
        (traced(LAUNCH, LAUNCH, operators=("aten::addcmul",)), "called aten::addcmul"),
        (traced(LAUNCH, LAUNCH, replace(LAUNCH, kernel=LIBRARYS)), "which your library does not define"),
        (traced(LAUNCH, replace(LAUNCH, stream=7)), "on another stream"),
        (traced(LAUNCH, LAUNCH, copies=("cudaMemcpy host to device of 8 bytes",)), "copied between host"),
        (traced(LAUNCH, LAUNCH, host_syncs=1), "waited for the device"),
    ],
)
def test_what_timed_calls_do_is_the_submissions_own_work(
    call: Call, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    outcome = judged(measured(0.1, traced=call), monkeypatch)
    assert outcome.status is Status.FAIL
    assert words in outcome.sentence


def test_settings_of_the_device_stay_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    outcome = judged(measured(0.1, changed=("stack size",)), monkeypatch)
    assert outcome.status is Status.FAIL
    assert "otherwise than before: stack size" in outcome.sentence


def test_memory_that_the_submission_keeps_is_held_against_it(monkeypatch: pytest.MonkeyPatch) -> None:
    outcome = judged(Measured(held=100 * 2**30), monkeypatch)
    assert outcome.status is Status.FAIL
    assert "kept 100.0 GiB of the GPU's memory" in outcome.sentence


def test_a_time_below_that_of_moving_the_bytes_is_not_believed(monkeypatch: pytest.MonkeyPatch) -> None:
    """4 TB/s, as the device's own copies move them, and a little more."""
    attempts: list[int] = []
    outcome = judged(measured(1.0), monkeypatch, attempts=attempts, traffic=lambda a: 8 * 10**9)
    assert attempts == [0, 1, 2]  # one copy that was disturbed decides nothing
    assert outcome.status is Status.FAIL
    assert "at least 1.33 ms to move the bytes (a copy moves 4.00 TB/s)" in outcome.sentence
    assert judged(measured(1.0), monkeypatch, traffic=lambda a: 4 * 10**9).status is Status.PASS


def test_an_error_while_timing_is_the_submissions(monkeypatch: pytest.MonkeyPatch) -> None:
    error = RemoteError("RuntimeError", "out of memory", "op.py:3")
    outcome = judged(Measured(error=error), monkeypatch)
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


def test_the_verdict_says_when_the_timed_size_was_reduced(monkeypatch: pytest.MonkeyPatch) -> None:
    said = judged(measured(1.0), monkeypatch, note=" Timed on 500 instead of 1,000: ...").sentence
    assert said.endswith(" Timed on 500 instead of 1,000: ...")
