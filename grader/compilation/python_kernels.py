"""Kernels in Triton, as the text of a file defines them."""

from __future__ import annotations

import ast
from collections.abc import Iterable

_JIT = "jit"  # of `@triton.jit`, `@jit` and `@triton.jit(...)`


def kernel_names(sources: Iterable[str]) -> list[str]:
    """The functions that `triton.jit` decorates, in order. Text that is no Python has none."""
    return [node.name for text in sources for node in _functions(text) if _is_kernel(node)]


def defined_names(text: str) -> frozenset[str]:
    """What a file defines for others at its top: functions, and names to which it assigns."""
    found = {node.name for node in _functions(text)}
    for node in _tree(text).body:
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        found.update(each.id for each in targets if isinstance(each, ast.Name))
    return frozenset(found)


def _functions(text: str) -> list[ast.FunctionDef]:
    return [node for node in _tree(text).body if isinstance(node, ast.FunctionDef)]


def _is_kernel(function: ast.FunctionDef) -> bool:
    called = [each.func if isinstance(each, ast.Call) else each for each in function.decorator_list]
    return any(ast.unparse(each).rpartition(".")[2] == _JIT for each in called)


def _tree(text: str) -> ast.Module:
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ast.Module([], [])
