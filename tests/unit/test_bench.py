"""`grader bench`: what is measured, how rows are computed and shown, and what the command refuses."""

from __future__ import annotations

import io
import json
import math
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
import torch
from rich.console import Console

from grader.benchmark import plot, sessions
from grader.benchmark.contenders import SUBMISSION, TRITON, Contender, contenders_of, returned
from grader.benchmark.counters import Access, CounterBenchmark, Counters, Line
from grader.benchmark.document import to_json
from grader.benchmark.rows import Benchmark, Comparison, Finished, Floor, Rates, Row, floor_of
from grader.benchmark.selection import dtypes_named, factor_of, workloads_of
from grader.benchmark.terminal import bar, comparison_view, counters_view
from grader.benchmark.words import comparison_text, conclusion, counters_text, shown_name
from grader.benchmark.workloads import Workload, dtypes_of, fitting, needed_bytes, timed
from grader.cli import bench, main
from grader.cli.bench_times import run
from grader.cli.screen import Screen
from grader.course.catalog import Catalog
from grader.specification import Case, Spec, Speed, tensor
from grader.support.errors import UsageError

ROOT = Path(__file__).resolve().parents[2]
GIB = 1 << 30


def spec_of(*args: Any, cases: Sequence[Case] = (), baseline: str = "x + 1") -> Spec:
    def traffic(*given: Any) -> int:
        return sum(2 * each.nbytes for each in given if isinstance(each, torch.Tensor))

    return Spec(
        Path("spec.py"), "f", reference, ("x", "y"), tuple(cases), speed=Speed(args, baseline),
        traffic=traffic,
    )  # fmt: skip


def reference(x: torch.Tensor) -> torch.Tensor:
    """A docstring is no statement."""
    return x + 1


def two_steps(x: torch.Tensor) -> torch.Tensor:
    y = x + 1
    return y * 2


# ---- sizes and dtypes --------------------------------------------------------------------------------------


def test_extents_that_are_equal_stay_equal() -> None:
    spec = spec_of(tensor((256, 256, 1024), "float16"), tensor((256, 1024), "float16"), 0.5)
    workload = timed(spec, Fraction(1, 4))
    assert [each.shape for each in workload.args[:2]] == [(256, 256, 256), (256, 256)]  # type: ignore[union-attr]
    assert workload.args[2] == 0.5


def test_an_index_stays_within_what_it_indexes() -> None:
    spec = spec_of(tensor(100, "int64", low=0, high=49_999), tensor((50_000, 8)))
    index, table = timed(spec, Fraction(1, 10)).args
    assert (table.shape, index.high, index.shape) == ((5000, 8), 4999, (100,))  # type: ignore[union-attr]


def test_dtypes_are_those_of_the_cases() -> None:
    own = [tensor(8, "int32", low=0, high=3), tensor(64)]
    cases = [
        Case("half", [tensor(3, "int64"), tensor(5, "float16")]),
        Case("mixed up", [tensor(3), tensor(5, "int64")]),
        Case("on the host", [tensor(3, "int64"), tensor(5, "float64", device="cpu")]),
        Case("autocast", [tensor(3, "int64"), tensor(5, "bfloat16")], autocast="bfloat16"),
        Case("one more", [tensor(3, "int64"), tensor(5, "bfloat16"), tensor(5)]),
    ]
    assert dtypes_of(spec_of(*own, cases=cases)) == {
        "float32": ("int32", "float32"), "float16": ("int64", "float16"),
    }  # fmt: skip


def test_sizes_scale_with_free_memory() -> None:
    spec = spec_of(tensor(1 << 28))  # 1 GiB, and a result of the same size
    assert needed_bytes(spec, timed(spec)) == 4 * GIB
    roomy, notes = workloads_of(spec, (), (), 80 * GIB)
    assert [each.factor for each in roomy] == [Fraction(1, 16), Fraction(1, 4), 1] and notes == []
    small, notes = workloads_of(spec, (), (), 4 * GIB)
    assert [each.factor for each in small] == [Fraction(1, 16), Fraction(1, 4)]
    assert notes == ["268,435,456 · float32 is left out: it needs 4 × 4.0 GiB, and 4.0 GiB are free."]
    tiny, notes = workloads_of(spec, [Fraction(1)], (), GIB // 4)
    assert needed_bytes(spec, tiny[0]) <= GIB // 16 < 2 * needed_bytes(spec, tiny[0])
    assert notes[0].endswith("Measured instead: 4,194,304 · float32.")
    assert fitting(spec, [Fraction(1)], (), 0)[0].factor <= Fraction(1, 1024)


def test_other_dtypes_are_measured_in_the_largest_size() -> None:
    spec = spec_of(tensor(64), cases=[Case("half", [tensor(3, "float16")])])
    found, _ = workloads_of(spec, (), (), GIB)
    assert [(each.dtype, each.factor) for each in found][-2:] == [("float32", 1), ("float16", 1)]
    assert len(found) == 4
    asked, _ = workloads_of(spec, [Fraction(2)], ["float16"], GIB)
    assert [(each.name, each.input_bytes) for each in asked] == [("128 · float16", 256)]


@pytest.mark.parametrize("text", ["0", "-1", "many", "1/0", "65", "1/2000", "nan", ""])
def test_a_size_out_of_range_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="no size that can be measured") as refused:
        factor_of(text, "grader bench 03")
    assert "1/1024 to 64" in refused.value.rule and "grader bench 03 --size" in refused.value.next
    assert factor_of("1/4", "") == Fraction(1, 4)


def test_a_dtype_that_no_case_has_is_refused() -> None:
    with pytest.raises(UsageError, match="not asked for int8") as refused:
        dtypes_named(["int8"], spec_of(tensor(64)), "03_x", "grader bench 03")
    assert refused.value.rule == "The dtypes of its cases are float32."


# ---- contenders --------------------------------------------------------------------------------------------


def test_functions_of_the_spec_are_contenders_each_once() -> None:
    same = contenders_of(spec_of(tensor(4), baseline="x  +  1"), ("submission", "solution"), {"c": "m"})
    assert [each.name for each in same] == [SUBMISSION, "reference solution", "x + 1", "x + 1, c"]
    assert (same[2].expression, same[3].mode) == ("", "m")
    other = contenders_of(spec_of(tensor(4), baseline="x.clone()"), ["submission"], {})
    assert [(each.name, each.expression) for each in other[1:]] == [
        ("x + 1", ""), ("x.clone()", "lambda x: x.clone()"),
    ]  # fmt: skip


def test_kernels_in_triton_are_a_contender_where_the_course_has_them() -> None:
    found = contenders_of(spec_of(tensor(4)), ("submission", "solution", "triton", "clean"), {})
    assert [(each.name, each.where, each.entry) for each in found[1:3]] == [
        ("reference solution", "solution", "f"), (TRITON, "triton", "f"),
    ]  # fmt: skip


def test_a_contender_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    exercise = Catalog.open(ROOT).find("16")
    monkeypatch.setattr(sessions, "lacking", lambda: "")
    assert sessions.has_triton(exercise) and sessions.left_out(exercise) == []
    monkeypatch.setattr(sessions, "lacking", lambda: "Triton is not installed.")
    assert not sessions.has_triton(exercise)
    assert sessions.left_out(exercise) == ["Kernels in Triton are not compared: Triton is not installed."]
    handed_out = replace(exercise, root=tmp_path / "exercises" / exercise.slug)
    assert not sessions.has_triton(handed_out)
    assert [each.partition(" to ")[0] for each in sessions.left_out(handed_out)] == [
        "This copy of the course has no reference solution",
    ]  # fmt: skip


def test_only_a_single_expression_names_a_function() -> None:
    assert returned(reference) == "x + 1"
    assert returned(two_steps) == "" and returned(torch.relu) == ""


# ---- rows --------------------------------------------------------------------------------------------------

FLOOR = Floor("memory", 4_000_000, 4e9)  # 4 MB at 4 TB/s: a microsecond
ROWS = (
    Row(SUBMISSION, (0.0020, 0.0021, 0.0019, 0.0020), 1 << 20),
    Row("x + 1", (0.004,) * 4, 3 << 20),
    Row("x + 1, torch.compile", (0.00125,) * 4, 1 << 20),
    Row("reference solution", problem="out of memory"),
)
COMPARISON = Comparison("1,024 · float32", 1.0, "float32", 4_000_000, 1000, FLOOR, ROWS)
FOUND = Benchmark("03_x", "X", "NVIDIA H200", {"torch": "2"}, (COMPARISON,))


def test_the_floor_is_whichever_takes_longer() -> None:
    memory = floor_of(1_000_000, 1000, Rates(copy=1e6, product=1e6))
    assert memory is not None and (memory.bound, memory.ms, memory.speed(2.0)) == ("memory", 1.0, 0.5)
    arithmetic = floor_of(1_000_000, 10**10, Rates(copy=1e6, product=1e9))
    assert arithmetic is not None and (arithmetic.bound, arithmetic.ms) == ("arithmetic", 10.0)
    assert (arithmetic.unit, arithmetic.speed(20.0)) == ("TFLOP/s", 0.5)
    assert floor_of(10, 10, Rates(copy=0.0)) is None


def test_a_row_is_median_and_quartiles() -> None:
    row = Row("a", (5.0, 1.0, 2.0, 3.0, 4.0))
    assert (row.ms, row.quartiles) == (3.0, (2.0, 4.0))
    assert row.spread == pytest.approx(2 / 3)
    assert Row("a", (2.0,)).quartiles == (2.0, 2.0)
    assert row.share(Floor("memory", 6, 4.0)) == 0.5
    assert row.share(None) is None and Row("a", problem="no").share(FLOOR) is None


def test_passes_of_a_contender_are_one_row_in_the_tables_order() -> None:
    finished = Finished(["a", "b"])
    for row in (Row("b", (1.0,), 5), Row("a", (2.0,), 3), Row("a", (4.0,), 4), Row("b", problem="gone")):
        finished.add(row)
    assert finished.rows == (Row("a", (2.0, 4.0), 4), Row("b", (1.0,), 5, "gone"))
    assert finished.failed("b") and not finished.failed("a")


def test_a_bar_has_eighths() -> None:
    assert bar(0.5) == "█" * 6 + " " * 6
    assert bar(1.7) == "█" * 12 and bar(0) == " " * 12
    assert bar(0.5 + 1 / 96) == "█" * 6 + "▏" + " " * 5
    assert all(len(bar(share / 100)) == 12 for share in range(101))


def test_the_table_has_time_share_and_memory() -> None:
    console = Console(width=120, record=True, file=io.StringIO())
    console.print(comparison_view(COMPARISON))
    text = console.export_text()
    own = next(line for line in text.splitlines() if SUBMISSION in line)
    assert "0.002 ms" in own and "2,000" in own and "50 %" in own and "1 MiB" in own
    assert "██████ " in own and "GB/s" in text
    assert "  torch.compile" in text and "x + 1, torch.compile  " not in text
    assert "reference solution: out of memory." in text


def test_names_are_not_broken_within_a_word_on_a_terminal_of_80_columns() -> None:
    console = Console(width=80, record=True, file=io.StringIO())
    console.print(comparison_view(COMPARISON))
    names = {line[1:19].strip() for line in console.export_text().splitlines()}
    assert {"your submission", "reference solution", "torch.compile"} <= names


def test_the_plain_text_says_the_same() -> None:
    text = comparison_text(COMPARISON)
    assert "your submission: 0.002 ms, half of the turns between 0.001975 ms and 0.002025 ms;" in text
    assert "50 % of the floor; peak memory 1 MiB." in text
    assert "reference solution: not timed, out of memory." in text
    assert "█" not in text


def test_the_conclusion_does_not_name_a_difference_within_the_spread() -> None:
    assert "50 % of the floor; the fastest, x + 1, torch.compile, takes 0.62 of its time." in conclusion(
        COMPARISON
    )
    close = Row("x + 1", (0.00199, 0.00199, 0.00205, 0.00185))
    same = Comparison("w", 1.0, "float32", 1, 1, FLOOR, (ROWS[0], close))
    assert "is not faster beyond the spread" in conclusion(same)
    assert conclusion(Comparison("w", 1.0, "float32", 1, 1, FLOOR, ROWS[1:])) == ""
    first = Comparison("w", 1.0, "float32", 1, 1, FLOOR, ROWS[:2])
    assert conclusion(first).endswith("no contender is faster.")


def test_a_compiled_function_is_shown_below_it() -> None:
    assert shown_name(ROWS[2], ROWS) == ("torch.compile", True)
    assert shown_name(ROWS[1], ROWS) == ("x + 1", False)


def test_the_document_has_every_number() -> None:
    found = json.loads(to_json(FOUND))
    assert (found["schema_version"], found["kind"], found["done"]) == (1, "times", True)
    (workload,) = found["workloads"]
    assert workload["floor"] == {"bound": "memory", "ms": 0.001, "unit": "GB/s", "rate": 4000.0}
    own, _, _, missing = workload["contenders"]
    assert own["median_ms"] == 0.002 and own["share_of_floor"] == pytest.approx(0.5)
    assert own["speed"] == pytest.approx(2000) and own["turns_ms"] == [0.002, 0.0021, 0.0019, 0.002]
    assert missing == {"name": "reference solution", "problem": "out of memory"}


# ---- Ctrl-C ------------------------------------------------------------------------------------------------


class Stopped:
    """Somebody presses Ctrl-C in the second workload, after one contender."""

    def __init__(self) -> None:
        self.begun = 0

    def compare(self, workload: Workload, contenders: object, announce: object) -> Iterator[Comparison]:
        self.begun += 1
        yield Comparison(workload.name, 1.0, "float32", 1, 0, FLOOR, ROWS[:1])
        if self.begun == 2:
            raise KeyboardInterrupt
        yield Comparison(workload.name, 1.0, "float32", 1, 0, FLOOR, ROWS[:2])


def test_what_is_finished_stays_after_ctrl_c(capsys: pytest.CaptureFixture[str]) -> None:
    spec = spec_of(tensor(64))
    workloads = [timed(spec, Fraction(1, size)) for size in (4, 2, 1)]
    start = Benchmark("03_x", "X", "H200", {})
    found = run(Stopped(), workloads, [Contender(SUBMISSION, "submission")], start, Screen(plain=True))
    assert not found.done and json.loads(to_json(found))["done"] is False
    assert [len(each.rows) for each in found.comparisons] == [2, 1]
    shown = capsys.readouterr().out
    assert "16 · float32" in shown and "32 · float32" in shown and "64 · float32" not in shown


def test_the_exit_code_says_so_and_the_files_are_written(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(*_: object) -> Benchmark:
        return Benchmark("03_x", "X", "H200", {}, (COMPARISON,), done=False)

    monkeypatch.setattr(bench, "_measured", interrupted)
    monkeypatch.setattr(sys, "argv", ["grader", "bench", "03", "--json", str(tmp_path / "b.json")])
    assert main() == 130
    assert json.loads((tmp_path / "b.json").read_text())["workloads"][0]["bytes"] == 4_000_000
    assert "Interrupted" in capsys.readouterr().err


# ---- the command -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["99"], "There is no exercise"),
        (["05", "--backend", "cuda"], "no speed model"),
        (["03", "--backend", "cuda", "--size", "1000"], "no size that can be measured"),
        (["03", "--backend", "cuda", "--dtype", "int8"], "is not asked for int8"),
        (["03", "--backend", "cuda", "--case", "x"], "runs on a GPU"),
        (["03", "--backend", "simt", "--size", "1"], "which only a GPU gives"),
        (["03", "--plot", "b.pdf"], "no kind of picture"),
        (["03", "--json", "nowhere/b.json"], "cannot be written"),
    ],
)
def test_bad_input_gets_a_sentence_and_a_command(
    arguments: list[str], sentence: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["grader", "bench", *arguments])
    assert main() == 2
    said = capsys.readouterr().err
    assert sentence in said and "Traceback" not in said
    assert len(said.splitlines()) == 3


def test_a_plot_without_matplotlib_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(UsageError, match="needs matplotlib") as refused:
        plot.require(Path("bench.svg"))
    assert refused.value.next == "Run: python -m pip install matplotlib"


class Axis:
    """Of matplotlib's axes: records the bars."""

    def __init__(self) -> None:
        self.bars: list[float] = []

    def barh(self, places: object, values: list[float], color: list[str]) -> None:
        self.bars = values
        self.colours = color

    def __getattr__(self, name: str) -> Any:
        return lambda *_, **__: None


def test_a_plot_has_a_panel_for_each_workload(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    axis, saved = Axis(), []
    figure = SimpleNamespace(suptitle=lambda *_, **__: None, savefig=saved.append)

    class Column:
        def __getitem__(self, where: object) -> list[Axis]:
            return [axis]

    pyplot = ModuleType("matplotlib.pyplot")
    pyplot.subplots = lambda *_, **__: (figure, Column())  # type: ignore[attr-defined]
    pyplot.close = lambda _: None  # type: ignore[attr-defined]
    package = ModuleType("matplotlib")
    package.use = lambda _: None  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "matplotlib", package)
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", pyplot)
    plot.require(tmp_path / "b.png")
    plot.draw(FOUND, tmp_path / "b.png")
    assert saved == [tmp_path / "b.png"]
    assert axis.bars == pytest.approx([50, 25, 80]) and axis.colours[0] != axis.colours[1]


# ---- counters ----------------------------------------------------------------------------------------------

COUNTED = Counters(
    "forward", 1, (Access("load of x", 128, 8192),), 7, 131_072,
    (Line("kernel.cu:9", "y = x[32 * i];", (Access("load of x", 128, 8192),), (1024,)),),
)  # fmt: skip
COUNTERS = CounterBenchmark(
    "03_x", "X", "simulated", "f(x)", "a case",
    {SUBMISSION: (COUNTED,), "reference solution": (Counters("forward", 1, (), 0, 64), )},
)  # fmt: skip


def test_counters_are_compared_with_the_byte_model() -> None:
    assert (COUNTED.moved, COUNTED.share, COUNTED.requests) == (262_144, 0.5, 128)
    library = COUNTERS.contenders["reference solution"][0]
    assert library.is_partial and library.share is None and not COUNTED.is_partial
    text = counters_text(COUNTERS)
    assert "counters are compared, not times" in text
    assert (
        "submission: 1 launch, 128 requests, 256 KiB moved, 2 times the 128 KiB that the operation needs, "
        "7 bank conflicts" in text
    )
    assert "solution: 1 launch, 0 requests, 0 B moved, less than the 64 B that the operation needs." in text
    assert "kernel.cu:9, load of x: 128 requests, 8,192 sectors, of which 1,024 would hold the bytes" in text


def test_the_counters_table_and_document() -> None:
    console = Console(width=100, record=True, file=io.StringIO())
    console.print(counters_view(COUNTERS))
    text = console.export_text()
    assert "counters are compared, not times" in text and " 50 %" in text and "none" in text
    assert "kernel.cu:9 │ y = x[32 * i];" in text and "1,024" in text
    stage = json.loads(to_json(COUNTERS))["contenders"][0]["stages"][0]
    assert (stage["moved_bytes"], stage["share_of_least"], stage["bank_conflicts"]) == (262_144, 0.5, 7)
    assert stage["lines"][0]["accesses"] == [
        {"access": "load of x", "requests": 128, "sectors": 8192, "fewest": 1024}
    ]
    assert plot.panels_of(COUNTERS)[0][2] == [(SUBMISSION, 50.0)]
    assert math.isclose(plot.panels_of(FOUND)[0][2][0][1], 50)
