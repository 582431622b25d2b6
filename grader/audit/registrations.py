"""Audit torch.library in op.py, where an exercise allows it: a submission may register its own operators."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from grader.audit.lists.builtins import NAMES
from grader.audit.tree import Tree

ALLOWANCE = "torch.library"
_WRAPPER = "wrap_triton"  # of a kernel, which PyTorch then sees: it names no operator
# What registers or defines one operator, which its first argument names. Not: opcheck and infer_schema, which
# a submission does not need; register_torch_dispatch, which changes what modes of PyTorch's own do.
FUNCTIONS = frozenset((
    "Library", "custom_op", "define", "get_kernel", "impl", "register_autocast", "register_autograd",
    "register_fake", "register_kernel", "register_vmap", "triton_op", _WRAPPER,
))  # fmt: skip
# Methods of what Library and custom_op return. Library.fallback would stand in for every operator.
METHODS = frozenset(("register_fake",))
RULE = "A submission registers operators of its own, and leaves PyTorch's as they are."

EVALUATES = {f"{ALLOWANCE}.custom_op", f"{ALLOWANCE}.triton_op"}
TYPES_RULE = "torch.library.custom_op and triton_op evaluate annotations: write each type out in its place."
_TYPES = (
    ast.Name,
    ast.Attribute,
    ast.Subscript,
    ast.Constant,
    ast.Tuple,
    ast.List,
    ast.BinOp,
    ast.expr_context,
)


def is_function(full: str) -> bool:
    """Whether `full` is one of FUNCTIONS, which may be imported by its name."""
    module, _, name = full.rpartition(".")
    return module == ALLOWANCE and name in FUNCTIONS


def problem(function: str, call: ast.Call | None, namespace: str) -> str:
    """What is wrong with a use of `torch.library.<function>`, after "op.py:3 "; `""` when nothing is.

    `call` is the call that it stands in as the function; None when it is used in another way.
    """
    name = f"{ALLOWANCE}.{function}" if function else ALLOWANCE
    if function not in FUNCTIONS:
        return f"uses `{name}`"
    if call is None:
        return f"uses `{name}` without calling it on the spot"
    if function == _WRAPPER:
        return ""
    first = call.args[0] if call.args else None
    if not isinstance(first, ast.Constant) or not isinstance(first.value, str):
        return f'calls `{name}` for an operator that is not written out as "{namespace}::name"'
    own = first.value == namespace if function == "Library" else first.value.startswith(f"{namespace}::")
    bare = function != "Library" and "::" not in first.value
    remedy = f": write `{namespace}::` in front of it" if bare else ""
    foreign = f'calls `{name}` for "{first.value}", which is not in the namespace `{namespace}`{remedy}'
    return "" if own else foreign


def hidden_types(tree: Tree, meanings: Mapping[int, str]) -> Iterator[tuple[ast.AST, str]]:
    """Parts of annotations that could be texts when they are evaluated: EVALUATES do that."""
    own = {node.name for node in tree.nodes if isinstance(node, ast.ClassDef)}
    for node in tree.nodes:
        if not isinstance(node, ast.expr) or not tree.is_in_annotation(node):
            continue
        known = not isinstance(node, ast.Name | ast.Attribute) or bool(meanings.get(id(node)))
        if not isinstance(node, _TYPES):
            yield node, "computes a type"
        elif isinstance(node, ast.Name) and not known and node.id not in (own | NAMES):
            yield node, f"uses `{node.id}` for a type"
        elif isinstance(node, ast.Attribute) and not known:
            yield node, f"uses `{ast.unparse(node)}` for a type"
