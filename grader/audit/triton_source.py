"""Audit kernels in Triton, and the op.py that launches them, by their syntax trees.

A kernel's file defines functions of Triton's language (`kernel_language`), and what configures them: by the
interpreter they run as Python, in the process of the grader's worker. op.py may use what any op.py may, the
kernels, and what sizes a grid.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping

from grader.audit.kernel_language import Kernels
from grader.audit.lists import Group, group, merged
from grader.audit.lists.attributes import ATTRIBUTE_NAMES
from grader.audit.lists.builtins import INSTEAD
from grader.audit.lists.triton import CONFIG_ATTRIBUTES, HOST, KERNEL, KERNEL_ATTRIBUTES
from grader.audit.objection import Objection
from grader.audit.parsing import audited
from grader.audit.python_source import OP, SourceAudit
from grader.audit.registrations import ALLOWANCE
from grader.audit.reserved import of_triton
from grader.audit.rules import LIST_RULE
from grader.compilation.python_kernels import defined_names, kernel_names

_KERNEL_RULE = "A file of kernels holds functions in Triton; what launches them belongs into op.py."
_CALLED = {ast.ClassDef: "class", ast.AsyncFunctionDef: "coroutine"}
_NONE_RULE = "A kernel is a function that @triton.jit decorates."


def audit(
    source: bytes, file: str, name: str, allowed: Collection[str], kernels: Mapping[str, bytes]
) -> Iterator[Objection]:
    """Objections in the order of the lines; `kernels` are the files with kernels, `file` is one or op.py.

    `name` is the namespace of the operators that op.py may register, if `allowed` says so.
    """
    if file in kernels:
        yield from audited(source, file, _KernelAudit(file, "").run)
        if not kernel_names([source.decode("utf-8-sig", "replace")]):
            yield Objection(file, 0, "has no kernel", _NONE_RULE)
        return
    modules = {
        each.removesuffix(".py"): group("the submission's kernels", " ".join(_names(text)))
        for each, text in kernels.items()
    }
    yield from audited(source, file, _LauncherAudit(file, name, ALLOWANCE in allowed, modules).run)


def _names(text: bytes) -> list[str]:
    found = defined_names(text.decode("utf-8-sig", "replace"))
    return sorted(name for name in found if not name.startswith("__"))


class _TritonAudit(SourceAudit):
    """Values of Triton are about: its kernels, and inside of them what the interpreter computes with."""

    attributes = ATTRIBUTE_NAMES | merged({"configurations": CONFIG_ATTRIBUTES})

    def reserved(self) -> frozenset[str]:
        return super().reserved() | (of_triton() - self.attributes)


class _KernelAudit(_TritonAudit):
    lists = KERNEL
    attributes = _TritonAudit.attributes | merged({"values": KERNEL_ATTRIBUTES})

    def run(self, root: ast.Module) -> Iterator[Objection]:
        yield from super().run(root)
        yield from Kernels(root, self).objections()
        for node in self.tree.nodes:
            if isinstance(node, ast.ClassDef | ast.AsyncFunctionDef):
                yield self.object(node, f"has a {_CALLED[type(node)]}", _KERNEL_RULE)
            elif isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load):
                yield self.object(node, f"assigns to `{ast.unparse(node)}`", _KERNEL_RULE)


class _LauncherAudit(_TritonAudit):
    def __init__(self, file: str, name: str, registers: bool, modules: Mapping[str, Group]) -> None:
        self.lists = {**OP, **HOST, **modules}
        super().__init__(file, name, registers)

    def _import_rule(self, full: str) -> str:
        return INSTEAD.get(full) or super()._import_rule(full) or LIST_RULE
