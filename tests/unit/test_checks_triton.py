"""What grading an exercise with kernels in Triton does before anything runs."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from importlib.metadata import PackageNotFoundError
from pathlib import Path
from typing import Any

import pytest
import torch

from cusimt.triton import lacking, version
from grader.audit import audit_python
from grader.checks.build import compile_submission
from grader.checks.device.launches import kernels_of
from grader.checks.outcome import Outcome
from grader.compilation import Artifact
from grader.compilation.python_kernels import defined_names, kernel_names
from grader.course.catalog import Catalog
from grader.course.stubs import without_markers
from grader.run.values import Reply
from grader.specification import Case, tensor
from grader.support.errors import InfrastructureError
from grader.verdict import Status
from tests.unit.fake_submission import FakeSession, fake_bench

ROOT = Path(__file__).resolve().parents[2]
(EXERCISE,) = (each for each in Catalog.open(ROOT).exercises if each.has_python_kernels)
needs_triton = pytest.mark.skipif(bool(lacking()), reason=lacking() or "Triton is there")


def built(files: Path) -> Artifact | Outcome:
    return compile_submission(EXERCISE, files, "simt", "", verbose=False)


def copied(tmp_path: Path, kernel: str) -> Path:
    (tmp_path / "kernel.py").write_text(kernel)
    (tmp_path / "op.py").write_text((EXERCISE.solution_dir / "op.py").read_text())
    return tmp_path


def test_without_triton_the_machine_is_at_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> str:
        raise PackageNotFoundError(name)

    monkeypatch.setattr(version, "version", missing)
    with pytest.raises(InfrastructureError, match="Triton is not installed") as raised:
        built(EXERCISE.solution_dir)
    assert "triton==3.7.1" in str(raised.value) or "Linux" in str(raised.value)


@needs_triton
def test_the_kernels_are_known_by_name() -> None:
    artifact = built(EXERCISE.solution_dir)
    assert isinstance(artifact, Artifact)
    kernels = kernels_of(artifact)
    assert kernels is not None
    assert "forward_kernel" in kernels and "layer_norm" not in kernels and "sum_kernel" not in kernels


@needs_triton
@pytest.mark.parametrize(
    ("kernel", "said"),
    [
        ("import triton\n", "has no kernel"),
        ("import torch\n", "imports `torch`"),
        ("def f(:\n", "kernel.py"),
    ],
)
def test_a_file_that_is_refused_is_not_loaded(tmp_path: Path, kernel: str, said: str) -> None:
    outcome = built(copied(tmp_path, kernel))
    assert isinstance(outcome, Outcome)
    assert outcome.status in (Status.FAIL, Status.BUILD_ERROR)
    assert said in outcome.sentence


def test_names_of_a_text() -> None:
    text = "@triton.jit\ndef a(x): ...\n\n@jit\ndef b(x): ...\n\n@f\n@triton.jit(debug=True)\ndef c(x): ...\n"
    text += "def d(): ...\nE = 1\nF: int = 2\n"
    assert kernel_names([text]) == ["a", "b", "c"]
    assert defined_names(text) == {"a", "b", "c", "d", "E", "F"}
    assert kernel_names(["def ("]) == []


class Keeping(FakeSession):
    """Keeps the tensors of every request, with whether it was traced."""

    def __init__(self) -> None:
        super().__init__(lambda a: a * a)
        self.seen: list[tuple[bool, list[torch.Tensor]]] = []

    def call(self, entry: str, args: Sequence[Any], **options: Any) -> Reply:
        self.seen.append((options["trace"], [each.tensor for each in args]))
        return super().call(entry, args, **options)

    def backward(self, handle: int, cotangents: Sequence[torch.Tensor | None], **options: Any) -> Reply:
        self.seen.append((options["trace"], [each for each in cotangents if each is not None]))
        return super().backward(handle, cotangents, **options)


def test_what_is_tuned_with_before_a_trace_has_the_same_layout_and_other_values() -> None:
    """Nothing watches that call: a library may not compute there what the traced call then copies."""
    session = Keeping()
    case = Case("sliced", [replace(tensor((3, 8), layout="sliced"), name="a")])
    bench = fake_bench(session, lambda a: a * a, [case], parameters=("a",), backend="cuda")
    bench.exercise = EXERCISE
    inputs = bench.draw(case.args)
    call = bench.forward(case, inputs, requires_grad=("a",))
    assert call.reply.handle is not None
    bench.backward(case, inputs, call.reply.handle, [torch.ones(1).expand(3, 8)], trace=True)
    assert [traced for traced, _ in session.seen] == [False, True, False, True]
    for (_, tuned), (_, watched) in (session.seen[:2], session.seen[2:]):
        for one, other in zip(tuned, watched, strict=True):
            assert (one.shape, one.stride(), one.dtype) == (other.shape, other.stride(), other.dtype)
            assert not torch.equal(one, other)
    assert session.released == [1]


SECTIONS = sorted(EXERCISE.sections)


def with_sections(folder: Path, written: Collection[str]) -> Path:
    """The solution, but for the sections that are not `written`."""
    for name in EXERCISE.edit:
        text = (EXERCISE.solution_dir / name).read_text(encoding="utf-8")
        for section in SECTIONS:
            if section not in written and EXERCISE.sections[section].file == name:
                begin, end = (f"# --8<-- [{word}:{section}]\n" for word in ("start", "end"))
                before, _, rest = text.partition(begin)
                todo = EXERCISE.sections[section].stub or f'raise NotImplementedError("TODO({section})")\n'
                indentation = " " * (len(before) - len(before.rstrip(" ")))
                text = f"{before.rstrip(' ')}{indentation}{todo.strip()}\n{rest.partition(end)[2]}"
        (folder / name).write_text(without_markers(text), encoding="utf-8")
    return folder


@needs_triton
@pytest.mark.parametrize("section", SECTIONS)
def test_an_unfinished_kernel_is_let_through(section: str, tmp_path: Path) -> None:
    """Its sections use names of one another."""
    for written in ([section], [each for each in SECTIONS if each != section]):
        assert audit_python(EXERCISE, with_sections(tmp_path, written)) is None
