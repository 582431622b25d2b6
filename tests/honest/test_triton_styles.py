"""Right kernels in Triton, in many styles: the audit has nothing against them, and they are right."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from cusimt.triton import lacking
from grader.audit.triton_source import audit
from tests.honest.reading import ROOT
from tests.honest.triton_styles import SLUG, STYLES, files_of

pytestmark = pytest.mark.skipif(bool(lacking()), reason=lacking() or "Triton is there")
PARTS = 4  # of the styles, each in a process
PROGRAM = """
import importlib, os, sys
import torch
import torch.nn.functional as F
from cusimt.triton import specialisations

for folder in sys.argv[1:]:
    os.chdir(folder)
    sys.path.insert(0, folder)
    for name in ("kernel", "op"):
        sys.modules.pop(name, None)
    importlib.invalidate_caches()
    layer_norm = importlib.import_module("op").layer_norm
    for dtype, rows, columns in ((torch.float32, 5, 100), (torch.float64, 70, 8), (torch.float32, 1, 2100)):
        torch.manual_seed(rows)
        tensors = [torch.randn(rows, columns), torch.rand(columns) + 0.5, torch.randn(columns)]
        given = torch.randn(rows, columns, dtype=dtype)
        leaves = [each.to("cuda", dtype).requires_grad_() for each in tensors]
        out = layer_norm(*leaves, 0.1)
        out.backward(given.cuda())
        wide = [each.to(dtype).requires_grad_() for each in tensors]
        expected = F.layer_norm(wide[0], (columns,), *wide[1:], 0.1)
        expected.backward(given)
        torch.testing.assert_close(out.detach().cpu(), expected.detach())
        for one, other in zip(leaves, wide, strict=True):
            torch.testing.assert_close(one.grad.cpu(), other.grad, rtol=1e-4, atol=1e-4)
    sys.path.remove(folder)
    print("right", os.path.basename(folder), flush=True)
    with open("launched.txt", "w") as file:
        print(*specialisations.taken(), sep="\\n", file=file)
"""
COMPILED = """
import importlib, os, sys
from cusimt.triton import frontend

frontend.import_compiler()
for folder in sys.argv[1:]:
    os.chdir(folder)
    sys.path.insert(0, folder)
    sys.modules.pop("kernel", None)
    importlib.invalidate_caches()
    compiler = frontend.Frontend([importlib.import_module("kernel")])
    texts = open("launched.txt").read().splitlines()
    refusals = [found for text in texts if (found := compiler.refusal(text)) is not None]
    sys.path.remove(folder)
    print("compiled", len(texts) > 0 and refusals, os.path.basename(folder), flush=True)
"""


def test_there_are_many_styles() -> None:
    assert len(STYLES) >= 20


@pytest.mark.parametrize("style", STYLES)
def test_the_audit_has_nothing_against_it(style: str) -> None:
    texts = {name: text.encode() for name, text in files_of(style).items()}
    kernels = {"kernel.py": texts["kernel.py"]}
    found = [
        each.sentence
        for name, text in texts.items()
        for each in audit(text, name, "layer_norm_triton", ["torch.library"], kernels)
    ]
    assert found == []


@pytest.mark.slow("runs styles by Triton's interpreter, and compiles them")
@pytest.mark.parametrize("part", range(PARTS))
def test_they_are_right_and_compile(tmp_path: Path, part: int) -> None:
    """Under the simulated device, one after another; each has the operator's name for itself."""
    folders = []
    for number, style in list(enumerate(STYLES))[part::PARTS]:
        folder = tmp_path / style.replace(" ", "_")
        folder.mkdir()
        folders.append(folder)
        for name, text in files_of(style).items():
            (folder / name).write_text(text.replace("layer_norm_triton::", f"style_{number}::"))
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "CU2GRAD_BACKEND": "simt"}
    done = subprocess.run(
        [sys.executable, "-m", "cusimt", str(program), *map(str, folders)],
        env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    right = [line.removeprefix("right ") for line in done.stdout.splitlines() if line.startswith("right ")]
    assert right == [folder.name for folder in folders]
    done = subprocess.run(
        [sys.executable, "-c", COMPILED, *map(str, folders)],
        env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    said = [line for line in done.stdout.splitlines() if line.startswith("compiled ")]
    assert said == [f"compiled [] {folder.name}" for folder in folders]


def test_the_styles_are_of_the_exercise_in_triton() -> None:
    assert SLUG in {path.name for path in (ROOT / "solutions").iterdir()}
