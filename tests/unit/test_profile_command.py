"""`grader profile`: which case it runs, what it refuses, and what comes back for a real submission."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from cusimt.profile.model import Memory
from grader.checks import build as building
from grader.checks.device.counted_case import Counted, choose, run_counted, tensor_names
from grader.checks.outcome import Outcome
from grader.cli import main
from grader.run import zygote_handle
from grader.run.values import Output, RemoteError, Reply, TensorAddress, Trace
from grader.specification import Case, Gradient, Spec, tensor
from grader.support.errors import SubmissionError, UsageError
from grader.verdict import Status
from tests.unit.fake_submission import FakeSession, fake_exercise

Command = Callable[..., int]
ROOT = Path(__file__).resolve().parents[2]


def muladd(a: torch.Tensor, b: torch.Tensor, c: float) -> torch.Tensor:
    return a * b + c


def spec_with(cases: list[Case], gradient: Gradient | None = None, **more: Any) -> Spec:
    return Spec(Path("spec.py"), "muladd", muladd, ("a", "b", "c"), tuple(cases), gradient=gradient, **more)


def case(name: str, elements: int, dtype: str = "float32", **more: Any) -> Case:
    return Case(name, [tensor(elements, dtype, name=letter, **more) for letter in "ab"] + [1.0])


# ---- which case --------------------------------------------------------------------------------------------


def test_the_case_is_the_specs_own_or_the_largest_plain_one() -> None:
    cases = [case("small", 8), case("large", 1 << 20, special="large"), case("plain", 300), case("one", 1)]
    assert choose(spec_with(cases), fake_exercise(), None).name == "plain"
    own = case("to profile", 4096)
    assert choose(spec_with(cases, profile=own), fake_exercise(), None) is own


def test_a_case_is_chosen_by_name_from_all_there_are() -> None:
    spec = spec_with([case("small", 8)], Gradient([case("float64", 9, "float64")]))
    assert choose(spec, fake_exercise(), "float64").name == "float64"
    with pytest.raises(UsageError) as caught:
        choose(spec, fake_exercise(), "tiny")
    assert caught.value.what == '03_muladd has no case "tiny".'
    assert caught.value.rule == 'Its cases are "small", "float64".'
    assert caught.value.next == 'Run: grader profile 03 --case "small"'


# ---- one run -----------------------------------------------------------------------------------------------


def counting(trace: Trace, stage: str, schedule: str) -> Trace:
    return replace(trace, counts=({"stage": stage},))


def run(session: FakeSession, gradient: Gradient | None = None) -> Counted:
    only = case("only", 16)
    spec = spec_with([only], gradient, traffic=lambda a, b, c: 3 * a.numel() * a.element_size())
    return run_counted(session, spec, fake_exercise(), only, 7)  # type: ignore[arg-type]


def test_forward_and_backward_run_once() -> None:
    session = FakeSession(muladd, edit_trace=counting)
    counted = run(session, Gradient())
    assert session.log == ["call", "backward"]
    assert counted.call == "muladd(a: float32 (16,), b: float32 (16,), 1.0)"
    assert counted.traffic == 3 * 16 * 4  # at the case's own dtype
    assert counted.forward.trace.counts == ({"stage": "call"},)
    assert counted.backward is not None
    assert [each.name for each in counted.backward.outputs] == ["a", "b"]
    assert session.released == [1]


def test_without_a_gradient_there_is_no_backward() -> None:
    session = FakeSession(muladd, edit_trace=counting)
    assert run(session).backward is None
    assert session.log == ["call"]


def failing(stage: str, error: RemoteError) -> Callable[[Reply], Reply]:
    return lambda reply: replace(reply, error=error) if reply.trace.counts[0]["stage"] == stage else reply


def test_what_is_written_so_far_can_be_profiled() -> None:
    todo = RemoteError("NotImplementedError", "TODO(backward): the gradients", "op.py:9")
    session = FakeSession(muladd, edit_trace=counting, edit_reply=failing("backward", todo))
    assert run(session, Gradient()).backward is None


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({}, "muladd(a: float32 (16,), b: float32 (16,), 1.0) launched no kernel."),
        (
            {"edit_reply": failing("call", RemoteError("RuntimeError", "no", "op.py:3")),
             "edit_trace": counting},
            "muladd(a: float32 (16,), b: float32 (16,), 1.0) raised RuntimeError at op.py:3: no",
        ),
        (
            {"edit_reply": failing("backward", RemoteError("ValueError", "bad")), "edit_trace": counting},
            "The backward of muladd(a: float32 (16,), b: float32 (16,), 1.0) raised ValueError: bad",
        ),
        (
            {"edit_trace": lambda trace, *_: replace(trace, sticky_error="cudaErrorLaunchTimeout")},
            "muladd(a: float32 (16,), b: float32 (16,), 1.0): a kernel failed with cudaErrorLaunchTimeout.",
        ),
    ],
)  # fmt: skip
def test_what_cannot_be_profiled_is_a_sentence(options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(SubmissionError) as caught:
        run(FakeSession(muladd, **options), Gradient())
    assert caught.value.what == sentence
    assert caught.value.rule and "grader check 03" in caught.value.next


def test_tensors_are_called_as_in_the_learners_code() -> None:
    found = [("a", 1), ("cotangent 0", 2), ("output 0", 3), ("output 1", 2)]
    placed = tuple(TensorAddress(name, base, 4) for name, base in found)
    gradients = (Output("tensor", name="a"), Output("tensor", name="b"))
    reply = Reply(gradients, trace=Trace(placed=placed))
    assert {base: memory.name for base, memory in tensor_names(reply, backward=True).items()} == {
        1: "a",
        2: "grad_out",  # what is handed through keeps the name that it came with
        3: "grad_a",
    }
    only = Reply(gradients[:1], trace=Trace(placed=(TensorAddress("the output", 4, 8),)))
    assert tensor_names(only, backward=True) == {4: Memory("grad_a", 8)}
    assert tensor_names(only) == {4: Memory("the output", 8)}


# ---- the command -------------------------------------------------------------------------------------------


@pytest.fixture
def grader(monkeypatch: pytest.MonkeyPatch, toy_course: Path) -> Command:
    monkeypatch.chdir(toy_course)
    monkeypatch.delenv("CU2GRAD_BACKEND", raising=False)

    def command(*arguments: str) -> int:
        monkeypatch.setattr(sys, "argv", ["grader", *arguments])
        return main()

    return command


def test_an_unknown_exercise_is_refused_as_everywhere(
    grader: Command, capsys: pytest.CaptureFixture[str]
) -> None:
    assert grader("check", "77") == 2
    expected = capsys.readouterr().err
    assert grader("profile", "77") == 2
    assert capsys.readouterr().err == expected
    assert "There is no exercise '77'" in expected


@pytest.mark.parametrize("option", [True, False])
def test_on_cuda_it_names_the_tool(
    grader: Command, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, option: bool
) -> None:
    if not option:
        monkeypatch.setenv("CU2GRAD_BACKEND", "cuda")
    assert grader("profile", "00", *(["--backend", "cuda"] if option else [])) == 2
    said = capsys.readouterr().err
    assert "simt backend, not on cuda" in said and "Nsight Compute is the tool: ncu" in said


def test_nothing_written_and_no_solutions(
    grader: Command, capsys: pytest.CaptureFixture[str], toy_course: Path
) -> None:
    assert grader("profile", "00") == 1
    assert "Not started: begin with TODO(" in capsys.readouterr().err
    for folder in (toy_course / "solutions").iterdir():
        folder.rename(toy_course / folder.name)
    assert grader("profile", "00", "--from", "solutions") == 2
    assert "Profile your own files: grader profile 00" in capsys.readouterr().err


def test_a_page_that_cannot_be_written_is_refused_before_anything_is_built(
    grader: Command, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def built(*_: object) -> None:
        raise AssertionError("it was profiled")

    monkeypatch.setattr("grader.cli.profile.take_profile", built)
    for place, advice in (("exercises", "exercises/profile.html"), ("nowhere/page.html", "page.html")):
        assert grader("profile", "00", "--from", "solutions", "--html", place) == 2
        printed = capsys.readouterr().err
        assert f"{place} cannot be written" in printed and printed.endswith(f"for example: {advice}\n")


class NoZygote:
    @classmethod
    @contextmanager
    def start(cls, backend: str) -> Iterator[None]:
        assert backend == "simt"
        yield


def test_what_does_not_compile_is_told_with_the_compilers_words(
    grader: Command, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    refused = Outcome(Status.BUILD_ERROR, "negate does not compile.", lines=("kernel.cu:7: error: no x",))
    monkeypatch.setattr(zygote_handle, "Zygote", NoZygote)
    monkeypatch.setattr(building, "compile_submission", lambda *_, **__: refused)
    assert grader("profile", "00", "--from", "solutions") == 1
    said = capsys.readouterr().err.splitlines()
    assert said[:2] == ["negate does not compile.", "kernel.cu:7: error: no x"]
    assert said[-1] == "Run: grader check 00"


@pytest.mark.slow("counts a whole exercise")
def test_the_naive_matmul_from_end_to_end(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """One block of 8 x 32 results with k = 16: what each number has to be can be worked out by hand."""
    arguments = ["06", "--from", "solutions", "--case", "one full block", "--json"]
    page = tmp_path / "page.html"
    monkeypatch.setattr(
        sys, "argv", ["grader", "profile", *arguments, "--course", str(ROOT), "--html", str(page)]
    )
    assert main() == 0
    document = json.loads(capsys.readouterr().out)
    forward, backward = document["stages"]
    (launch,) = forward["launches"]
    assert launch["kernel"] == "matmul_kernel<float>"
    assert (launch["grid"], launch["block"]) == ([1, 1, 1], [32, 8, 1])
    assert launch["occupancy"]["blocks"] == 8
    counts = {(line["memory"], line["access"]): line for line in launch["lines"]}
    a, b, out = counts["a", "load"], counts["b", "load"], counts["the output", "store"]
    assert [(each["requests"], each["sectors"]) for each in (a, b, out)] == [(128, 128), (128, 512), (8, 32)]
    assert a["lanes"] == 128 * 32
    assert "a[row * k + i] * b[i * n + column]" in a["source"] == b["source"]
    assert launch["moved_bytes"] == (128 + 512 + 32) * 32
    assert launch["least_bytes"] == forward["traffic_bytes"] == (8 * 16 + 16 * 32 + 8 * 32) * 4
    assert forward["allocations"] == forward["launched"] == 1
    assert [each["kernel"] for each in backward["launches"]] == ["matmul_kernel<float>"] * 2
    assert backward["launches"][0]["lines"][-1]["memory"] == "grad_a"
    assert page.read_text().count("<svg") == 9  # three accesses in each of three launches
