"""Submission and baseline in alternation, in two workers without a device: what is timed is compared."""

from __future__ import annotations

import json
import textwrap
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from grader.checks.timing import alternation
from grader.checks.timing.alternation import Measured
from grader.checks.timing.clean_worker import StandingWorker, clean_worker
from grader.checks.timing.contestants import INSIDE, rehearsal
from grader.checks.values.inputs import seeded
from grader.course.exercise import read_exercise
from grader.run import Zygote
from grader.specification import Speed, load_spec, tensor
from grader.support.errors import InfrastructureError, SubmissionError
from tests.adversarial.submissions import Load, load, zygote

pytestmark = pytest.mark.slow("times submissions in two workers")

__all__ = ["load", "zygote"]

FACTS = """
title = "Twice as much"
kind = "write"
minutes = 5
edit = ["op.py", "kernel.cu"]

[build]
name = "twice"
interface = "torch_library"
sources = ["kernel.cu"]

[scores]
correctness = 80
performance = 20
"""
SPEC = """
import torch
from grader.specification import Case, Speed, tensor

ENTRY = "f"

def reference(x: torch.Tensor, k: float) -> torch.Tensor:
    return x * k + 1

CASES = [Case("some", [tensor(7), 2.0])]
SPEED = Speed([tensor((300, 700)), 3.0], baseline="x * k + 1")
"""
PLAN = {"arguments": [2.0], "entry": "", "baseline": "lambda x: x", "device": "cpu", "clock": "host"}
HONEST = "def f(x, k):\n    return x * k + 1\n"

Measure = Callable[[str], Measured]


@pytest.fixture
def course(tmp_path: Path) -> Path:
    root = tmp_path / "exercises" / "03_twice"
    root.mkdir(parents=True)
    (root / "exercise.toml").write_text(FACTS)
    (root / "spec.py").write_text(SPEC)
    return root


@pytest.fixture
def measure(course: Path, load: Load, zygote: Zygote) -> Measure:
    """Measures a submission with this text as the speed check does; turns are short."""
    length = replace(alternation.FULL, turn_ms=0.5)

    def measured(text: str) -> Measured:
        exercise = read_exercise(course)
        spec = load_spec(exercise)
        assert spec.speed is not None
        bench: Any = SimpleNamespace(
            session=load(text), clean=zygote.spawn_worker, backend="plain", spec=spec, exercise=exercise,
            generator=lambda *labels: seeded(5, *labels),
        )  # fmt: skip
        return alternation.measure(bench, spec.speed, "f(x, 3.0)", 0, length)

    return measured


def test_an_honest_submission_is_timed_and_right(measure: Measure) -> None:
    measured = measure(HONEST)
    assert measured.error is None and measured.wrong is None
    assert len(measured.queued) == alternation.FULL.queued
    assert len(measured.plain) == alternation.FULL.plain
    assert all(time > 0 for block in (*measured.queued, *measured.plain) for time in block)
    assert measured.traced is not None and measured.traced.text == "f(x, 3.0)"
    assert measured.changed == ()


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(
            "def f(x, k):\n    y = x * k + 1\n    y[-1] = 0\n    return y\n", id="a row of 300 wrong"
        ),
        pytest.param(
            """
            kept = []
            def f(x, k):
                if not kept or kept[0].shape != x.shape:
                    kept[:] = [x * k + 1]
                return kept[0]
            """,
            id="cached by shape",
        ),
        pytest.param(
            """
            kept = {}
            def f(x, k):
                if x.data_ptr() not in kept:
                    kept[x.data_ptr()] = x * k + 1
                return kept[x.data_ptr()]
            """,
            id="cached by address",
        ),
        pytest.param(
            """
            calls = []
            def f(x, k):
                calls.append(0)
                return x * k + 1 if len(calls) % 2 else x
            """,
            id="every second call short",
        ),
        pytest.param(
            """
            kept = []
            def f(x, k):
                if not kept:
                    kept.append(x * k + 1)
                return torch.add(x * k, 1, out=kept[0])
            """.replace("torch.add", "__import__('torch').add"),
            id="one buffer for every result",
        ),
        pytest.param("def f(x, k):\n    return (x * k + 1)[:10]\n", id="a part of the result"),
        pytest.param("def f(x, k):\n    return (x * k + 1).double()\n", id="another dtype"),
        pytest.param("def f(x, k):\n    y = x * k + 1\n    return y, y\n", id="one result too many"),
    ],
)
def test_what_timed_calls_return_is_compared(measure: Measure, text: str) -> None:
    assert measure(textwrap.dedent(text)).wrong is not None


def test_a_wrong_element_is_named(measure: Measure) -> None:
    wrong = measure("def f(x, k):\n    y = x * k + 1\n    y[:, 5:] = 9\n    return y\n").wrong
    assert wrong is not None
    assert wrong["what"] == "value" and wrong["got"] == "9" and wrong["index"][1] >= 5
    assert wrong["share"] == pytest.approx(695 / 700, abs=0.02)


def test_inputs_that_the_submission_changes_do_not_change_what_is_right(measure: Measure) -> None:
    assert measure("def f(x, k):\n    x.zero_()\n    return x * k + 1\n").wrong is not None


def test_every_call_finds_inputs_of_its_own(measure: Measure, tmp_path: Path) -> None:
    text = f"""
    seen = []
    def f(x, k):
        seen.append(float(x[0, 0]))
        open({str(tmp_path / "seen")!r}, "w").write(repr(seen))
        return x * k + 1
    """
    measure(textwrap.dedent(text))
    seen = eval((tmp_path / "seen").read_text())
    assert len(seen) > 50 and len(set(seen)) == len(seen)


def test_an_error_is_the_submissions(measure: Measure) -> None:
    measured = measure("def f(x, k):\n    raise ValueError('no')\n")
    assert measured.error is not None and measured.error.message == "no"


def test_a_crash_is_the_submissions(measure: Measure) -> None:
    with pytest.raises(SubmissionError):
        measure("import os\ndef f(x, k):\n    os._exit(3)\n")


def test_a_baseline_that_fails_is_not_the_submissions(measure: Measure, course: Path) -> None:
    spec = course / "spec.py"
    spec.write_text(spec.read_text().replace('"x * k + 1"', '"x.no_such_thing()"'))
    with pytest.raises(InfrastructureError, match=r"baseline x\.no_such_thing"):
        measure(HONEST)


def test_the_clean_worker_is_one_for_all_measurements(zygote: Zygote, course: Path) -> None:
    exercise = read_exercise(course)
    bench: Any = SimpleNamespace(
        spawn=zygote.spawn_worker, exercise=exercise, spec=load_spec(exercise), backend="plain"
    )
    with clean_worker(bench):
        with bench.clean() as first, bench.clean() as second:
            assert first is second
        assert first.run_inside(f"{INSIDE}:begin", [json.dumps(PLAN)]).error is None
        assert first.run_inside(f"{INSIDE}:fill", ["[1, 2]"]).error is None
    # What it knew is gone: another worker answers, which has begun nothing.
    with first:
        assert first.run_inside(f"{INSIDE}:fill", ["[1, 2]"]).error is not None


def test_a_standing_worker_stays_from_one_verdict_to_the_next(zygote: Zygote, course: Path) -> None:
    exercise = read_exercise(course)

    def lent() -> Any:
        bench: Any = SimpleNamespace(
            spawn=zygote.spawn_worker, exercise=exercise, spec=load_spec(exercise), backend="plain"
        )
        with standing.serving(bench), bench.clean() as session:
            return session

    def lent_once_ready(but: Any) -> Any:
        """Until it is ready, every verdict gets a worker of its own."""
        standing.get_ready()
        until = time.monotonic() + 60
        while (found := lent()) is not lent() or found is but:
            assert time.monotonic() < until
        return found

    standing = StandingWorker(exercise, "plain", lambda: Zygote.start("plain"))
    try:
        assert lent() is not lent()
        first = lent_once_ready(but=None)
        standing.get_ready()
        assert lent() is first
        # An author's edit: what it had loaded is no longer what is asked for.
        spec = exercise.spec_path
        spec.write_text(spec.read_text().replace("x * k + 1", "x * k + 2"))
        assert lent() is not first
        assert lent_once_ready(but=first) is not first
    finally:
        standing.close()


def test_a_rehearsal_leaves_nothing_begun(zygote: Zygote, course: Path) -> None:
    spec = load_spec(read_exercise(course))
    assert spec.speed is not None
    with zygote.spawn_worker() as session:
        asked = rehearsal(course, spec, spec.speed, "plain")
        assert session.run_inside(f"{INSIDE}:rehearse", [asked]).error is None
        assert session.run_inside(f"{INSIDE}:fill", ["[1, 2]"]).error is not None


def test_a_slower_submission_takes_longer_by_both_clocks(measure: Measure) -> None:
    measured = measure("import time\ndef f(x, k):\n    time.sleep(0.004)\n    return x * k + 1\n")
    for blocks in (measured.queued, measured.plain):
        assert all(min(first, last) >= 4 for first, _, _, last in blocks)


def test_the_inputs_depend_on_the_seed_alone() -> None:
    from grader.checks.timing.timed_calls import allocated, described, draw_into

    arguments = described([tensor((3, 5)), 2.0, tensor(4, "int64", low=0, high=9), [tensor(2, "float16")]])
    sets = [allocated(arguments, "cpu") for _ in range(3)]
    for given, seed in zip(sets, (1, 1, 2), strict=True):
        draw_into(given, arguments, seed)
    same, again, other = sets
    assert torch.equal(same[0], again[0]) and torch.equal(same[2], again[2])
    assert torch.equal(same[3][0], again[3][0])
    assert not torch.equal(same[0], other[0])
    assert same[1] == 2.0 and same[2].min() >= 0 and same[2].max() <= 9 and same[0].abs().max() <= 1


def test_a_speed_case_has_tensors_as_allocated() -> None:
    with pytest.raises(ValueError, match="contiguous"):
        Speed([tensor((3, 4), layout="transposed")], baseline="x")
    with pytest.raises(ValueError, match="special"):
        Speed([[tensor(3, special="nan")]], baseline="x")
