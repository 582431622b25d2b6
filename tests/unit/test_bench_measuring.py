"""`grader bench` as on a GPU, with workers that have none: all but the device's clock is what a GPU gets."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from grader.benchmark import measuring
from grader.benchmark.contenders import MODES, SUBMISSION, Contender, Where, contenders_of
from grader.benchmark.measuring import Measuring, NotTimedError
from grader.benchmark.rows import Comparison, Row
from grader.benchmark.workloads import timed
from grader.course.exercise import read_exercise
from grader.run import Zygote
from grader.run.session import Session
from grader.specification import load_spec
from tests.adversarial.submissions import Load, load, zygote
from tests.unit.test_timing_alternation import FACTS, SPEC

pytestmark = pytest.mark.slow("times contenders in workers")

__all__ = ["load", "zygote"]

MODELS = """
def traffic(x, k):
    return 2 * x.numel() * x.element_size()

def flops(x, k):
    return 2 * x.numel()
"""
HONEST = "def f(x, k):\n    return x * k + 1\n"
Measure = Callable[[str], list[Comparison]]


@pytest.fixture
def course(tmp_path: Path) -> Path:
    root = tmp_path / "exercises" / "03_twice"
    root.mkdir(parents=True)
    (root / "exercise.toml").write_text(FACTS)
    (root / "spec.py").write_text(SPEC + MODELS)
    return root


@pytest.fixture
def measure(course: Path, load: Load, zygote: Zygote, monkeypatch: pytest.MonkeyPatch) -> Measure:
    monkeypatch.setattr(measuring, "_TURN_MS", 0.5)
    monkeypatch.setattr(measuring, "_COPY_BYTES", 1 << 20)
    monkeypatch.setattr(measuring, "_PRODUCT_SIZE", 128)

    def measured(text: str) -> list[Comparison]:
        spec = load_spec(read_exercise(course))
        with zygote.spawn_worker() as clean:
            workers: dict[Where, Session] = {"submission": load(text), "clean": clean}
            all_ = Measuring(spec, course, "plain", workers, 3)
            return list(all_.compare(timed(spec), contenders_of(spec, workers, {}), print))

    return measured


def by_name(comparison: Comparison) -> dict[str, Row]:
    return {row.contender: row for row in comparison.rows}


def test_every_contender_is_timed_in_two_passes(measure: Measure) -> None:
    comparisons = measure(HONEST)
    assert len(comparisons) == 2 * measuring.PASSES
    rows = by_name(comparisons[-1])
    assert list(rows) == [SUBMISSION, "x * k + 1"]
    for row in rows.values():
        assert row.problem == "" and all(time > 0 for time in row.times)
        assert len(row.times) == measuring.PASSES * measuring.TURNS
        assert row.peak_bytes == 300 * 700 * 4


def test_what_is_finished_is_known_after_each_contender(measure: Measure) -> None:
    first = measure(HONEST)[0]
    assert list(by_name(first)) == [SUBMISSION]
    assert len(first.rows[0].times) == measuring.TURNS


def test_the_floor_is_what_the_device_does(measure: Measure) -> None:
    last = measure(HONEST)[-1]
    assert last.floor is not None and last.floor.rate > 0
    assert last.traffic == 2 * 300 * 700 * 4 and last.operations == 2 * 300 * 700
    assert last.floor.amount in (last.traffic, last.operations)


def test_a_call_takes_at_least_as_long_as_it_sleeps(measure: Measure) -> None:
    rows = by_name(measure("import time\ndef f(x, k):\n    time.sleep(0.004)\n    return x * k + 1\n")[-1])
    assert min(rows[SUBMISSION].times) >= 4


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("def f(x, k):\n    return x * k\n", "its result is wrong"),
        ("def f(x, k):\n    raise ValueError('no\\nmore')\n", "ValueError: no"),
        ("import os\ndef f(x, k):\n    os._exit(3)\n", "exit code 3"),
    ],
)
def test_what_cannot_be_timed_says_why_and_costs_the_others_nothing(
    measure: Measure, text: str, problem: str
) -> None:
    rows = by_name(measure(text)[-1])
    assert rows[SUBMISSION].times == () and problem in rows[SUBMISSION].problem
    assert "\n" not in rows[SUBMISSION].problem
    assert len(rows["x * k + 1"].times) == measuring.PASSES * measuring.TURNS


def test_a_function_is_compiled_for_the_shapes_at_hand(course: Path) -> None:
    """By the limits of a benchmark: a compiler's files are larger than those of the other tests may be."""
    spec = load_spec(read_exercise(course))
    compiled = contenders_of(spec, ["clean"])
    with Zygote.start("plain") as roomy, roomy.spawn_worker() as clean:
        all_ = Measuring(spec, course, "plain", {"clean": clean}, 3)
        *_, last = all_.compare(timed(spec), compiled[:2], print)
    assert [row.problem for row in last.rows] == ["", ""]
    assert list(by_name(last)) == ["x * k + 1", "x * k + 1, torch.compile"]
    assert set(MODES.values()) == {"default", "max-autotune-no-cudagraphs"}


class SlowHost:
    """A contender of which the host can launch ``most`` calls while the device waits."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.asked: list[int] = []

    def queued(self, seeds: list[int], head_start_ms: float) -> tuple[float, float]:
        self.asked.append(len(seeds))
        late = len(seeds) > self.most
        return 0.5 * len(seeds), head_start_ms + 1 if late else head_start_ms / 2


def queued(host: SlowHost, course: Path) -> tuple[int, float, float]:
    all_ = Measuring(load_spec(read_exercise(course)), course, "cuda", {}, 3)
    return all_._queued(host, 64, 0.01)  # type: ignore[arg-type]


def test_a_turn_whose_launches_were_late_is_not_believed(course: Path) -> None:
    host = SlowHost(16)
    calls, ms, _ = queued(host, course)
    assert (calls, ms) == (16, 0.5)
    assert host.asked == [64, 32, 16]


def test_calls_that_wait_for_the_device_have_no_time(course: Path) -> None:
    with pytest.raises(NotTimedError, match="cannot be queued ahead"):
        queued(SlowHost(0), course)


def test_a_contender_without_memory_is_a_row(course: Path, zygote: Zygote) -> None:
    spec = load_spec(read_exercise(course))
    with zygote.spawn_worker() as clean:
        raises = "lambda x, k: (_ for _ in ()).throw(torch.OutOfMemoryError('CUDA out of memory. Tried'))"
        hungry = Contender("hungry", "clean", expression=raises)
        (first, *_) = Measuring(spec, course, "plain", {"clean": clean}, 3).compare(
            timed(spec), [hungry], print
        )
    assert first.rows == (Row("hungry", problem=measuring.OUT_OF_MEMORY),)


def test_events_head_start_and_peak_memory_on_a_simulated_gpu(
    course: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All that is done on a GPU is done on the simulated one; its times mean nothing."""
    monkeypatch.setattr(measuring, "_MOST_CALLS", 4)
    monkeypatch.setattr(measuring, "_COPY_BYTES", 1 << 16)
    monkeypatch.setattr(measuring, "_PRODUCT_SIZE", 16)
    spec = load_spec(read_exercise(course))
    with Zygote.start("simt") as simulated, simulated.spawn_worker() as clean:
        all_ = Measuring(spec, course, "cuda", {"clean": clean}, 3)
        *_, last = all_.compare(timed(spec), contenders_of(spec, ["clean"], {}), print)
        name, free, total = all_.facts()
    (row,) = last.rows
    assert row.problem == "" and len(row.times) == measuring.PASSES * measuring.TURNS
    assert row.peak_bytes is not None and row.peak_bytes >= 2 * 300 * 700 * 4  # x * k and the sum
    assert "simulated" in name and 0 < free <= total
