"""What the verdict makes of what Triton's compiler says, without Triton: a session that answers as told."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from grader.checks.bench import Bench, Call
from grader.checks.kernels.compiled import compiling
from grader.checks.outcome import Outcome, passed
from grader.run.failures import LoadFailed, WorkerCrashed
from grader.run.values import Output, RemoteError, Reply, Trace
from grader.specification import Case, tensor
from grader.verdict import Status
from tests.unit.fake_submission import FakeSession, fake_bench

KERNEL = "import triton\n\n\ndef forward_kernel(x):\n    total = 0.0\n"
RIGHT = passed("All 2 cases are right.")
Answer = Callable[[str], tuple[list[Any], str]]


def nothing(_: str) -> tuple[list[Any], str]:
    return [], ""


@dataclass
class Worker:
    """A worker with the compiler: ``answer`` gives what a specialisation returns, and what was printed."""

    answer: Answer = nothing
    lacking: str = ""
    failure: Exception | None = None
    asked: list[str] = field(default_factory=list)
    closed: bool = False

    def load(self, *_: object) -> None:
        if self.failure is not None:
            raise self.failure

    def run_inside(self, function: str, args: Sequence[Any]) -> Reply:
        if function.endswith(":lacking"):
            return Reply((Output("other", value=self.lacking),))
        self.asked.append(args[0])
        values, printed = self.answer(args[0])
        return Reply(tuple(Output("other", value=each) for each in values), printed=printed)

    def close(self) -> None:
        self.closed = True


def specialisation(number: int) -> str:
    return json.dumps({"kernel": "forward_kernel", "file": "kernel.py", "arguments": [number]})


@contextmanager
def bench_with(worker: Worker, folder: Path) -> Iterator[Bench]:
    (folder / "kernel.py").write_text(KERNEL)
    bench = fake_bench(FakeSession(lambda x: x), lambda x: x, [Case("one", [tensor(4)])])
    bench.files = folder
    bench.spawn = lambda: worker  # type: ignore[assignment,return-value]
    with compiling(bench):
        yield bench
    assert worker.closed and bench.compiler is None


def judged(worker: Worker, folder: Path, *launched: Sequence[int], outcome: Outcome = RIGHT) -> Outcome:
    """After calls that launched these specialisations."""
    with bench_with(worker, folder) as bench:
        assert bench.compiler is not None
        for numbers in launched:
            trace = Trace(specialisations=tuple(map(specialisation, numbers)))
            bench.compiler.take(Call("forward", "one", "f(x: float32 (4,))", Reply(trace=trace)))
        return bench.compiler.judged(bench, outcome)


def refused(text: str) -> tuple[list[Any], str]:
    return ["forward_kernel", "BLOCK=8", "kernel.py", 5, "TypeError: no"], ""


def test_each_specialisation_is_compiled_once_and_counted(tmp_path: Path) -> None:
    worker = Worker()
    outcome = judged(worker, tmp_path, [1, 2], [2, 3])
    assert worker.asked == [specialisation(number) for number in (1, 2, 3)]
    assert outcome.status is Status.PASS and "takes the kernels (3 specialisations)" in outcome.sentence


def test_a_refusal_fails_the_check_with_the_line_and_the_words(tmp_path: Path) -> None:
    outcome = judged(Worker(lambda text: refused(text) if "[2]" in text else nothing(text)), tmp_path, [1, 2])
    assert (outcome.status, outcome.topic, outcome.case) == (Status.FAIL, "compiler", "one")
    assert "refuses `forward_kernel` at kernel.py:5 for BLOCK=8: TypeError: no. On a GPU" in outcome.sentence
    assert "launched by f(x: float32 (4,))." in outcome.sentence
    assert outcome.lines == (
        "    5 |     total = 0.0",
        "1 of the 2 specialisations that these calls were the first to launch is refused.",
    )


def test_what_was_printed_is_quoted(tmp_path: Path) -> None:
    printed = f"{tmp_path}/kernel.py:5:4: error: 'scf.condition' op operand #0\nmodule {{\n"
    outcome = judged(Worker(lambda _: (["forward_kernel", "", "", 0, ""], printed)), tmp_path, [1])
    assert "at kernel.py:5: 'scf.condition' op operand #0. On" in outcome.sentence


def test_a_failure_keeps_its_place_and_names_the_refusal_below(tmp_path: Path) -> None:
    wrong = Outcome(Status.FAIL, "A value is wrong.", topic="values")
    outcome = judged(Worker(refused), tmp_path, [1], outcome=wrong)
    assert (outcome.sentence, outcome.topic) == ("A value is wrong.", "values")
    assert outcome.lines[0].startswith("Triton's compiler refuses `forward_kernel`")


def test_without_a_compiler_the_verdict_says_what_was_left_out(tmp_path: Path) -> None:
    outcome = judged(Worker(lacking="ImportError: no libtriton"), tmp_path, [1])
    assert outcome.status is Status.PASS
    (line,) = outcome.lines
    assert "no kernel was compiled: ImportError: no libtriton" in line


@pytest.mark.parametrize(
    "failure", [LoadFailed(RemoteError("TypeError", "jit() got an unexpected keyword", "kernel.py:3"))]
)
def test_kernels_that_do_not_load_for_the_compiler_are_refused(failure: Exception, tmp_path: Path) -> None:
    outcome = judged(Worker(failure=failure), tmp_path, [1])
    assert outcome.status is Status.FAIL and "unexpected keyword" in outcome.sentence


def test_a_compiler_that_crashes_is_a_refusal(tmp_path: Path) -> None:
    def crash(_: str) -> tuple[list[Any], str]:
        raise WorkerCrashed("running `refusal`", signal="SIGABRT")

    outcome = judged(Worker(crash), tmp_path, [1])
    assert outcome.status is Status.FAIL and "SIGABRT" in outcome.sentence


def test_nothing_launched_changes_nothing(tmp_path: Path) -> None:
    assert judged(Worker(refused), tmp_path) == RIGHT
