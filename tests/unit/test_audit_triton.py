"""The audit of kernels in Triton, and of the op.py beside them."""

from __future__ import annotations

import pytest

from cusimt.triton import lacking
from grader.audit.triton_source import audit

pytestmark = pytest.mark.skipif(bool(lacking()), reason=lacking() or "Triton is there")
KERNEL = """\
import triton
import triton.language as tl


@triton.jit
def copy(x, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(x + at, mask=at < n).to(out.dtype.element_ty), mask=at < n)
"""
OP = """\
import torch
import triton
from kernel import copy


@torch.library.triton_op("ns::copied", mutates_args=())
def copied(x: torch.Tensor) -> torch.Tensor:
    out = torch.empty_like(x)
    torch.library.wrap_triton(copy)[(triton.cdiv(x.numel(), 64),)](x, out, x.numel(), 64)
    return out
"""


def said(kernel: str = KERNEL, op: str = OP) -> list[str]:
    kernels = {"kernel.py": kernel.encode()}
    found = list(audit(kernel.encode(), "kernel.py", "ns", ["torch.library"], kernels))
    found += audit(op.encode(), "op.py", "ns", ["torch.library"], kernels)
    return [each.what for each in found]


def test_a_kernel_and_its_launch_are_let_through() -> None:
    assert said() == []


@pytest.mark.parametrize(
    ("addition", "what"),
    [
        ("import torch\n", "imports `torch`"),
        ("import numpy\n", "imports `numpy`"),
        ("from triton import runtime\n", "imports `triton.runtime`"),
        ("x = open\n", "uses `open`"),
        ("tl.store = tl.load\n", "changes `tl.store`"),
        ("class A:\n    pass\n", "has a class"),
        ("y = tl.core\n", "uses `triton.language.core`"),
        ("def f(x):\n    return x.handle.data\n", "reads the attribute `handle`"),
        ("KEPT = [copy]\n@triton.jit\ndef copy(x):\n    pass\n", "defines `copy` more than once"),
        ("def f(x):\n    return tl.inline_asm_elementwise(x)\n", "inline_asm_elementwise"),
    ],
)
def test_a_file_of_kernels_holds_nothing_else(addition: str, what: str) -> None:
    assert any(what in each for each in said(KERNEL + addition)), said(KERNEL + addition)


def test_a_file_without_a_kernel_is_named() -> None:
    assert "has no kernel" in said(KERNEL.replace("@triton.jit\n", ""))


@pytest.mark.parametrize(
    ("old", "new", "what"),
    [
        ("from kernel import copy", "from kernel import tl, copy", "kernel"),
        ("import triton\n", "import triton.runtime\nimport triton\n", "triton.runtime"),
        ('"ns::copied"', '"aten::copied"', "not in the namespace `ns`"),
        ("torch.library.wrap_triton(copy)[", "torch.library.wrap_triton[", "without calling it"),
    ],
)
def test_op_uses_kernels_and_its_own_namespace(old: str, new: str, what: str) -> None:
    assert any(what in each for each in said(op=OP.replace(old, new))), said(op=OP.replace(old, new))
