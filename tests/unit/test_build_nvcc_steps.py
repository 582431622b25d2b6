"""nvcc's steps taken apart: its own device code, and one object of the host for all edits of a kernel."""

from __future__ import annotations

import re
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from cusimt.support import cache
from cusimt.support.toolchain import cuda_toolkit, torch_install
from grader.compilation import BuildRequest
from grader.compilation.ninja import run
from grader.compilation.quick import nvcc_steps, shortcuts
from grader.compilation.quick import objects as quick_objects
from grader.compilation.quick.sources import host_side
from grader.compilation.steps import OBJECT, step
from grader.course.catalog import Catalog, Exercise
from grader.course.mutants import load_mutants
from grader.support.errors import ToolchainError
from tests.honest.reading import ROOT

EXERCISES = [
    exercise for exercise in Catalog.open(ROOT).exercises
    if "kernel.cu" in exercise.edit and exercise.build.interface != "wheel"
]  # fmt: skip
KERNELS = [exercise.solution_dir / "kernel.cu" for exercise in EXERCISES]
NEEDS_TORCHS_CUDA = re.compile(r"torch/extension|CUDAException|ATen/cuda")
# With c10's headers, which ask for lines themselves, _host_alone keeps them everywhere.
_LINE_MARKER = re.compile(r'^# \d+(?: ".*)?$', re.MULTILINE)
WITHOUT_TORCHS_CUDA = [
    exercise
    for exercise, kernel in zip(EXERCISES, KERNELS, strict=True)
    if not NEEDS_TORCHS_CUDA.search(kernel.read_text())
]
MULADD = ROOT / "solutions/03_fused_muladd/kernel.cu"
FRONT = """\
# 1 "/usr/include/limits.h" 3
# 7
int limit;
# 14 "kernel.cu"
template< class T> static void
# 16
scale(T *x) {return;}
#if 0
# 17
{ x[0] *= 2;
#if 0
inner
#endif
}
#endif
#ifdef SEEN
int seen;
#endif
# 20
int host() { return 20; }
"""


def why_not() -> str:
    try:
        cuda_toolkit()
    except ToolchainError as error:
        return error.what
    return ""


needs_nvcc = pytest.mark.skipif(bool(why_not()), reason=why_not() or "nvcc is here")


def test_the_host_alone_has_no_device_code_and_no_lines_of_its_own() -> None:
    assert nvcc_steps._host_alone(FRONT) == (
        '# 1 "/usr/include/limits.h" 3\n# 7\nint limit;\n# 1 "kernel.cu"\ntemplate< class T> static void\n'
        "scale(T *x) {return;}\n#ifdef SEEN\nint seen;\n#endif\nint host() { return 20; }\n"
    )


@pytest.mark.parametrize("builtin", ["__builtin_LINE", "__builtin_source_location"])
def test_lines_stay_where_the_compiler_is_asked_for_them(builtin: str) -> None:
    asks = f"int line = {builtin}();\n"
    assert "# 14 " in nvcc_steps._host_alone(FRONT + asks)
    assert "inner" not in nvcc_steps._host_alone(FRONT + asks)


@pytest.mark.parametrize("printed", ["", "#$ _NVVM_BRANCH_=nvvm\n#$ gcc -c kernel.cu -o object.o\n"])
def test_a_compiler_with_other_steps_is_left_to_itself(tmp_path: Path, printed: str) -> None:
    compiler = tmp_path / "nvcc"
    compiler.write_text(f"#!/bin/sh\ncat >&2 <<'END'\n{printed}END\n")
    compiler.chmod(0o755)
    assert nvcc_steps.read([str(compiler)], tmp_path, tmp_path / "kernel.cu") is None


def request_for(source: Path, quick: bool) -> BuildRequest:
    interface = "torch_extension" if "torch/extension.h" in source.read_text() else "torch_library"
    return BuildRequest("any", interface, (source,), "cuda", quick=quick)  # type: ignore[arg-type]


def made_quickly(source: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> nvcc_steps.NvccSteps:
    """The steps, after all of them have made an object in `folder`."""
    monkeypatch.setattr(shortcuts, "find", lambda key: None)
    (folder / "ninja").mkdir(parents=True)
    steps = step(request_for(source, True), source).split(folder)
    assert steps is not None
    with ThreadPoolExecutor(1) as beside:
        quick_objects.make({folder / OBJECT: steps}, (), run, folder / "ninja", beside)
    assert (folder / OBJECT).is_file()
    return steps


def assembly(folder: Path) -> str:
    """What ptxas was given."""
    (text,) = (path.read_text() for path in folder.glob("*.ptx"))
    assert ".entry" in text
    return text


@needs_nvcc
@pytest.mark.slow("compiles a solution twice with nvcc")
@pytest.mark.parametrize("kernel", KERNELS, ids=lambda path: path.parent.name)
def test_the_device_code_is_nvccs_own(kernel: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if torch_install().cuda is None and NEEDS_TORCHS_CUDA.search(kernel.read_text()):
        pytest.skip("needs the CUDA headers of torch, which its build for the CPU lacks")
    monkeypatch.setenv("TORCH_CUDA_ARCH_LIST", "9.0")
    (tmp_path / "whole").mkdir()
    command = step(request_for(kernel, False), kernel).prepare(tmp_path / "whole")
    subprocess.run(command, check=True, capture_output=True)
    drawn = (tmp_path / "whole" / f"{kernel.stem}.module_id").read_text()
    monkeypatch.setattr(nvcc_steps, "_module_id", lambda source: drawn)
    made_quickly(kernel, tmp_path / "quick", monkeypatch)
    assert assembly(tmp_path / "quick") == assembly(tmp_path / "whole")


@needs_nvcc
@pytest.mark.slow("compiles a kernel with nvcc's steps")
@pytest.mark.parametrize(
    ("before", "after", "is_kept"),
    [
        ("b[i] + c[i]", "b[i] - c[i]", True),
        ("b[i] + c[i]", "b[i]\n\n + c[i]", True),
        ("#include <cstdint>", "// the first line\n#include <cstdint>", True),
        ("kThreadsPerBlock = 256", "kThreadsPerBlock = 128", False),
        ("if (n == 0) return;", "if (n <= 0) return;", False),
    ],
)
def test_an_edit_of_a_kernel_keeps_the_hosts_object(
    before: str, after: str, is_kept: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TORCH_CUDA_ARCH_LIST", "9.0")
    text, source = MULADD.read_text(), tmp_path / "kernel.cu"
    found, keys = shortcuts.find, []
    for number, content in enumerate((text, text.replace(before, after))):
        source.write_text(content)
        (tmp_path / f"asked-{number}").mkdir()
        steps = step(request_for(source, True), source).split(tmp_path / f"asked-{number}")
        assert steps is not None
        key = shortcuts.key_of(steps, ())
        assert key is not None
        assert (found(key) is not None) is (number == 1 and is_kept)
        keys.append(made_quickly(source, tmp_path / str(number), monkeypatch).host_key())
    assert (keys[0] == keys[1]) is is_kept
    assert cache.holds(keys[0], room="objects") and cache.holds(keys[1], room="objects")


@needs_nvcc
@pytest.mark.slow("reads mistakes in a kernel with nvcc's steps for the host")
@pytest.mark.parametrize("exercise", WITHOUT_TORCHS_CUDA, ids=lambda exercise: exercise.slug)
def test_the_same_hosts_side_is_the_same_code_of_the_host(
    exercise: Exercise, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of what learners get wrong in kernels: what `host_side` calls equal, cudafe++ makes equal."""
    monkeypatch.setenv("TORCH_CUDA_ARCH_LIST", "9.0")
    name = "kernel.cu"
    kernel = (exercise.solution_dir / name).read_text()
    mutants = [each for each in load_mutants(exercise) if each.file == name]
    alike = [each for each in mutants if host_side(each.files()[name]) == host_side(kernel) is not None]
    assert alike
    sources = tmp_path / "sources"
    sources.mkdir()
    codes = set()
    for number, mutant in enumerate((alike[0], alike[len(alike) // 2], alike[-1])):
        mutant.write(sources)
        (tmp_path / str(number)).mkdir()
        steps = step(request_for(sources / name, True), sources / name).split(tmp_path / str(number))
        assert steps is not None
        steps.write_module_id()
        subprocess.run(steps.host, check=True, capture_output=True)
        front = nvcc_steps._host_alone(steps.front.read_text("utf-8", "surrogateescape"))
        codes.add(" ".join(_LINE_MARKER.sub("", front.replace(str(steps.folder), "")).split()))
    assert len(codes) == 1
