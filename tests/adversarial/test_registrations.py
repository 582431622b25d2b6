"""Submissions that may use torch.library, and want a pass from it without the kernel."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from grader.catalog import Catalog
from grader.checks import grade
from grader.verdict import CheckResult, Status

ROOT = Path(__file__).resolve().parents[2]
EXERCISE = Catalog.open(ROOT).find("21")

ON_CUDA = """
library = torch.library.Library("pairwise", "IMPL")
library.impl("sqdist", lambda x, y: (x.unsqueeze(-2) - y.unsqueeze(-3)).square().sum(-1), "CUDA")
"""
ON_AUTOGRAD = """
library = torch.library.Library("pairwise", "IMPL")
library.impl("sqdist", lambda x, y: (x.unsqueeze(-2) - y.unsqueeze(-3)).square().sum(-1), "Autograd")
"""
BY_THE_HOST = """
library = torch.library.Library("pairwise", "FRAGMENT")
library.define("mine(Tensor x, Tensor y) -> Tensor")
library.impl("mine", lambda x, y: torch.cdist(x.cpu(), y.cpu()).square().cuda(), "CUDA")
"""
OTHERS = """
library = torch.library.Library("pairwise", "IMPL")
library.impl("aten::sub.Tensor", lambda x, y: x, "CUDA")
"""


def judged(folder: Path, *edits: tuple[str, str], appended: str = "") -> dict[str, CheckResult]:
    """The solution with some lines of op.py changed."""
    for name in (*EXERCISE.edit, *EXERCISE.given):
        shutil.copyfile(EXERCISE.solution_dir / name, folder / name)
    text = (folder / "op.py").read_text()
    for old, new in edits:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    (folder / "op.py").write_text(text + appended)
    return {check.name: check for check in grade(EXERCISE, folder, backend="simt").checks}


@pytest.mark.parametrize("registration", [ON_CUDA, ON_AUTOGRAD], ids=["CUDA", "Autograd"])
def test_library_operators_behind_an_own_name_are_seen(registration: str, tmp_path: Path) -> None:
    found = judged(tmp_path, appended=registration)["device_work"]
    assert found.status is not Status.PASS
    assert "launched no kernel. aten::sub, aten::pow and aten::sum did the work instead." in found.sentence


def test_the_host_behind_an_own_name_is_seen(tmp_path: Path) -> None:
    found = judged(tmp_path, ("return _ops.sqdist(x, y)", "return _ops.mine(x, y)"), appended=BY_THE_HOST)
    assert found["device_work"].status is not Status.PASS
    assert "launched no kernel" in found["device_work"].sentence


def test_operators_of_pytorch_cannot_be_replaced(tmp_path: Path) -> None:
    found = judged(tmp_path, appended=OTHERS)["build"]
    assert found.status is not Status.PASS
    assert "does not match namespace" in found.sentence


def test_another_function_while_it_is_compiled_is_seen(tmp_path: Path) -> None:
    cheat = "if torch.compiler.is_compiling():\n        return torch.cdist(x, y).square()\n    return "
    found = judged(tmp_path, ("return SqDist.apply", f"{cheat}SqDist.apply"))
    assert found["device_work"].status is Status.PASS
    assert found["dispatcher"].status is not Status.PASS
    assert found["dispatcher"].sentence.startswith("torch.compile: sqdist, compiled, called aten::")


def test_a_rule_for_vmap_that_calls_a_library_is_seen(tmp_path: Path) -> None:
    cheat = "(operator(*batched) if len(args) > 2 else torch.cdist(*batched).square()), 0"
    found = judged(tmp_path, ("return operator(*batched), 0", f"return {cheat}"))
    assert found["device_work"].status is Status.PASS
    assert found["dispatcher"].status is not Status.PASS
    assert found["dispatcher"].sentence.startswith("torch.func: vmap(sqdist, in_dims=(0, None))")
    assert "no kernel. aten::_cdist_forward and aten::pow did the work" in found["dispatcher"].sentence
