"""What lesson 25 says of Triton's compiler and of its interpreter holds for the release that is installed."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from cusimt.triton import lacking

ROOT = Path(__file__).resolve().parents[2]
SAMPLES = ROOT / "docs" / "samples" / "triton"
LESSON = (ROOT / "docs" / "lessons" / "25_triton.md").read_text()
pytestmark = pytest.mark.skipif(bool(lacking()), reason=lacking() or "Triton is there")

COMPILED = """
from kernel import backward_kernel, forward_kernel
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource, compile

CONSTANTS = {"eps": 1e-5, "BLOCK": 64, "ROWS": 4}
SUMS = ("sums",)
TENSORS = ("x", "weight", "bias", "out", "grad_out", "grad_x")
for dtype in ("fp16", "bf16", "fp32", "fp64"):
    wide = "fp64" if dtype == "fp64" else "fp32"
    for kernel in (forward_kernel.fn, backward_kernel.fn):
        kinds = {name: "constexpr" for name in CONSTANTS}
        kinds |= {name: f"*{dtype}" for name in TENSORS} | {name: f"*{wide}" for name in SUMS}
        signature = {name: kinds.get(name, "i32") for name in kernel.arg_names}
        made = compile(ASTSource(kernel, signature, CONSTANTS), target=GPUTarget("cuda", 90, 32))
        print(made.metadata.name, dtype, "cubin" in made.asm)
"""
SAMPLES_COMPILED = """
import importlib.util, re, sys
from pathlib import Path
import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource, compile

INTEGERS = ("n", "rows", "columns", "count")
CONSTANTS = {"ROWS": 1, "BLOCK": 4096, "COLUMNS": 1024, "TILE": 32, "SUMS": True, "eps": 1e-5}
for path in sorted(Path(sys.argv[1]).glob("*/kernel.py")):
    recipe = importlib.util.spec_from_file_location(f"kernels_of_{path.parent.name}", path)
    module = importlib.util.module_from_spec(recipe)
    recipe.loader.exec_module(module)
    for name, kernel in vars(module).items():
        if not name.endswith("_kernel"):
            continue
        tuned = hasattr(kernel, "configs")
        configs, function = (kernel.configs, kernel.fn) if tuned else ([triton.Config({})], kernel)
        for config in configs:
            values = {**CONSTANTS, **config.kwargs}
            constants = {each.name: values[each.name] for each in function.params if each.is_constexpr}
            kinds = {each: "constexpr" for each in constants} | {each: "i32" for each in INTEGERS}
            signature = {each: kinds.get(each, "*fp32") for each in function.arg_names}
            aligned = {
                (place,): [["tt.divisibility", 16]]
                for place, each in enumerate(function.arg_names) if each not in constants
            }
            source = ASTSource(function, signature, constants, aligned)
            options = {"num_warps": config.num_warps}
            made = compile(source, target=GPUTarget("cuda", 90, 32), options=options)
            print(name, "cubin" in made.asm, "ld.global.v4.b32" in made.asm["ptx"])
"""
INTERPRETED = """
import torch
import triton
import triton.language as tl

@triton.jit
def product(x, out):
    at = 4 * tl.arange(0, 4)[:, None] + tl.arange(0, 4)[None, :]
    tile = tl.load(x + at)
    tl.store(out + at, tl.dot(tile, tile))

@triton.jit
def lanes(x, out):
    at = tl.arange(0, 4)
    asm = "mov.u32 $0, %laneid;"
    tl.store(out + at, tl.inline_asm_elementwise(asm, "=r,r", [tl.load(x + at)], tl.int32, True, 1))

x = torch.eye(4, device="cuda")
out = torch.empty_like(x)
product[(1,)](x, out)
print(torch.equal(x, out))
try:
    lanes[(1,)](x, out)
except NotImplementedError as error:
    print(error)
"""


def printed(arguments: list[str], folder: Path, cache: Path) -> str:
    environment = {**os.environ, "TRITON_CACHE_DIR": str(cache), "PYTHONPATH": str(ROOT)}
    for name in ("TRITON_INTERPRET", "PYTHONUNBUFFERED"):  # buffered, as where nobody has set anything
        environment.pop(name, None)
    done = subprocess.run(
        [sys.executable, *arguments], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow("compiles kernels with Triton")
def test_the_compiler_answers_what_the_lesson_shows(tmp_path: Path) -> None:
    said = printed([str(SAMPLES / "cannot_say.py")], ROOT, tmp_path)
    assert said == (SAMPLES / "cannot_say.txt").read_text()
    assert said.count(" compiles\n") == 4


@pytest.mark.slow("compiles kernels with Triton")
def test_the_compiler_takes_the_solution(tmp_path: Path) -> None:
    """By the interpreter it passes everywhere; only the compiler says that a GPU can run it."""
    said = printed(["-c", COMPILED], ROOT / "solutions" / "25_triton", tmp_path)
    assert said.count("True") == 8


@pytest.mark.slow("compiles kernels with Triton")
def test_the_compiler_takes_every_kernel_that_is_compared_and_loads_16_bytes_at_once(tmp_path: Path) -> None:
    lines = printed(["-c", SAMPLES_COMPILED, str(SAMPLES)], ROOT, tmp_path).splitlines()
    kernels = {line.split()[0] for line in lines}
    assert len(kernels) == 12 and all(line.endswith(" True True") for line in lines), lines


def test_the_interpreter_takes_and_refuses_what_the_lesson_says(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(INTERPRETED)
    said = printed(["-m", "cusimt", "program.py"], tmp_path, tmp_path)
    assert said.splitlines()[:2] == ["True", "inline_asm not supported in interpreter mode"]


def test_the_lesson_counts_the_lines_of_both_solutions() -> None:
    files = {
        "17_layer_norm": ("kernel.cu", "binding.cpp", "op.py"),
        "25_triton": ("kernel.py", "op.py"),
    }
    counts = [_lines(ROOT / "solutions" / slug / name) for slug, names in files.items() for name in names]
    sentence = LESSON.partition("without blank lines and comments")[2].partition("What is missing")[0]
    numbers = [int(number) for number in re.findall(r"\b(\d{2,3})(?: lines)? of\s`", sentence)]
    assert numbers == counts


def _lines(file: Path) -> int:
    lines = (line.strip() for line in file.read_text().splitlines())
    return sum(1 for line in lines if line and not line.startswith(("//", "#")))


def test_the_first_kernel_multiplies_its_rows() -> None:
    """On the simulated device, which also checks every access."""
    command = [sys.executable, "-m", "cusimt", str(SAMPLES / "first_kernel.py")]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "CU2GRAD_BACKEND": "simt"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "largest difference: 0.0" in done.stdout
