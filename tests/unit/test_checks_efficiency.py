"""The efficiency check: counts against limits, and what is not counted at all."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from cusimt.counters import LaunchCounts, LineCounts
from cusimt.tests.unit.handmade_profile import X, launched, line
from grader.checks.device import efficiency
from grader.checks.outcome import Outcome
from grader.run.values import RemoteError, Reply, TensorAddress, Trace
from grader.specification import Case, Gradient, Part, load_spec, tensor
from grader.specification.efficiency import Efficiency, Limit
from grader.support.errors import BrokenSpec
from grader.verdict import Status
from tests.unit.fake_submission import FakeSession, fake_bench, fake_exercise

CASE = Case("64 elements", [replace(tensor(64), name="a")])


# ---- the check ---------------------------------------------------------------------------------------------


def counts(lines: Sequence[LineCounts], kernel: str = "copy") -> LaunchCounts:
    made = launched(lines).counts
    return replace(made, launch=replace(made.launch, kernel=kernel))


def judged(
    monkeypatch: pytest.MonkeyPatch, limits: Sequence[Limit], launches: Sequence[LaunchCounts], *,
    function: Callable[..., Any] = torch.Tensor.clone, backend: str = "simt",
    edit: Callable[[Trace], Trace] = lambda trace: trace, session: FakeSession | None = None,
    known: dict[str, Outcome] | None = None, shared_bytes: int = 0, part: Part | None = None,
) -> Outcome:  # fmt: skip
    """What the check says when the counted call made `launches`."""
    monkeypatch.setattr(efficiency, "symbolise", lambda raw, quote: list(raw))

    def counting(trace: Trace, stage: str, schedule: str) -> Trace:
        counted = replace(trace, counts=tuple(launches), placed=(TensorAddress("a", X, 4),))  # type: ignore[arg-type]
        return edit(replace(counted, launches_total=len(launches)))

    session = session or FakeSession(function, edit_trace=counting)
    given = (Efficiency(CASE, limits, shared_bytes=shared_bytes),)
    bench = fake_bench(
        session, torch.Tensor.clone, [CASE], parameters=["a"], backend=backend, efficiency=given, part=part
    )
    bench.outcomes.update(known or {})
    return efficiency.check(bench)


def good() -> list[LaunchCounts]:
    return [counts([line(lambda lane: 4 * lane), line(lambda lane: 4 * lane, 3, access="store")])]


def bad() -> list[LaunchCounts]:
    return [counts([line(lambda lane: 4 * lane), line(lambda lane: 128 * lane, 3, access="store")])]


LIMITS = [
    Limit("global_load_sectors", lambda a: a.numel() * 50 // 8),
    Limit("global_store_sectors", lambda a: a.numel() * 50 // 8, share=3, rule="Write whole sectors."),
]


def test_within_its_limits_it_passes_with_the_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    outcome = judged(monkeypatch, LIMITS, good())
    assert outcome.status is Status.PASS and outcome.share is None
    assert outcome.sentence == (
        "Within all limits: muladd(a: float32 (64,)) takes 400 sectors read from global memory and 400 "
        "sectors written to global memory."
    )


def test_of_many_counts_it_says_how_many_are_within_their_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    outcome = judged(monkeypatch, [*LIMITS, *LIMITS, LIMITS[0]], good())
    assert outcome.status is Status.PASS
    assert outcome.sentence == "All 5 counts are within their limits."


def test_a_limit_that_is_exceeded_costs_its_share_and_names_the_line(monkeypatch: pytest.MonkeyPatch) -> None:
    outcome = judged(monkeypatch, LIMITS, bad())
    assert outcome.status is Status.FAIL and outcome.share == 1 / 4
    assert outcome.sentence == (
        "kernel.cu:3: Writes a with a stride of 32 elements: 32 sectors a request where 4 would do; "
        "neighbouring threads should write neighbouring elements. In all, muladd(a: float32 (64,)) comes to "
        "3,200 sectors written to global memory, where 400 would do. Write whole sectors."
    )
    (finding,) = outcome.findings
    assert (finding.kind, finding.where) == ("global_store_sectors", "kernel.cu:3")
    assert (outcome.case, outcome.topic) == ("64 elements", "global_store_sectors")
    assert outcome.expected == "at most 400 sectors written to global memory"
    assert outcome.got == "3,200 sectors written to global memory"
    assert outcome.lines == (
        "✓ 400 sectors read from global memory, at most 400 in muladd(a: float32 (64,))",
        "✗ 3,200 sectors written to global memory, at most 400 in muladd(a: float32 (64,))",
        'The counts of every line: grader profile 03 --case "64 elements"',
    )


def test_a_limit_on_one_tensor_says_how_often_it_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a, 8 sectors; what else is read, and in how many launches, makes no difference."""
    again, other = line(lambda lane: 4 * lane, 2), line(lambda lane: 4 * lane, 3)
    other = replace(other, sample=replace(other.sample, allocation=X + 1))
    both = [counts([line(lambda lane: 4 * lane), other]), counts([again])]
    enough = Limit("global_load_sectors", 400, of="a")
    assert judged(monkeypatch, [enough], both[:1]).sentence == (
        "Within all limits: muladd(a: float32 (64,)) takes 400 sectors of a read from global memory."
    )
    outcome = judged(monkeypatch, [enough], both)
    assert outcome.status is Status.FAIL and outcome.got == "800 sectors of a read from global memory"
    assert outcome.sentence.startswith(
        "kernel.cu:4: Reads a: 400 sectors of 800; a is read 100 times, in lines 2 and 4."
    )


def test_a_limit_may_be_the_least(monkeypatch: pytest.MonkeyPatch) -> None:
    limit = Limit("tensor_multiply_adds", least=lambda a: 64 * a.numel(), rule="Multiply fragments.")
    enough, too_few = (
        [replace(each, tensor_multiply_adds=made) for each in good()] for made in (64 * 64, 64 * 64 - 1)
    )
    assert judged(monkeypatch, [limit], enough).sentence == (
        "Within all limits: muladd(a: float32 (64,)) takes 4,096 multiply-adds on tensor cores."
    )
    outcome = judged(monkeypatch, [limit], too_few)
    assert (outcome.status, outcome.share) == (Status.FAIL, 0)
    assert "to 4,095 multiply-adds on tensor cores, where 4,096 are needed. Multiply" in outcome.sentence
    assert outcome.expected == "at least 4,096 multiply-adds on tensor cores"
    assert outcome.lines[0].startswith("✗ 4,095 multiply-adds on tensor cores, at least 4,096 in")


@pytest.mark.parametrize(("device", "status"), [("h200", Status.FAIL), ("t4", Status.UNAVAILABLE)])
def test_limits_for_large_tiles_count_where_a_block_can_have_them(
    monkeypatch: pytest.MonkeyPatch, device: str, status: Status
) -> None:
    monkeypatch.setenv("CUSIMT_DEVICE", device)
    limits = [Limit("global_load_sectors", 0)]
    assert judged(monkeypatch, limits, good(), shared_bytes=80 * 1024).status is status
    assert judged(monkeypatch, limits, good(), shared_bytes=64 * 1024).status is Status.FAIL


def test_a_limit_is_a_whole_number(monkeypatch: pytest.MonkeyPatch) -> None:
    limits = [Limit("global_store_sectors", 400.9), Limit("global_load_sectors", least=399.1)]
    outcome = judged(monkeypatch, limits, bad())
    assert outcome.expected == "at most 400 sectors written to global memory"
    assert outcome.lines[1].startswith("✓ 400 sectors read from global memory, at least 400 in")


def test_only_the_learners_launches_count(monkeypatch: pytest.MonkeyPatch) -> None:
    library = counts([line(lambda lane: 4 * lane)], "void at::native::copy_kernel")
    assert judged(monkeypatch, LIMITS, [*good(), library]).status is Status.PASS
    assert judged(monkeypatch, LIMITS, [*good(), *good()]).status is Status.FAIL


def test_without_a_simulated_gpu_nothing_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    outcome = judged(monkeypatch, LIMITS, bad(), backend="cuda")
    assert outcome.status is Status.UNAVAILABLE
    assert "simulated GPU counts" in outcome.sentence and "grader check 03 --backend simt" in outcome.sentence


@pytest.mark.parametrize(
    ("changes", "part"),
    [
        ({"function": lambda a: a + 1}, "muladd(a: float32 (64,)) returned"),
        ({"function": lambda a: a[:, None]}, "has shape (64, 1), expected (64,)"),
        ({"function": lambda a: a.no}, "raised AttributeError at op.py:7"),
        ({"edit": lambda trace: replace(trace, sticky_error="cudaErrorLaunchTimeout")}, "LaunchTimeout"),
        ({"edit": lambda trace: replace(trace, launches_total=501)}, "501 kernels, of which 1 were"),
        (
            {"edit": lambda trace: replace(trace, writers=({"library": 256},))},
            "all of the result was last written by a library operator",
        ),
        ({"edit": lambda trace: replace(trace, launches=())}, "launched no kernel"),
    ],
)  # fmt: skip
def test_work_that_is_wrong_or_not_the_kernels_is_not_counted(
    monkeypatch: pytest.MonkeyPatch, changes: dict[str, Any], part: str
) -> None:
    outcome = judged(monkeypatch, LIMITS, good(), **changes)
    assert outcome.status is Status.FAIL and outcome.share is None
    assert part in outcome.sentence


TOPICS = {"the call waits for the device": "synchronisation", "forward raised an error": "errors"}


@pytest.mark.parametrize(
    ("check", "changes", "said"),
    [
        ("correctness", {"function": lambda a: a + 1}, "the cost of a wrong answer means nothing"),
        (
            "device_work",
            {"edit": lambda trace: replace(trace, launches=())},
            "only your own kernels are counted",
        ),
        ("device_work", {}, "the call waits for the device"),
        ("correctness", {}, "forward raised an error"),
    ],
)
def test_what_another_check_has_said_is_not_said_again(
    monkeypatch: pytest.MonkeyPatch, check: str, changes: dict[str, Any], said: str
) -> None:
    topic = "" if said.startswith(("the cost", "only")) else TOPICS[said]
    known = {check: Outcome(Status.FAIL, "It is wrong.", topic=topic)}
    assert judged(monkeypatch, LIMITS, good(), known=known, **changes).sentence == f"Not judged: {said}."


def test_an_error_in_a_part_may_be_forwards_or_backwards(monkeypatch: pytest.MonkeyPatch) -> None:
    columns = Part("columns", "sums of columns", "muladd", torch.Tensor.clone, [CASE])
    known = {"columns": Outcome(Status.FAIL, "The backward of sums(x) raised.", topic="errors")}
    outcome = judged(monkeypatch, LIMITS, good(), known=known, part=columns)
    assert outcome.sentence == "Not judged: a call raised an error."


def test_a_line_is_told_once_and_the_total_too(monkeypatch: pytest.MonkeyPatch) -> None:
    column = counts([line(lambda lane: 128 * lane, 1, space="shared")])
    limits = [Limit("bank_conflicts", 0), Limit("shared_load_wavefronts", 100)]
    outcome = judged(monkeypatch, limits, [column])
    assert len(outcome.findings) == 1 and outcome.share == 0
    assert outcome.sentence.count("3,100 bank conflicts") == 1
    assert outcome.sentence.endswith("In muladd(a: float32 (64,)), none is needed.")


def test_an_open_todo_is_work_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    todo = RemoteError("NotImplementedError", "TODO(tile): load it", "op.py:3")

    def open_todo(reply: Reply) -> Reply:
        return replace(reply, error=todo)

    session = FakeSession(torch.Tensor.clone, edit_reply=open_todo)
    assert judged(monkeypatch, LIMITS, good(), session=session).status is Status.NOT_ATTEMPTED


def test_allocations_of_the_call_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    def copying(trace: Trace) -> Trace:
        return replace(trace, allocations=2, operators=("aten::contiguous",))

    limits = [Limit("allocations", 1, rule="Follow the strides."), Limit("launches", 1)]
    outcome = judged(monkeypatch, limits, good(), edit=copying)
    assert outcome.status is Status.FAIL and outcome.share == 1 / 2
    assert outcome.sentence == (
        "aten::contiguous makes a copy. In all, muladd(a: float32 (64,)) comes to 2 allocations of device "
        "memory, where 1 would do. Follow the strides."
    )
    assert outcome.topic == "allocations"
    assert judged(monkeypatch, limits, good()).status is Status.PASS


# ---- backward ----------------------------------------------------------------------------------------------


def test_backward_is_counted_where_a_limit_asks_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(efficiency, "symbolise", lambda raw, quote: list(raw))

    def counting(trace: Trace, stage: str, schedule: str) -> Trace:
        made = good() if stage == "call" else bad()
        placed = (TensorAddress("cotangent 0", X, 4),) if stage == "backward" else ()
        return replace(trace, counts=tuple(made), placed=placed)  # type: ignore[arg-type]

    limits = [*LIMITS, Limit("global_store_sectors", 400, stage="backward")]
    outcomes, sessions = [], []
    for function in (lambda a: a * 1, lambda a: a.detach() * 1 + 0 * a):
        session = FakeSession(function, edit_trace=counting)
        given = (Efficiency(CASE, limits),)
        bench = fake_bench(
            session, lambda a: a * 1, [CASE], parameters=["a"], gradient=Gradient([CASE]), efficiency=given
        )
        outcomes.append(efficiency.check(bench))
        sessions.append(session)
    right, wrong = outcomes
    assert right.share == 4 / 5
    assert right.sentence.startswith("kernel.cu:3: Writes grad_out with a stride of 32 elements")
    assert "In all, the backward of muladd(a: float32 (64,)) comes to 3,200 sectors" in right.sentence
    request = right.findings[0].request
    assert request is not None and request.tensor == "grad_out" and request.addresses[:3] == (0, 128, 256)
    assert sessions[0].log == ["call", "backward"] and sessions[0].released == [1]
    assert wrong.share is None and "the gradient of a is" in wrong.sentence


@pytest.mark.parametrize(("kind", "strides"), [("expanded", (0, 0)), ("transposed", (1, 3))])
def test_backward_gets_the_kind_of_cotangent_that_the_case_asks_for(
    monkeypatch: pytest.MonkeyPatch, kind: Any, strides: tuple[int, int]
) -> None:
    monkeypatch.setattr(efficiency, "symbolise", lambda raw, quote: list(raw))
    case = Case("a matrix", [replace(tensor((3, 4)), name="a")])
    given: list[torch.Tensor] = []
    session = FakeSession(lambda a: a * 1, edit_trace=lambda trace, *_: replace(trace, counts=tuple(good())))  # type: ignore[arg-type]
    backward = session.backward

    def watched(handle: int, cotangents: Sequence[torch.Tensor], **more: Any) -> Reply:
        given.extend(cotangents)
        return backward(handle, cotangents, **more)

    monkeypatch.setattr(session, "backward", watched)
    limits = (Efficiency(case, [Limit("allocations", 0, stage="backward")], cotangent=kind),)
    bench = fake_bench(
        session, lambda a: a * 1, [case], parameters=["a"], gradient=Gradient([case]), efficiency=limits
    )
    assert efficiency.check(bench).status is Status.PASS
    assert [each.stride() for each in given] == [strides]


# ---- the spec ----------------------------------------------------------------------------------------------

SPEC = """
from grader.specification import Case, Efficiency, Limit, tensor
ENTRY = "scale"
def reference(x, factor):
    return x * factor
CASES = [Case("one", [tensor(3), 2.0])]
"""


def test_limits_are_read_and_arguments_named(tmp_path: Path) -> None:
    one = 'Efficiency(Case("many", [tensor(64), 2.0]), [Limit("launches", 1)])'
    for text in (one, f"[{one}]"):
        (tmp_path / "spec.py").write_text(f"{SPEC}EFFICIENCY = {text}")
        (found,) = load_spec(fake_exercise(tmp_path)).efficiency
        assert found.case.args[0].name == "x"  # type: ignore[union-attr]
        assert found.limits[0].metric == "launches"
    for stage, names in (("forward", ("x", "the output")), ("backward", ("x", "grad_out", "grad_x"))):
        for name in names:
            limit = f'Limit("global_sectors", 1, "{stage}", of="{name}")'
            text = f'Efficiency(Case("many", [tensor(64), 2.0]), [{limit}])'
            (tmp_path / "spec.py").write_text(f"{SPEC}EFFICIENCY = {text}")
            assert load_spec(fake_exercise(tmp_path)).efficiency[0].limits[0].of == name


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("3", "EFFICIENCY must hold grader.specification.Efficiency, not int"),
        ("Efficiency('many', [])", "EFFICIENCY must hold grader.specification.Case, not str"),
        ("Efficiency(CASES[0], [])", "EFFICIENCY, 'one', has no limits"),
        (
            "Efficiency(CASES[0], [Limit('launches', 1)], cotangent='sliced')",
            "'sliced' is none of random, ex",
        ),
        ("Efficiency(CASES[0], [3])", "must hold grader.specification.Limit, not int"),
        (
            "Efficiency(CASES[0], [Limit('sectors', 1)])",
            "limits 'sectors', which is none of global_load_requests",
        ),
        ("Efficiency(CASES[0], [Limit('launches', '1')])", "most is neither a number nor a function"),
        ("Efficiency(CASES[0], [Limit('launches', least='1')])", "least is neither a number nor a function"),
        ("Efficiency(CASES[0], [Limit('launches')])", "a limit has either most or least"),
        ("Efficiency(CASES[0], [Limit('launches', 1, least=1)])", "a limit has either most or least"),
        ("Efficiency(CASES[0], [Limit('launches', 1, stage='both')])", "the stage is 'both'"),
        ("Efficiency(CASES[0], [Limit('launches', 1, share=0)])", "every limit earns something"),
        ("Efficiency(CASES[0], [Limit('global_sectors', 1, of='y')])", "tensors are x, the output"),
        ("Efficiency(CASES[0], [Limit('global_sectors', 1, of='grad_x')])", "tensors are x, the output"),
        ("Efficiency(CASES[0], [Limit('global_sectors', 1, of='factor')])", "'factor' is no tensor of this"),
        (
            "Efficiency(CASES[0], [Limit('global_sectors', 1, 'backward', of='grad_factor')])",
            "tensors are x, the output, grad_out, grad_x",
        ),
        ("Efficiency(CASES[0], [Limit('bank_conflicts', 0, of='x')])", "tensors are in global memory"),
        ("Efficiency(Case('n', [1, 2, 3]), [Limit('launches', 1)])", "3 arguments, but reference takes 2"),
    ],
)
def test_limits_that_make_no_sense_are_refused(tmp_path: Path, text: str, part: str) -> None:
    (tmp_path / "spec.py").write_text(f"{SPEC}EFFICIENCY = {text}")
    with pytest.raises(BrokenSpec) as caught:
        load_spec(fake_exercise(tmp_path))
    assert part in str(caught.value)
