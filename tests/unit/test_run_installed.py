"""Importing an installed package in a process that has torch already: it is told what a new Python would say.

The extension modules here are empty files: finding one comes before opening it.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = """
import json, sys
from pathlib import Path
import torch
from grader.run.inside.installed import open_package
folder = Path(sys.argv[1])
sources = {path.relative_to(folder).as_posix(): path.read_text() for path in folder.rglob("*.py")}
for path in folder.rglob("*.py"):
    path.write_text("raise RuntimeError('what lies there was read')")
said = []
for number in range(int(sys.argv[2])):
    before = dict(sys.modules)
    try:
        said.append(str(open_package(f"pack{number}", folder, sources).value))
    except ImportError as error:
        said.append(str(error))
    assert sys.modules["torch"] is torch, "there is one torch"
    assert torch.__spec__.origin, "and it is as it was"
    assert all(sys.modules[name] is before[name] for name in before if name.startswith("torch"))
print(json.dumps(said))
"""
NO_TORCH = "libc10.so: cannot open shared object file"
CASES = [
    ("import torch\nvalue = torch.tensor(3).item()", "3"),
    ("from torch import nn\nimport torch\nvalue = nn is torch.nn", "True"),
    ("import torch.nn.functional as F\nimport torch\nvalue = F is torch.nn.functional", "True"),
    ("value = 1", "1"),
    ("from . import _C", NO_TORCH),
    ("from . import _C\nimport torch", NO_TORCH),
    ("import torch\nfrom . import _C", "_C.so: file too short"),
    ("from torch.autograd.function import once_differentiable\nfrom . import _C", "_C.so: file too short"),
    ("import os, shutil\nvalue = (os.environ['PATH'], shutil.which('c++'))", "('', None)"),
    ("import torch  # and not _C", "no operators are registered: nothing imports pack9._C"),
    ("", "the wheel holds no pack10/__init__.py"),
]


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """What importing each case says, all in one process: torch takes a second to import."""
    folder = tmp_path_factory.mktemp("installed")
    for number, (text, _) in enumerate(CASES):
        package = folder / f"pack{number}"
        package.mkdir()
        if text:
            (package / "__init__.py").write_text(f"{text}\n")
            (folder / f"pack{number}.so").write_text("")  # which Python passes over for the package
        if "_C" in text:
            (package / "_C.so").write_text("")
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(folder), str(len(CASES))], capture_output=True, text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)}, timeout=600,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found: list[str] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize("number", range(len(CASES)))
def test_torch_is_there_once_it_is_imported(answers: list[str], number: int) -> None:
    assert CASES[number][1] in answers[number]
