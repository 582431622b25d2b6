"""Benchmarks for 11 that are right but written in another way, and some that only pretend to measure."""

from __future__ import annotations

import pytest

from grader.checks import grade
from grader.course.catalog import Catalog
from grader.run import Zygote
from grader.verdict import Status, Verdict
from tests.desks import desk, together
from tests.honest.reading import place_solution

from .conftest import ROOT, SEED

EXERCISE = Catalog.open(ROOT).find("11")
pytestmark = together(EXERCISE)


def verdict_on(lane: Zygote, *replaced: tuple[str, str]) -> Verdict:
    """On the solution with passages replaced."""
    with desk(EXERCISE) as files:
        place_solution(EXERCISE, files)
        text = (files / "op.py").read_text()
        for old, new in replaced:
            assert text.count(old) == 1, old
            text = text.replace(old, new)
        (files / "op.py").write_text(text)
        return grade(EXERCISE, files, backend="simt", seed=SEED, zygote=lane)


NANOSECONDS = """
    torch.cuda.synchronize()
    begun = perf_counter_ns()
    call()
    torch.cuda.synchronize()
    return (perf_counter_ns() - begun) / 1e6

"""
BY_ROUNDS = """
    floats = torch.empty(torch.cuda.get_device_properties(0).L2_cache_size // 2, device="cuda")
    found = []
    for _ in range(rounds):
        start, stop = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        hold(head_start_ms)
        floats.fill_(1.5)
        start.record()
        call()
        stop.record()
        stop.synchronize()
        found.append(start.elapsed_time(stop))
    return found

"""


def test_a_benchmark_written_in_another_way_is_right(lane: Zygote) -> None:
    """Nanoseconds under another name, a wait for each round, torch's quantiles, a buffer of floats."""
    verdict = verdict_on(
        lane,
        ("import time\n", "import time\nfrom time import perf_counter_ns\n"),
        ("    # --8<-- [start:first_call]\n", NANOSECONDS),
        ("    # --8<-- [start:device_times]\n", BY_ROUNDS),
        (
            "np.quantile(times, [0.25, 0.5, 0.75])",
            "torch.tensor(times).quantile(torch.tensor([0.25, 0.5, 0.75]))",
        ),
    )
    assert verdict.passed, verdict.checks[-1].sentence
    assert verdict.earned == 100


def test_a_constant_measures_nothing(lane: Zygote) -> None:
    made_up = "    call()\n    return Measurement(0.6, 0.5, 0.7, 0.02, 30.0, 1 << 23)\n"
    verdict = verdict_on(lane, ("    # --8<-- [start:measure]\n", made_up))
    assert verdict.checks[-1].status is Status.FAIL
    assert verdict.earned == 0


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("    hidden = call.__closure__[0].cell_contents\n", "reads the attribute `__closure__`"),
        ("    time.perf_counter = lambda: 0.0\n", "changes `time.perf_counter`"),
        ("    torch.cuda.synchronize = lambda: None\n", "changes `torch.cuda.synchronize`"),
        ("    from cusimt import host_clock\n", "imports `cusimt"),
    ],
)
def test_what_reaches_behind_the_call_is_refused(lane: Zygote, line: str, words: str) -> None:
    verdict = verdict_on(lane, ("    # --8<-- [start:measure]\n", line))
    assert words in verdict.checks[0].sentence
    assert verdict.earned == 0


def test_what_the_benchmark_raises_is_told_with_its_line(lane: Zygote) -> None:
    verdict = verdict_on(lane, ("    # --8<-- [start:measure]\n", "    warm_up // 0\n"))
    said = verdict.checks[-1].sentence
    assert said.startswith("A long kernel: `measure` raised an error: op.py:")
    assert "ZeroDivisionError" in said and verdict.earned == 0
