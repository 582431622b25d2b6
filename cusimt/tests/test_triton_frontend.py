"""What Triton's compiler says of launches that its interpreter ran, each in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from cusimt.triton import lacking

pytestmark = [
    pytest.mark.slow("compiles kernels with Triton"),
    pytest.mark.skipif(bool(lacking()), reason=lacking() or "Triton is there"),
]
ROOT = Path(__file__).resolve().parents[2]

KERNELS = """
import triton
import triton.language as tl


@triton.jit
def twice(x):
    return x + x


@triton.jit
def grows(x, out, n, BLOCK: tl.constexpr):
    total = 0.0
    for first in range(0, n, BLOCK):
        at = first + tl.arange(0, BLOCK)
        total += twice(tl.load(x + at, mask=at < n, other=0))
    tl.store(out + tl.arange(0, BLOCK), total)


@triton.autotune(configs=[triton.Config({"BLOCK": 8}, num_warps=2)], key=["n"])
@triton.jit
def converted(x, out, n, scale: "tl.constexpr", BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(x + at, mask=at < n) * scale / n.to(tl.float32), mask=at < n)


@triton.jit
def until_small(x, out, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    value = tl.load(x + at)
    while value > 1:
        value = value / 2
    tl.store(out + at, value)
"""
LAUNCHED = """
import sys
import torch
from kernels import converted, grows
from cusimt.triton import specialisations

x = torch.ones(64, device="cuda")
for n in (64, 40, 48, 1):
    converted[(1,)](x[:n], torch.empty_like(x[:n]), n, 2.5)
print(*specialisations.taken(), sep="\\n")
grows[(1,)](x, torch.empty_like(x), 64, BLOCK=8, num_warps=2)
print(*specialisations.taken(), sep="\\n")
"""
COMPILED = """
import sys
import triton
import kernels as of_the_interpreter
from cusimt.triton import frontend

before = triton.jit
frontend.import_compiler()
del sys.modules["kernels"]
import kernels

assert sys.modules["triton"].jit is not before
compiler = frontend.Frontend([kernels])
for text in sys.stdin:
    print(compiler.refusal(text), flush=True)
"""


def ran(folder: Path, program: list[str], text: str = "", **environment: str) -> list[str]:
    given = {**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{folder}", **environment}
    given.pop("PYTHONUNBUFFERED", None)
    done = subprocess.run(
        [sys.executable, *program], cwd=folder, env=given, input=text, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.fixture(scope="module")
def launched(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    folder = tmp_path_factory.mktemp("frontend")
    (folder / "kernels.py").write_text(KERNELS)
    (folder / "launched.py").write_text(LAUNCHED)
    return folder, ran(folder, ["-m", "cusimt", "launched.py"])


def refusals(folder: Path, texts: list[str]) -> list[str]:
    (folder / "compiled.py").write_text(COMPILED)
    return ran(folder, ["compiled.py"], "\n".join(texts) + "\n", TRITON_INTERPRET="1")


def test_a_specialisation_is_what_triton_compiles_for(launched: tuple[Path, list[str]]) -> None:
    texts = [json.loads(each) for each in launched[1] if each.startswith("{")]
    numbers = [each["arguments"][2] for each in texts if each["kernel"] == "converted"]
    assert len(numbers) == 3 and numbers[0] % 16 == 0 and numbers[1] % 16 and numbers[2] == 1
    first = texts[0]
    assert first["arguments"][0] == {"aligned": True, "tensor": "torch.float32"}
    assert first["arguments"][3] == 2.5 and first["keywords"]["BLOCK"] == 8


def test_the_compiler_refuses_with_the_line_of_the_kernel(launched: tuple[Path, list[str]]) -> None:
    folder, printed = launched
    texts = [each for each in printed if each.startswith("{")]
    aligned, other, one, grows = refusals(folder, texts)
    assert aligned == other == "None"
    line = KERNELS.splitlines().index("    for first in range(0, n, BLOCK):") + 1
    assert f"file='kernels.py', line={line}" in grows and "Loop-carried variable total" in grows
    assert "constants='BLOCK=8'" in grows
    assert "has no attribute 'to'" in one


def test_what_the_compiler_only_prints_is_a_refusal_without_a_text(launched: tuple[Path, list[str]]) -> None:
    """A loop whose condition is a tile: the interpreter would never leave it."""
    tile = {"tensor": "torch.float32", "aligned": True}
    launch = {"kernel": "until_small", "file": "kernels.py", "arguments": [tile, tile, 8], "keywords": {}}
    *_, said = refusals(launched[0], [json.dumps(launch)])
    assert "text=''" in said and "kernel='until_small'" in said


def test_a_kernel_that_the_file_lacks_is_not_compiled(launched: tuple[Path, list[str]]) -> None:
    text = json.dumps({"kernel": "other", "file": "kernels.py", "arguments": [], "keywords": {}})
    assert "kernels.py has no kernel of this name" in refusals(launched[0], [text])[0]
