"""Planted workloads: what they are, what is true of them, and which trap a wrong number is."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from grader.checks.bench import Bench
from grader.checks.measurements import measurements
from grader.checks.measurements.benchmark_run import Problem
from grader.checks.measurements.drawn_workloads import Drawn, drawn
from grader.checks.measurements.measurements import _line
from grader.checks.measurements.subject import Run, Subject
from grader.checks.measurements.tolerance import shown, within
from grader.checks.measurements.traps import explanation
from grader.checks.outcome import Outcome
from grader.run.values import Output, RemoteError, Reply
from grader.specification import Pair, Workload, Workloads
from grader.specification.workloads import COMPARED, QUANTITIES, checked
from grader.verdict import Status
from tests.unit.fake_submission import FakeSession, fake_bench

MEBI = 1 << 20
PATTERN = (0.7, 5.6, 1.0, 0.85, 1.3)
STEADY = Workload("steady", judged=["median_ms"], points=3, device_us=500.0, host_us=40.0)


def planted(**facts: Any) -> Drawn:
    """A workload whose numbers are given."""
    return drawn(replace(STEADY, **facts), lambda low, high: low)


def explained(planted: Drawn, quantity: str, reported: float, done: str = "RCR", **facts: Any) -> str:
    """The topic of the trap that explains a wrong number, or ""."""
    run = Run({quantity: reported}, (40,), done * 10, facts.pop("live", 4 * MEBI))
    trap = explanation(Subject(quantity, planted, run, rounds=10, **facts))
    return trap.topic if trap else ""


# ---- the words of spec.py ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"judged": ["median"]}, "unknown 'median'"),
        ({"judged": []}, "judges nothing"),
        ({"pattern": (1.0, 2.0, 3.0)}, "no whole number of patterns"),
        ({"pattern": (1.0, 0.0)}, "factors above 0"),
        ({"slow_calls": 11}, "do not get past the slow ones"),
        ({"cached": 0.0}, "share of the time"),
        ({"launches": 0}, "launches something"),
        ({"stream": "third"}, "default or side"),
        ({"device_us": (5.0, 2.0)}, "device_us is"),
        ({"temporary_bytes": -1}, "temporary_bytes is"),
    ],
)
def test_a_workload_that_makes_no_sense_is_refused(changes: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        checked(Workloads("measure", [replace(STEADY, **changes)], rounds=10))


def test_workloads_need_names_rounds_and_both_halves_of_a_comparison() -> None:
    pair = Pair("a pair", STEADY, STEADY)
    for wrong, words in (
        (Workloads("measure", []), "no workload"),
        (Workloads("measure", [STEADY, STEADY]), "one name"),
        (Workloads("measure", [STEADY], rounds=2), "three rounds"),
        (Workloads("measure", [STEADY], pairs=[pair]), "without the other"),
        (Workloads("measure", [STEADY], compare="compare"), "without the other"),
        (Workloads("measure", [STEADY], "compare", [replace(pair, judged=["ratio"])]), "unknown 'ratio'"),
    ):
        with pytest.raises(ValueError, match=words):
            checked(wrong)
    with pytest.raises(TypeError):
        checked([STEADY])
    assert checked(None) is None


def test_lists_become_tuples() -> None:
    given = checked(Workloads("measure", [STEADY], "compare", [Pair("a pair", STEADY, STEADY)]))
    assert given is not None and isinstance(given.workloads, tuple) and isinstance(given.pairs, tuple)
    assert given.workloads[0].judged == ("median_ms",)
    assert given.pairs[0].judged == tuple(COMPARED)


# ---- what is true of a workload ----------------------------------------------------------------------------


def test_the_truth_of_a_call_worked_out_by_hand() -> None:
    """Four launches of 50 µs; before each the host takes 200 µs, and queueing 1.5 µs."""
    call = planted(device_us=50.0, host_us=200.0, launches=4, temporary_bytes=6 * MEBI, result_bytes=2 * MEBI)
    assert call.truth("median_ms") == pytest.approx(0.2)
    assert call.truth("host_ms") == pytest.approx(0.806)
    assert call.truth("peak_bytes") == 8 * MEBI
    assert call.wall_ms() == pytest.approx((4 * 200 + 3 * 1.5 + 50) / 1e3)  # the last kernel alone is left


def test_a_first_call_takes_what_it_takes_more_and_is_slow() -> None:
    call = planted(device_us=1000.0, host_us=10.0, first_us=5000.0, slow_calls=1, slow_factor=3.0)
    assert call.truth("first_ms") == pytest.approx(5.0 + 0.03 + 3.0)
    assert call.truth("median_ms") == pytest.approx(1.0)


def test_a_pattern_is_of_the_devices_time_alone() -> None:
    """The first call begins the pattern: 600 µs of host, then half of 1000 µs of device."""
    call = planted(device_us=1000.0, host_us=600.0, pattern=(0.5, 2.0))
    assert call.truth("first_ms") == pytest.approx(0.6 + 0.5)
    assert explained(call, "first_ms", 0.6015, "WTCT") == "asynchrony"
    assert explained(replace(call, earlier_us=60_000.0), "first_ms", 60.5, "WTCT") == "earlier"
    slow = planted(device_us=1000.0, host_us=600.0, slow_calls=1, slow_factor=3.0, pattern=(0.5, 2.0))
    assert slow.truth("first_ms") == pytest.approx(1.8 + 3.0)


def test_quartiles_are_those_of_whole_patterns() -> None:
    call = planted(pattern=PATTERN)
    assert [call.truth(name) for name in ("low_ms", "median_ms", "high_ms")] == pytest.approx(
        [0.425, 0.5, 0.65]
    )


def test_numbers_are_drawn_within_their_ranges_and_memory_in_even_mebibytes() -> None:
    workload = replace(STEADY, device_us=(100.0, 300.0), temporary_bytes=(5 * MEBI, 9 * MEBI))
    call = drawn(workload, lambda low, high: (low + high) / 2)
    assert call.device_us == 200.0
    assert call.temporary_bytes % (2 * MEBI) == 0 and 5 * MEBI < call.temporary_bytes < 9 * MEBI
    assert call.plan()["temporary_bytes"] == call.temporary_bytes
    assert not {"judged", "points", "name"} & call.plan().keys()


# ---- which trap a number is --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("facts", "reported", "done", "topic"),
    [
        ({}, 0.0415, "TCT", "asynchrony"),
        ({}, 0.0005, "RCR", "units"),
        ({}, 500.0, "RCR", "units"),
        ({}, 5.0, "RCR", "units"),
        ({}, 0.54, "WTCWT", "host_clock"),
        ({}, 0.6, "WTCCCCWT", "host_clock"),  # a part of the launches
        ({}, 0.0, "RRC", "stream"),
        ({"device_us": 50.0, "host_us": 200.0, "launches": 4}, 0.6, "hFRCR", "head_start"),  # too short
        ({}, 0.56, "RFCR", "flush_timed"),
        ({}, 3.0, "RhCR", "flush_timed"),
        ({"stream": "side"}, 0.0, "RCR", "stream"),
        ({"stream": "side"}, 0.0415, "RCR", "stream"),  # the host's time between the events
        ({"stream": "side"}, 0.0415, "TCT", "asynchrony"),
        ({"cached": 0.6}, 0.3, "RCR", "l2"),
        ({"slow_calls": 10, "slow_factor": 4.0}, 2.0, "RCR", "warm_up"),
        ({"device_us": 50.0, "host_us": 200.0, "launches": 4}, 0.8545, "RCR", "head_start"),
        ({"pattern": PATTERN}, 0.945, "RCR", "statistics"),  # the mean
        ({"pattern": PATTERN}, 0.35, "RCR", "statistics"),  # the minimum
        ({}, 0.77, "RCR", ""),  # nothing that is known
        ({}, 500.0, "WTCWT", "units"),  # microseconds by the host's clock: not the launch alone
        ({}, 0.77, "WTCWT", ""),  # more than the launch, and no prediction
        ({}, 0.54, "WCW", ""),  # a clock that nobody saw being read
        ({}, 0.0, "RCR", ""),  # the call is between the events
        ({}, -0.5, "RCR", ""),
        ({"stream": "side"}, 0.0005, "RCR", "units"),  # seconds, on whichever stream
        ({}, 500.0, "RhCR", "units"),  # microseconds, whatever else is in between
        ({}, 0.9, "RoCR", "flush_timed"),
    ],
)
def test_a_wrong_median_is_explained(facts: dict[str, Any], reported: float, done: str, topic: str) -> None:
    assert explained(planted(**facts), "median_ms", reported, done) == topic


def test_the_spread_of_extremes_is_named() -> None:
    assert explained(planted(pattern=PATTERN), "low_ms", 0.35) == "statistics"
    assert explained(planted(pattern=PATTERN), "high_ms", 2.8) == "statistics"


def test_too_few_rounds_are_counted_whatever_their_time_is() -> None:
    for reported in (0.5, 0.77):
        run = Run({"low_ms": reported}, (30,), "CCCCC" + "hFRCR" * 3, 0)
        trap = explanation(Subject("low_ms", planted(pattern=PATTERN), run, rounds=10))
        assert trap is not None and trap.topic == "statistics"
        assert trap.sentence == "3 calls between events, of 10 rounds: that is too few."


def test_emptying_the_allocators_pool_is_told_from_emptying_l2() -> None:
    for done, words in (("ERCR", "empty_cache"), ("oRCR", "smaller than that cache"), ("RCR", "Nothing was")):
        run = Run({"median_ms": 0.3}, (30,), done, 0)
        trap = explanation(Subject("median_ms", planted(cached=0.6), run, rounds=10))
        assert trap is not None and words in trap.sentence


@pytest.mark.parametrize(
    ("facts", "reported", "topic"),
    [
        ({"first_us": 5000.0}, 5.0415, "asynchrony"),
        ({"first_us": 5000.0, "earlier_us": 60_000.0}, 60.5, "earlier"),
        ({"first_us": 5000.0}, 0.54, "first"),
        ({"first_us": 5000.0}, 0.00554, "units"),
    ],
)
def test_a_wrong_first_call_is_explained(facts: dict[str, Any], reported: float, topic: str) -> None:
    assert explained(planted(**facts), "first_ms", reported, "WTCT") == topic


def test_a_wrong_host_time_is_explained() -> None:
    assert explained(planted(), "host_ms", 0.54, "TCWT") == "asynchrony"
    assert explained(planted(slow_calls=10, slow_factor=4.0), "host_ms", 0.16, "TCT") == "warm_up"


@pytest.mark.parametrize(
    ("reported", "done", "topic"),
    [
        (60, "PC", "peak_reset"),
        (100, "C", "peak_reset"),  # of what ran before
        (12, "PC", "peak_before"),  # 8 and the 4 that were in use
        (10, "PC", "peak"),  # the result before it, too
        (28, "PC", "peak"),  # with what a first call keeps
        (2, "PC", "peak"),  # what is left
        (128, "PC", "peak"),  # with the buffer that empties L2
        (80, "VC", "reserved"),
        (56, "PVC", "reserved"),  # and not the peak of what ran before, although it is as large
        (12, "C", "peak_before"),  # never reset, and smaller than any earlier peak could make it
        (12, "VPC", "peak_before"),  # asked for, and not what is reported
    ],
)
def test_a_wrong_peak_is_explained(reported: int, done: str, topic: str) -> None:
    call = planted(
        temporary_bytes=6 * MEBI, result_bytes=2 * MEBI, kept_bytes=20 * MEBI, peak_before=60 * MEBI
    )
    assert explained(call, "peak_bytes", reported * MEBI, done, l2_bytes=60 * MEBI) == topic


def test_a_number_nearer_to_the_truth_than_to_any_trap_is_not_explained_away() -> None:
    assert explained(planted(host_us=4.0), "median_ms", 0.5005, "RCR") == ""


def test_simulated_time_is_exact_and_a_gpus_is_not() -> None:
    assert within("simt", "median_ms", 0.505, 0.5) and not within("simt", "median_ms", 0.53, 0.5)
    assert within("cuda", "median_ms", 0.53, 0.5) and not within("cuda", "median_ms", 0.6, 0.5)
    assert within("simt", "peak_bytes", 8.3 * MEBI, 8 * MEBI) and not within(
        "simt", "peak_bytes", 0, 8 * MEBI
    )
    assert not within("simt", "median_ms", float("nan"), 0.5)
    assert not within("cuda", "speedup", float("inf"), 2.0)
    assert shown("peak_bytes", 8 * MEBI) == "8 MiB" and shown("median_ms", 0.5) == "0.5 ms"


# ---- the check ---------------------------------------------------------------------------------------------


class Planted(FakeSession):
    """Answers as the worker would if the benchmark reported `told(plan)`."""

    def __init__(self, told: Any) -> None:
        super().__init__(lambda: None)
        self.told = told

    def run_inside(
        self, check: str, args: Any, *, trace: bool = False, seconds: float | None = None
    ) -> Reply:
        entry, plan, simulated = args
        assert check.rpartition(":")[2] == entry
        assert simulated is True
        answer = self.told(json.loads(plan))
        if isinstance(answer, RemoteError):
            return Reply(error=answer)
        return Reply((Output("other", value=answer),))


def honest(plan: dict[str, Any]) -> str:
    """What a right benchmark reports of steady workloads."""
    medians = [each["device_us"] / 1e3 for each in plan["workloads"]]
    reported = {"median_ms": medians[0], "host_ms": (plan["workloads"][0]["host_us"] + 1.5) / 1e3}
    if "bytes_moved" in plan:
        speed = plan["bytes_moved"] / medians[0] / 1e6
        reported = {"speedup": medians[1] / medians[0], "saved_bytes": 0, "gigabytes_per_second": speed}
    return answered(reported, len(medians))


def answered(reported: dict[str, Any], workloads: int = 1, calls: int = 30) -> str:
    found = {"reported": reported, "calls": [calls] * workloads, "done": "FRCR", "live": 0}
    return json.dumps(found)


WORKLOADS = [
    replace(STEADY, device_us=(400.0, 900.0)),
    replace(STEADY, name="on the host", judged=["host_ms"], points=1, host_us=(40.0, 90.0)),
]
PAIRS = [
    Pair(
        "two", replace(STEADY, device_us=(200.0, 300.0)), replace(STEADY, device_us=(500.0, 900.0)), points=1
    )
]


def outcome(told: Any, pairs: bool = False) -> Outcome:
    asked = checked(
        Workloads("measure", WORKLOADS, "compare", PAIRS) if pairs else Workloads("measure", WORKLOADS)
    )
    return measurements.check(_bench(told, workloads=asked))


def _bench(told: Any, **facts: Any) -> Bench:
    return fake_bench(Planted(told), lambda a: a, [], **facts)


def test_right_numbers_earn_everything() -> None:
    found = outcome(honest, pairs=True)
    assert (found.status, found.share) == (Status.PASS, 1.0)
    assert "all 3 planted workloads" in found.sentence


def test_wrong_numbers_cost_the_points_of_their_workload() -> None:
    def in_seconds(plan: dict[str, Any]) -> str:
        found = json.loads(honest(plan))
        found["reported"]["median_ms"] /= 1e3
        return json.dumps(found)

    found = outcome(in_seconds)
    assert (found.status, found.share, found.topic) == (Status.FAIL, 0.25, "units")
    assert found.sentence.startswith("Steady: `median_ms` is 0.000")
    assert "That is seconds" in found.sentence
    assert found.lines == ("steady       wrong: see above", "on the host  right")


def test_in_another_unit_numbers_meet_no_other_prediction() -> None:
    seconds = Problem("`median_ms` is 0.004 ms instead of 4 ms.", "units", "That is seconds.")
    bandwidth = Problem("`gigabytes_per_second` is 1e6.", "bandwidth", "That is megabytes a second.")
    bias = replace(seconds, topic="statistics")
    assert _line(seconds, bandwidth) == "wrong: `gigabytes_per_second` is 1e6."
    assert _line(bias, bandwidth).endswith("That is megabytes a second.")


def test_a_constant_is_wrong_whatever_it_is() -> None:
    found = outcome(lambda plan: answered(dict.fromkeys(QUANTITIES, 0.5)))
    assert found.status is Status.FAIL and found.share == 0.0


def test_a_truth_is_drawn_for_every_verdict() -> None:
    plans: list[float] = []

    def keep(plan: dict[str, Any]) -> str:
        plans.append(plan["workloads"][0]["device_us"])
        return honest(plan)

    asked = checked(Workloads("measure", WORKLOADS))
    for seed in (1, 1, 2):
        measurements.check(replace(_bench(keep, workloads=asked), seed=seed))
    one, again, other = plans[0], plans[2], plans[4]
    assert one == again != other
    assert all(400 <= each <= 900 for each in (one, other))


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (answered({"median_ms": 0.5}, calls=0), "never made the call"),
        (answered({"median_ms": None, "host_ms": 0.05}), "returned nothing with a number `median_ms`"),
        ("no JSON", "without saying what it measured"),
        (json.dumps({"reported": [], "calls": [1]}), "without saying what it measured"),
        (None, "without saying what it measured"),
        (RemoteError("ZeroDivisionError", "division by zero", "op.py:12"), "op.py:12: ZeroDivisionError"),
    ],
)
def test_what_is_no_measurement_is_an_error(answer: Any, words: str) -> None:
    found = outcome(lambda plan: answer)
    assert (found.status, found.share, found.topic) == (Status.FAIL, 0.0, "errors")
    assert words in found.sentence


@pytest.mark.parametrize(
    ("name", "change", "words"),
    [
        ("speedup", lambda value: 1 / value, "reciprocal"),
        ("speedup", lambda value: value - 1, "gain alone"),
        ("gigabytes_per_second", lambda value: value * 1e6, "bytes a millisecond"),
        ("gigabytes_per_second", lambda value: value * 1e9 / 2**30, "GiB"),
        ("gigabytes_per_second", lambda value: float("nan"), "nan instead of"),
    ],
)
def test_a_wrong_comparison_is_explained(name: str, change: Any, words: str) -> None:
    def told(plan: dict[str, Any]) -> str:
        found = json.loads(honest(plan))
        if name in found["reported"]:
            found["reported"][name] = change(found["reported"][name])
        return json.dumps(found)

    found = outcome(told, pairs=True)
    assert (found.status, found.share) == (Status.FAIL, 0.8)
    assert words in found.sentence


def test_a_comparison_of_wrong_medians_says_where_they_come_from() -> None:
    def told(plan: dict[str, Any]) -> str:
        found = json.loads(honest(plan))
        if "bytes_moved" in plan:
            return answered({"speedup": 1.9, "saved_bytes": 0, "gigabytes_per_second": 1}, 2)
        found["reported"]["median_ms"] *= 1.4
        return json.dumps(found)

    assert "This may follow from `measure`, which is wrong above." in outcome(told, pairs=True).lines[-1]


def test_an_exercise_without_workloads_has_nothing_to_judge() -> None:
    assert measurements.check(_bench(honest)).status is Status.UNAVAILABLE


def test_on_a_gpu_a_number_is_wrong_when_it_is_wrong_three_times() -> None:
    asked = []

    def told(plan: dict[str, Any]) -> str:
        asked.append(plan)
        noisy = len(asked) < 3
        return answered({"median_ms": 9.0}) if noisy else honest(plan)

    class OnGpu(Planted):
        def run_inside(
            self, check: str, args: Any, *, trace: bool = False, seconds: float | None = None
        ) -> Reply:
            return super().run_inside(check, [*args[:2], True], trace=trace, seconds=seconds)

    workloads = checked(Workloads("measure", WORKLOADS[:1]))
    bench = fake_bench(OnGpu(told), lambda a: a, [], workloads=workloads, backend="cuda")
    assert measurements.check(bench).status is Status.PASS
    assert len(asked) == 3 and asked[0] == asked[2]
    asked.clear()
    bench = fake_bench(OnGpu(lambda plan: answered({"median_ms": 9.0})), lambda a: a, [], workloads=workloads,
                       backend="cuda")  # fmt: skip
    assert measurements.check(bench).status is Status.FAIL
