"""Several operations in one exercise: each is judged on its own, for points of its own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from grader.checks import build as building
from grader.checks import grading
from grader.checks.bench import Call
from grader.checks.repairs.parts import seen_on_the_way
from grader.checks.results import as_told_before
from grader.compilation import Artifact
from grader.course.catalog import Exercise, Section
from grader.course.workspace import shipped_files
from grader.run.failures import WorkerCrashed
from grader.run.values import Reply, Trace
from grader.verdict import CheckResult, ReportedFinding, Status, Verdict
from tests.unit.fake_submission import FakeSession, fake_bench, fake_exercise

SPEC = """
from grader.specification import Case, Gradient, Part, tensor

def twice(x):
    return 2 * x

def less(x, factor):
    return x * factor

PARTS = [
    Part("twice", "an even number", entry="twice", reference=twice,
         cases=[Case("one", [tensor(30)]), Case("odd", [tensor((5, 7))])],
         gradient=Gradient(cases=[Case("gradient", [tensor((3, 2), "float64")])])),
    Part("less", "a smaller number", entry="less", reference=less, sections=("less_a", "less_b"),
         cases=[Case("one", [tensor(8), 0.5])]),
]
PROFILE = Case("large", [tensor(4096)])
"""
SOLUTION = "".join(
    f"def {name}():\n    # --8<-- [start:{name}]\n    return 1\n    # --8<-- [end:{name}]\n\n\n"
    for name in ("twice", "less_a", "less_b")
)
RIGHT: dict[str, Callable[..., torch.Tensor]] = {
    "twice": lambda x: 2 * x,
    "less": lambda x, factor: x * factor,
}


class ManyEntries(FakeSession):
    """A fake session in which every entry has its own function."""

    def __init__(self, functions: dict[str, Callable[..., Any]], **fake: Any) -> None:
        super().__init__(lambda: None, **fake)
        self.functions = functions

    def call(self, entry: str, args: Any, **options: Any) -> Any:
        self.function = self.functions[entry]
        return super().call(entry, args, **options)


class FakeZygote:
    isolate = False

    def __init__(self, session: FakeSession) -> None:
        self.session = session
        session.load = lambda *_: None  # type: ignore[attr-defined]

    def spawn_worker(self) -> Any:
        return self.session

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *_: object) -> None: ...


@pytest.fixture
def exercise(tmp_path: Path) -> Exercise:
    root = tmp_path / "exercises" / "00_parts"
    sections = {
        name: Section(name, "op.py", "repair", 1, "return 0", max_changed=1)
        for name in ("twice", "less_a", "less_b")
    }
    made = fake_exercise(
        root, slug="00_parts", number=0, kind="fix", edit=("op.py",), given=("kernel.cu",), sections=sections,
        scores={"parts": 81, "answers": 19}, elsewhere=0,
    )  # fmt: skip
    for folder in (root, made.solution_dir):
        folder.mkdir(parents=True)
    (made.solution_dir / "op.py").write_text(SOLUTION)
    (made.solution_dir / "kernel.cu").write_text("__global__ void twice() {}\n")
    (root / "spec.py").write_text(SPEC)
    for path, text in shipped_files(made).items():
        path.write_text(text)
    return replace(made, scores={"parts": 81})


def repair(exercise: Exercise, *names: str, by: str = "    return 1") -> None:
    path = exercise.root / "op.py"
    text = path.read_text()
    for name in names:
        open_lines = f"    # TODO({name}): repair, about 1 line.\n    return 0"
        assert open_lines in text
        text = text.replace(open_lines, by)
    path.write_text(text)


@pytest.fixture
def judge(exercise: Exercise, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Verdict]:
    artifact = Artifact("muladd", "torch_library", Path("x.so"), "simt", True, 0.5, False, Path("log"))
    monkeypatch.setattr(FakeSession, "__enter__", lambda self: self, raising=False)
    monkeypatch.setattr(FakeSession, "__exit__", lambda self, *_: None, raising=False)
    monkeypatch.setattr(building, "build", lambda request, verbose, **_: artifact)
    monkeypatch.setattr(building, "audit_library", lambda *_: None)

    def run(
        functions: dict[str, Callable[..., Any]] = RIGHT, changed: Exercise | None = None, **fake: Any
    ) -> Verdict:
        zygote = FakeZygote(ManyEntries(functions, **fake))
        monkeypatch.setattr(grading.Zygote, "start", lambda *_, **__: zygote)
        return grading.grade(changed or exercise, exercise.root, backend="simt", seed=5)

    return run


def results(verdict: Verdict) -> dict[str, CheckResult]:
    return {check.name: check for check in verdict.checks}


def test_every_part_has_its_result_and_its_points(exercise: Exercise, judge: Callable[..., Verdict]) -> None:
    repair(exercise, "twice", "less_a", "less_b")
    verdict = judge()
    assert [(check.name, check.points, check.out_of) for check in verdict.checks] == [
        ("build", 0, 0),
        ("twice", 41, 41),
        ("less", 40, 40),
    ]
    assert verdict.passed
    twice = results(verdict)["twice"].sentence
    assert twice.startswith("An even number: 2 cases right, gradients as well, and ")


def test_a_wrong_part_costs_its_own_points(exercise: Exercise, judge: Callable[..., Verdict]) -> None:
    repair(exercise, "twice", "less_a", "less_b")
    verdict = judge({**RIGHT, "twice": lambda x: 3 * x})
    assert (verdict.status, verdict.earned) == (Status.FAIL, 40)
    assert "twice(x: float32 (30,)) returned" in results(verdict)["twice"].sentence


def test_a_crash_costs_the_part_it_happened_in(exercise: Exercise, judge: Callable[..., Verdict]) -> None:
    repair(exercise, "twice", "less_a", "less_b")
    verdict = judge(
        raises=lambda stage, number: WorkerCrashed("calling", signal="SIGSEGV") if number == 0 else None
    )
    assert results(verdict)["twice"].status is Status.CRASH
    assert 'case "one"' in results(verdict)["twice"].sentence
    assert results(verdict)["less"].points == 40


def test_an_open_part_shows_what_is_wrong_with_it(exercise: Exercise, judge: Callable[..., Verdict]) -> None:
    repair(exercise, "less_a", "less_b")
    verdict = judge({**RIGHT, "twice": lambda x: x.clone()})
    twice = results(verdict)["twice"]
    assert (twice.status, twice.points) == (Status.NOT_ATTEMPTED, 0)
    assert twice.sentence.startswith("Not repaired yet. twice(x: float32 (30,)) returned")
    assert (verdict.status, verdict.earned) == (Status.NOT_ATTEMPTED, 40)


def test_an_open_part_that_ends_the_process_is_not_attempted_either(
    exercise: Exercise, judge: Callable[..., Verdict]
) -> None:
    """On a GPU, host code that follows a device pointer gets SIGSEGV; simt reports it and goes on."""
    repair(exercise, "less_a", "less_b")
    verdict = judge(
        raises=lambda stage, number: WorkerCrashed("calling", signal="SIGSEGV") if number == 0 else None
    )
    twice = results(verdict)["twice"]
    assert twice.status is Status.NOT_ATTEMPTED
    assert twice.sentence.startswith("Not repaired yet. The submission crashed with SIGSEGV")
    assert (verdict.status, verdict.earned) == (Status.NOT_ATTEMPTED, 40)


def test_a_part_is_attempted_once_one_of_its_sections_is(
    exercise: Exercise, judge: Callable[..., Verdict]
) -> None:
    repair(exercise, "less_b")
    checks = results(judge({**RIGHT, "twice": lambda x: x, "less": lambda x, factor: x}))
    assert checks["todo"].sentence.startswith("2 TODOs are still open")
    assert checks["less"].status is Status.FAIL
    assert checks["twice"].status is Status.NOT_ATTEMPTED


def test_a_repair_next_to_its_todo_counts_and_closes_it(
    exercise: Exercise, judge: Callable[..., Verdict]
) -> None:
    repair(exercise, "less_a", "less_b")
    checks = results(judge())
    assert checks["twice"].status is Status.PASS, "its lines are as they were, but it is right"
    assert "todo" not in checks


def test_only_the_todos_of_parts_that_are_wrong_stay_open(
    exercise: Exercise, judge: Callable[..., Verdict]
) -> None:
    checks = results(judge({**RIGHT, "twice": lambda x: x}))
    assert checks["todo"].sentence.startswith("One TODO is still open: next is TODO(twice)")
    assert [line.split()[1] for line in checks["todo"].lines] == ["TODO(twice):"]
    assert checks["less"].status is Status.PASS


def test_the_stub_is_judged_to_show_the_symptoms(judge: Callable[..., Verdict]) -> None:
    verdict = judge({"twice": lambda x: x, "less": lambda x, factor: x / factor})
    assert (verdict.status, verdict.earned) == (Status.NOT_ATTEMPTED, 0)
    assert results(verdict)["less"].sentence.startswith("Not repaired yet. less(x: float32 (8,), 0.5)")


def test_a_part_that_is_written_anew_fails_alone(exercise: Exercise, judge: Callable[..., Verdict]) -> None:
    repair(exercise, "twice", by="    y = 1\n    z = y\n    return z")
    repair(exercise, "less_a", "less_b")
    checks = results(judge())
    assert checks["twice"].sentence.startswith("3 lines of TODO(twice) in op.py are changed")
    assert checks["less"].status is Status.PASS


def test_changes_elsewhere_leave_nothing_to_be_judged(
    exercise: Exercise, judge: Callable[..., Verdict]
) -> None:
    repair(exercise, "twice", "less_a", "less_b")
    path = exercise.root / "op.py"
    path.write_text(path.read_text().replace("def twice():", "def twice(x):"))
    verdict = judge()
    assert [check.name for check in verdict.checks] == ["changes", "parts"]
    assert (verdict.status, verdict.earned, verdict.out_of) == (Status.FAIL, 0, 81)


def test_what_was_seen_on_the_device_is_the_cause_of_wrong_values(
    exercise: Exercise, judge: Callable[..., Verdict]
) -> None:
    repair(exercise, "twice", "less_a", "less_b")
    raw = {"kind": "out_of_bounds", "space": "global", "access": "read", "size": 4, "count": 1}

    def edit(trace: Trace, stage: str, schedule: str) -> Trace:
        return replace(trace, findings=(raw,))

    twice = results(judge({**RIGHT, "twice": lambda x: 3 * x}, edit_trace=edit))["twice"]
    assert [finding.kind for finding in twice.findings] == ["out_of_bounds"]
    assert twice.sentence.startswith("Invalid __global__ read")
    assert "The values are wrong, too: twice(x: float32 (30,)) returned" in twice.sentence
    assert "Every element is" not in twice.sentence  # no guess beside a finding


@pytest.mark.parametrize(("stage", "refuses"), [("refusal", True), ("forward", False)])
def test_what_only_bad_input_brings_about_is_to_be_refused(stage: str, refuses: bool) -> None:
    bench = fake_bench(FakeSession(lambda x: x), lambda x: x, [], parameters="x")
    foreign = {"kind": "out_of_bounds", "access": "read", "bytes": 4, "note": "memory of another device"}
    bench.calls.append(Call(stage, "c", "f(x)", Reply(trace=Trace(findings=(foreign,)))))
    (line,) = seen_on_the_way(bench)
    assert ("Refuse bad input before a kernel runs" in line) is refuses
    assert ("CUDAGuard" in line) is not refuses


def test_a_part_whose_work_a_library_did_is_told_so(
    exercise: Exercise, judge: Callable[..., Verdict]
) -> None:
    repair(exercise, "twice", "less_a", "less_b")

    def edit(trace: Trace, stage: str, schedule: str) -> Trace:
        return replace(trace, launches=(), launches_total=0, operators=("aten::empty_like", "aten::sum.dim"))

    wrong = {**RIGHT, "twice": lambda x: 3 * x}
    checks = results(judge(wrong, edit_trace=edit))
    assert checks["twice"].sentence.startswith(
        "No kernel of yours was launched: aten::sum did the work. twice(x: float32 (30,)) returned"
    )
    assert checks["less"].sentence.startswith("less(x: float32 (8,), 0.5) launched no kernel.")  # said once
    assert "No kernel of yours" not in results(judge(wrong))["twice"].sentence


def test_a_part_to_write_is_not_judged_before_it_is_begun(
    exercise: Exercise, judge: Callable[..., Verdict]
) -> None:
    to_write = replace(
        exercise,
        kind="write",
        elsewhere=None,
        sections={name: replace(section, max_changed=None) for name, section in exercise.sections.items()},
    )
    assert [check.name for check in judge(changed=to_write).checks] == ["todo", "parts"]
    repair(exercise, "less_a")
    checks = results(judge(changed=to_write))
    assert checks["twice"].status is Status.NOT_ATTEMPTED
    assert checks["twice"].sentence == "Not started: begin with TODO(twice) in op.py, line 2."
    assert checks["less"].status is Status.PASS  # one of its sections is enough to begin
    checks = results(judge({**RIGHT, "less": lambda x, factor: x / factor}, changed=to_write))
    assert checks["less"].status is Status.NOT_ATTEMPTED
    assert checks["less"].sentence.startswith("TODO(less_b) in op.py, line 11, is still open. less(x: ")


SHUFFLE = ReportedFinding("absent_lane", "Undefined value", file="kernel.cu", line=18)
RACE = ReportedFinding("race_shared", "A race", file="kernel.cu", line=30)


def failed(name: str, *findings: ReportedFinding, status: Status = Status.FAIL) -> CheckResult:
    return CheckResult(name, status, "what was seen", findings=findings, lines=("a line",))


def test_a_part_that_fails_by_the_finding_of_an_earlier_one_refers_to_it() -> None:
    told = as_told_before(failed("vector", SHUFFLE), [failed("by_blocks", SHUFFLE, RACE)])
    assert told.sentence == "kernel.cu:18: the finding of by blocks, above. Repair that first."
    assert (told.status, told.findings, told.lines) == (Status.FAIL, (), ())


@pytest.mark.parametrize(
    ("part", "before"),
    [
        (failed("vector", SHUFFLE, RACE), failed("blocks", SHUFFLE)),  # it has one of its own
        (failed("vector", SHUFFLE), failed("blocks", SHUFFLE, status=Status.PASS)),
        (failed("vector", SHUFFLE), failed("blocks", replace(SHUFFLE, line=19))),
        (failed("vector"), failed("blocks", SHUFFLE)),
    ],
)
def test_a_part_with_a_failure_of_its_own_tells_it(part: CheckResult, before: CheckResult) -> None:
    assert as_told_before(part, [before]) == part
