"""On cuda, what nvcc compiled is read: preprocessed lines, objects and the library. Nothing is run."""

from __future__ import annotations

from pathlib import Path

import pytest

from cusimt.support.toolchain import cuda_toolkit
from grader.checks.build import compile_submission
from grader.checks.outcome import Outcome
from grader.compilation import Artifact
from grader.course.catalog import Catalog
from grader.support.errors import ToolchainError
from tests.honest.reading import ROOT, place_solution

EXERCISE = Catalog.open(ROOT).find("01")  # which needs no torch, so that it links on any machine


def why_not() -> str:
    try:
        cuda_toolkit()
    except ToolchainError as error:
        return error.what
    return ""


pytestmark = [pytest.mark.slow, pytest.mark.skipif(bool(why_not()), reason=why_not() or "nvcc is here")]


def compiled(
    folder: Path, monkeypatch: pytest.MonkeyPatch, code: str, quick: bool = False
) -> Artifact | Outcome:
    """The solution with `code` at the end of its kernels."""
    monkeypatch.setenv("TORCH_CUDA_ARCH_LIST", "8.0 9.0")
    kernel = place_solution(EXERCISE, folder) / "kernel.cu"
    kernel.write_text(f"{kernel.read_text()}{code}\n")
    return compile_submission(EXERCISE, folder, "cuda", "", False, quick=quick)


@pytest.mark.parametrize("quick", [False, True])
def test_the_solution_is_allowed_and_its_lines_were_kept(
    quick: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    artifact = compiled(tmp_path, monkeypatch, "// as it is", quick)
    assert isinstance(artifact, Artifact)
    assert artifact.units is not None
    assert "__attribute__((global)) void vector_add_kernel" in artifact.units.read_text()
    again = compile_submission(EXERCISE, tmp_path, "cuda", "", False, quick=quick)
    assert isinstance(again, Artifact)
    assert again.cached


@pytest.mark.parametrize(
    ("code", "says"),
    [
        (
            "void limit() { cudaDeviceSetLimit(cudaLimitPrintfFifoSize, 1 << 20); }",
            "uses `cudaDeviceSetLimit`, which changes the device for everything that runs after it",
        ),
        (
            "void forget() { cudaCtxResetPersistingL2Cache(); }",
            "uses `cudaCtxResetPersistingL2Cache`, which changes the device",
        ),
        (
            "void hint(cudaStream_t s) { cudaStreamAttrValue v{}; "
            "cudaStreamSetAttribute(s, cudaStreamAttributeAccessPolicyWindow, &v); }",
            "uses `cudaStreamSetAttribute`, which changes a stream that later calls work on",
        ),
        (
            "#define JOIN(a, b) a##b\nextern \"C\" int JOIN(cublas, Create_v2)(void**);",
            "becomes `cublasCreate_v2`, which calls a library instead of your kernel",
        ),
        (
            "#ifdef __CUDA_ARCH__\n#define JOIN(a, b) a##b\n"
            "extern \"C\" __device__ void JOIN(simt_, reset)();\n#endif",
            "becomes `simt_reset`, which belongs to the simulated GPU",
        ),
    ],
)  # fmt: skip
def test_what_reaches_further_is_refused(
    code: str, says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = compiled(tmp_path, monkeypatch, code)
    assert isinstance(found, Outcome)
    assert says in found.sentence
    assert found.sentence.startswith("kernel.cu")
