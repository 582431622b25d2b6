"""Right Python sides in many styles: the audit has nothing against them, and they are right.

Each file in `python/` is an op.py for the toy course's a * b + c. The operator that it calls stands in for
the kernel here, so that values and gradients can be compared on any machine.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import torch

import grader
from grader.audit import python_source

FOLDER = Path(__file__).parent / "python"
SIDES = sorted(FOLDER.glob("*.py"))
_NAMESPACE = "toy_muladd"
_ALLOWS = re.compile(r"^# allow: (\S+)$", re.MULTILINE)
_libraries: list[torch.library.Library] = []  # an operator lives as long as its library


def op_of(text: str, namespace: str) -> Callable[..., Any]:
    """The entry of an op.py whose operator has a stand-in on the CPU."""
    library = torch.library.Library(namespace, "FRAGMENT")
    library.define("muladd(Tensor a, Tensor b, float c) -> Tensor")
    library.impl("muladd", lambda a, b, c: a * b + c, "CPU")
    library.impl("muladd", lambda a, b, c: torch.empty_like(a), "Meta")
    _libraries.append(library)
    module = ModuleType(namespace)
    sys.modules[namespace] = module  # as in a worker: dataclasses look there
    exec(compile(text, f"{namespace}.py", "exec"), vars(module))
    entry: Callable[..., Any] = module.muladd
    return entry


def test_there_are_thirty_styles() -> None:
    assert len(SIDES) >= 30


@pytest.mark.parametrize("side", SIDES, ids=lambda path: path.stem)
def test_the_audit_has_nothing_against_it(side: Path) -> None:
    content = side.read_bytes()
    allowed = _ALLOWS.findall(content.decode())
    found = python_source.audit(content, "op.py", _NAMESPACE, allowed, own=("muladd",))
    assert [each.sentence for each in found] == []


@pytest.mark.parametrize("side", SIDES, ids=lambda path: path.stem)
def test_it_is_right(side: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grader, "load", lambda *rest, **named: None, raising=False)
    namespace = f"honest_{side.stem}"
    muladd = op_of(side.read_text().replace(_NAMESPACE, namespace), namespace)
    drawn = torch.Generator().manual_seed(13)
    a, b = (torch.randn(3, 4, generator=drawn) for _ in range(2))
    torch.testing.assert_close(muladd(a, b, 1.5), a * b + 1.5)
    a, b, grad = (each.clone().requires_grad_() for each in (a, b, a.cos()))
    found = torch.autograd.grad(muladd(a, b, 1.5), (a, b), grad.detach())
    for one, other in zip(found, (grad * b, grad * a), strict=True):
        torch.testing.assert_close(one, other.detach())
