"""One submission to a verdict, with build and worker played by fakes: what each fault costs, and what not."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest
import torch

from grader.checks import build as building
from grader.checks import grading
from grader.checks.bench import Call
from grader.checks.outcome import Outcome
from grader.checks.results import ended_badly, printed
from grader.compilation import Artifact
from grader.course.answer_key import digest
from grader.course.catalog import Exercise, Section
from grader.course.stubs import render_stub
from grader.run.failures import (
    NO_ZYGOTE,
    LoadFailed,
    OutputFlood,
    ProtocolViolation,
    WorkerCrashed,
    WorkerTimeout,
)
from grader.run.values import RemoteError, Reply, Trace
from grader.specification import Refusal, tensor
from grader.support.errors import BrokenSpec, BuildFailed, SubmissionError, ToolchainError
from grader.verdict import CheckResult, ReportedFinding, Status, Verdict
from tests.unit.fake_submission import FakeSession, fake_bench, fake_exercise

SPEC = """
from grader.specification import Case, Gradient, tensor
ENTRY = "scale"
def reference(x):
    return 2 * x
CASES = [Case("one", [tensor(300)]), Case("odd", [tensor((5, 7))])]
GRADIENT = Gradient(cases=[Case("gradient", [tensor((3, 2), "float64")])])
"""
STUB = "__global__ void scale() {\n    // TODO(index): compute the index, about 2 lines.\n}\n"
WRITTEN = "__global__ void scale() {\n    int i = threadIdx.x;\n}\n"


def scale(x: torch.Tensor) -> torch.Tensor:
    return 2 * x


class FakeZygote:
    """Hands out one session; learner code is `function`."""

    isolate = False

    def __init__(self, session: FakeSession, load: Callable[[int], None] = lambda number: None) -> None:
        self.session = session
        self.loads = 0
        session.load = self._load  # type: ignore[attr-defined]
        self._on_load = load

    def _load(self, *_: object) -> None:
        self.loads += 1
        self._on_load(self.loads)

    def spawn_worker(self) -> FakeZygote:
        return self

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *_: object) -> None: ...


class Grader:
    """``grade`` with everything outside grader.checks replaced."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        self.patch = monkeypatch
        self.files = tmp_path / "exercises" / "00_scale"
        self.files.mkdir(parents=True)
        (self.files / "spec.py").write_text(SPEC)
        (self.files / "kernel.cu").write_text(WRITTEN)
        (self.files / "op.py").write_text("def scale(x): ...\n")
        section = Section("index", "kernel.cu", "compute the index", 2)
        self.exercise: Exercise = fake_exercise(
            self.files, slug="00_scale", number=0, sections={"index": section}
        )
        self.stages: list[str] = []
        self.built: Callable[..., Artifact] = lambda request, verbose: Artifact(
            "muladd", "torch_library", Path("x.so"), "simt", True, 0.5, False, Path("log")
        )

    def __call__(
        self,
        function: Callable[..., Any] = scale,
        *,
        until: str = "",
        verbose: bool = False,
        load: Callable[[int], None] = lambda number: None,
        **fake: Any,
    ) -> Verdict:
        self.zygote = FakeZygote(FakeSession(function, **fake), load)
        session = self.zygote.session
        self.patch.setattr(FakeSession, "__enter__", lambda self: self, raising=False)
        self.patch.setattr(FakeSession, "__exit__", lambda self, *_: None, raising=False)
        self.patch.setattr(self.zygote, "spawn_worker", lambda: session)
        self.patch.setattr(grading.Zygote, "start", lambda *_, **__: self.zygote)
        self.patch.setattr(building, "build", lambda request, verbose, **_: self.built(request, verbose))
        self.patch.setattr(building, "audit_library", lambda *_: None)
        return grading.grade(
            self.exercise, self.files, backend="simt", seed=5, progress=self.stages.append, until=until,
            verbose=verbose,
        )  # fmt: skip


@pytest.fixture
def grader(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Grader:
    return Grader(monkeypatch, tmp_path)


def statuses(verdict: Verdict) -> dict[str, str]:
    return {check.name: check.status.value for check in verdict.checks}


def named(verdict: Verdict, name: str) -> CheckResult:
    return next(check for check in verdict.checks if check.name == name)


def test_a_right_submission(grader: Grader) -> None:
    verdict = grader()
    assert statuses(verdict) == {
        "build": "pass",
        "correctness": "pass",
        "gradient": "pass",
        "safety": "pass",
        "device_work": "pass",
        "performance": "unavailable",
    }
    assert (verdict.earned, verdict.out_of, verdict.passed) == (80, 80, True)
    checks = ["correctness", "gradient", "safety", "device_work", "performance"]
    assert grader.stages == ["audit", "build", "audit", "load", *checks]
    assert (verdict.seed, verdict.backend, verdict.exercise) == (5, "simt", "00_scale")
    assert Verdict.from_json(verdict.to_json()) == verdict


def test_without_a_gradient_its_points_leave_the_denominator(grader: Grader) -> None:
    (grader.files / "spec.py").write_text(SPEC.partition("GRADIENT")[0])
    verdict = grader()
    assert "gradient" not in statuses(verdict)
    assert (verdict.earned, verdict.out_of) == (60, 60)


def test_nothing_is_judged_after_the_check_that_was_asked_for(grader: Grader) -> None:
    assert list(statuses(grader(until="gradient"))) == ["build", "correctness", "gradient"]
    assert list(statuses(grader(until="build"))) == ["build"]


def test_the_seed_decides_the_inputs(grader: Grader) -> None:
    drawn: list[list[float]] = []

    def remembering(x: torch.Tensor) -> torch.Tensor:
        drawn.append(x.detach().reshape(-1)[:3].tolist())
        return 2 * x

    grader(remembering)
    first, drawn = drawn, []
    grader(remembering)
    assert first == drawn


def test_a_wrong_answer_costs_correctness_and_keeps_the_rest(grader: Grader) -> None:
    verdict = grader(lambda x: 2 * x if x.dtype == torch.float64 else 3 * x)
    assert statuses(verdict)["correctness"] == "fail"
    assert statuses(verdict)["device_work"] == "pass"
    assert statuses(verdict)["gradient"] == "pass"
    assert (verdict.earned, verdict.out_of) == (40, 80)


def test_an_untouched_stub_is_not_built(grader: Grader) -> None:
    (grader.files / "kernel.cu").write_text(STUB)
    verdict = grader()
    assert verdict.status is Status.NOT_ATTEMPTED
    todo = named(verdict, "todo")
    assert todo.sentence == "Not started: begin with TODO(index) in kernel.cu, line 2."
    assert todo.lines == ("kernel.cu:2: TODO(index): compute the index",)
    assert grader.stages == []
    assert (verdict.earned, verdict.out_of) == (0, 100)


def test_open_todos_are_named_and_what_there_is_is_judged(grader: Grader) -> None:
    sections = {**grader.exercise.sections, "forward": Section("forward", "op.py", "call the op", 1)}
    grader.exercise = replace(grader.exercise, sections=sections)
    master = "def scale(x):\n    # --8<-- [start:forward]\n    return 1\n    # --8<-- [end:forward]\n"
    (grader.files / "op.py").write_text(render_stub(master, ".py", {"forward": sections["forward"]}))

    def todo(x: torch.Tensor) -> None:
        raise NotImplementedError("TODO(forward)")

    verdict = grader(todo)
    assert (
        named(verdict, "todo").sentence == "One TODO is still open: next is TODO(forward) in op.py, line 2."
    )
    assert statuses(verdict)["build"] == "pass"
    assert statuses(verdict)["correctness"] == "not_attempted"


def test_a_missing_file_is_named_with_the_way_to_get_it_back(grader: Grader) -> None:
    (grader.files / "op.py").unlink()
    verdict = grader()
    build = named(verdict, "build")
    assert build.status is Status.BUILD_ERROR
    assert build.sentence == (
        "op.py is missing. The exercise needs kernel.cu and op.py. Get a fresh one with: grader reset 00"
    )  # and no folder: a class is graded in one that only the machine knows


def test_compiler_text_is_shown_and_nothing_else_judged(grader: Grader) -> None:
    def fails(request: object, verbose: bool) -> Artifact:
        lines = "\n".join(f"{grader.files}/kernel.cu:{number}: error" for number in range(60))
        raise BuildFailed("kernel.cu does not compile.", diagnostics=lines, log="everything")

    grader.built = fails
    verdict = grader()
    build = named(verdict, "build")
    assert build.status is Status.BUILD_ERROR
    assert build.sentence == "kernel.cu does not compile."
    assert len(build.lines) == 41
    assert build.lines[0] == "kernel.cu:0: error"
    assert build.lines[-1] == "... 20 more lines: grader check --verbose shows them"
    assert set(statuses(verdict).values()) == {"build_error"}
    assert (verdict.earned, verdict.out_of) == (0, 100)


def test_nothing_that_a_learner_wrote_steers_a_terminal() -> None:
    """Compilers quote `#error` as it is, the audit what was included, a finding its line."""
    said = "x\x1b]52;c;ZXZpbA==\x07"
    finding = ReportedFinding("race", said, file="kernel.cu", line=1, source=said)
    outcome = Outcome(
        Status.FAIL, said, case=said, input=said, expected=said, got=said, findings=(finding,), lines=(said,)
    )
    result = outcome.scored("build", 0, 0.0, "")
    assert "\\u001b" not in json.dumps(asdict(result)) and "\\u0007" not in json.dumps(asdict(result))
    assert result.sentence == result.findings[0].source == result.lines[0] == "x\ufffd]52;c;ZXZpbA==\ufffd"


def test_a_missing_compiler_is_no_zero(grader: Grader) -> None:
    def fails(request: object, verbose: bool) -> Artifact:
        raise ToolchainError("There is no C++ compiler.", "Building needs one.", "Run: apt install g++")

    grader.built = fails
    verdict = grader()
    assert verdict.status is Status.INFRA_ERROR
    assert verdict.exit_code == 3
    assert verdict.out_of == 0
    assert verdict.checks[0].sentence.endswith("Run: apt install g++")
    assert {check.sentence for check in verdict.checks[1:]} == {"Not judged: this machine failed."}


@pytest.mark.parametrize(
    ("error", "status", "part"),
    [
        (
            LoadFailed(RemoteError("ImportError", "no module named x", "op.py:3")),
            "build_error",
            "ImportError at op.py:3",
        ),
        (
            LoadFailed(RemoteError("NotImplementedError", "TODO(load): load it", "op.py:3")),
            "not_attempted",
            "TODO(load)",
        ),
        (WorkerCrashed("loading", signal="SIGSEGV"), "crash", "SIGSEGV while loading"),
        (WorkerTimeout("loading", 60), "timeout", "60 s"),
    ],
)
def test_faults_while_loading(grader: Grader, error: BaseException, status: str, part: str) -> None:
    def fails(number: int) -> None:
        raise error

    verdict = grader(load=fails)
    assert statuses(verdict)["build"] == status
    assert part in named(verdict, "build").sentence
    assert "correctness" in statuses(verdict)
    assert verdict.earned == 0


@pytest.mark.parametrize(
    ("error", "status", "part"),
    [
        (
            WorkerCrashed("calling `scale`", signal="SIGSEGV"),
            "crash",
            'SIGSEGV while calling `scale` (case "gradient")',
        ),
        (WorkerTimeout("calling `scale`", 30), "timeout", 'after 30 s and was stopped (case "gradient")'),
        (ProtocolViolation("shrank its memory", "calling"), "fail", "shrank its memory"),
        (OutputFlood("calling `scale`", 64 << 20), "crash", "printed more than 64 MiB"),
    ],
)
def test_a_fault_in_one_check_costs_that_check(
    grader: Grader, error: BaseException, status: str, part: str
) -> None:
    verdict = grader(raises=lambda stage, number: error if number == 2 else None)
    assert statuses(verdict) == {
        "build": "pass",
        "correctness": "pass",
        "gradient": status,
        "safety": "pass",
        "device_work": "pass",
        "performance": "unavailable",
    }
    assert part in named(verdict, "gradient").sentence
    assert (verdict.earned, verdict.out_of) == (60, 80)


def test_a_crash_on_bad_input_says_that_it_had_to_be_refused() -> None:
    refusal = Refusal("x is float64", [replace(tensor(4, "float64"), name="x")], mentions=["x"])
    bench = fake_bench(FakeSession(scale), scale, [], refusals=[refusal], parameters="x")
    bench.current_case = refusal.name
    outcome = ended_badly(WorkerCrashed("calling `scale`", signal="SIGSEGV"), bench)
    assert '(bad input, to be refused: "x is float64")' in outcome.sentence
    assert outcome.topic == "refusals"


def test_a_hang_is_waited_for_once_by_correctness_and_once_by_gradient(grader: Grader) -> None:
    verdict = grader(raises=lambda stage, number: WorkerTimeout("calling `scale`", 30))
    assert statuses(verdict) == {
        "build": "pass",
        "correctness": "timeout",
        "gradient": "timeout",
        "safety": "fail",
        "device_work": "fail",
        "performance": "unavailable",
    }
    assert grader.zygote.session.log == ["call", "call"]


def test_after_a_sticky_error_the_next_check_gets_a_fresh_worker(grader: Grader) -> None:
    def dies_once(trace: Trace, stage: str, schedule: str) -> Trace:
        first = len(grader.zygote.session.log) == 1
        return replace(trace, sticky_error="cudaErrorIllegalAddress") if first else trace

    verdict = grader(edit_trace=dies_once)
    assert statuses(verdict)["correctness"] == "fail"
    assert statuses(verdict)["gradient"] == "pass"
    assert grader.zygote.loads == 2


@pytest.mark.parametrize(
    ("failure", "kills", "status"),
    [
        (WorkerCrashed("calling `f`", signal="SIGKILL"), 1, "pass"),
        (WorkerCrashed("calling `f`", signal="SIGKILL"), 2, "crash"),
        (ProtocolViolation(NO_ZYGOTE, "calling `f`"), 1, "pass"),
        (ProtocolViolation(NO_ZYGOTE, "calling `f`"), 2, "fail"),
        (WorkerCrashed("calling `f`", signal="SIGSEGV"), 1, "crash"),
        (ProtocolViolation("closed its connection", "calling `f`"), 1, "fail"),
    ],
)
def test_a_kill_from_outside_costs_nothing_and_a_second_one_is_the_submissions(
    grader: Grader, failure: SubmissionError, kills: int, status: str
) -> None:
    left = [failure] * kills

    def killed(trace: Trace, stage: str, schedule: str) -> Trace:
        if left:
            raise left.pop()
        return trace

    verdict = grader(edit_trace=killed)
    assert statuses(verdict)["correctness"] == status
    assert statuses(verdict)["gradient"] == "pass"


def test_a_kill_while_loading_costs_nothing_either(grader: Grader) -> None:
    def load(number: int) -> None:
        if number == 1:
            raise WorkerCrashed("loading", signal="SIGKILL")

    assert statuses(grader(load=load))["build"] == "pass"


def test_what_was_printed_is_shown_with_a_failure(grader: Grader) -> None:
    text = "\n".join(f"i = {number}" for number in range(30))
    verdict = grader(lambda x: 3 * x, edit_reply=lambda reply: replace(reply, printed=text))
    lines = named(verdict, "correctness").lines
    assert "It printed:" in lines
    assert "    i = 19" in lines
    assert "    i = 20" not in lines
    assert lines[-1] == "  ... and 40 more lines"


def test_what_was_printed_in_a_check_that_passes_is_shown_where_all_is_asked_for(grader: Grader) -> None:
    text = "\n".join(f"i = {number}" for number in range(30))
    first = "in scale(x: float32 (300,)):"
    told = ("It printed:", f"  {first}", *(f"    {line}" for line in text.splitlines()))
    for verbose in (False, True):
        verdict = grader(edit_reply=lambda reply: replace(reply, printed=text), verbose=verbose)
        correctness = named(verdict, "correctness")
        assert correctness.status is Status.PASS
        assert correctness.lines[: len(told)] == (told if verbose else ())


def crashed_in_the_second_call(grader: Grader, earlier: str, last: str) -> CheckResult:
    failure = WorkerCrashed("calling `scale`", signal="SIGABRT")
    failure.printed = f"{last}\nFatal Python error: Aborted\n  File worker.py"
    verdict = grader(
        edit_reply=lambda reply: replace(reply, printed=earlier),
        raises=lambda stage, number: failure if number == 1 else None,
    )
    return named(verdict, "correctness")


def test_what_the_crashing_call_printed_follows_what_the_others_did(grader: Grader) -> None:
    failed = "binding.cpp:4: launch: Assertion `n > 300' failed."
    crashed = crashed_in_the_second_call(grader, "n = 300", f"n = 35\npython: {failed}")
    assert crashed.status is Status.CRASH
    assert failed in crashed.sentence
    assert crashed.lines == (
        "It printed:",
        "  in scale(x: float32 (300,)):",
        "    n = 300",
        "  in scale(x: float32 (5, 7)):",
        "    n = 35",
        f"    python: {failed}",
    )


def test_before_a_crash_the_last_lines_count(grader: Grader) -> None:
    many = "\n".join(f"i = {number}" for number in range(30))
    lines = crashed_in_the_second_call(grader, many, f"{many}\nthe end").lines
    assert lines[1:4] == ("  ... 42 lines before", "  in scale(x: float32 (5, 7)):", "    i = 12")
    assert lines[-1] == "    the end"
    assert len(lines) == 22


def test_each_call_that_prints_is_named() -> None:
    bench = fake_bench(FakeSession(scale), scale, [])
    reply = Reply(outputs=(), printed="i = 0")
    for text in ("scale(x: float32 (4,))",) * 2 + ("The backward of scale(x: float32 (4,))",):
        bench.calls.append(Call("forward", "", text, reply))
    assert list(printed(bench, 0)) == [
        "It printed:",
        "  in scale(x: float32 (4,)):",
        "    i = 0",
        "  in scale(x: float32 (4,)), again:",
        "    i = 0",
        "  in the backward of scale(x: float32 (4,)):",
        "    i = 0",
    ]
    assert list(printed(bench, 2, lost="gone"))[-2:] == ["  in a call without a reply:", "    gone"]


def test_a_broken_spec_is_not_the_submissions_fault(grader: Grader) -> None:
    (grader.files / "spec.py").write_text("ENTRY = 3")
    with pytest.raises(BrokenSpec):
        grader()


def test_the_lesson_is_named_with_its_anchor_where_it_has_one(grader: Grader) -> None:
    lesson = grader.exercise.lesson_path
    lesson.parent.mkdir(parents=True)
    lesson.write_text("# Scale\n\n## Check every value {#values}\n")
    assert named(grader(lambda x: 3 * x), "correctness").lesson == "docs/lessons/00_scale.md#values"
    assert named(grader(lambda x: x + "a"), "correctness").lesson == "docs/lessons/00_scale.md"
    assert named(grader(), "correctness").lesson == ""


def test_the_digest_follows_the_files(grader: Grader) -> None:
    before = grader().digest
    assert grader().digest == before
    (grader.files / "kernel.cu").write_text(WRITTEN + "// a comment\n")
    assert grader().digest != before


CHOICE = 'QUESTIONS = [Choice("edge", "What comes?", {"a": "zero", "b": "one"}, think="Look up.")]\n'


def with_a_question(grader: Grader, answer: str) -> None:
    """A choice for 20 points, whose right answer is a."""
    spec = SPEC.replace("import Case,", "import Case, Choice,") + CHOICE
    (grader.files / "spec.py").write_text(spec)
    (grader.files / "answers.toml").write_text(answer)
    (grader.files / "answers.key").write_text(f'edge = "{digest("00_scale", "edge", "a")}"\n')
    scores = {"correctness": 80, "answers": 20}
    edit = (*grader.exercise.edit, "answers.toml")
    grader.exercise = replace(grader.exercise, scores=scores, edit=edit)


def test_answers_are_judged_although_nothing_builds(grader: Grader) -> None:
    def built(request: object, verbose: bool) -> Artifact:
        raise BuildFailed("muladd does not compile.", diagnostics="kernel.cu:3: error")

    with_a_question(grader, 'edge = "a"\n')
    grader.built = built
    verdict = grader()
    assert statuses(verdict) == {"build": "build_error", "correctness": "build_error", "answers": "pass"}
    assert verdict.earned == 20


def test_answers_are_judged_although_nothing_loads(grader: Grader) -> None:
    def load(number: int) -> None:
        raise LoadFailed(RemoteError("ImportError", "no module", "op.py:3"))

    with_a_question(grader, 'edge = "b"\n')
    verdict = grader(load=load)
    assert statuses(verdict)["answers"] == "fail"
    assert named(verdict, "answers").lines == ('edge = "b" is not right. Look up.',)


def test_questions_are_asked_before_anything_is_written(grader: Grader) -> None:
    (grader.files / "kernel.cu").write_text(STUB)
    with_a_question(grader, 'edge = ""\n')
    verdict = grader()
    assert statuses(verdict) == {
        "todo": "not_attempted",
        "correctness": "not_attempted",
        "answers": "not_attempted",
    }
    assert named(verdict, "answers").sentence == "1 question is open. The answers go into answers.toml."
