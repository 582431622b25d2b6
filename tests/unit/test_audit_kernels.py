"""What a function of triton.jit may hold: what Triton's compiler takes, and no Python beside it."""

from __future__ import annotations

import ast

import pytest

from cusimt.triton import lacking
from grader.audit.kernel_language import SYNTAX
from grader.audit.lists import words
from grader.audit.lists.triton import BUILTINS, KERNEL_ATTRIBUTES
from grader.audit.triton_source import audit

pytestmark = pytest.mark.skipif(bool(lacking()), reason=lacking() or "Triton is there")
KERNEL = """\
import triton
import triton.language as tl

FACTOR = tl.constexpr(2)
F32 = tl.float32
PLAIN = 2


def by_host(x):
    return x


@triton.jit
def twice(x, factor: tl.constexpr = FACTOR):
    return x * factor


@triton.jit
def kernel(x, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    values = tl.load(x + at, mask=at < n, other=0).to(F32)
    {line}
    tl.store(out + at, twice(values), mask=at < n)
"""


def said(line: str = "pass", more: str = "") -> list[str]:
    text = (KERNEL.format(line=line) + more).encode()
    return [each.what for each in audit(text, "kernel.py", "ns", [], {"kernel.py": text})]


@pytest.mark.parametrize(
    "line",
    [
        "pass",
        "assert n > 0, f'{n} elements'",
        "for i in tl.static_range(2): values += i",
        "while n > 0: n -= 1",
        "values = values if FACTOR == 2 else -values",
        "values = tl.maximum(values, float('-inf'))",
        "pair = [i for i in (0, 1)]",
        "low, high = min(n, 3), max(n, 3)",
        "print('values', values)",
        "is_tile = isinstance(values, tl.tensor) and len(values.shape) == 1",
        "values = values.to(tl.float32).sum(0)[None].broadcast_to((BLOCK,))",
        "tl.static_assert(BLOCK >= 1)",
        "raise NotImplementedError('TODO(tile)')",
    ],
)
def test_what_the_compiler_takes_is_let_through(line: str) -> None:
    assert said(line) == []


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("by_host(values)", "uses `by_host`"),
        ("n = n + PLAIN", "uses `PLAIN`"),
        ("np.sum(values)", "uses `np`"),
        ("abs(n)", "uses `abs`"),
        ("[by_host for by_host in (0, 1)][0]; by_host(values)", "uses `by_host`"),
        ("raise NotImplementedError(values)", "has `raise`"),
        ("raise ValueError('no')", "has `raise`"),
        ("seen = {}", "has a dictionary"),
        ("seen = {1}", "has a set"),
        ("f = lambda: 0", "has a lambda"),
        ("(m := n)", "has `:=`"),
        ("import math", "has `import`"),
        ("del values", "has `delete`"),
        ("for i in range(2): break", "has `break`"),
        ("values[0] = 1", "assigns to `values[0]`"),
        ("values.shape = (1,)", "assigns to `values.shape`"),
        ("values.handle", "reads the attribute `handle`"),
        ("values.numpy()", "reads the attribute `numpy`"),
        ("values.shape.append(1)", "reads the attribute `append`"),
        ("tl.tensor(values, F32)", "makes a `tl.tensor`"),
    ],
)
def test_what_only_python_runs_is_refused(line: str, what: str) -> None:
    assert any(each.startswith(what) for each in said(line)), said(line)


@pytest.mark.parametrize(
    ("more", "what"),
    [
        ("\ntwice = by_host\n", "uses `twice`"),
        ("\nFACTOR = by_host\n", "gives a parameter of the kernel `twice` the default `FACTOR`"),
        ("\ndef g():\n    global twice\n    twice = by_host\n", "has a `global`"),
        ("\nk = triton.jit(by_host)\n", "uses `triton.jit` in another place"),
        ("\nif n:\n    @triton.jit\n    def k(x):\n        pass\n", "uses `triton.jit` in another place"),
        ("\n@triton.jit\n@by_host\ndef k(x):\n    pass\n", "uses `triton.jit` in another place"),
        ("\n@by_host\n@triton.jit\ndef k(x):\n    pass\n", "decorates the kernel `k` with `by_host`"),
        ("\n@triton.jit\ndef k(x, seen=[]):\n    pass\n", "gives a parameter of the kernel `k` the default"),
        ("\n@triton.jit\ndef k(x, f=by_host):\n    pass\n", "gives a parameter of the kernel `k` the"),
        ("\n@triton.jit\ndef k(x, **rest):\n    pass\n", "gives the kernel `k` keywords"),
        ("\nF = tl.constexpr(by_host)\n\n\n@triton.jit\ndef k(x):\n    F(x)\n", "uses `F`"),
        ("\nfrom triton.language import exp\n\n\ndef exp(x):\n    return x\n", "gives the name `exp`"),
    ],
)
def test_a_name_of_the_file_means_what_it_says(more: str, what: str) -> None:
    assert any(each.startswith(what) for each in said(more=more)), said(more=more)


def test_a_kernel_that_is_not_finished_may_use_names_that_are_to_come() -> None:
    assert said("raise NotImplementedError('TODO(row)'); values = values * scale") == []
    unfinished = said("raise NotImplementedError('TODO(row)'); by_host(n)")
    assert any(each.startswith("uses `by_host`") for each in unfinished)
    assert any(each.startswith("uses `scale`") for each in said("values = values * scale"))


def test_functions_beside_the_kernels_are_pythons() -> None:
    more = "\ndef few(configs, args):\n    return sorted(configs, key=lambda each: each.num_warps)[:2]\n"
    assert said(more=more) == []


def test_the_lists_are_those_of_triton() -> None:
    from triton import language as tl
    from triton.compiler.code_generator import CodeGenerator

    taken = {name.removeprefix("visit_") for name in dir(CodeGenerator) if name.startswith("visit_")}
    assert {kind.__name__ for kind in SYNTAX} - taken == set()
    never = (ast.Try, ast.Raise, ast.Lambda, ast.Global, ast.Dict, ast.NamedExpr, ast.Delete, ast.Import)
    assert {kind.__name__ for kind in never} & taken == set()
    assert BUILTINS.names is not None and KERNEL_ATTRIBUTES.names is not None
    assert BUILTINS.names - set(CodeGenerator.builtin_namespace) == set()
    types = (tl.dtype, tl.core.block_type, tl.core.pointer_type)
    kinds = (tl.tensor, tl.constexpr, tl.tensor_descriptor, *types)
    public = {name for kind in kinds for name in dir(kind)}
    of_objects = words("dtype element_ty int_bitwidth name numel primitive_bitwidth shape type value")
    assert KERNEL_ATTRIBUTES.names - public - of_objects == set()
