"""The Python programs that pages include: a timeline of the host, and the traffic that fusing saves."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from tests.docs.python_program import printed

ROOT = Path(__file__).resolve().parents[2]
SAMPLES = ROOT / "docs" / "samples"


def _module(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module  # where a dataclass looks its annotations up
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the sample writes, in a process of its own: the profiler stays in the one that it ran in."""
    file = tmp_path_factory.mktemp("trace") / "trace.json"
    command = [sys.executable, str(SAMPLES / "cpu_timeline" / "trace.py"), str(file)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return file


def test_the_timeline_has_the_operators_nested_in_the_spans(trace: Path) -> None:
    events = [each for each in json.loads(trace.read_text())["traceEvents"] if each.get("ph") == "X"]
    spans = [each for each in events if each["name"] == "forward" and each["cat"] == "user_annotation"]
    assert len(spans) == 4
    for span in spans:
        inside = {each["name"] for each in events if each["cat"] == "cpu_op" and _within(each, span)}
        assert {"aten::linear", "aten::addmm", "aten::gelu"} <= inside


def _within(event: dict[str, float], span: dict[str, float]) -> bool:
    return span["ts"] <= event["ts"] and event["ts"] + event["dur"] <= span["ts"] + span["dur"]


def test_plain_python_is_a_gap_between_operators(trace: Path) -> None:
    shares = _module(SAMPLES / "cpu_timeline" / "gaps.py").shares(str(trace))
    assert set(shares) == {"prepare", "forward", "backward"}
    assert shares["prepare"] < shares["forward"] and shares["prepare"] < shares["backward"]


def test_the_trace_of_library_calls_is_the_one_that_the_lesson_shows(tmp_path: Path) -> None:
    """Operators are real and times are simulated: both are the same in every run."""
    sample = SAMPLES / "library_calls"
    command = [
        sys.executable,
        "-m",
        "cusimt",
        str(sample / "trace.py"),
        str(ROOT / "solutions/22_library_calls"),
    ]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "CU2GRAD_BACKEND": "simt"}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    printed = "".join(line for line in done.stdout.splitlines(True) if not line.startswith("USDT"))
    assert printed == (sample / "trace.txt").read_text()
    events = json.loads((tmp_path / "trace.json").read_text())["traceEvents"]
    assert {"graph_layer::product", "aten::empty"} <= {each["name"] for each in events}


def test_operators_within_operators_count_once() -> None:
    covered = _module(SAMPLES / "cpu_timeline" / "gaps.py")._covered
    span = {"ts": 10.0, "dur": 10.0}
    operators = [(8.0, 4.0), (13.0, 4.0), (14.0, 1.0), (19.0, 9.0)]  # two of them reach beyond the span
    assert covered(span, [{"ts": ts, "dur": dur} for ts, dur in operators]) == 2 + 4 + 1


def test_the_page_has_the_ratios_that_the_sample_counts() -> None:
    traffic = _module(SAMPLES / "when" / "traffic.py")
    page = (ROOT / "docs" / "before" / "when.md").read_text()
    counted = {name: f"{traffic.ratio(*case):.1f}" for name, case in traffic.CASES.items()}
    assert dict(re.findall(r"^\| ([^|]+?) \| (\d\.\d) \| ", page, re.MULTILINE)) == counted
    assert set(counted.values()) == {"4.0", "2.0", "1.0"}


@pytest.mark.release("about torch's compiler alone")
@pytest.mark.slow
def test_the_compiler_generates_one_kernel_for_bias_and_gelu(tmp_path: Path) -> None:
    program = (
        "import torch, torch.nn.functional as F\n"
        "from torch._inductor import metrics\n"
        "fused = torch.compile(lambda x, bias: F.gelu(x + bias, approximate='tanh'))\n"
        "fused(torch.rand(64, 64), torch.rand(64))\n"
        "print(metrics.generated_kernel_count)\n"
    )
    assert printed(program, tmp_path) == "1\n"


def test_a_record_of_late_errors_says_what_each_run_printed() -> None:
    late_error = _benchmark("late_error")
    assert late_error.summary("a\nreported by x: y\n", "") == "reported by x: y"
    report = "========= Invalid __global__ write of size 4 bytes\n"
    ended = "========= ERROR SUMMARY: 2 errors\n"
    assert late_error.summary(report + report + ended, "memcheck") == "Invalid __global__ write (2)"
    assert late_error.summary("no error\n========= ERROR SUMMARY: 0 errors\n", "memcheck") == "no report"
    assert late_error.summary("Error: no device\n", "memcheck") == "did not finish: Error: no device"


def _benchmark(name: str) -> ModuleType:
    sys.path.insert(0, str(ROOT / "benchmarks"))
    try:
        return _module(ROOT / "benchmarks" / f"{name}.py")
    finally:
        sys.path.remove(str(ROOT / "benchmarks"))
