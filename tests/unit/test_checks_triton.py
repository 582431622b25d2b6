"""What grading an exercise with kernels in Triton does before anything runs."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError
from pathlib import Path

import pytest

from cusimt.triton import lacking, version
from grader.checks.build import compile_submission
from grader.checks.device.launches import kernels_of
from grader.checks.outcome import Outcome
from grader.compilation import Artifact
from grader.compilation.python_kernels import defined_names, kernel_names
from grader.course.catalog import Catalog
from grader.support.errors import InfrastructureError
from grader.verdict import Status

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
